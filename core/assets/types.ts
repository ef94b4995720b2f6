// Types of assets: which of them count against a limit, and what they are shown as. Pure.
import type { FailureReason } from '#ports/failure';
import type { AssetSettings } from './settings.js';

const imageTypes = ['image', 'shap', 'prophet'];

interface CountedKind {
  readonly types: readonly string[];
  readonly reason: FailureReason;
  readonly word: string;
}

const counted: readonly CountedKind[] = [
  { types: imageTypes, reason: 'imageLimit', word: 'images' },
  { types: ['text-sample'], reason: 'textSampleLimit', word: 'text samples' },
  { types: ['histogram3d'], reason: 'histogramLimit', word: 'histograms' },
  { types: ['model-element'], reason: 'modelElementLimit', word: 'model elements' },
  { types: ['curve'], reason: 'curveLimit', word: 'curves' },
  { types: ['notebook'], reason: 'notebookLimit', word: 'notebooks' },
  { types: ['embeddings'], reason: 'embeddingLimit', word: 'embeddings' },
  { types: ['video'], reason: 'videoLimit', word: 'videos' },
];

export interface CountLimit extends CountedKind {
  readonly most: number;
}

/** How many assets of this kind an experiment may hold; `undefined` for kinds that are not counted and limits that are off. */
export const countLimit = (
  type: string,
  settings: Pick<
    AssetSettings,
    'ORRERY_IMAGES_PER_EXPERIMENT_LIMIT' | 'ORRERY_ASSETS_PER_KIND_LIMIT'
  >,
): CountLimit | undefined => {
  const kind = counted.find(({ types }) => types.includes(type));
  if (kind === undefined) return undefined;
  const most =
    kind.reason === 'imageLimit'
      ? settings.ORRERY_IMAGES_PER_EXPERIMENT_LIMIT
      : settings.ORRERY_ASSETS_PER_KIND_LIMIT;
  return most > 0 ? { ...kind, most } : undefined;
};

/** Largest number of bytes of one asset of this type; 0 is without a limit. */
export const sizeLimit = (
  type: string,
  settings: Pick<AssetSettings, 'ORRERY_ASSET_SIZE_LIMIT_MB' | 'ORRERY_VIDEO_SIZE_LIMIT_MB'>,
): number =>
  (type === 'video' ? settings.ORRERY_VIDEO_SIZE_LIMIT_MB : settings.ORRERY_ASSET_SIZE_LIMIT_MB) *
  1024 *
  1024;

export const isImageType = (type: string): boolean => imageTypes.includes(type);

/** The stored type that a filter of the list asks for; `undefined` for all of them, `none` where nothing is ever stored. */
export const filteredType = (filter: string | undefined): { readonly type?: string } | 'none' => {
  if (filter === undefined || filter === '' || filter === 'all') return {};
  if (filter === 'ASSET_TYPE_FULL_METRIC') return 'none';
  return { type: filter === 'histogram_combined_3d' ? 'histogram3d' : filter };
};
