// What the thresholds of an alert would have said of what is stored: in the window up to now, and in the one before it.
import {
  eventWords,
  holdsOf,
  isMetric,
  isOfScores,
  windowWord,
  type AlertDraft,
  type ConditionDraft,
  type EventType,
} from '../../pure/alerts.js';
import { formatNumber } from '../../pure/format.js';
import { useLoaded } from '../loading.js';
import { alertsServer } from '../reviewing-server.js';
import { Rows } from '../shell/rows.js';
import { tracesServer } from '../traces-server.js';

type Figures = readonly [now: number | undefined, before: number | undefined];
interface Standing {
  readonly event: EventType;
  readonly condition: ConditionDraft;
  readonly figures: Figures;
}

const msPerSecond = 1000;
const mostConditions = 12;

const scoresIn = async (
  event: EventType,
  projectId: string,
  name: string,
  [from, to]: readonly [number, number],
  signal: AbortSignal,
): Promise<number | undefined> => {
  const query = {
    project_id: projectId,
    from_time: new Date(from).toISOString(),
    to_time: new Date(to).toISOString(),
  };
  const { stats } =
    event === 'trace:feedback_score'
      ? await tracesServer.statistics({ query }, signal)
      : await alertsServer.threadStatistics({ query }, signal);
  const found = stats.find((one) => one.name === `feedback_scores.${name}`)?.value;
  return typeof found === 'number' ? found : undefined;
};

/** Cards as thresholds are compared with them: errors counted, durations in seconds. */
const figureOf = (event: EventType, card: (type: string) => number | null): number | undefined => {
  switch (event) {
    case 'trace:errors':
      return Math.round(((card('count') ?? 0) * (card('errors') ?? 0)) / 100);
    case 'trace:latency': {
      const ms = card('avg_duration');
      return ms === null ? undefined : ms / msPerSecond;
    }
    default:
      return card('total_cost') ?? undefined;
  }
};

const figuresOf = async (
  event: EventType,
  projectId: string,
  { name, window }: ConditionDraft,
  signal: AbortSignal,
): Promise<Figures> => {
  const [now, widthMs] = [Date.now(), Number(window) * msPerSecond];
  if (isOfScores(event))
    return [
      await scoresIn(event, projectId, name, [now - widthMs, now], signal),
      await scoresIn(event, projectId, name, [now - 2 * widthMs, now - widthMs], signal),
    ];
  const { stats } = await alertsServer.cards(
    {
      params: { id: projectId },
      body: {
        entity_type: 'traces',
        interval_start: new Date(now - widthMs).toISOString(),
        interval_end: new Date(now).toISOString(),
      },
    },
    signal,
  );
  const read = (which: 'current_value' | 'previous_value') =>
    figureOf(event, (type) => stats.find((one) => one.type === type)?.[which] ?? null);
  return [read('current_value'), read('previous_value')];
};

const Said = ({ of, figure }: { of: ConditionDraft; figure: number | undefined }) =>
  figure === undefined ? (
    <>–</>
  ) : (
    <span class={holdsOf(of, figure) ? 'fault' : ''}>
      {formatNumber(Number(figure.toPrecision(4)))}{' '}
      {holdsOf(of, figure) ? '✗ tells' : '✓ does not tell'}
    </span>
  );

export const AlertStanding = ({
  draft,
  projectId,
}: {
  draft: AlertDraft;
  /** The project whose figures are looked at. */
  projectId: string | undefined;
}) => {
  const wanted = draft.triggers
    .flatMap(({ event, conditions }) =>
      isMetric(event) ? conditions.map((condition) => ({ event, condition })) : [],
    )
    .slice(0, mostConditions);
  const key = JSON.stringify(
    wanted.map(({ event, condition: { name, window } }) => [event, name, window]),
  );
  const { value, fault } = useLoaded(
    async (signal) =>
      projectId === undefined
        ? undefined
        : Promise.all(
            wanted.map(({ event, condition }) => figuresOf(event, projectId, condition, signal)),
          ),
    [projectId, key],
  );
  if (wanted.length === 0) return null;
  const rows =
    value?.length === wanted.length
      ? wanted.map((one, at): Standing => ({
          ...one,
          figures: value[at] ?? [undefined, undefined],
        }))
      : undefined;
  return (
    <section aria-label="What it would have told">
      <h2>What it would have told</h2>
      {projectId === undefined ? (
        <p class="empty">
          Of all projects together no figures are asked for. Choose a project, and what is stored
          there is compared with the thresholds.
        </p>
      ) : (
        <Rows
          label="Figures and thresholds"
          of={{ value: rows, fault }}
          head={['What', 'Threshold', 'Window', 'Until now', 'In the window before']}
          empty="Nothing is compared."
        >
          {({ event, condition, figures: [now, before] }, at) => (
            <tr key={at}>
              <th scope="row" dir="auto">
                {isOfScores(event) ? `${condition.name}: ` : ''}
                {eventWords[event]}
              </th>
              <td>
                {condition.operator === '<' ? 'below' : 'above'} {condition.threshold}
              </td>
              <td>{windowWord(condition.window)}</td>
              <td>
                <Said of={condition} figure={now} />
              </td>
              <td>
                <Said of={condition} figure={before} />
              </td>
            </tr>
          )}
        </Rows>
      )}
    </section>
  );
};
