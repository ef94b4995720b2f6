// Callers that this process identified or made itself. Plugins hand callers back when they call operations, and one that they wrote themselves must not pass.
import type { Caller } from '#ports/model/identity';
import { Failure } from '#ports/failure';

const known = new WeakSet<Caller>();

export const markKnown = (caller: Caller): Caller => {
  known.add(caller);
  return caller;
};

export const requireKnown = (caller: Caller): void => {
  if (!known.has(caller))
    throw new Failure(
      'unauthenticated',
      'operations are called for callers that this server identified, and this is not one of them',
    );
};
