// The runs of a project as the table has them: page after page, columns as lists.
import { useEffect, useRef, useState } from 'preact/hooks';
import { firstRows, rowsBody, type WantedRuns } from '../../pure/run-page.js';
import { useTurn } from '../loading.js';
import { saysFault } from '../request.js';
import { runsServer } from '../server.js';

export interface RunRows {
  readonly total: number;
  readonly keys: readonly string[];
  /** The values of each column that was asked for, as long as `keys`. */
  readonly values: readonly (readonly unknown[])[];
  readonly cursor: string | null;
  readonly tookMs: number;
}

const pageSize = 500;
/** Rows that are asked for anew at once when something changed. */
const mostHeld = 1000;

type Page = Awaited<ReturnType<typeof runsServer.query>>;

const joined = (page: Page, before: RunRows | undefined, tookMs: number): RunRows => ({
  total: page.total,
  keys: [...(before?.keys ?? []), ...page.keys],
  values: page.columns.map(({ values }, at) => [...(before?.values[at] ?? []), ...values]),
  cursor: page.cursor,
  tookMs,
});

/** The rows that came along with the page; how long they took is how long it took. */
const broughtRows = (wanted: WantedRuns | undefined): RunRows | undefined => {
  const page =
    wanted === undefined ? undefined : runsServer.query.now({ body: rowsBody(wanted, firstRows) });
  return page === undefined ? undefined : joined(page, undefined, performance.now());
};

const loadPage = async (
  wanted: WantedRuns,
  before: RunRows | undefined,
  limit: number,
  signal: AbortSignal,
): Promise<RunRows> => {
  const began = performance.now();
  const page = await runsServer.query({ body: rowsBody(wanted, limit, before?.cursor) }, signal);
  return joined(page, before, performance.now() - began);
};

/** The rows that are wanted: anew when what is wanted changes, and, without losing a row, when `tick` does. */
export const useRunRows = (wanted: WantedRuns | undefined, tick: number) => {
  const [rows, setRows] = useState(() => broughtRows(wanted));
  const [fault, setFault] = useState('');
  const turn = useTurn(fault !== '');
  const key = JSON.stringify(wanted);
  const busy = useRef(false);
  const leaving = useRef(new AbortController());
  const keyed = useRef(rows === undefined ? '' : key);
  const brought = useRef(rows !== undefined);

  useEffect(() => {
    if (wanted === undefined) return undefined;
    if (brought.current) {
      brought.current = false;
      return undefined;
    }
    const mine = new AbortController();
    leaving.current = mine;
    const held = keyed.current === key ? (rows?.keys.length ?? 0) : 0;
    keyed.current = key;
    busy.current = true;
    loadPage(wanted, undefined, Math.min(mostHeld, Math.max(firstRows, held)), mine.signal).then(
      (found) => {
        busy.current = false;
        setRows(found);
        setFault('');
      },
      (thrown: unknown) => {
        if (mine.signal.aborted) return;
        busy.current = false;
        setFault(saysFault(thrown));
      },
    );
    return () => mine.abort();
  }, [key, tick, turn]);

  const more = () => {
    if (busy.current || wanted === undefined || typeof rows?.cursor !== 'string') return;
    busy.current = true;
    const { signal } = leaving.current;
    loadPage(wanted, rows, pageSize, signal).then(
      (found) => {
        busy.current = false;
        if (!signal.aborted) setRows(found);
      },
      (thrown: unknown) => {
        busy.current = false;
        if (!signal.aborted) setFault(saysFault(thrown));
      },
    );
  };
  return { rows, fault, more };
};
