// The runs of a project as the table has them: page after page, columns as lists.
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RunColumn } from '../../pure/columns.js';
import type { RuleGroup } from '../../pure/query.js';
import { saysFault } from '../request.js';
import { runsServer } from '../server.js';

export interface Sort {
  readonly column: RunColumn;
  readonly descending: boolean;
}
export interface Wanted {
  readonly project: string;
  readonly rules: RuleGroup | undefined;
  readonly archived: boolean;
  readonly columns: readonly RunColumn[];
  readonly sort: Sort | undefined;
}
export interface RunRows {
  readonly total: number;
  readonly keys: readonly string[];
  /** The values of each column that was asked for, as long as `keys`. */
  readonly values: readonly (readonly unknown[])[];
  readonly cursor: string | null;
  readonly tookMs: number;
}

const pageSize = 500;

const loadPage = async (
  { project, rules, archived, columns, sort }: Wanted,
  before: RunRows | undefined,
  limit: number,
  signal: AbortSignal,
): Promise<RunRows> => {
  const began = performance.now();
  const page = await runsServer.query(
    {
      body: {
        project,
        query: rules,
        archived,
        columns: [...columns],
        limit,
        ...(sort === undefined ? {} : { sort: [{ ...sort.column, descending: sort.descending }] }),
        ...(typeof before?.cursor !== 'string' ? {} : { cursor: before.cursor }),
      },
    },
    signal,
  );
  return {
    total: page.total,
    keys: [...(before?.keys ?? []), ...page.keys],
    values: page.columns.map(({ values }, at) => [...(before?.values[at] ?? []), ...values]),
    cursor: page.cursor,
    tookMs: performance.now() - began,
  };
};

/** The rows that are wanted: anew when what is wanted changes, and, without losing a row, when `tick` does. */
export const useRunRows = (wanted: Wanted | undefined, tick: number) => {
  const [rows, setRows] = useState<RunRows>();
  const [fault, setFault] = useState('');
  const key = JSON.stringify(wanted);
  const busy = useRef(false);
  const leaving = useRef(new AbortController());
  const keyed = useRef('');

  useEffect(() => {
    if (wanted === undefined) return undefined;
    const mine = new AbortController();
    leaving.current = mine;
    const held = keyed.current === key ? (rows?.keys.length ?? 0) : 0;
    keyed.current = key;
    busy.current = true;
    loadPage(wanted, undefined, Math.min(1000, Math.max(pageSize, held)), mine.signal).then(
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
  }, [key, tick]);

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
