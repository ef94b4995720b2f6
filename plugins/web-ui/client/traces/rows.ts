// The traces of a project, by the pages that are looked at.
import { useEffect, useRef, useState } from 'preact/hooks';
import { pageQuery, tracesOfPage, type WantedTraces } from '../../pure/trace-list.js';
import { useTurn } from '../loading.js';
import { saysFault } from '../request.js';
import { tracesServer } from '../traces-server.js';

type Page = Awaited<ReturnType<typeof tracesServer.page>>;
export type TraceRow = Page['content'][number];

/** More rows than this are not scrolled through; filters lead to them. */
export const mostRows = 200_000;

export interface TraceRows {
  readonly total: number;
  /** Whether there are more than were counted, and how many of the newest were looked through where not all were. */
  readonly atLeast: boolean;
  readonly searchedNewest: number | undefined;
  /** How many can be scrolled to. */
  readonly count: number;
  readonly tookMs: number;
  /** The trace at a place; nothing while its page is on its way. */
  at(place: number): TraceRow | undefined;
  placeOf(id: string): number;
}

const rowsOf = (pages: ReadonlyMap<number, Page>, tookMs: number): TraceRows | undefined => {
  const [first] = pages.values();
  if (first === undefined) return undefined;
  const at = (place: number) =>
    pages.get(Math.floor(place / tracesOfPage) + 1)?.content[place % tracesOfPage];
  return {
    total: first.total,
    atLeast: first.total_at_least === true,
    searchedNewest: first.searched_newest,
    count: Math.min(mostRows, first.total),
    tookMs,
    at,
    placeOf(id) {
      for (const [page, { content }] of pages) {
        const place = content.findIndex((one) => one.id === id);
        if (place >= 0) return (page - 1) * tracesOfPage + place;
      }
      return -1;
    },
  };
};

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

/**
 * The rows that are wanted, asked for anew when what is wanted changes or `tick` does; meanwhile those that were there stay. `need` asks for the page
 * of a place, once.
 */
export const useTraceRows = (projectId: string, wanted: WantedTraces, tick: number) => {
  const [rows, setRows] = useState<TraceRows>();
  const [fault, setFault] = useState('');
  const turn = useTurn(fault !== '');
  const asking = useRef(nothing());
  const load = (mine: Asking, page: number) => {
    if (mine.coming.has(page) || mine.pages.has(page)) return;
    mine.coming.add(page);
    const began = performance.now();
    tracesServer
      .page({ query: { ...pageQuery(wanted, page), project_id: projectId } }, mine.leaving.signal)
      .then(
        (found) => {
          mine.pages.set(page, found);
          asking.current = mine;
          setRows(rowsOf(mine.pages, performance.now() - began));
          setFault('');
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
  }, [projectId, key, tick, turn]);
  const need = (place: number) => load(asking.current, Math.floor(place / tracesOfPage) + 1);
  return { rows, fault, need };
};

/** How many traces there are now, asked every few seconds while the page is seen; nothing where that is not wanted. */
export const useNewCount = (
  projectId: string,
  wanted: WantedTraces | undefined,
  tick: number,
): number | undefined => {
  const [count, setCount] = useState<number>();
  const key = JSON.stringify(wanted);
  useEffect(() => {
    setCount(undefined);
    if (wanted === undefined) return undefined;
    const leaving = new AbortController();
    const look = () => {
      if (document.hidden) return;
      const query = { ...pageQuery({ ...wanted, columns: [] }, 1, 1), project_id: projectId };
      tracesServer.page({ query }, leaving.signal).then(
        ({ total }) => setCount(total),
        () => undefined, // the list itself says what is wrong
      );
    };
    const timer = setInterval(look, liveMs);
    return () => {
      clearInterval(timer);
      leaving.abort();
    };
  }, [projectId, key, tick]);
  return count;
};
const liveMs = 4000;
