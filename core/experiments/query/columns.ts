// What a project offers to queries. A client takes the type of a rule from here, so these rows decide what its users may ask.
import type { SubjectKind } from '#ports/query';

/** The type of a column on the wire. `datetime` is `YYYY-MM-DD HH:MM:SS` in UTC, `timenumber` seconds, `boolean` 1 or 0. */
export type ColumnType = 'string' | 'boolean' | 'double' | 'datetime' | 'timenumber';

export interface Column {
  readonly name: string;
  readonly source: string;
  readonly type: ColumnType;
}

/** The wire's word for each kind of subject. */
export const sources: Readonly<Record<SubjectKind, string>> = {
  metric: 'metrics',
  parameter: 'params',
  other: 'log_other',
  tag: 'tag',
  metadata: 'metadata',
  environment: 'env_details',
};

const kinds = new Map(
  Object.entries(sources).map(([kind, source]) => [source, kind as SubjectKind]),
); // the keys of the record above

/** The kind that a source means; `undefined` for any other word. */
export const findKind = (source: string): SubjectKind | undefined => kinds.get(source);

/** An id as columns carry it. */
export const nameColumn = (column: Pick<Column, 'name' | 'source'>): string =>
  `${column.name}--${column.source}`;

const ofMetadata =
  (type: ColumnType) =>
  (name: string): Column => ({ name, source: sources.metadata, type });

/** Metadata that every project offers, even an empty one. */
export const steadyColumns: readonly Column[] = [
  ...[
    'runId',
    'codeSHA',
    'file_name',
    'experimentKey',
    'optimizationId',
    'installed_packages',
    'file_path',
    'user_name',
  ].map(ofMetadata('string')),
  ...['hasNotes', 'hasHtml', 'runActive', 'hasImages'].map(ofMetadata('boolean')),
  ...['duration'].map(ofMetadata('timenumber')),
  ...['start_server_timestamp', 'end_server_timestamp', 'last_message_time'].map(
    ofMetadata('datetime'),
  ),
];

/** Metadata that may be asked for, and is offered only where some experiment has it. */
export const occasionalColumns: readonly Column[] = ['hasCrashed'].map(ofMetadata('boolean'));

/** Others that the server itself fills in; offered like logged ones. */
export const otherColumns: readonly Column[] = ['Name', 'throttled'].map((name) => ({
  name,
  source: sources.other,
  type: 'string',
}));

const metadataTypes = new Map(
  [...steadyColumns, ...occasionalColumns].map((column) => [column.name, column.type]),
);

/** The type of a metadata column; `undefined` when there is none of that name. */
export const findMetadataType = (name: string): ColumnType | undefined => metadataTypes.get(name);
