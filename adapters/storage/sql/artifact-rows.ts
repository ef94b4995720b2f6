// Artifacts and their versions as rows.
import type { Knex } from 'knex';
import type { Artifact, ArtifactState, ArtifactVersion } from '#ports/model/artifacts';
import { isTrue, keyOf, orNothing, type Connection } from './connection.js';

export interface ArtifactRow {
  readonly artifact_id: string;
  readonly workspace_id: string;
  readonly workspace_name: string;
  readonly name: string;
  readonly type: string;
  readonly description: string | null;
  readonly artifact_metadata: string | null;
  readonly public: unknown;
  readonly emoji: string | null;
  readonly artifact_tags: string | null;
  readonly project_id: string | null;
  readonly project_name: string | null;
  readonly artifact_experiment_key: string;
  readonly artifact_owner: string | null;
  readonly artifact_created_at: unknown;
}
export interface VersionRow extends ArtifactRow {
  readonly id: string;
  readonly version: string;
  readonly state: ArtifactState;
  readonly experiment_id: string;
  readonly experiment_key: string;
  readonly owner: string | null;
  readonly metadata: string | null;
  readonly note: string | null;
  readonly tags: string | null;
  readonly size_in_bytes: unknown;
  readonly created_at: unknown;
}

export const artifactColumns = {
  artifact_id: 'a.id',
  workspace_id: 'a.workspace_id',
  workspace_name: 'w.name',
  name: 'a.name',
  type: 'a.type',
  description: 'a.description',
  artifact_metadata: 'a.metadata',
  public: 'a.public',
  emoji: 'a.emoji',
  artifact_tags: 'a.tags',
  project_id: 'p.id',
  project_name: 'p.name',
  artifact_experiment_key: 'a.experiment_key',
  artifact_owner: 'u.name',
  artifact_created_at: 'a.created_at',
};
const versionColumns = {
  id: 'v.id',
  version: 'v.version',
  state: 'v.state',
  experiment_id: 'v.experiment_id',
  experiment_key: 'v.experiment_key',
  owner: 'm.name',
  metadata: 'v.metadata',
  note: 'v.note',
  tags: 'v.tags',
  size_in_bytes: 'v.size_in_bytes',
  created_at: 'v.created_at',
};

const readTexts = (stored: string | null): readonly string[] =>
  stored === null ? [] : (JSON.parse(stored) as string[]); // written by `writeTexts`
export const writeTexts = (texts: readonly string[]): string | null =>
  texts.length === 0 ? null : JSON.stringify(texts);

export const toArtifact = (row: ArtifactRow): Artifact => ({
  id: row.artifact_id,
  workspaceId: row.workspace_id,
  workspaceName: row.workspace_name,
  name: row.name,
  type: row.type,
  description: orNothing(row.description),
  metadata: orNothing(row.artifact_metadata),
  public: isTrue(row.public),
  emoji: orNothing(row.emoji),
  tags: readTexts(row.artifact_tags),
  projectId: orNothing(row.project_id),
  projectName: orNothing(row.project_name),
  experimentKey: row.artifact_experiment_key,
  ownerName: row.artifact_owner ?? '',
  createdAt: Number(row.artifact_created_at),
});
const toVersion = (row: VersionRow, aliases: readonly string[]): ArtifactVersion => ({
  id: row.id,
  artifact: toArtifact(row),
  version: row.version,
  state: row.state,
  experimentId: row.experiment_id,
  experimentKey: row.experiment_key,
  ownerName: row.owner ?? '',
  metadata: orNothing(row.metadata),
  note: orNothing(row.note),
  tags: readTexts(row.tags),
  aliases,
  sizeInBytes: Number(row.size_in_bytes),
  createdAt: Number(row.created_at),
});

export const nameKeyOf = (workspaceId: string, name: string): string => keyOf(workspaceId, name);

/** Artifacts, with what of other tables is shown of them. */
export const joined = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query
    .join('workspaces as w', 'w.id', 'a.workspace_id')
    .leftJoin('users as u', 'u.id', 'a.owner_id')
    .leftJoin('projects as p', (on) => {
      on.on('p.id', 'a.project_id').andOnNull('p.deleted_at');
    })
    .whereNull('a.deleted_at')
    .select(artifactColumns);

/** Values of a row to be made. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** How versions are selected, and what such a query finds. */
export const versionReader = ({ db, dialect }: Connection) => {
  const selectVersions = () =>
    joined(
      db('artifact_versions as v')
        .join('artifacts as a', 'a.id', 'v.artifact_id')
        .leftJoin('users as m', 'm.id', 'v.owner_id'),
    )
      .whereNull('v.deleted_at')
      .select(versionColumns);
  const versions = async (query: Knex.QueryBuilder): Promise<readonly ArtifactVersion[]> => {
    const rows = (await query) as readonly VersionRow[]; // the columns named above
    if (rows.length === 0) return [];
    const held = (await db('artifact_aliases')
      .select('version_id', 'alias')
      .modify(
        dialect.among(
          'version_id',
          'id',
          rows.map((row) => row.id),
        ),
      )
      .orderBy(['version_id', 'position'])) as readonly {
      readonly version_id: string;
      readonly alias: string;
    }[]; // the columns named
    const aliases = new Map<string, string[]>(rows.map((row) => [row.id, []]));
    for (const { version_id, alias } of held) aliases.get(version_id)?.push(alias);
    return rows.map((row) => toVersion(row, aliases.get(row.id) ?? []));
  };
  return { selectVersions, versions };
};
