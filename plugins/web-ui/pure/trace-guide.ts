// What is worth looking at in a trace, one thing after another: what failed, what took time and money, what waited, what was done again and again. Pure.
import { formatCount } from './format.js';
import type { TimeScale, TraceSpan, TreeRow } from './trace-tree.js';
import { formatCost, formatDuration } from './trace-values.js';

export interface GuideStop {
  /** The span that it is about. */
  readonly span: string;
  readonly title: 'first failure' | 'time' | 'cost' | 'tokens' | 'waiting' | 'repetition';
  readonly says: string;
}

/** Less of the whole says nothing. */
const leastShare = 0.1;
/** As often as this something below one span tells of a loop. */
const leastTimes = 5;

const percent = (share: number): string => `${Math.round(100 * share)} %`;

type Of = readonly TreeRow[];

const largest = (rows: Of, of: (row: TreeRow) => number): TreeRow | undefined =>
  rows.reduce<TreeRow | undefined>(
    (most, row) => (of(row) > (most === undefined ? 0 : of(most)) ? row : most),
    undefined,
  );
const sumOf = (rows: Of, of: (row: TreeRow) => number): number =>
  rows.reduce((sum, row) => sum + of(row), 0);

const firstFailure = (rows: Of): GuideStop | undefined => {
  // A failure is handed upward: the lowest that failed is where it came from.
  const failed = rows.filter(
    ({ span, errorsBelow }) => span.error !== undefined && errorsBelow === 0,
  );
  const first = failed.reduce<TreeRow | undefined>(
    (earliest, row) =>
      earliest === undefined || row.span.start < earliest.span.start ? row : earliest,
    undefined,
  );
  if (first === undefined) return undefined;
  const others = failed.length - 1;
  const more = others === 0 ? '' : `; ${formatCount(others)} more failed by themselves`;
  return {
    span: first.span.id,
    title: 'first failure',
    says: `${first.span.name} failed: ${first.span.error ?? ''}${more}`,
  };
};

const shareOf = (
  rows: Of,
  title: 'cost' | 'tokens',
  show: (value: number) => string,
): GuideStop | undefined => {
  const own = ({ span }: TreeRow) => span[title];
  const most = largest(rows, own);
  const all = sumOf(rows, own);
  if (most === undefined || own(most) < leastShare * all) return undefined;
  const what = title === 'cost' ? 'costs' : 'takes';
  return {
    span: most.span.id,
    title,
    says: `${most.span.name} ${what} ${show(own(most))}${title === 'tokens' ? ' tokens' : ''}, ${percent(own(most) / all)} of the trace`,
  };
};

const longest = (rows: Of, { lastsMs }: TimeScale): GuideStop | undefined => {
  const most = largest(rows, ({ ownMs }) => ownMs);
  if (most === undefined || most.ownMs < leastShare * lastsMs) return undefined;
  const itself = most.children === 0 ? '' : ' by itself';
  return {
    span: most.span.id,
    title: 'time',
    says: `${most.span.name} takes ${formatDuration(most.ownMs)}${itself}, ${percent(most.ownMs / lastsMs)} of the trace`,
  };
};

/** The longest time between two spans in which none at the bottom of the tree ran. */
const waiting = (rows: Of, { lastsMs }: TimeScale): GuideStop | undefined => {
  const ran = rows
    .flatMap(({ span, children }) => (children === 0 ? [span] : []))
    .sort((one, other) => one.start - other.start);
  let found:
    { readonly before: TraceSpan; readonly after: TraceSpan; readonly ms: number } | undefined;
  let last: TraceSpan | undefined;
  const endOf = ({ start, end }: TraceSpan) => end ?? start;
  for (const span of ran) {
    const ms = last === undefined ? 0 : span.start - endOf(last);
    if (last !== undefined && ms > (found?.ms ?? 0)) found = { before: last, after: span, ms };
    if (last === undefined || endOf(span) > endOf(last)) last = span;
  }
  if (found === undefined || found.ms < leastShare * lastsMs) return undefined;
  return {
    span: found.after.id,
    title: 'waiting',
    says: `nothing ran for ${formatDuration(found.ms)} between ${found.before.name} and ${found.after.name}`,
  };
};

/** What ran most often right below one span, where that tells of a loop. */
const repetition = (rows: Of): GuideStop | undefined => {
  const groups = new Map<string, TraceSpan[]>();
  for (const { span } of rows) {
    if (span.parent === undefined) continue;
    const key = JSON.stringify([span.parent, span.name]);
    const group = groups.get(key) ?? [];
    if (group.push(span) === 1) groups.set(key, group);
  }
  let most: readonly TraceSpan[] = [];
  for (const group of groups.values()) if (group.length > most.length) most = group;
  const [first] = most;
  if (first === undefined || most.length < leastTimes) return undefined;
  const ms = most.reduce((sum, { start, end }) => sum + Math.max(0, (end ?? start) - start), 0);
  return {
    span: first.id,
    title: 'repetition',
    says: `${first.name} ran ${formatCount(most.length)} times below one span, ${formatDuration(ms)} together`,
  };
};

/** The stops of a walk through a trace, in the order in which one asks: why it failed, where time and money went, what it waited for, what it did over and over. */
export const guideOf = (rows: Of, scale: TimeScale): readonly GuideStop[] =>
  [
    firstFailure(rows),
    longest(rows, scale),
    shareOf(rows, 'cost', formatCost),
    shareOf(rows, 'tokens', formatCount),
    waiting(rows, scale),
    repetition(rows),
  ].filter((one) => one !== undefined);
