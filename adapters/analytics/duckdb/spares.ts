// Engines that are kept for a moment, since charts of one dashboard ask one after the other and a process takes long to start.
import type { AnalyticsScope } from '#ports/analytics';
import type { Engine } from './engine.js';

export interface Spares {
  /** An empty engine that has seen nothing but this scope; whoever takes it has it alone. */
  take(scope: AnalyticsScope): Engine | undefined;
  /** Keeps an empty engine for later statements of the same scope, until it is too old or others take its place. */
  keep(scope: AnalyticsScope, engine: Engine): void;
  /** Ends all that are kept. */
  end(): void;
}

interface Spare {
  readonly key: string;
  readonly engine: Engine;
  readonly timer: NodeJS.Timeout;
}

/** No engine that has held rows of one scope ever holds those of another. */
const keyOf = ({ workspaceId, projectId, tables }: AnalyticsScope): string =>
  JSON.stringify([workspaceId, projectId ?? null, tables ?? null]);

export const createSpares = (most: number, keptMs: number): Spares => {
  const spares: Spare[] = [];
  const remove = (spare: Spare | undefined): Engine | undefined => {
    if (spare === undefined) return undefined;
    clearTimeout(spare.timer);
    spares.splice(spares.indexOf(spare), 1);
    return spare.engine;
  };
  return {
    take(scope) {
      const key = keyOf(scope);
      for (;;) {
        const engine = remove(spares.findLast((spare) => spare.key === key));
        if (engine === undefined || engine.isThere()) return engine;
      }
    },
    keep(scope, engine) {
      if (spares.length >= most) remove(spares[0])?.end();
      const spare: Spare = {
        ...{ key: keyOf(scope), engine },
        timer: setTimeout(() => {
          remove(spare)?.end();
        }, keptMs).unref(),
      };
      spares.push(spare);
    },
    end() {
      for (const spare of [...spares]) remove(spare)?.end();
    },
  };
};
