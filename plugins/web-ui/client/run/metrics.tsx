// The metrics of a run: last, smallest and largest, and at which step.
import { useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runServer } from '../server.js';
import { Name } from '../shell/name.js';

/** Rows that are shown at once: more take the browser long enough to be felt. */
const shownAtOnce = 100;

/** Every metric of the run, by the name that charts know it by. */
export const useMetrics = (run: string) =>
  useLoaded(
    async (signal) => {
      const { values } = await runServer.getMetrics({ query: { experimentKey: run } }, signal);
      return values.map((one) => ({
        ...one,
        name: one.runContextCurrent ? `${one.runContextCurrent}_${one.name}` : one.name,
      }));
    },
    [run, runsChanged.value],
  );
export type Metrics = Awaited<ReturnType<typeof useMetrics>>['value'];

const shown = (text: string): string =>
  Number.isFinite(Number(text)) ? formatNumber(Number(text)) : text;

const At = ({ step }: { step: number | null }) =>
  step === null ? null : <span class="faint"> @ {formatCount(step)}</span>;

export const MetricTable = ({ metrics }: { metrics: NonNullable<Metrics> }) => {
  const [part, setPart] = useState('');
  const found = metrics.filter(({ name }) => name.toLowerCase().includes(part));
  return (
    <>
      {metrics.length <= shownAtOnce ? null : (
        <input
          type="search"
          placeholder={`find among ${metrics.length}`}
          aria-label="Find a metric"
          onInput={({ currentTarget }) => setPart(currentTarget.value.toLowerCase())}
        />
      )}
      <table class="plain">
        <thead>
          <tr>
            <th>Metric</th>
            <th class="number">Last</th>
            <th class="number">Smallest</th>
            <th class="number">Largest</th>
          </tr>
        </thead>
        <tbody>
          {found.slice(0, shownAtOnce).map((one) => (
            <tr key={one.name}>
              <td>
                <Name of={one.name} />
              </td>
              <td class="number">{shown(one.valueCurrent)}</td>
              <td class="number">
                {shown(one.valueMin)}
                <At step={one.stepMin} />
              </td>
              <td class="number">
                {shown(one.valueMax)}
                <At step={one.stepMax} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {found.length > shownAtOnce ? (
        <p class="faint">
          {shownAtOnce} of {formatCount(found.length)} metrics; part of a name finds the others
        </p>
      ) : null}
    </>
  );
};
