// Tells what was stored through a storage, once it is durable, to whoever notes it for pages.
import type { Change, ChangeKind } from '#ports/model/changes';
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

/** What a call was about: nothing where pages need not hear of it. */
const changesBy = ({ kind, quiet = [] }: Telling, args: readonly unknown[]): readonly Change[] => {
  const [about, change] = args as readonly [Named | string | readonly string[], unknown]; // stores take ids, or a record that names one
  if (typeof change === 'object' && change !== null && quiet.length > 0)
    if (Object.keys(change).every((name) => quiet.includes(name))) return [];
  return idsOf(kind, about).flatMap((id) =>
    typeof id === 'string' ? [{ kind, subjectId: id }] : [],
  );
};

const isList = (about: object): about is readonly string[] => Array.isArray(about);

const idsOf = (
  kind: ChangeKind,
  about: Named | string | readonly string[] | undefined,
): readonly unknown[] => {
  if (typeof about !== 'object') return [about];
  if (isList(about)) return about;
  return [kind === 'model' ? about.id : (about.experimentId ?? about.id ?? about.experiment?.id)];
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
          if (result !== false) for (const change of changesBy(tells, args)) note(change);
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
