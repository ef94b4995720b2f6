// What the files of an artifact version change in its own row, inside the transaction that stores them.
import type { Knex } from 'knex';
import type { Connection } from './connection.js';
import type { Dialect } from '#ports/sql-dialect';

type VersionRow = Readonly<Record<string, string>> & { readonly gone_at?: unknown };
type Takes = 'open' | 'closed' | 'versionGone';

/** Versions that are there, locked, so that none is finished meanwhile. */
export const readVersions =
  (db: Knex, dialect: Dialect, ids: readonly string[]) => (): Promise<readonly VersionRow[]> =>
    dialect.run(
      db,
      `select id, workspace_id, state, (select a.deleted_at from artifacts a where a.id = artifact_versions.artifact_id) as gone_at from artifact_versions where deleted_at is null and ${dialect.anyOf('id', 'id')} order by id for update`,
      [ids],
    ) as Promise<readonly VersionRow[]>; // the columns named

/** Whether a version takes files of this workspace: `closed` when it is finished, `versionGone` when there is none. */
export const stateFor = (
  version: VersionRow | undefined,
  workspaceId: string | undefined,
): Takes => {
  if (version === undefined || version['workspace_id'] !== workspaceId || version.gone_at !== null)
    return 'versionGone';
  return version['state'] === 'OPEN' ? 'open' : 'closed';
};

/** The same of one version. */
export const takesFiles = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  workspaceId: string,
  versionId: string,
): Promise<Takes> => stateFor((await readVersions(db, dialect, [versionId])())[0], workspaceId);

/** Adds files and bytes, or takes them away. */
export const countFiles = async (
  db: Knex,
  versionId: string,
  files: number,
  bytes: number,
): Promise<void> => {
  await db('artifact_versions')
    .where({ id: versionId })
    .update({
      files: db.raw('files + ?', [files]),
      size_in_bytes: db.raw('size_in_bytes + ?', [bytes]),
    });
};
