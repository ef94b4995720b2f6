// The keys of the table of runs.
import { useLayoutEffect } from 'preact/hooks';
import { pathOf, writeList } from '../../pure/address.js';
import { go, isTyping, query, setQuery } from '../state.js';
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
}): void =>
  // Before the next key comes, what it does must be that of now.
  useLayoutEffect(() => {
    const compared = picks.keys.size > 1 && picks.keys.size <= mostCompared;
    const acts: Readonly<Record<string, (() => void) | undefined>> = {
      '/': () => document.getElementById('query')?.focus(),
      d: () => setQuery({ differing: differing ? '0' : '1' }),
      l: () => flip('logy'),
      j: () => step(1),
      k: () => step(-1),
      x: cursor === undefined ? undefined : () => picks.pick(cursor, false),
      p: cursor === undefined ? undefined : () => setPeek(peek === undefined ? cursor : undefined),
      o: cursor === undefined ? undefined : () => go(pathOf(...base, 'run', cursor)),
      c: compared
        ? () => go(`${pathOf(...base, 'compare')}?runs=${writeList([...picks.keys])}`)
        : undefined,
      Escape: peek === undefined ? undefined : () => setPeek(undefined),
    };
    const press = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.metaKey || event.ctrlKey || event.altKey) return;
      if (document.querySelector('dialog[open], [popover]:popover-open') !== null) return;
      const act = acts[event.key];
      if (act === undefined) return;
      event.preventDefault();
      act();
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  });
