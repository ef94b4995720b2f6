// How the table of a project was last arranged, in this browser alone: so that nobody does it twice.
import type { Direction } from '../../pure/columns.js';
import { query, setQuery } from '../state.js';

const members = ['cols', 'pin', 'widths', 'differing'] as const;
const keyOf = (project: string) => `columns ${project}`;

/** Keeps the columns that the address names. */
export const keepColumns = (project: string): void => {
  const of = query.peek();
  const kept = Object.fromEntries(members.map((name) => [name, of.get(name) ?? undefined]));
  localStorage.setItem(keyOf(project), JSON.stringify(kept));
};

/** Puts what was kept into an address that says nothing. */
export const takeColumns = (project: string): void => {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(project)) ?? '{}');
    if (typeof kept !== 'object' || kept === null) return;
    const texts = Object.entries(kept).filter(
      (one): one is [string, string] =>
        members.some((name) => name === one[0]) && typeof one[1] === 'string',
    );
    if (texts.length > 0) setQuery(Object.fromEntries(texts));
  } catch {
    // What is no JSON is not ours.
  }
};

/** Forgets them: the columns are those that are usual. */
export const dropColumns = (project: string): void => {
  localStorage.removeItem(keyOf(project));
  setQuery(Object.fromEntries(members.map((name) => [name, undefined])), true);
};

const directionKey = (metric: string) => `best ${metric}`;
/** Which value of a metric somebody said is the better. */
export const keepDirection = (metric: string, direction: Direction): void =>
  localStorage.setItem(directionKey(metric), direction);
export const keptDirection = (metric: string): Direction | undefined => {
  const kept = localStorage.getItem(directionKey(metric));
  return kept === 'minimize' || kept === 'maximize' ? kept : undefined;
};
