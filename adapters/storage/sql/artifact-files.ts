// What the files of an artifact version change in its own row, inside the transaction that stores them.
import type { Knex } from 'knex';

interface VersionRow { readonly artifact_id: string; readonly state: string }

/** Whether a version of this workspace takes files: `closed` when it is finished, `versionGone` when there is none. Locked, so that it is not finished meanwhile. */
export const takesFiles = async (db: Knex, workspaceId: string, versionId: string): Promise<'open' | 'closed' | 'versionGone'> => {
  const version = await db('artifact_versions').select('artifact_id', 'state').where({ id: versionId, workspace_id: workspaceId }).whereNull('deleted_at').forUpdate().first<VersionRow | undefined>();
  const artifact = version === undefined ? undefined : await db('artifacts').select('id').where({ id: version.artifact_id }).whereNull('deleted_at').first<{ readonly id: string } | undefined>();
  if (version === undefined || artifact === undefined) return 'versionGone';
  return version.state === 'OPEN' ? 'open' : 'closed';
};

/** Adds files and bytes, or takes them away. */
export const countFiles = async (db: Knex, versionId: string, files: number, bytes: number): Promise<void> => {
  await db('artifact_versions').where({ id: versionId }).update({ files: db.raw('files + ?', [files]), size_in_bytes: db.raw('size_in_bytes + ?', [bytes]) });
};
