// The points that a chart draws as one: asked for on the finest grid, over no more of the axis than they lie on.
import { mostPlaces, seriesBody, type Axis } from '../../pure/axis.js';
import { readCurves } from '../../pure/curves.js';
import type { Drawing } from '../../pure/drawing.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { partOfPlace, pointsBetween, type RawPoint } from '../../pure/raw-points.js';
import { useLoaded } from '../loading.js';
import { runsServer } from '../server.js';
import { Dialog } from '../shell/dialog.js';
import type { Told } from './under.js';
import { Wait } from '../shell/wait.js';

export interface RawPointsProps {
  readonly metric: string;
  readonly axis: Axis;
  readonly drawing: Drawing;
  readonly told: Told;
  readonly onClose: () => void;
}

const mostShown = 500;

/** The points of each line that is told of. */
const load = async (
  { metric, axis, drawing, told }: RawPointsProps,
  signal: AbortSignal,
): Promise<readonly RawPoint[]> => {
  const parts = new Map(
    told.lines.flatMap(({ line: { key } }) => {
      const part = partOfPlace(drawing, key, told.at);
      return part === undefined ? [] : [[key, part] as const];
    }),
  );
  const ends = [...parts.values()];
  if (ends.length === 0) return [];
  const to = Math.max(...ends.map((part) => part[1]));
  const after = Math.max(Math.min(...ends.map((part) => part[0])), axis.range?.[0] ?? -Infinity);
  const runs = [...parts.keys()];
  // An axis of powers would join what lies at its end; the points are the same on any.
  const plain = { ...axis, logX: false, smoothing: 0, range: undefined };
  const body = {
    ...seriesBody({ runs, metrics: [metric] }, plain),
    ...{ buckets: mostPlaces, to },
    ...(Number.isFinite(after) ? { from: after } : {}),
  };
  const { curves } = readCurves(await runsServer.series({ body }, signal));
  return curves.flatMap((curve) => pointsBetween(curve, parts.get(curve.run) ?? [Infinity, to]));
};

export const RawPoints = (props: RawPointsProps) => {
  const { metric, axis, drawing, told, onClose } = props;
  const { value, fault } = useLoaded((signal) => load(props, signal), [metric, told]);
  const names = new Map(drawing.lines.map(({ key, name }) => [key, name]));
  const place = (x: number) =>
    drawing.times ? new Date(x).toLocaleString('en-GB') : formatNumber(x);
  const count = (value ?? []).reduce((sum, one) => sum + one.count, 0);
  return (
    <Dialog label={`Points of ${metric} at ${told.place}`} onClose={onClose}>
      <h2>
        {metric} at {told.place}
      </h2>
      {value === undefined ? (
        <Wait fault={fault} />
      ) : (
        <>
          <p class="faint" role="status">
            {formatCount(count)} points are drawn as one place of each line
            {value.length > mostShown ? `; the first ${mostShown} rows` : ''}
          </p>
          <div class="scroll table" tabIndex={0} role="region" aria-label={`Points of ${metric}`}>
            <table class="plain">
              <thead>
                <tr>
                  <th>Run</th>
                  <th class="number">{axis.xMetric ?? axis.x}</th>
                  <th class="number">Value</th>
                </tr>
              </thead>
              <tbody>
                {value.slice(0, mostShown).map(({ run, x, value: y, count: many, low, high }) => (
                  <tr key={`${run} ${x}`}>
                    <td>{names.get(run) ?? run}</td>
                    <td class="number">{place(x)}</td>
                    <td class="number">
                      {many > 1
                        ? `${formatCount(many)} from ${formatNumber(low)} to ${formatNumber(high)}`
                        : formatNumber(y)}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </Dialog>
  );
};
