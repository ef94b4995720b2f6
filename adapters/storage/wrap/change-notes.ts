// Tells what was stored through a storage, once it is durable, to whoever notes it for pages.
import type { Change } from '#ports/model/changes';
import type { Method, Telling } from '#ports/storage/methods';
import { storeMethods, type Storage, type Stores } from '#ports/storage/storage';

type Note = (change: Change) => void;
type Call = (...args: unknown[]) => unknown;

/** Methods of which pages are told, by store and name. */
const telling: ReadonlyMap<keyof Stores, ReadonlyMap<string, Telling>> = new Map(
  (Object.keys(storeMethods) as (keyof Stores)[]).flatMap((store) => {
    const methods = Object.entries<Method>(storeMethods[store]).flatMap(([name, { tells }]) =>
      tells === undefined ? [] : [[name, tells] as const],
    );
    return methods.length === 0 ? [] : [[store, new Map(methods)] as const];
  }), // the keys of the record
);

interface Named {
  readonly id?: unknown;
  readonly experimentId?: unknown;
  readonly experiment?: { readonly id: unknown };
}

/** What a call was about; `undefined` where pages need not hear of it. */
const changeBy = ({ kind, quiet = [] }: Telling, args: readonly unknown[]): Change | undefined => {
  const [about, change] = args as readonly [Named | string | undefined, unknown]; // stores take an id, or a record that names it
  if (typeof change === 'object' && change !== null && quiet.length > 0)
    if (Object.keys(change).every((name) => quiet.includes(name))) return undefined;
  const id =
    typeof about === 'object'
      ? kind === 'model'
        ? about.id
        : (about.experimentId ?? about.id ?? about.experiment?.id)
      : about;
  return typeof id === 'string' ? { kind, subjectId: id } : undefined;
};

const tellOf = <S extends object>(store: S, methods: ReadonlyMap<string, Telling>, note: Note): S =>
  Object.fromEntries(
    Object.entries(store).map(([name, method]) => {
      const tells = methods.get(name);
      if (tells === undefined) return [name, method];
      return [
        name,
        async (...args: unknown[]) => {
          const result = await (method as Call)(...args); // a store's members are methods
          const change = changeBy(tells, args);
          if (change !== undefined && result !== false) note(change);
          return result;
        },
      ];
    }),
  ) as S; // the same names and types

/** The storage itself; changes through it are noted when they are stored, those of a transaction when it is. */
export const noteChanges = (storage: Storage, note: Note): Storage => {
  const watch = (stores: Stores, heard: Note): Stores => ({
    ...stores,
    ...Object.fromEntries(
      [...telling].map(([name, methods]) => [name, tellOf<object>(stores[name], methods, heard)]),
    ),
  });
  return {
    ...storage,
    stores: watch(storage.stores, note),
    async transaction(work) {
      let heard: Change[] = [];
      const result = await storage.transaction((stores) => {
        heard = []; // what an earlier run of the work changed was undone
        return work(watch(stores, (change) => heard.push(change)));
      });
      for (const change of heard) note(change);
      return result;
    },
  };
};
