// A metric of the runs that the versions of a model are of, from version to version.
import { pathOf } from '../../pure/address.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { axisOf } from '../../pure/plots.js';
import { useLoaded } from '../loading.js';
import { PlotFrame, SavePlot, useWidth } from '../plots/sheet.js';
import { runServer } from '../server.js';
import { query, setQuery, visit } from '../state.js';
import type { Model } from './status.js';
import { Wait } from '../shell/wait.js';

const [mostVersions, atOnce] = [50, 6];
const values = ['last', 'smallest', 'largest'] as const;
const height = 260;
const [left, right, top, bottom] = [64, 24, 14, 40];

interface Measured {
  readonly version: string;
  readonly stages: readonly string[];
  readonly run: string;
  /** By the name of the metric: last, smallest and largest. */
  readonly metrics: ReadonlyMap<string, readonly [number, number, number]>;
}

/** The metrics of each of the newest versions, the oldest first; a few requests at a time. */
const measure = async ({ versions }: Model, signal: AbortSignal): Promise<readonly Measured[]> => {
  const asked = versions.slice(0, mostVersions).reverse();
  const found: Measured[] = [];
  for (let at = 0; at < asked.length; at += atOnce)
    found.push(
      ...(await Promise.all(
        asked.slice(at, at + atOnce).map(async ({ version, stages, experimentModel }) => {
          const run = experimentModel.experimentKey;
          const reply = await runServer
            .getMetrics({ query: { experimentKey: run } }, signal)
            // The run of an old version may be gone, or not be for everybody.
            .catch(() => ({ values: [] }));
          return {
            version,
            stages,
            run,
            metrics: new Map(
              reply.values.map((one) => [
                one.runContextCurrent ? `${one.runContextCurrent}_${one.name}` : one.name,
                [Number(one.valueCurrent), Number(one.valueMin), Number(one.valueMax)] as const,
              ]),
            ),
          };
        }),
      )),
    );
  return found;
};

const Chart = ({
  metric,
  points,
  addressOf,
}: {
  metric: string;
  points: readonly { readonly of: Measured; readonly value: number | undefined }[];
  addressOf: (version: string) => string;
}) => {
  const { at, width } = useWidth();
  const axis = axisOf(
    points.map(({ value }) => value),
    formatNumber,
    false,
  );
  const step = (width - left - right) / Math.max(1, points.length - 1);
  const places = points.flatMap(({ of, value }, place) => {
    const part = axis.place(value);
    return part === undefined
      ? []
      : [
          {
            of,
            value,
            x: left + place * step,
            y: height - bottom - part * (height - top - bottom),
          },
        ];
  });
  const named = Math.ceil(points.length / Math.max(1, Math.floor((width - left) / 64)));
  return (
    <PlotFrame {...{ at, width, height }} label={`${metric} of ${places.length} versions`}>
      {axis.ticks.map(({ at: part, label }) => (
        <g key={part} fill="currentColor">
          <path
            stroke="currentColor"
            stroke-opacity="0.12"
            d={`M${left} ${height - bottom - part * (height - top - bottom)}H${width - right}`}
          />
          <text
            x={left - 8}
            y={height - bottom - part * (height - top - bottom) + 4}
            text-anchor="end"
            fill-opacity="0.75"
          >
            {label.slice(0, 10)}
          </text>
        </g>
      ))}
      {points.map(({ of }, place) =>
        place % named === 0 ? (
          <text
            key={of.version}
            x={left + place * step}
            y={height - 20}
            text-anchor="middle"
            fill="currentColor"
            fill-opacity="0.75"
          >
            {of.version.slice(0, 10)}
          </text>
        ) : null,
      )}
      <path
        fill="none"
        stroke="var(--accent)"
        stroke-width="1.5"
        d={places.length < 2 ? '' : `M${places.map(({ x, y }) => `${x} ${y}`).join('L')}`}
      />
      {places.map(({ of, value, x, y }) => (
        <circle
          key={of.version}
          cx={x}
          cy={y}
          r={of.stages.length > 0 ? 6 : 4}
          fill="var(--accent)"
          onClick={() => visit(addressOf(of.version))}
        >
          <title>{`${of.version} ${of.stages.join(', ')}: ${formatNumber(value ?? 0)}`}</title>
        </circle>
      ))}
    </PlotFrame>
  );
};

export const VersionMetrics = ({ of, workspace }: { of: Model; workspace: string }) => {
  const { value, fault } = useLoaded(
    (signal) => measure(of, signal),
    [of.registryModelId, of.lastUpdated, of.versions.length],
  );
  if (value === undefined) return <Wait fault={fault} />;
  const names = [...new Set(value.flatMap(({ metrics }) => [...metrics.keys()]))]
    .filter((name) => !name.startsWith('sys.'))
    .sort();
  const metric = names.find((one) => one === query.value.get('metric')) ?? names[0];
  if (metric === undefined)
    return <p class="empty">The runs of these versions have logged no metric.</p>;
  const which = Math.max(
    0,
    values.findIndex((one) => one === query.value.get('value')),
  );
  const points = value.map((one) => ({ of: one, value: one.metrics.get(metric)?.[which] }));
  const known = points.filter(({ value: one }) => Number.isFinite(one)).length;
  const addressOf = (version: string) => pathOf('w', workspace, 'model', of.modelName, version);
  return (
    <section class="panel plot">
      <header>
        <h2>Metric over versions</h2>
        <SavePlot name={`${of.modelName} ${metric}`} />
      </header>
      <div class="controls">
        <select
          aria-label="Metric"
          value={metric}
          onChange={({ currentTarget }) => setQuery({ metric: currentTarget.value })}
        >
          {names.slice(0, 1000).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
        <select
          aria-label="Which value"
          value={values[which]}
          onChange={({ currentTarget }) =>
            setQuery({ value: currentTarget.value === 'last' ? undefined : currentTarget.value })
          }
        >
          {values.map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </div>
      <Chart metric={metric} points={points} addressOf={addressOf} />
      <div class="scroll" tabIndex={0} role="region" aria-label={`${metric} of versions`}>
        <table class="plain">
          <thead>
            <tr>
              <th>Version</th>
              <th>Stages</th>
              <th class="number">{metric}</th>
            </tr>
          </thead>
          <tbody>
            {[...points].reverse().map(({ of: one, value: worth }) => (
              <tr key={one.version}>
                <th scope="row">
                  <a href={addressOf(one.version)}>{one.version}</a>
                </th>
                <td>{one.stages.join(', ')}</td>
                <td class="number">
                  {worth !== undefined && Number.isFinite(worth) ? formatNumber(worth) : '–'}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <footer>
        {`${known} of ${formatCount(of.versions.length)} versions have it${of.versions.length > mostVersions ? `; the newest ${mostVersions} are looked at` : ''}`}
      </footer>
    </section>
  );
};
