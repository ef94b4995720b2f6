// What a chart of lines draws, the part of it that is clipped, and the same as a picture in SVG. Pure.
import { formatNumber } from './format.js';
import { markedPoints, markerPath } from './markers.js';

type Values = readonly (number | null)[];

export interface Line {
  readonly key: string;
  readonly name: string;
  readonly colour: string;
  /** Lengths of strokes and gaps; a line without them is whole. */
  readonly dash?: readonly number[] | undefined;
  /** The mark along the line; none without it. */
  readonly marker?: number | undefined;
  readonly y: Values;
  /** The smallest and largest of each place, or the deviation of a group; drawn as a band. */
  readonly low?: Values;
  readonly high?: Values;
  /** The same values before smoothing, drawn faintly. */
  readonly raw?: Values;
}
export interface Drawing {
  readonly x: readonly number[];
  readonly lines: readonly Line[];
  readonly dark: boolean;
  readonly logX: boolean;
  readonly logY: boolean;
  /** Whether places are times, in milliseconds. */
  readonly times: boolean;
  /** The part of the axis that is shown; all of it when left out. */
  readonly range?: readonly [number, number] | undefined;
  /** The part of the values that is shown. */
  readonly yRange?: readonly [number, number] | undefined;
}

/** Places for ticks between two ends: round numbers, or powers of ten. */
export const ticksOf = (from: number, to: number, log: boolean): readonly number[] => {
  if (!(to > from)) return [from];
  if (log && from > 0) {
    const [first, last] = [Math.ceil(Math.log10(from)), Math.floor(Math.log10(to))];
    const powers = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
    const each = Math.max(1, Math.ceil(powers.length / 6));
    if (powers.length > 1)
      return powers.filter((_, at) => at % each === 0).map((power) => 10 ** power);
  }
  const rough = (to - from) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= rough) ?? 10) * power;
  const first = Math.ceil(from / step);
  return Array.from({ length: Math.floor(to / step) - first + 1 }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
};

/** Text as it stands in a document of marks; what no such document has a place for is left out, and half of a pair is no letter. */
export const escaped = (text: string): string =>
  text
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '')
    .replaceAll(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');

const sheet = { width: 720, height: 320, left: 56, right: 18, top: 34, bottom: 26 } as const;

/** The smallest and the largest of values, apart from each other. */
export const rangeOf = (values: Iterable<number>): readonly [number, number] => {
  let [low, high] = [Infinity, -Infinity];
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return low > high ? [0, 1] : low === high ? [low - 0.5, high + 0.5] : [low, high];
};

/** From a value to a place between two ends. */
export const scaleOf = (
  [from, to]: readonly [number, number],
  [begin, end]: readonly [number, number],
  log: boolean,
) => {
  const of = log ? Math.log10 : (value: number) => value;
  const [low, high] = [of(from), of(to)];
  return (value: number) => begin + ((of(value) - low) / (high - low)) * (end - begin);
};

/** The path of a line through those of its points that have a place. */
export const linePath = (
  xs: readonly number[],
  ys: Values,
  place: (x: number, y: number) => string | undefined,
): string => {
  const points = xs.flatMap((x, at) => {
    const y = ys[at];
    return y === null || y === undefined ? [] : (place(x, y) ?? []);
  });
  return points.length === 0 ? '' : `M${points.join('L')}`;
};

/** The drawing as a document in SVG: the same lines, bands and range, the names below, and what the chart says of itself. */
export const svgOf = (drawing: Drawing, title: string, says: string): string => {
  const { x, lines, dark, logX, logY, times, range, yRange } = drawing;
  const fits = (value: number, log: boolean) => Number.isFinite(value) && (!log || value > 0);
  const seen = x.map((one) => range === undefined || (one >= range[0] && one <= range[1]));
  const values = lines.flatMap(({ y, low, high }) =>
    [y, low ?? [], high ?? []].flatMap((list) =>
      list.filter((one, at): one is number => one !== null && seen[at] === true && fits(one, logY)),
    ),
  );
  const xs = range ?? rangeOf(x.filter((one) => fits(one, logX)));
  const ys = yRange ?? rangeOf(values);
  const { width, height, left, right, top, bottom } = sheet;
  const toX = scaleOf(xs, [left, width - right], logX);
  const toY = scaleOf(ys, [height - bottom, top], logY);
  const place = (a: number, b: number) =>
    fits(a, logX) && fits(b, logY) ? `${toX(a).toFixed(1)} ${toY(b).toFixed(1)}` : undefined;
  const [ink, faint, grid, paper] = dark
    ? ['#e7e8ec', '#969ba6', '#272a31', '#101114']
    : ['#17181c', '#62666f', '#e3e4e8', '#ffffff'];
  const labelOf = (value: number) =>
    times ? new Date(value).toISOString().slice(5, 16).replace('T', ' ') : formatNumber(value);
  const pointsOf = ({ y }: Line) =>
    x.flatMap((one, place) => {
      const value = y[place];
      return value === null ||
        value === undefined ||
        seen[place] !== true ||
        !fits(one, logX) ||
        !fits(value, logY)
        ? []
        : [[toX(one), toY(value)] as const];
    });
  const marksOf = (line: Line, at: number): string => {
    const { marker, colour } = line;
    const points = pointsOf(line);
    const [only, ...others] = points;
    // A line through one point has no length.
    if (marker === undefined)
      return only === undefined || others.length > 0
        ? ''
        : `<circle fill="${colour}" cx="${only[0].toFixed(1)}" cy="${only[1].toFixed(1)}" r="3"/>`;
    return `<path fill="${colour}" d="${markedPoints(points, at)
      .map(([a, b]) => markerPath(marker, a, b, 3.5))
      .join('')}"/>`;
  };
  const drawn = lines.map((line, at) => {
    const { key, colour, dash, y, low, high, raw } = line;
    const stroke = (d: string, more: string) =>
      `<path fill="none" stroke="${colour}" ${more} d="${d}"/>`;
    const edge =
      low === undefined || high === undefined
        ? ''
        : `<path fill="${colour}" fill-opacity="0.14" d="${linePath(x, high, place)}${linePath([...x].reverse(), [...low].reverse(), place).replace('M', 'L')}Z"/>`;
    const dashes = dash === undefined ? '' : `stroke-dasharray="${dash.join(' ')}" `;
    return `<g data-key="${escaped(key)}">${edge}${raw === undefined ? '' : stroke(linePath(x, raw, place), 'stroke-opacity="0.3"')}${stroke(linePath(x, y, place), `${dashes}stroke-width="1.5"`)}${marksOf(line, at)}</g>`;
  });
  const legend = lines
    .slice(0, 24)
    .map(
      ({ name, colour }, at) =>
        `<text x="${left + (at % 4) * 164}" y="${height + 16 + Math.floor(at / 4) * 16}" fill="${ink}"><tspan fill="${colour}">━ </tspan>${escaped(name.slice(0, 22))}</text>`,
    );
  const whole = height + 16 + Math.ceil(Math.min(lines.length, 24) / 4) * 16;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${whole}" viewBox="0 0 ${width} ${whole}" font-family="system-ui, sans-serif" font-size="11">
<rect width="${width}" height="${whole}" fill="${paper}"/>
<text x="12" y="20" font-size="13" font-weight="600" fill="${ink}">${escaped(title)}</text><text x="${width - right}" y="20" text-anchor="end" fill="${faint}">${escaped(says)}</text>
<clipPath id="sheet"><rect x="${left}" y="${top}" width="${width - left - right}" height="${height - top - bottom}"/></clipPath>
${ticksOf(ys[0], ys[1], logY)
  .map(
    (one) =>
      `<path stroke="${grid}" d="M${left} ${toY(one).toFixed(1)}H${width - right}"/><text x="${left - 6}" y="${(toY(one) + 4).toFixed(1)}" text-anchor="end" fill="${faint}">${formatNumber(one)}</text>`,
  )
  .join('')}
${ticksOf(xs[0], xs[1], logX)
  .map(
    (one) =>
      `<text x="${toX(one).toFixed(1)}" y="${height - 8}" text-anchor="middle" fill="${faint}">${labelOf(one)}</text>`,
  )
  .join('')}
<g clip-path="url(#sheet)">${drawn.join('\n')}</g>
${legend.join('\n')}
</svg>
`;
};
