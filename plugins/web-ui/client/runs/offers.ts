// What can come next in a query: names that are logged, values that they have, words, and queries that were asked before.
import { useEffect, useState } from 'preact/hooks';
import { formatNumber } from '../../pure/format.js';
import { completionAt, quoted, queryWords, valueAt } from '../../pure/query.js';
import { runsServer } from '../server.js';
import type { KnownColumns } from './chosen.js';
import { recentQueries } from './recent.js';

export interface Offer {
  readonly shows: string;
  readonly says: string;
  /** The text up to the caret once it is taken. */
  readonly head: string;
}

const kinds = {
  metric: 'metric',
  param: 'parameter',
  parameter: 'parameter',
  tag: 'tag',
  other: 'other',
  environment: 'environment',
  metadata: 'metadata',
} as const;
type Word = keyof typeof kinds;
const kindOf = (word: string) => kinds[word.toLowerCase() as Word]; // one of them, or nothing

const nameWord = ['Name', 'by a regular expression', ' =~ "'] as const;
const [mostOffers, restMs] = [8, 120];

/** The most frequent values that begin so, asked for when one rests. */
const useValues = (project: string, text: string, caret: number) => {
  const at = valueAt(text, caret);
  const key = at === undefined ? '' : JSON.stringify([at.word, at.name, at.part]);
  const [found, setFound] = useState<{
    readonly key: string;
    readonly values: readonly { readonly value: unknown; readonly runs: number }[];
  }>();
  useEffect(() => {
    const kind = at === undefined ? undefined : kindOf(at.word);
    if (at === undefined || kind === undefined) return undefined;
    const leaving = new AbortController();
    const later = setTimeout(() => {
      runsServer
        .values(
          {
            query: {
              project,
              kind,
              name: at.name,
              limit: mostOffers,
              ...(at.part === '' ? {} : { prefix: at.part }),
            },
          },
          leaving.signal,
        )
        .then(
          ({ values }) => setFound({ key, values }),
          // A query is written as well without offers.
          () => undefined,
        );
    }, restMs);
    return () => {
      clearTimeout(later);
      leaving.abort();
    };
  }, [project, key]);
  return at === undefined || found?.key !== key ? undefined : { at, values: found.values };
};

export const useOffers = (
  project: string,
  names: KnownColumns['columns'],
  {
    text,
    caret,
    typing,
  }: { readonly text: string; readonly caret: number; readonly typing: boolean },
): readonly Offer[] => {
  const values = useValues(project, typing ? text : '', caret);
  if (!typing) return [];
  if (text === '')
    return recentQueries(project).map((one) => ({ shows: one, says: 'asked before', head: one }));
  if (values !== undefined)
    return values.values.map(({ value, runs }) => {
      const shows = typeof value === 'number' ? String(value) : quoted(String(value));
      return { shows, says: `${runs} runs`, head: text.slice(0, values.at.from) + shows };
    });
  const completion = completionAt(text, caret);
  if (completion !== undefined)
    return names
      .filter(
        ({ kind, name }) =>
          kind === kindOf(completion.word) &&
          name.toLowerCase().includes(completion.part.toLowerCase()),
      )
      .slice(0, mostOffers)
      .map(({ name, min, max, runs }) => ({
        shows: name,
        says: `${min === null || max === null ? '' : `${formatNumber(min)} .. ${formatNumber(max)}  `}${runs} runs`,
        head: `${text.slice(0, completion.from).replace(/["']$/, '')}${quoted(name)})`,
      }));
  const last = /(?:^|[\s&|~(])([A-Za-z]+)$/.exec(text.slice(0, caret))?.[1] ?? '';
  return last === ''
    ? []
    : [...queryWords.map((word) => [word, '', '("'] as const), nameWord]
        .filter(([word]) => word.toLowerCase().startsWith(last.toLowerCase()))
        .map(([word, says, end]) => ({
          ...{ shows: word, says },
          head: `${text.slice(0, caret - last.length)}${word}${end}`,
        }));
};
