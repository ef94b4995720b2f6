// What a chart draws of the curves that came, and the line below that says how much of them it shows. Pure.
import { placesAsked, type Axis } from './axis.js';
import { fewStroke } from './colours.js';
import { joinColumns, type Curve, type Curves, type GroupCurve } from './curves.js';
import { clipOf } from './clip.js';
import type { Drawing, Line } from './drawing.js';
import { csvLine, formatCount } from './format.js';
import type { Stroke } from './markers.js';
import { smoothed } from './smoothing.js';
import { spreadWords, type Spread } from './spread.js';

/** What a group is called among what is drawn. */
export const groupKey = (name: string): string => `group ${name}`;

export interface PanelLook {
  readonly axis: Axis;
  readonly logY: boolean;
  readonly band: boolean;
  /** Whether what lies outside of the first to the ninety-ninth percentile is left out. */
  readonly clip: boolean;
  readonly dark: boolean;
  readonly nameOf: (run: string) => string;
  /** The colour and the stroke of a run or group. */
  readonly colourOf: (key: string, dark: boolean) => string;
  readonly dashOf: (key: string) => readonly number[] | undefined;
  /** The stroke and mark of a run or group where they are chosen. */
  readonly strokeOf?: ((key: string) => Stroke | undefined) | undefined;
  /** What the band of a group tells; the deviation where nothing is said. */
  readonly spread?: Spread | undefined;
}

/** With more lines than these, strokes are no help. */
const mostDashed = 6;

/** The curve as it is shown: smoothed where that is wanted, from its first step on where steps are relative. */
const shownCurve = (curve: Curve, { axis }: PanelLook): Curve => {
  const { columns, x } = curve;
  const { mean, count } = columns;
  const by = axis.smoothBy;
  const smooth =
    axis.smoothing > 0 && by !== 'exponential' && mean !== undefined && count !== undefined
      ? { smooth: smoothed(by, axis.smoothing, { mean, count }) }
      : {};
  const first = x[0] ?? 0;
  return {
    ...curve,
    x: axis.x === 'relative step' ? x.map((place) => place - first) : x,
    columns: { ...columns, ...smooth },
  };
};

const runLines = (curves: readonly Curve[], look: PanelLook): Pick<Drawing, 'x' | 'lines'> => {
  const { axis, dark, nameOf, colourOf, dashOf } = look;
  // A band that was just asked for is drawn once its columns are there.
  const band = look.band && curves.every(({ columns }) => columns['min'] !== undefined);
  const names = [
    'last',
    ...(band ? ['min', 'max'] : []),
    ...(axis.smoothing > 0 ? ['smooth'] : []),
  ];
  const joined = joinColumns(
    curves
      .map((curve) => shownCurve(curve, look))
      .flatMap((curve) =>
        names.map((name) => ({ x: curve.x, y: curve.columns[name] ?? new Float32Array() })),
      ),
  );
  const few = curves.length > 1 && curves.length <= mostDashed;
  const lines = curves.map((curve, at): Line => {
    const of = (name: string) => joined.lines[at * names.length + names.indexOf(name)] ?? [];
    return {
      key: curve.run,
      name:
        curve.line === undefined ? nameOf(curve.run) : `${nameOf(curve.run)} · ${curve.line.text}`,
      colour: colourOf(curve.run, dark),
      ...(curve.line !== undefined
        ? { dash: fewStroke(curve.line.at) }
        : (look.strokeOf?.(curve.run) ?? { dash: few ? fewStroke(at) : dashOf(curve.run) })),
      y: of(axis.smoothing > 0 ? 'smooth' : 'last'),
      ...(band ? { low: of('min'), high: of('max') } : {}),
      ...(axis.smoothing > 0 ? { raw: of('last') } : {}),
    };
  });
  return { x: joined.x, lines };
};

/** A line for each group: the mean of its runs, with a band of one deviation. */
const groupLines = (
  { groups }: Curves,
  { dark, colourOf, dashOf, strokeOf, spread = 'deviation' }: PanelLook,
): Pick<Drawing, 'x' | 'lines'> => {
  const none = new Float32Array();
  /** The ends of the band at each place. */
  const endsOf = ({ columns }: GroupCurve): readonly [Float32Array, Float32Array] => {
    const of = (name: string) => columns[name] ?? none;
    if (spread === 'range') return [of('min'), of('max')];
    // The curves tell the deviation of those that are there, not of a sample.
    const by = (at: number) =>
      (of('deviation')[at] ?? 0) /
      (spread === 'deviation' ? 1 : Math.sqrt(Math.max(1, (of('count')[at] ?? 1) - 1)));
    const mean = of('mean');
    return [mean.map((one, at) => one - by(at)), mean.map((one, at) => one + by(at))];
  };
  const joined = joinColumns(
    groups.flatMap((group) =>
      [group.columns['mean'] ?? none, ...endsOf(group)].map((y) => ({ x: group.x, y })),
    ),
  );
  const lines = groups.map(({ name, runs }, at): Line => {
    const key = groupKey(name ?? 'no value');
    return {
      key,
      name: `${name ?? 'no value'} (${runs.length})`,
      colour: colourOf(key, dark),
      ...(strokeOf?.(key) ?? {
        dash: groups.length > 1 && groups.length <= mostDashed ? fewStroke(at) : dashOf(key),
      }),
      y: joined.lines[3 * at] ?? [],
      low: joined.lines[3 * at + 1] ?? [],
      high: joined.lines[3 * at + 2] ?? [],
    };
  });
  return { x: joined.x, lines };
};

export interface Drawn {
  readonly drawing: Drawing;
  /** How many values lie outside of what is shown. */
  readonly outside: number;
}

export const drawingOf = (curves: Curves, look: PanelLook): Drawn => {
  const { axis, logY, clip, dark } = look;
  const drawn = curves.groups.length > 0 ? groupLines(curves, look) : runLines(curves.curves, look);
  const cut = clip ? clipOf(drawn.lines) : undefined;
  return {
    outside: cut?.outside ?? 0,
    drawing: {
      ...drawn,
      dark,
      logX: axis.logX,
      logY,
      times: axis.x === 'wall',
      range: axis.range,
      ...(cut === undefined || (logY && cut.range[0] <= 0) ? {} : { yRange: cut.range }),
    },
  };
};

/** How much is shown of how much, and what is not. */
export const sharesOf = (
  { buckets, curves, groups }: Curves,
  outside: number,
  spread: Spread = 'deviation',
): readonly string[] => {
  const sum = (of: (curve: Curve) => number) => curves.reduce((all, one) => all + of(one), 0);
  const [points, total, drawn] = [
    sum(({ points: n }) => n),
    sum(({ total: n }) => n),
    sum(({ x }) => x.length),
  ];
  const [skipped, unplaced] = [sum(({ skipped: n }) => n), sum(({ unplaced: n }) => n)];
  const runs = groups.reduce((all, group) => all + group.runs.length, 0);
  return [
    ...(groups.length > 0
      ? [`${spreadWords[spread]} of ${formatCount(runs)} runs in ${groups.length} groups`]
      : [
          drawn < points
            ? `${formatCount(drawn)} places for ${formatCount(points)} points, min to max kept`
            : `all ${formatCount(points)} points`,
        ]),
    ...(points + skipped + unplaced < total ? [`of ${formatCount(total)}`] : []),
    ...(buckets > 0 && buckets < placesAsked ? [`grid coarser: ${buckets} places`] : []),
    ...(outside > 0 ? [`${formatCount(outside)} outside`] : []),
    ...(skipped > 0 ? [`${formatCount(skipped)} not finite`] : []),
    ...(unplaced > 0 ? [`${formatCount(unplaced)} without a place`] : []),
  ];
};

/** The head of a file of what is drawn. */
export const curvesHead = ({ xMetric, x }: Axis): readonly string[] => [
  ...['key', 'name', 'metric', xMetric ?? x],
  ...['value', 'low', 'high', 'raw'],
];

/** What is drawn as lines of a file: every value of every line at each of its places. */
export const curvesLines = (metric: string, { x, lines, range }: Drawing): readonly string[] => {
  const seen = (place: number) => range === undefined || (place >= range[0] && place <= range[1]);
  return lines.flatMap(({ key, name, y, low, high, raw }) =>
    x.flatMap((place, at) =>
      y[at] === null || !seen(place)
        ? []
        : `${csvLine([key, name, metric, place, y[at], low?.[at], high?.[at], raw?.[at]])}\n`,
    ),
  );
};
