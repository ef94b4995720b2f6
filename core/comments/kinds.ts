import { defineKind, type WorkspacePlace } from '#ports/api/kind-definition';
import { comment } from '#ports/model/comments';
import type { Comment } from '#ports/model/comments';
import { storageOf, type Stores } from '#ports/storage/storage';
import { experimentOf, experimentPlace } from '../experiments/offers.js';

/** A comment lies where what it is about lies. */
const placeOf = async (
  stores: Pick<Stores, 'experiments' | 'modelVersions' | 'projects' | 'registry'>,
  about: Comment,
): Promise<WorkspacePlace | undefined> => {
  if (about.experimentId !== undefined) {
    const run = await experimentOf(stores, about.experimentId);
    return run === undefined ? undefined : experimentPlace(stores, run);
  }
  const version = await stores.modelVersions.findVersion(about.versionId ?? '');
  const model =
    version === undefined ? undefined : await stores.registry.findModel(version.modelId);
  return model === undefined ? undefined : { workspaceId: model.workspaceId, public: model.public };
};

export const commentKind = defineKind(comment, {
  needs: { storage: storageOf('comments', 'experiments', 'modelVersions', 'projects', 'registry') },
  rules: ({ storage: { stores } }) => ({
    /** One whose run or version was deleted is gone, though its row may still be there. */
    async find({ text }) {
      const found = await stores.comments.find(text);
      return found !== undefined && (await placeOf(stores, found)) !== undefined
        ? found
        : undefined;
    },
    async placeOf(found) {
      const place = await placeOf(stores, found);
      return place === undefined
        ? { userId: '' } // gone since it was found: nobody's
        : { ...place, ownerId: found.authorId };
    },
    forProjectKeys: true,
  }),
});
