import type { ArtifactUseStore } from '#ports/storage/artifact-uses';
import { versionReader } from './artifact-rows.js';
import type { Connection } from './connection.js';

export const artifactUseStore = (connection: Connection): ArtifactUseStore => {
  const { db } = connection;
  const { selectVersions, versions } = versionReader(connection);
  return {
    async noteUse(experimentId, versionId, at) {
      await db('artifact_uses')
        .insert({ experiment_id: experimentId, version_id: versionId, used_at: at })
        .onConflict(['experiment_id', 'version_id'])
        .ignore();
    },
    listMade: (experimentId, limit) =>
      versions(
        selectVersions()
          .where('v.experiment_id', experimentId)
          .orderBy(['v.created_at', 'v.id'])
          .limit(limit),
      ),
    listUsed: (experimentId, limit) =>
      versions(
        selectVersions()
          .join('artifact_uses as s', 's.version_id', 'v.id')
          .where('s.experiment_id', experimentId)
          .orderBy(['s.used_at', 'v.id'])
          .limit(limit),
      ),
    async listUses(versionId, limit) {
      const rows = (await db('artifact_uses')
        .select('experiment_id', 'used_at')
        .where({ version_id: versionId })
        .orderBy(['used_at', 'experiment_id'])
        .limit(limit)) as readonly { readonly experiment_id: string; readonly used_at: unknown }[]; // the columns named
      return rows.map((row) => ({ experimentId: row.experiment_id, usedAt: Number(row.used_at) }));
    },
  };
};
