// The items of a version of a dataset, by the pages that are looked at.
import { useEffect, useRef, useState } from 'preact/hooks';
import { datasetsServer, type DatasetItem } from '../evaluating-server.js';
import { useTurn } from '../loading.js';
import { saysFault } from '../request.js';

type Page = Awaited<ReturnType<typeof datasetsServer.items>>;
const pageSize = 200;

export interface ItemRows {
  readonly total: number;
  /** Members that the data of items has. */
  readonly columns: readonly string[];
  /** The item at a place; nothing while its page is on its way. */
  at(place: number): DatasetItem | undefined;
}

export interface WantedItems {
  readonly dataset: string;
  /** A hash or tag; the newest version without. */
  readonly version: string | undefined;
  /** What the data holds somewhere. */
  readonly search: string;
}

const queryOf = ({ version, search }: WantedItems, page: number) => ({
  page,
  size: pageSize,
  truncate: true,
  ...(version === undefined ? {} : { version }),
  ...(search === ''
    ? {}
    : {
        filters: JSON.stringify([
          { field: 'full_data', operator: 'contains', value: search, type: 'string' },
        ]),
      }),
});

interface Asking {
  pages: Map<number, Page>;
  coming: Set<number>;
  leaving: AbortController;
}
const nothing = (): Asking => ({
  pages: new Map(),
  coming: new Set(),
  leaving: new AbortController(),
});

const rowsOf = (pages: ReadonlyMap<number, Page>): ItemRows | undefined => {
  const [first] = pages.values();
  if (first === undefined) return undefined;
  return {
    total: first.total,
    columns: first.columns.map(({ name }) => name),
    at: (place) => pages.get(Math.floor(place / pageSize) + 1)?.content[place % pageSize],
  };
};

/** The items that are wanted, asked for anew when that changes or `tick` does. `need` asks for the page of a place, once. */
export const useItemRows = (wanted: WantedItems, tick: number) => {
  const [rows, setRows] = useState<ItemRows>();
  const [fault, setFault] = useState<string>();
  const turn = useTurn(fault !== undefined);
  const asking = useRef(nothing());
  const load = (mine: Asking, page: number) => {
    if (mine.coming.has(page) || mine.pages.has(page)) return;
    mine.coming.add(page);
    datasetsServer
      .items({ params: { id: wanted.dataset }, query: queryOf(wanted, page) }, mine.leaving.signal)
      .then(
        (found) => {
          mine.pages.set(page, found);
          asking.current = mine;
          setRows(rowsOf(mine.pages));
          setFault(undefined);
        },
        (thrown: unknown) => {
          if (!mine.leaving.signal.aborted) setFault(saysFault(thrown));
        },
      )
      .finally(() => mine.coming.delete(page));
  };
  const key = JSON.stringify(wanted);
  useEffect(() => {
    const mine = nothing();
    asking.current.leaving.abort();
    load(mine, 1);
    return () => mine.leaving.abort();
  }, [key, tick, turn]);
  const need = (place: number) => load(asking.current, Math.floor(place / pageSize) + 1);
  return { rows, fault, need };
};

const mostAtOnce = 2000;
/** More items of a version than this are not compared with another. */
export const mostCompared = 10_000;

/** All items of a version, as far as they are compared. */
export const allItems = async (
  dataset: string,
  version: string,
  signal: AbortSignal,
): Promise<readonly DatasetItem[]> => {
  const all: DatasetItem[] = [];
  for (let page = 1; ; page++) {
    const { content, total } = await datasetsServer.items(
      { params: { id: dataset }, query: { page, size: mostAtOnce, version } },
      signal,
    );
    all.push(...content);
    if (content.length < mostAtOnce || all.length >= Math.min(total, mostCompared)) return all;
  }
};
