// Where writes lately met what was there already: the next ones look first. Elsewhere they do not, since most of what clients send is new.

/** So many writes of a project look first after one that met something. */
const lookedAhead = 16;
const mostProjects = 10_000;

export interface Repeats {
  expected(projectId: string): boolean;
  /** Tells whether a write that looked met anything. */
  note(projectId: string, met: boolean): void;
}

export const createRepeats = (): Repeats => {
  const left = new Map<string, number>();
  return {
    expected: (projectId) => left.has(projectId),
    note(projectId, met) {
      const before = left.get(projectId);
      if (met) {
        if (left.size >= mostProjects) left.clear();
        left.set(projectId, lookedAhead);
      } else if (before !== undefined) {
        if (before > 1) left.set(projectId, before - 1);
        else left.delete(projectId);
      }
    },
  };
};
