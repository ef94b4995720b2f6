/** Does a work of that name, or waits for one that begins after the call. */
export type SharedRuns = (name: string, work: () => Promise<void>) => Promise<void>;

interface State {
  readonly running: Promise<void>;
  next: Promise<void> | undefined;
}

/** Does a work at most once at a time, by its name: all who ask while it runs share the run after it, so that what they see is of no time before they asked. */
export const createSharedRuns = (): SharedRuns => {
  const states = new Map<string, State>();
  const begin = (name: string, work: () => Promise<void>): Promise<void> => {
    const state: State = { running: work(), next: undefined };
    states.set(name, state);
    const end = () => {
      if (state.next === undefined) states.delete(name);
    };
    state.running.then(end, end);
    return state.running;
  };
  return (name, work) => {
    const state = states.get(name);
    if (state === undefined) return begin(name, work);
    state.next ??= state.running.then(
      () => begin(name, work),
      () => begin(name, work),
    );
    return state.next;
  };
};
