// Calling a function of a run, for whoever has a reason to: the wire, and the end of a run on demand.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Stores } from '#ports/storage/storage';
import type { RemoteArgument } from '#ports/storage/rpc';

/** Functions that the client itself has, without registering them. */
export const builtInFunctions: ReadonlySet<string> = new Set(['stop']);
/** Calls that may wait for one run. */
const mostWaiting = 1000;

export interface CallRequest {
  readonly experimentId: string;
  readonly functionName: string;
  readonly builtIn: boolean;
  readonly arguments: readonly RemoteArgument[];
  readonly userName: string;
}

/** Queues a call and answers its id. Rejects with `invalid` for a function that nobody registered, with `conflict` when too many calls wait already. */
export const queueCall = async (
  { rpc }: Pick<Stores, 'rpc'>,
  { clock, ids }: { readonly clock: Clock; readonly ids: Ids },
  request: CallRequest,
): Promise<string> => {
  const known = request.builtIn
    ? builtInFunctions.has(request.functionName)
    : (await rpc.findFunction(request.experimentId, request.functionName)) !== undefined;
  if (!known)
    throw new Failure(
      'invalid',
      `function ${request.functionName.slice(0, 100)} is not registered by the run`,
    );
  if ((await rpc.countWaiting(request.experimentId)) >= mostWaiting)
    throw new Failure('conflict', `${mostWaiting} calls wait for the run already`);
  const id = ids.next();
  await rpc.insert({ ...request, id, createdAt: clock.now() });
  return id;
};

/** Whether a run has calls to fetch. */
export const hasWaitingCalls = async (
  { rpc }: Pick<Stores, 'rpc'>,
  experimentId: string,
): Promise<boolean> => (await rpc.countWaiting(experimentId)) > 0;
