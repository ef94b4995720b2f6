// Runs that are shown as groups of equal values. Pure.
import { quoted } from './query.js';
import type { RunColumn } from './columns.js';

/** A value to group by, as it is named; those without one are together. */
export const groupName = (value: unknown): string =>
  value === null || value === undefined || value === ''
    ? 'no value'
    : Array.isArray(value)
      ? value.map(String).join(', ')
      : String(value);

/** Runs by the value each has, in the order of their first run. */
export const groupsOf = (
  runs: readonly string[],
  valueOf: (run: string) => unknown,
): readonly { readonly name: string; readonly runs: readonly string[] }[] => {
  const groups = new Map<string, string[]>();
  for (const run of runs) {
    const name = groupName(valueOf(run));
    groups.set(name, [...(groups.get(name) ?? []), run]);
  }
  return [...groups].map(([name, inside]) => ({ name, runs: inside }));
};

const words: Readonly<Record<string, string>> = {
  metric: 'Metric',
  parameter: 'Param',
  other: 'Other',
  tag: 'Tag',
  environment: 'Environment',
  metadata: 'Metadata',
};

/** What a query says of the runs that have this value; nothing for a column that it cannot ask about. */
export const claimOf = ({ kind, name }: RunColumn, value: unknown): string | undefined => {
  const word = words[kind];
  if (word === undefined || Array.isArray(value)) return undefined;
  const of = `${word}(${quoted(name)})`;
  if (kind === 'tag') return value === null || value === undefined ? `~${of}` : of;
  if (value === null || value === undefined) return `~${of}`;
  return `${of} == ${typeof value === 'number' ? value : quoted(String(value))}`;
};

/** Two queries of which both must hold. */
export const bothOf = (one: string, other: string): string =>
  one.trim() === '' ? other : /\|/.test(one) ? `(${one}) & ${other}` : `${one} & ${other}`;
