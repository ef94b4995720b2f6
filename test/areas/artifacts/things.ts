import { thing } from '#test/api/fixtures';
import { freshName } from '#test/api/fresh';
import { experiments } from '#test/areas/experiments/things';

/** An artifact with a closed version and an open one, which is the one that is named. */
export const artifacts = thing(async ({ ask, of }) => {
  const { experimentKey } = await of(experiments);
  const artifactName = freshName('artifact');
  const upsert = () =>
    ask('/api/rest/v2/write/artifacts/upsert', {
      experimentKey,
      artifactName,
      artifactType: 'data',
    });
  const { artifactId = '', artifactVersionId: closed = '' } = await upsert();
  await ask('/api/rest/v2/write/artifacts/state', {
    experimentKey,
    artifactVersionId: closed,
    state: 'CLOSED',
  });
  const { artifactVersionId = '' } = await upsert();
  return { artifactId, artifactName, artifactVersionId };
});
