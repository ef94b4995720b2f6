// A run at a glance: its numbers, what it is, what people say about it.
import { formatAgo, formatSpan } from '../../pure/format.js';
import type { Loaded } from '../loading.js';
import { Comments } from '../told/comments.js';
import type { Metadata } from './head.js';
import { MetricTable, type Metrics } from './metrics.js';
import { RunNotes } from './run-notes.js';
import { Values } from './values.js';
import { Wait } from './wait.js';

export interface OverviewProps {
  readonly of: Metadata;
  readonly run: string;
  readonly metrics: Loaded<Metrics>;
}

export const Overview = ({ of, run, metrics }: OverviewProps) => {
  const rows: readonly (readonly [string, string])[] = [
    ['Key', run],
    [
      'Started',
      `${new Date(of.startTimeMillis).toLocaleString()} (${formatAgo(of.startTimeMillis, Date.now())})`,
    ],
    ['Duration', formatSpan(of.durationMillis)],
    ['Logged by', of.userName],
    ['File', of.filePath ?? of.fileName ?? ''],
    ['Throttled', of.throttle ? (of.throttleMessage ?? 'yes') : ''],
  ];
  return (
    <div class="columns">
      <section>
        <h2>Metrics</h2>
        {metrics.value === undefined ? <Wait of={metrics} /> : null}
        {metrics.value?.length === 0 ? <p class="empty">No metrics logged yet.</p> : null}
        {metrics.value === undefined ? null : (
          <MetricTable metrics={metrics.value.filter(({ name }) => !name.startsWith('sys.'))} />
        )}
      </section>
      <section>
        <h2>About</h2>
        <table class="plain">
          <tbody>
            {rows
              .filter(([, value]) => value !== '')
              .map(([name, value]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{value}</td>
                </tr>
              ))}
          </tbody>
        </table>
        {of.error === null ? null : <pre class="error">{of.error}</pre>}
        <h2>Notes</h2>
        <RunNotes run={run} />
        <h2>Comments</h2>
        <Comments of={{ run }} />
        <h2>Other values</h2>
        <Values run={run} others />
      </section>
    </div>
  );
};
