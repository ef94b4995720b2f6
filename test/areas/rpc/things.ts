import { thing } from '#test/api/fixtures';
import { experiments } from '#test/areas/experiments/things';

/** A call into the experiment's run. */
export const calls = thing(async ({ ask, of }) => {
  const { experimentKey } = await of(experiments);
  const named = { experimentKey, functionName: 'x' };
  await ask('/clientlib/rpc/register-rpc', named);
  const { callId = '' } = await ask('/api/rest/v2/write/experiment/rpc', named);
  return { callId };
});
