// Finds an experiment by its key, and a workspace and a project by their names, without asking the database every time: for requests that only add to them.
import type { Clock } from '#ports/clock';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { Workspace } from '#ports/model/workspaces';
import type { ExperimentStore } from '#ports/storage/experiments';
import type { Method, Methods } from '#ports/storage/methods';
import { storeMethods, type Storage, type Stores } from '#ports/storage/storage';
import type { PlaceFinder } from '#ports/storage/workspaces';

const rememberMs = 5000;
const most = 20_000;

export interface ExperimentCache {
  /** The storage itself; what changes through it is forgotten at once. Everything must change through this one. */
  readonly storage: Storage;
  /** As the store's own `findByKey`; what it tells may be 5 s old where another process changed it, and its activity always. Only what was found is remembered. */
  readonly finder: Pick<ExperimentStore, 'findByKey'>;
  /** Of workspaces and projects likewise. */
  readonly places: PlaceFinder;
}

type Call = (...args: unknown[]) => unknown;
/** Stores of which some method says that it makes experiments stale. */
const watched = (Object.keys(storeMethods) as (keyof Stores)[]).filter((name) =>
  Object.values<Method>(storeMethods[name]).some(({ stale }) => stale !== undefined),
); // the keys of the record

export const cacheExperiments = (storage: Storage, clock: Clock): ExperimentCache => {
  const remembered = new Map<string, { readonly experiment: Experiment; readonly until: number }>();
  const keys = new Map<string, string>();
  const places = new Map<string, { readonly found: Workspace | Project; readonly until: number }>();
  /** Grows with every change, so that what was read before one is not remembered after it. */
  let changes = 0;

  const forget = (id: unknown): void => {
    changes++;
    const key = typeof id === 'string' ? keys.get(id) : undefined;
    if (key !== undefined) remembered.delete(key);
  };
  const forgetAll = (): void => {
    changes++;
    remembered.clear();
    keys.clear();
    places.clear();
  };

  const watch = <S extends object>(
    store: S,
    methods: Methods<S>,
    note: (drop: () => void) => void,
  ): S =>
    Object.fromEntries(
      Object.entries(store).map(([name, method]) => {
        const stale = (methods as Readonly<Record<string, Method | undefined>>)[name]?.stale; // a store may have more than its port asks for
        if (stale === undefined) return [name, method];
        return [
          name,
          async (...args: unknown[]) => {
            try {
              return await (method as Call)(...args); // a store's members are methods
            } finally {
              note(
                stale === 'experiments'
                  ? forgetAll
                  : () => {
                      for (const id of [args[0]].flat()) forget(id);
                    },
              );
            }
          },
        ];
      }),
    ) as S; // the same names and types
  const watchAll = (stores: Stores, note: (drop: () => void) => void): Stores => ({
    ...stores,
    ...Object.fromEntries(
      watched.map((name) => [name, watch<object>(stores[name], storeMethods[name], note)]),
    ),
  });

  const { experiments, projects, workspaces } = storage.stores;
  const findPlace = async <T extends Workspace | Project>(
    key: string,
    find: () => Promise<T | undefined>,
  ): Promise<T | undefined> => {
    const known = places.get(key);
    if (known !== undefined && known.until > clock.now()) return known.found as T; // one kind of place by each kind of key
    const before = changes;
    const found = await find();
    if (found !== undefined && changes === before) {
      if (places.size >= most) places.clear();
      places.set(key, { found, until: clock.now() + rememberMs });
    }
    return found;
  };
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
      stores: watchAll(storage.stores, (drop) => {
        drop();
      }),
      async transaction(work) {
        const drops: (() => void)[] = [];
        try {
          return await storage.transaction((stores) =>
            work(
              watchAll(stores, (drop) => {
                drops.push(drop);
              }),
            ),
          );
        } finally {
          for (const drop of drops) drop();
        }
      },
    },
    places: {
      findWorkspace: (name) => findPlace(`w${name}`, () => workspaces.findByName(name)),
      findWorkspaceById: (id) => findPlace(`i${id}`, () => workspaces.findById(id)),
      findProject: (workspaceId, name) =>
        findPlace(`p${workspaceId}${name}`, () => projects.findByName(workspaceId, name)),
    },
    finder: {
      findByKey(key) {
        const known = remembered.get(key);
        return known !== undefined && known.until > clock.now()
          ? Promise.resolve(known.experiment)
          : look(key);
      },
    },
  };
};
