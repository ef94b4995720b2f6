// Charts of a report: zoomed together by dragging or by keys, told of where one points, and there as tables.
import { linePath, rangeOf, scaleOf, ticksOf, type Drawing } from '../../pure/drawing.js';
import type { ReportChart } from '../../pure/report.js';
import { part } from './parts.js';

const sheet = { width: 720, height: 300, left: 56, right: 14, top: 10, bottom: 26 } as const;
const [mostTold, mostRows] = [20, 2000];
type Range = readonly [number, number];
type Write = (value: number) => string;

const fits = (value: number, log: boolean): boolean =>
  Number.isFinite(value) && (!log || value > 0);

/** Where places and values of a drawing are on paper, within a part of its axis. */
const layOut = ({ x, lines, logX, logY, range, yRange }: Drawing, zoom: Range | undefined) => {
  const xs = zoom ?? range ?? rangeOf(x.filter((one) => fits(one, logX)));
  const seen = x.map((one) => one >= xs[0] && one <= xs[1]);
  const ys =
    (zoom === undefined ? yRange : undefined) ??
    rangeOf(
      lines.flatMap(({ y, low, high }) =>
        [y, low ?? [], high ?? []].flatMap((values) =>
          values.filter(
            (one, at): one is number => one !== null && seen[at] === true && fits(one, logY),
          ),
        ),
      ),
    );
  const { width, height, left, right, top, bottom } = sheet;
  return {
    xs,
    ys,
    toX: scaleOf(xs, [left, width - right], logX),
    toY: scaleOf(ys, [height - bottom, top], logY),
  };
};
type Layout = ReturnType<typeof layOut>;

/** The only point of a line, which no stroke shows. */
const lonePoints = (
  x: readonly number[],
  y: readonly (number | null)[],
): readonly (readonly [number, number])[] => {
  const found = x.flatMap((place, at) => {
    const value = y[at];
    return value === null || value === undefined ? [] : [[place, value] as const];
  });
  return found.length === 1 ? found : [];
};

const drawLines = ({ x, lines, logX, logY }: Drawing, { toX, toY }: Layout): readonly Element[] => {
  const place = (a: number, b: number) =>
    fits(a, logX) && fits(b, logY) ? `${toX(a).toFixed(1)} ${toY(b).toFixed(1)}` : undefined;
  return lines.map(({ name, colour, dash, y, low, high, raw }) => {
    const stroke = (d: string, more: Readonly<Record<string, string>>) =>
      part('path', { fill: 'none', stroke: colour, ...more, d });
    return part(
      'g',
      {},
      part('title', {}, name),
      ...(low === undefined || high === undefined
        ? []
        : [
            part('path', {
              fill: colour,
              'fill-opacity': '0.14',
              d: `${linePath(x, high, place)}${linePath([...x].reverse(), [...low].reverse(), place).replace('M', 'L')}Z`,
            }),
          ]),
      ...(raw === undefined ? [] : [stroke(linePath(x, raw, place), { 'stroke-opacity': '0.3' })]),
      ...lonePoints(x, y).flatMap(([a, b]) =>
        fits(a, logX) && fits(b, logY)
          ? [
              part('circle', {
                cx: toX(a).toFixed(1),
                cy: toY(b).toFixed(1),
                r: '2.5',
                fill: colour,
              }),
            ]
          : [],
      ),
      stroke(linePath(x, y, place), {
        'stroke-width': '1.5',
        ...(dash === undefined ? {} : { 'stroke-dasharray': dash.join(' ') }),
      }),
    );
  });
};

const drawAxes = (
  { logX, logY }: Drawing,
  { xs, ys, toX, toY }: Layout,
  write: Write,
  label: Write,
) => [
  ...ticksOf(ys[0], ys[1], logY).flatMap((one) => {
    const y = toY(one);
    return [
      part('path', {
        class: 'grid',
        d: `M${sheet.left} ${y.toFixed(1)}H${sheet.width - sheet.right}`,
      }),
      part(
        'text',
        { x: String(sheet.left - 6), y: (y + 4).toFixed(1), 'text-anchor': 'end' },
        write(one),
      ),
    ];
  }),
  ...ticksOf(xs[0], xs[1], logX).map((one) =>
    part(
      'text',
      { x: toX(one).toFixed(1), y: String(sheet.height - 8), 'text-anchor': 'middle' },
      label(one),
    ),
  ),
];

/** The values at one place, the largest first. */
const tellOf = ({ lines }: Drawing, at: number, write: Write): readonly Element[] => {
  const told = lines
    .flatMap(({ name, colour, y }) => {
      const value = y[at];
      return value === null || value === undefined ? [] : [{ name, colour, value }];
    })
    .sort((one, other) => other.value - one.value);
  return [
    ...told
      .slice(0, mostTold)
      .map(({ name, colour, value }) =>
        part(
          'li',
          { dir: 'auto' },
          part(
            'svg',
            { width: '8', height: '8', viewBox: '0 0 8 8', 'aria-hidden': 'true' },
            part('circle', { cx: '4', cy: '4', r: '4', fill: colour }),
          ),
          ` ${name} `,
          part('b', {}, write(value)),
        ),
      ),
    ...(told.length > mostTold ? [part('li', {}, `and ${told.length - mostTold} more`)] : []),
  ];
};

/** What is drawn as a table: a row for each place, a column for each line. */
const tableOf = ({ x, lines }: Drawing, title: string, label: Write, write: Write): Element => {
  const rows = x.slice(0, mostRows);
  const cell = (value: number | null | undefined) =>
    part('td', { class: 'number' }, value === null || value === undefined ? '' : write(value));
  return part(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `${title} as a table` },
    part(
      'table',
      {},
      part(
        'thead',
        {},
        part(
          'tr',
          {},
          ...['place', ...lines.map(({ name }) => name)].map((name) =>
            part('th', { scope: 'col' }, name),
          ),
        ),
      ),
      part(
        'tbody',
        {},
        ...rows.map((place, at) =>
          part(
            'tr',
            {},
            part('th', { scope: 'row' }, label(place)),
            ...lines.map(({ y }) => cell(y[at])),
          ),
        ),
      ),
    ),
    ...(x.length > mostRows ? [part('p', {}, `the first ${mostRows} of ${x.length} places`)] : []),
  );
};

interface Drawn {
  readonly element: Element;
  draw(zoom: Range | undefined): void;
}

const chartOf = (
  { title, says, drawing }: ReportChart,
  write: Write,
  onZoom: (to: Range | undefined) => void,
): Drawn => {
  const label: Write = drawing.times
    ? (value) => new Date(value).toISOString().slice(5, 19).replace('T', ' ')
    : write;
  const told = part('ul', { class: 'values' });
  const place = part('p', { class: 'faint place', role: 'status' });
  const svg = part('svg', {
    viewBox: `0 0 ${sheet.width} ${sheet.height}`,
    role: 'img',
    tabindex: '0',
    'aria-label': `${title}: ${drawing.lines.length} lines; the arrow keys tell of each place, + and - zoom, 0 shows all`,
  });
  let layout = layOut(drawing, undefined);
  let at: number | undefined;
  const ruler = part('path', { class: 'ruler' });
  const band = part('rect', {
    class: 'band',
    y: String(sheet.top),
    height: String(sheet.height - sheet.top - sheet.bottom),
  });
  const point = (to: number) => {
    at = Math.max(0, Math.min(drawing.x.length - 1, to));
    const value = drawing.x[at];
    if (value === undefined) return;
    const x = layout.toX(value).toFixed(1);
    ruler.setAttribute('d', `M${x} ${sheet.top}V${sheet.height - sheet.bottom}`);
    place.textContent = `at ${label(value)}`;
    told.replaceChildren(...tellOf(drawing, at, write));
  };
  /** The place of the axis below a pointer. */
  const under = (clientX: number): number => {
    const box = svg.getBoundingClientRect();
    const x = ((clientX - box.left) / box.width) * sheet.width;
    const part01 = (x - sheet.left) / (sheet.width - sheet.left - sheet.right);
    const [from, to] = layout.xs;
    return drawing.logX && from > 0 ? from * (to / from) ** part01 : from + (to - from) * part01;
  };
  const nearest = (value: number): number => {
    let best = 0;
    drawing.x.forEach((one, place) => {
      if (Math.abs(one - value) < Math.abs((drawing.x[best] ?? 0) - value)) best = place;
    });
    return best;
  };
  let from: number | undefined;
  const showBand = (to: number) => {
    const ends = [layout.toX(from ?? to), layout.toX(to)].sort((one, other) => one - other);
    band.setAttribute('x', String(ends[0]));
    band.setAttribute('width', String(from === undefined ? 0 : (ends[1] ?? 0) - (ends[0] ?? 0)));
  };
  svg.addEventListener('pointerdown', (event) => {
    if (!(event instanceof PointerEvent)) return;
    from = under(event.clientX);
    svg.setPointerCapture(event.pointerId);
  });
  svg.addEventListener('pointermove', (event) => {
    if (!(event instanceof PointerEvent)) return;
    const value = under(event.clientX);
    point(nearest(value));
    showBand(value);
  });
  svg.addEventListener('pointerup', (event) => {
    if (!(event instanceof PointerEvent) || from === undefined) return;
    const ends = [from, under(event.clientX)].sort((one, other) => one - other);
    const wide = Math.abs(layout.toX(ends[1] ?? 0) - layout.toX(ends[0] ?? 0)) > 6;
    from = undefined;
    showBand(0);
    if (wide) onZoom([ends[0] ?? 0, ends[1] ?? 0]);
  });
  svg.addEventListener('dblclick', () => onZoom(undefined));
  svg.addEventListener('keydown', (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const zoom = { '+': 0.5, '=': 0.5, '-': 2 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      point((at ?? -step) + step);
    } else if (event.key === '0') onZoom(undefined);
    else if (zoom !== undefined) {
      const middle = drawing.x[at ?? -1] ?? (layout.xs[0] + layout.xs[1]) / 2;
      const half = ((layout.xs[1] - layout.xs[0]) / 2) * zoom;
      onZoom([middle - half, middle + half]);
    }
  });
  const details = part('details', {}, part('summary', {}, 'As a table'));
  details.addEventListener('toggle', () => details.append(tableOf(drawing, title, label, write)), {
    once: true,
  });
  const legend = part(
    'p',
    { class: 'legend' },
    ...drawing.lines
      .slice(0, 24)
      .map(({ name, colour }) =>
        part(
          'span',
          { dir: 'auto' },
          part(
            'svg',
            { width: '8', height: '8', viewBox: '0 0 8 8', 'aria-hidden': 'true' },
            part('circle', { cx: '4', cy: '4', r: '4', fill: colour }),
          ),
          ` ${name}`,
        ),
      ),
    ...(drawing.lines.length > 24 ? [`and ${drawing.lines.length - 24} more`] : []),
  );
  const clip = `sheet-${Math.random().toString(36).slice(2)}`;
  return {
    element: part(
      'section',
      { class: 'chart' },
      part('h2', { dir: 'auto' }, title),
      part('p', { class: 'faint' }, says),
      svg,
      legend,
      place,
      told,
      details,
    ),
    draw(zoom) {
      layout = layOut(drawing, zoom);
      svg.replaceChildren(
        part(
          'clipPath',
          { id: clip },
          part('rect', {
            x: String(sheet.left),
            y: String(sheet.top),
            width: String(sheet.width - sheet.left - sheet.right),
            height: String(sheet.height - sheet.top - sheet.bottom),
          }),
        ),
        ...drawAxes(drawing, layout, write, label),
        part('g', { 'clip-path': `url(#${clip})` }, ...drawLines(drawing, layout), ruler, band),
      );
      if (at !== undefined) point(at);
    },
  };
};

/** The charts; a zoom of one is that of all, as they have the same axis. */
export const drawCharts = (charts: readonly ReportChart[], write: Write): Element => {
  const out = part('button', { type: 'button' }, 'Show all');
  const bar = part('p', { class: 'bar' }, 'Drag over a chart to zoom all of them. ', out);
  let drawn: readonly Drawn[] = [];
  const zoomTo = (zoom: Range | undefined) => {
    out.toggleAttribute('disabled', zoom === undefined);
    for (const one of drawn) one.draw(zoom);
  };
  out.addEventListener('click', () => zoomTo(undefined));
  drawn = charts.map((one) => chartOf(one, write, zoomTo));
  zoomTo(undefined);
  return part(
    'div',
    { class: 'charts' },
    ...(charts.length === 0 ? [] : [bar]),
    ...drawn.map(({ element }) => element),
  );
};
