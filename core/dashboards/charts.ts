// The queries of charts: which one a widget has, and for which time it is asked. Pure.
import { Failure } from '#ports/failure';
import type { ChartDashboard } from '#ports/model/dashboards';
import { readInstant } from '../private-wire/instants.js';
import { listOf, membersOf, queryWidget } from './rules.js';

/** A query that a widget carries, or the id of one that is saved. */
export type ChartQuery =
  | { readonly sql: string; readonly projectId: string | undefined }
  | { readonly savedQueryId: string };

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined;

/** The query of a widget of a dashboard; nothing where there is no such widget, or it has no query. */
export const queryOf = (
  { config }: Pick<ChartDashboard, 'config'>,
  widgetId: string,
): ChartQuery | undefined => {
  for (const section of listOf(membersOf(JSON.parse(config))?.['sections']))
    for (const widget of listOf(membersOf(section)?.['widgets'])) {
      const { id, type, config: of } = membersOf(widget) ?? {};
      if (id !== widgetId || type !== queryWidget) continue;
      const query = membersOf(membersOf(of)?.['query']);
      const [sql, savedQueryId] = [textIn(query?.['sql']), textIn(query?.['savedQueryId'])];
      if (savedQueryId !== undefined) return { savedQueryId };
      if (sql !== undefined) return { sql, projectId: textIn(query?.['projectId']) };
    }
  return undefined;
};

/** Times that analytic tables can hold, in microseconds: from 1900 to 2262. */
const [earliest, latest] = [
  Date.UTC(1900, 0, 1) * 1000,
  Date.UTC(2262, 3, 11, 23, 47, 16) * 1000,
] as const;

interface SentInterval {
  readonly interval_start?: string | undefined;
  readonly interval_end?: string | undefined;
}
export interface Interval {
  /** Microseconds. */
  readonly from: number;
  readonly to: number;
}

/** The time that is asked for: from 1970 until now (ms) where nothing is said. Rejects with `invalid`. */
export const readInterval = (
  { interval_start: start, interval_end: end }: SentInterval,
  now: number,
): Interval => {
  const from = start === undefined ? 0 : readInstant(start, 'interval_start');
  const to = end === undefined ? now * 1000 : readInstant(end, 'interval_end');
  for (const [member, at] of [
    ['interval_start', from],
    ['interval_end', to],
  ] as const)
    if (at < earliest || at > latest)
      throw new Failure('invalid', `${member} must be between the years 1900 and 2262`);
  if (from > to) throw new Failure('invalid', 'interval_start must not be after interval_end');
  return { from, to };
};

const literal = (micros: number): string => {
  const seconds = Math.floor(micros / 1_000_000);
  const [date, time] = new Date(seconds * 1000).toISOString().slice(0, 19).split('T');
  return `TIMESTAMP '${date} ${time}.${String(micros - seconds * 1_000_000).padStart(6, '0')}'`;
};

/** A statement with the time in the place of its placeholders. */
export const withInterval = (sql: string, { from, to }: Interval): string =>
  sql
    .replaceAll('{{window_start}}', () => literal(from))
    .replaceAll('{{window_end}}', () => literal(to));
