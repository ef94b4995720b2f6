// The metrics of a run: last, smallest and largest.
import { formatNumber } from '../../pure/format.js';
import { runsChanged } from '../live.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';

interface Of {
  readonly run: string;
  readonly project: string;
}

export const useMetrics = ({ run, project }: Of) =>
  useLoaded(
    async (signal) => {
      const { columns } = await runsServer.columns({ query: { project } }, signal);
      const named = columns.filter(({ kind }) => kind === 'metric').slice(0, 60);
      const asked = named.flatMap(({ name }) =>
        (['last', 'min', 'max'] as const).map((value) => ({
          kind: 'metric' as const,
          name,
          value,
        })),
      );
      const { columns: found } = await runsServer.query(
        {
          body: {
            project,
            query: {
              condition: 'AND',
              rules: [
                {
                  field: 'experimentKey',
                  source: 'metadata',
                  operator: 'equal',
                  type: 'string',
                  value: run,
                },
              ],
            },
            columns: asked,
            limit: 1,
          },
        },
        signal,
      );
      return named
        .map(({ name }, at) => ({
          name,
          last: found[3 * at]?.values[0],
          min: found[3 * at + 1]?.values[0],
          max: found[3 * at + 2]?.values[0],
        }))
        .filter(({ last }) => last !== null && last !== undefined);
    },
    [run, project, runsChanged.value],
  );
export type Metrics = Awaited<ReturnType<typeof useMetrics>>['value'];

const number = (value: unknown) =>
  typeof value === 'number' ? formatNumber(value) : String(value);

export const MetricTable = ({ metrics }: { metrics: NonNullable<Metrics> }) => (
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
      {metrics.map(({ name, last, min, max }) => (
        <tr key={name}>
          <td>{name}</td>
          <td class="number">{number(last)}</td>
          <td class="number">{number(min)}</td>
          <td class="number">{number(max)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
