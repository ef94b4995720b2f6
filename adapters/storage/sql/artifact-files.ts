// What the files of an artifact version change in its own row, inside the transaction that stores them.
import type { Knex } from 'knex';

interface VersionRow { readonly state: string; readonly gone_at: unknown }

/** Whether a version of this workspace takes files: `closed` when it is finished, `versionGone` when there is none. Locked, so that it is not finished meanwhile. */
export const takesFiles = async (db: Knex, workspaceId: string, versionId: string): Promise<'open' | 'closed' | 'versionGone'> => {
  const gone = db('artifacts').select('deleted_at').whereRaw('artifacts.id = artifact_versions.artifact_id');
  const version = await db('artifact_versions').select('state', { gone_at: gone }).where({ id: versionId, workspace_id: workspaceId }).whereNull('deleted_at').forUpdate().first<VersionRow | undefined>();
  if (version === undefined || version.gone_at !== null) return 'versionGone';
  return version.state === 'OPEN' ? 'open' : 'closed';
};

/** Adds files and bytes, or takes them away. */
export const countFiles = async (db: Knex, versionId: string, files: number, bytes: number): Promise<void> => {
  await db('artifact_versions').where({ id: versionId }).update({ files: db.raw('files + ?', [files]), size_in_bytes: db.raw('size_in_bytes + ?', [bytes]) });
};
