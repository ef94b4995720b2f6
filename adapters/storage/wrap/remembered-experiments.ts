// Finds an experiment by its key without asking the database every time, for requests that only add to it.
import type { Clock } from '#ports/clock';
import type { Experiment } from '#ports/model/experiments';
import type { ExperimentStore } from '#ports/storage/experiments';
import type { Storage, Stores } from '#ports/storage/storage';

const rememberMs = 5000;
const most = 20_000;

export interface RememberedExperiments {
  /** The storage itself; what changes through it is forgotten at once. Everything must change through this one. */
  readonly storage: Storage;
  /** As the store's own `findByKey`; what it tells may be 5 s old where another process changed it, and its activity always. Only what was found is remembered. */
  readonly finder: Pick<ExperimentStore, 'findByKey'>;
}

/** Methods after which an experiment or its project may be named, placed or held otherwise. */
const changing = /^(update|markDeleted|move)/;
const watched = ['experiments', 'projects'] as const;
type Method = (...args: unknown[]) => unknown;

export const rememberExperiments = (storage: Storage, clock: Clock): RememberedExperiments => {
  const remembered = new Map<string, { readonly experiment: Experiment; readonly until: number }>();
  const keys = new Map<string, string>();
  /** Grows with every change, so that what was read before one is not remembered after it. */
  let changes = 0;

  const forget = (id: unknown): void => {
    changes++;
    const key = typeof id === 'string' ? keys.get(id) : undefined;
    if (key !== undefined) remembered.delete(key);
  };
  const forgetAll = (): void => { changes++; remembered.clear(); keys.clear(); };

  const watch = <S extends object>(store: S, dropped: (name: string, args: readonly unknown[]) => void): S =>
    Object.fromEntries(Object.entries(store).map(([name, method]) => [name, typeof method !== 'function' || !changing.test(name) ? method : async (...args: unknown[]) => {
      try {
        return await (method as Method)(...args); // a store's members are methods
      } finally {
        dropped(name, args);
      }
    }])) as S; // the same names and types
  const watchAll = (stores: Stores, note: (drop: () => void) => void): Stores => ({
    ...stores,
    ...Object.fromEntries(watched.map((name) => [name, watch(stores[name], (method, [id]) => { note(name === 'experiments' && method !== 'moveAll' ? () => { forget(id); } : forgetAll); })])),
  });

  const { experiments } = storage.stores;
  const look = async (key: string): Promise<Experiment | undefined> => {
    const before = changes;
    const experiment = await experiments.findByKey(key);
    if (experiment !== undefined && changes === before) {
      if (remembered.size >= most) forgetAll();
      remembered.set(key, { experiment, until: clock.now() + rememberMs });
      keys.set(experiment.id, key);
    }
    return experiment;
  };

  return {
    storage: {
      ...storage,
      stores: watchAll(storage.stores, (drop) => { drop(); }),
      async transaction(work) {
        const drops: (() => void)[] = [];
        try {
          return await storage.transaction((stores) => work(watchAll(stores, (drop) => { drops.push(drop); })));
        } finally {
          for (const drop of drops) drop();
        }
      },
    },
    finder: {
      findByKey(key) {
        const known = remembered.get(key);
        return known !== undefined && known.until > clock.now() ? Promise.resolve(known.experiment) : look(key);
      },
    },
  };
};
