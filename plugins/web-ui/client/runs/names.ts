// Names under which something is logged, beyond those that the page knows at first: of very many it knows some.
import { useEffect, useState } from 'preact/hooks';
import { literalOf } from '../../pure/curves.js';
import { runsServer } from '../server.js';
import type { KnownColumns } from './chosen.js';

type Known = KnownColumns['columns'];

const [most, restMs] = [200, 150];

/** The columns that are known, and where there are others, those too that have this text in their name; asked for when one rests. */
export const useNames = (
  project: string,
  known: KnownColumns | undefined,
  pattern: string,
): Known => {
  const [found, setFound] = useState<Known>([]);
  const part = known?.more === true ? literalOf(pattern).slice(0, most) : '';
  useEffect(() => {
    if (part === '') return undefined;
    const leaving = new AbortController();
    const later = setTimeout(() => {
      runsServer.columns({ query: { project, q: part, limit: most } }, leaving.signal).then(
        ({ columns }) => setFound(columns),
        // What is known is found as well without.
        () => undefined,
      );
    }, restMs);
    return () => {
      clearTimeout(later);
      leaving.abort();
    };
  }, [project, part]);
  const all = known?.columns ?? [];
  const has = new Set(all.map(({ kind, name }) => `${kind} ${name}`));
  return part === ''
    ? all
    : [...all, ...found.filter(({ kind, name }) => !has.has(`${kind} ${name}`))];
};
