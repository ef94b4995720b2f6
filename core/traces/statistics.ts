// Statistics as the private wire shows them: entries in the order that the contract lists. Pure.
import type { NamedMean, Statistics } from '#ports/storage/trace-statistics';

interface Entry {
  readonly name: string;
  readonly type: 'COUNT' | 'AVG' | 'PERCENTAGE';
  readonly value: unknown;
}
const count = (name: string, value: number): Entry => ({ name, type: 'COUNT', value });
const average = (name: string, value: number): Entry => ({ name, type: 'AVG', value });
const averages = (prefix: string, all: readonly NamedMean[]): readonly Entry[] =>
  all.map(({ name, mean }) => average(`${prefix}.${name}`, mean));

const costs = ({ cost }: Statistics): readonly Entry[] =>
  cost === undefined
    ? []
    : [average('total_estimated_cost', cost.mean), average('total_estimated_cost_sum', cost.sum)];
const sums = (all: readonly NamedMean[]): readonly Entry[] =>
  all.map(({ name, sum }) => average(`usage_sum.${name}`, sum));

const entriesOf = (kind: 'trace' | 'span' | 'thread', found: Statistics): readonly Entry[] => {
  const logged = kind !== 'thread';
  const { duration } = found;
  return [
    count(`${kind}_count`, found.count),
    ...(duration === undefined
      ? []
      : [{ name: 'duration', type: 'PERCENTAGE', value: { ...duration } } as const]),
    ...(logged
      ? [
          count('input', found.inputs),
          count('output', found.outputs),
          count('metadata', found.metadata),
        ]
      : []),
    average('tags', found.tags),
    ...(kind === 'trace'
      ? [average('llm_span_count', found.llmSpans), average('span_count', found.spans)]
      : []),
    ...costs(found),
    ...averages('usage', found.usage),
    ...(logged ? sums(found.usage) : []),
    ...averages('feedback_scores', found.scores),
    ...(kind === 'trace' ? averages('span_feedback_scores', found.spanScores) : []),
    ...(kind === 'trace' ? [count('guardrails_failed_count', found.guardrailsFailed)] : []),
    ...(logged
      ? [
          count('recent_error_count', found.recentErrors),
          count('past_period_error_count', found.pastErrors),
          count('error_count', found.errors),
        ]
      : []),
  ];
};

const none: Statistics = {
  count: 0,
  duration: undefined,
  inputs: 0,
  outputs: 0,
  metadata: 0,
  tags: 0,
  spans: 0,
  llmSpans: 0,
  cost: undefined,
  usage: [],
  scores: [],
  spanScores: [],
  guardrailsFailed: 0,
  errors: 0,
  recentErrors: 0,
  pastErrors: 0,
};

/** What there is nothing of is left out; without rows the counts are 0. */
export const showStatistics = (
  kind: 'trace' | 'span' | 'thread',
  found: Statistics | undefined,
) => ({ stats: entriesOf(kind, found ?? none).map((entry) => ({ ...entry })) });
