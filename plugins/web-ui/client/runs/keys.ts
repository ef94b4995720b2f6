// The keys of the table of runs.
import { pathOf, writeList } from '../../pure/address.js';
import { usePageKeys } from '../page-keys.js';
import { query, setQuery, visit } from '../state.js';
import type { Picks } from './picks.js';

const mostCompared = 50;

const flip = (name: string) =>
  setQuery({ [name]: query.value.get(name) === '1' ? undefined : '1' });

export const useKeys = ({
  base,
  cursor,
  peek,
  picks,
  differing,
  step,
  setPeek,
}: {
  base: readonly string[];
  cursor: string | undefined;
  peek: string | undefined;
  picks: Picks;
  differing: boolean;
  step: (by: number) => void;
  setPeek: (key: string | undefined) => void;
}): void => {
  const compared = picks.keys.size > 1 && picks.keys.size <= mostCompared;
  usePageKeys({
    '/': () => document.getElementById('query')?.focus(),
    d: () => setQuery({ differing: differing ? '0' : '1' }),
    l: () => flip('logy'),
    j: () => step(1),
    k: () => step(-1),
    x: cursor === undefined ? undefined : () => picks.pick(cursor, false),
    p: cursor === undefined ? undefined : () => setPeek(peek === undefined ? cursor : undefined),
    o: cursor === undefined ? undefined : () => visit(pathOf(...base, 'run', cursor)),
    c: compared
      ? () => visit(`${pathOf(...base, 'compare')}?runs=${writeList([...picks.keys])}`)
      : undefined,
    Escape: peek === undefined ? undefined : () => setPeek(undefined),
  });
};
