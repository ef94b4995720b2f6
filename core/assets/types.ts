// Types of assets: which of them count against a limit, and what they are shown as. Pure.
import { codes } from '../codes.js';
import type { AssetSettings } from './settings.js';

const imageTypes = ['image', 'shap', 'prophet'];

interface CountedKind {
  readonly types: readonly string[];
  readonly code: number;
  readonly word: string;
}

const counted: readonly CountedKind[] = [
  { types: imageTypes, code: codes.imageLimit, word: 'images' },
  { types: ['text-sample'], code: codes.textSampleLimit, word: 'text samples' },
  { types: ['histogram3d'], code: codes.histogramLimit, word: 'histograms' },
  { types: ['model-element'], code: codes.modelElementLimit, word: 'model elements' },
  { types: ['curve'], code: codes.curveLimit, word: 'curves' },
  { types: ['notebook'], code: codes.notebookLimit, word: 'notebooks' },
  { types: ['embeddings'], code: codes.embeddingLimit, word: 'embeddings' },
  { types: ['video'], code: codes.videoLimit, word: 'videos' },
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
    kind.code === codes.imageLimit
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
