import { thing } from '#test/api/fixtures';
import { experiments } from '#test/areas/experiments/things';

/** A comment on the run. */
export const comments = thing(async ({ ask, of }) => {
  const { experimentKey } = await of(experiments);
  const { id = '' } = await ask(`/v1/private/ui/runs/${experimentKey}/comments`, {
    text: 'why does it diverge?',
  });
  return { commentId: id };
});
