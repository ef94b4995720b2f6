// An asset as its row.
import type { Asset } from '#ports/model/assets';
import { keyOf, orNothing, wholeOrNothing } from '../connection.js';

export interface AssetRow {
  readonly experiment_id: string;
  readonly id_key: string;
  readonly row_id: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly file_name: string;
  readonly type: string;
  readonly file_size: unknown;
  readonly run_context: string | null;
  readonly step: unknown;
  readonly epoch: unknown;
  readonly metadata: string | null;
  readonly remote_link: string | null;
  readonly blob_key: string | null;
  readonly sha256: string | null;
  readonly grouping_name: string | null;
  readonly artifact_version_id: string | null;
  readonly extension: string | null;
  readonly tags: string | null;
  readonly width: unknown;
  readonly height: unknown;
  readonly part_of: string | null;
  readonly created_at: unknown;
}

export const assetColumns = [
  'experiment_id',
  'id_key',
  'row_id',
  'id',
  'workspace_id',
  'file_name',
  'type',
  'file_size',
  'run_context',
  'step',
  'epoch',
  'metadata',
  'remote_link',
  'blob_key',
  'sha256',
  'grouping_name',
  'artifact_version_id',
  'extension',
  'tags',
  'width',
  'height',
  'part_of',
  'created_at',
] as const;

export const toAsset = (row: AssetRow): Asset => ({
  id: row.id,
  rowId: row.row_id,
  experimentId: row.experiment_id,
  workspaceId: row.workspace_id,
  fileName: row.file_name,
  type: row.type,
  fileSize: Number(row.file_size),
  runContext: orNothing(row.run_context),
  step: wholeOrNothing(row.step),
  epoch: wholeOrNothing(row.epoch),
  metadata: orNothing(row.metadata),
  remoteLink: orNothing(row.remote_link),
  blobKey: orNothing(row.blob_key),
  sha256: orNothing(row.sha256),
  groupingName: orNothing(row.grouping_name),
  artifactVersionId: orNothing(row.artifact_version_id),
  extension: orNothing(row.extension),
  tags: row.tags === null ? [] : (JSON.parse(row.tags) as string[]), // written below
  width: wholeOrNothing(row.width),
  height: wholeOrNothing(row.height),
  partOf: orNothing(row.part_of),
  createdAt: Number(row.created_at),
});

/** What tells assets apart that are not told by their ids: a newer one takes the place of the one there. */
export const placeOf = (
  asset: Pick<Asset, 'fileName' | 'type' | 'groupingName' | 'artifactVersionId'>,
): string =>
  keyOf(asset.fileName, asset.type, asset.groupingName ?? '', asset.artifactVersionId ?? '');

export const toRow = (asset: Asset): Record<string, unknown> => ({
  experiment_id: asset.experimentId,
  id_key: keyOf(asset.id),
  row_id: asset.rowId,
  id: asset.id,
  workspace_id: asset.workspaceId,
  file_name: asset.fileName,
  name_key: keyOf(asset.fileName),
  place_key: placeOf(asset),
  type: asset.type,
  file_size: asset.fileSize,
  run_context: asset.runContext ?? null,
  step: asset.step ?? null,
  epoch: asset.epoch ?? null,
  metadata: asset.metadata ?? null,
  remote_link: asset.remoteLink ?? null,
  blob_key: asset.blobKey ?? null,
  sha256: asset.sha256 ?? null,
  grouping_name: asset.groupingName ?? null,
  grouping_key: asset.groupingName === undefined ? null : keyOf(asset.groupingName),
  artifact_version_id: asset.artifactVersionId ?? null,
  extension: asset.extension ?? null,
  tags: asset.tags.length === 0 ? null : JSON.stringify(asset.tags),
  width: asset.width ?? null,
  height: asset.height ?? null,
  part_of: asset.partOf ?? null,
  part_key: asset.partOf === undefined ? null : keyOf(asset.partOf),
  created_at: asset.createdAt,
});
