// What the traces that are meant come to: how many, how many failed, how long they took, what they cost, how they were scored.
import { formatCount, formatNumber } from '../../pure/format.js';
import { selectionOf, type WantedTraces } from '../../pure/trace-list.js';
import { formatCost, formatDuration } from '../../pure/trace-values.js';
import { useLoaded } from '../loading.js';
import { tracesServer } from '../traces-server.js';
import { Fault } from '../shell/wait.js';

type Stats = Awaited<ReturnType<typeof tracesServer.statistics>>['stats'];
type Figure = readonly [name: string, says: string];

const numberOf = (stats: Stats, name: string): number | undefined => {
  const value = stats.find((one) => one.name === name)?.value;
  return typeof value === 'number' ? value : undefined;
};

const durations = (stats: Stats): readonly Figure[] => {
  const value: unknown = stats.find((one) => one.name === 'duration')?.value;
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, ms]) =>
    typeof ms === 'number' ? [[`${name} duration`, formatDuration(ms)] as const] : [],
  );
};

const figuresOf = (stats: Stats): readonly Figure[] => {
  const [count, errors] = [
    numberOf(stats, 'trace_count') ?? 0,
    numberOf(stats, 'error_count') ?? 0,
  ];
  const [cost, tokens] = [
    numberOf(stats, 'total_estimated_cost_sum'),
    numberOf(stats, 'usage_sum.total_tokens'),
  ];
  return [
    ['traces', formatCount(count)],
    [
      'failed',
      count === 0 ? '–' : `${formatNumber(Number(((100 * errors) / count).toFixed(1)))} %`,
    ],
    ...durations(stats),
    ...(cost === undefined ? [] : [['cost', formatCost(cost)] as const]),
    ...(tokens === undefined ? [] : [['tokens', formatCount(Math.round(tokens))] as const]),
    ...stats
      .filter(({ name }) => name.startsWith('feedback_scores.'))
      .slice(0, 6)
      .map(
        ({ name, value }) =>
          [
            name.slice('feedback_scores.'.length),
            formatNumber(Number(Number(value).toPrecision(3))),
          ] as const,
      ),
  ];
};

export const Figures = ({
  projectId,
  wanted,
  tick,
}: {
  projectId: string;
  wanted: WantedTraces;
  tick: number;
}) => {
  const selection = selectionOf(wanted);
  const { value, fault } = useLoaded(
    (signal) => tracesServer.statistics({ query: { ...selection, project_id: projectId } }, signal),
    [projectId, JSON.stringify(selection), tick],
  );
  if (fault !== undefined) return <Fault of={fault} />;
  return (
    <dl class="figures" aria-label="Figures of these traces">
      {figuresOf(value?.stats ?? []).map(([name, says]) => (
        <div key={name}>
          <dt dir="auto">{name}</dt>
          <dd>{value === undefined ? '…' : says}</dd>
        </div>
      ))}
    </dl>
  );
};
