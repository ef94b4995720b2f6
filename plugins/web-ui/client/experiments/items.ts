// The items of experiments that are compared, page by page: their differences need all of them.
import { useEffect, useState } from 'preact/hooks';
import { itemRows, type ItemRow } from '../../pure/experiments.js';
import { experimentsServer } from '../evaluating-server.js';
import { useTurn } from '../loading.js';
import { saysFault } from '../request.js';

const pageSize = 500;
/** More items than this are not compared at once; the search leads to the others. */
export const mostItems = 10_000;

export interface Items {
  readonly rows: readonly ItemRow[];
  readonly total: number;
  readonly busy: boolean;
}

/** The items that hold the text, with their runs. What came so far is there while the rest is on its way. */
export const useItems = (
  dataset: string | undefined,
  experiments: readonly string[],
  search: string,
  tick: number,
): { readonly items: Items | undefined; readonly fault: string | undefined } => {
  const [items, setItems] = useState<Items>();
  const [fault, setFault] = useState<string>();
  const turn = useTurn(fault !== undefined);
  useEffect(() => {
    if (dataset === undefined) return undefined;
    const leaving = new AbortController();
    const load = async () => {
      const all: ItemRow[] = [];
      for (let page = 1; ; page++) {
        const { content, total } = await experimentsServer.compare(
          {
            params: { id: dataset },
            query: {
              experiment_ids: JSON.stringify(experiments),
              page,
              size: pageSize,
              truncate: true,
              ...(search === '' ? {} : { search }),
            },
          },
          leaving.signal,
        );
        all.push(...itemRows(content, experiments));
        const busy = content.length === pageSize && all.length < Math.min(total, mostItems);
        setItems({ rows: [...all], total, busy });
        setFault(undefined);
        if (!busy) return;
      }
    };
    load().catch((thrown: unknown) => {
      if (!leaving.signal.aborted) setFault(saysFault(thrown));
    });
    return () => leaving.abort();
  }, [dataset, experiments.join(), search, tick, turn]);
  return { items, fault };
};
