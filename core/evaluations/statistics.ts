// What runs come to, as the private wire shows it: entries in the order that the contract lists. Pure.
import type { NamedSpread, RunStatistics, Spread } from '#ports/storage/evaluation-items';

interface Entry {
  readonly name: string;
  readonly type: 'COUNT' | 'AVG' | 'PERCENTAGE';
  readonly value: unknown;
}
const average = (name: string, { mean }: Spread): Entry => ({ name, type: 'AVG', value: mean });
const percentiles = (name: string, { p50, p90, p99 }: Spread): Entry => ({
  ...{ name, type: 'PERCENTAGE' },
  value: { p50, p90, p99 },
});
/** Of a value that is shown by both, under one name. */
const both = (name: string, of: Spread): readonly Entry[] => [
  average(name, of),
  percentiles(name, of),
];
const each = (
  prefix: string,
  all: readonly NamedSpread[],
  show: (name: string, of: Spread) => readonly Entry[],
): readonly Entry[] => all.flatMap((one) => show(`${prefix}.${one.name}`, one));

/** What no run has is left out. */
export const showRunStatistics = ({
  runs,
  traces,
  cost,
  duration,
  scores,
  usage,
}: RunStatistics) => {
  const entries: readonly Entry[] = [
    { name: 'experiment_items_count', type: 'COUNT', value: runs },
    { name: 'trace_count', type: 'COUNT', value: traces },
    ...(cost === undefined ? [] : both('total_estimated_cost', cost)),
    ...(duration === undefined ? [] : [percentiles('duration', duration)]),
    ...each('feedback_scores', scores, both),
    ...each('usage', usage, (name, of) =>
      name === 'usage.total_tokens' ? both(name, of) : [average(name, of)],
    ),
  ];
  return { stats: entries.map((entry) => ({ ...entry })) };
};
