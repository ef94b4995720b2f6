// Lines over one axis, behind an interface of our own: uPlot draws them now, and only this file knows.
import uPlot from 'uplot';
import { formatNumber } from '../../pure/format.js';
import type { Drawing, Line } from '../../pure/drawing.js';
import { markedPoints, markerPath } from '../../pure/markers.js';

export interface LineChart {
  draw(drawing: Drawing): void;
  /** Draws the line of this key once more, thicker, over all others; none without a key. */
  highlight(key: string | undefined): void;
  /** Without a height it keeps the one that it has. */
  resize(width: number, height?: number): void;
  remove(): void;
}
/** Where the pointer is: the place on the axis by its number, and how far from the edges of the sheet. */
export interface Pointer {
  readonly at: number;
  readonly left: number;
  readonly top: number;
  /** From a value to how far it is from the upper edge. */
  readonly topOf: (y: number) => number;
}
export interface ChartEvents {
  /** A part of the axis was dragged over, or, with nothing, all of it is asked for. */
  onZoom(range: readonly [number, number] | undefined): void;
  /** The pointer is over this chart, or has left it. */
  onPointer(pointer: Pointer | undefined): void;
  onPress(): void;
}

const usualHeight = 190;
/** What one turn of the wheel leaves of the axis, and how long after the last the part is asked for. */
const [zoomStep, wheelMs] = [0.8, 160];

const seriesOf = ({ lines }: Drawing): { series: uPlot.Series[]; bands: uPlot.Band[] } => {
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const { key, colour: stroke, dash, low, high, raw } of lines) {
    const thin = { width: 0, points: { show: false }, stroke: 'transparent' };
    if (low !== undefined && high !== undefined) {
      bands.push({
        series: [series.length, series.length + 1],
        fill: stroke.replace(')', ' / 0.14)'),
      });
      series.push(thin, thin);
    }
    if (raw !== undefined)
      series.push({ stroke: stroke.replace(')', ' / 0.3)'), width: 1, points: { show: false } });
    series.push({
      label: key,
      stroke,
      width: 1.5,
      ...(dash === undefined ? {} : { dash: [...dash] }),
      points: { show: false },
      spanGaps: true,
    });
  }
  return { series, bands };
};

const scalesOf = ({ logX, logY, times, range, yRange }: Drawing): uPlot.Scales => ({
  x: {
    time: times,
    distr: logX ? 3 : 1,
    ...(range === undefined ? {} : { range: [range[0], range[1]] }),
  },
  y: {
    distr: logY ? 3 : 1,
    ...(yRange === undefined ? {} : { range: [yRange[0], yRange[1]] }),
  },
});

const axesOf = ({ dark, times }: Drawing): uPlot.Axis[] => {
  const axis: uPlot.Axis = {
    stroke: dark ? '#8b8f99' : '#6b7079',
    grid: { stroke: dark ? '#24272d' : '#ececee', width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
    size: 26,
  };
  const numbers = (_: uPlot, values: readonly number[]) =>
    values.map((value: number | null) => (value === null ? '' : formatNumber(value)));
  return [
    // Times take two lines: the day stands below the hour, the year below the day.
    { ...axis, ...(times ? { size: 38 } : { values: numbers }) },
    { ...axis, size: 52, values: numbers },
  ];
};

/** Tells what is under the pointer, of the chart that it is over alone: the others follow its place. */
const pointerOf = (chart: uPlot): Pointer | undefined => {
  const { idx, left = -1, top = -1, event } = chart.cursor;
  if (idx === null || idx === undefined || left < 0 || event === undefined || event === null)
    return undefined;
  return { at: idx, left, top, topOf: (y) => chart.valToPos(y, 'y') };
};

/** Marks along the lines that have one, within the sheet. */
const drawMarks = (chart: uPlot, { x, lines, logX, logY, range }: Drawing): void => {
  const { ctx: pen, bbox } = chart;
  pen.save();
  pen.beginPath();
  pen.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  pen.clip();
  lines.forEach(({ marker, colour, y }, at) => {
    if (marker === undefined) return;
    const points = x.flatMap((one, place) => {
      const value = y[place] ?? null;
      const outside = range !== undefined && (one < range[0] || one > range[1]);
      if (value === null || outside || (logX && one <= 0) || (logY && value <= 0)) return [];
      return [[chart.valToPos(one, 'x', true), chart.valToPos(value, 'y', true)] as const];
    });
    pen.fillStyle = colour;
    for (const [a, b] of markedPoints(points, at))
      pen.fill(new Path2D(markerPath(marker, a, b, 3.5 * devicePixelRatio)));
  });
  pen.restore();
};

const optionsOf = (
  drawing: Drawing,
  { width, height }: { readonly width: number; readonly height: number },
  {
    latest,
    onScale,
    ...events
  }: ChartEvents & {
    /** What is drawn at the moment. */
    latest(): Drawing;
    /** Values stand in other places from now on. */
    onScale(): void;
  },
): uPlot.Options => {
  let over = false;
  return {
    width,
    height,
    ...seriesOf(drawing),
    legend: { show: false },
    padding: [8, 18, 0, 0],
    scales: scalesOf(drawing),
    axes: axesOf(drawing),
    ...(drawing.times ? { ms: 1 as const } : {}),
    // Nothing is faded: that would draw every line anew at each move.
    focus: { alpha: 1 },
    cursor: {
      focus: { prox: 24 },
      sync: { key: 'orrery', setSeries: false },
      drag: { x: true, y: false, setScale: false },
      points: { one: true, size: 5 },
    },
    hooks: {
      setScale: [onScale],
      ...(drawing.lines.some(({ marker }) => marker !== undefined)
        ? { draw: [(chart: uPlot) => drawMarks(chart, latest())] }
        : {}),
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select;
          if (wide < 4) return;
          events.onZoom([chart.posToVal(left, 'x'), chart.posToVal(left + wide, 'x')]);
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      setCursor: [
        (chart) => {
          const pointer = pointerOf(chart);
          if (pointer === undefined && !over) return;
          over = pointer !== undefined;
          events.onPointer(pointer);
        },
      ],
    },
  };
};

const dataOf = ({ x, lines, logY }: Drawing): uPlot.AlignedData => {
  // A logarithm has no place for what is not above zero.
  const fit = (values: readonly (number | null)[]) =>
    logY ? values.map((value) => (value !== null && value > 0 ? value : null)) : [...values];
  return [
    [...x],
    ...lines.flatMap(({ y, low, high, raw }) => [
      ...(low === undefined || high === undefined ? [] : [fit(high), fit(low)]),
      ...(raw === undefined ? [] : [fit(raw)]),
      fit(y),
    ]),
  ];
};

/** The wheel with alt, or a drag with shift, moves the axis at once; the part that is left to see is asked for when the hand rests. */
const moveAxis = (chart: uPlot, { logX }: Drawing, events: ChartEvents): void => {
  const [to, from] = logX ? [Math.log10, (one: number) => 10 ** one] : [Number, Number];
  let later: number | undefined;
  const set = (low: number, high: number) => {
    if (!(low < high)) return;
    chart.setScale('x', { min: from(low), max: from(high) });
    clearTimeout(later);
    later = setTimeout(() => events.onZoom([from(low), from(high)]), wheelMs);
  };
  const ends = () => [to(chart.scales['x']?.min ?? 0), to(chart.scales['x']?.max ?? 1)] as const;
  chart.over.addEventListener(
    'wheel',
    (event) => {
      if (!event.altKey) return;
      event.preventDefault();
      const [low, high] = ends();
      const middle = low + (event.offsetX / chart.over.clientWidth) * (high - low);
      const by = event.deltaY + event.deltaX < 0 ? zoomStep : 1 / zoomStep;
      set(middle - (middle - low) * by, middle + (high - middle) * by);
    },
    { passive: false },
  );
  let held: { readonly x: number; readonly low: number; readonly high: number } | undefined;
  chart.over.addEventListener(
    'mousedown',
    (event) => {
      if (!event.shiftKey || event.button !== 0) return;
      // The drag is ours, and chooses no part.
      event.stopImmediatePropagation();
      event.preventDefault();
      const [low, high] = ends();
      held = { x: event.clientX, low, high };
      const move = (now: MouseEvent) => {
        if (held === undefined) return;
        const by = ((held.x - now.clientX) / chart.over.clientWidth) * (held.high - held.low);
        set(held.low + by, held.high + by);
      };
      document.addEventListener('mousemove', move);
      document.addEventListener(
        'mouseup',
        () => {
          held = undefined;
          document.removeEventListener('mousemove', move);
        },
        { once: true },
      );
    },
    { capture: true },
  );
};

/** A sheet over the lines on which one of them is drawn once more: a line that is pointed at costs no more with a thousand others. */
const overlayOf = (chart: uPlot): HTMLCanvasElement => {
  const canvas = document.createElement('canvas');
  canvas.className = 'overlay';
  chart.over.append(canvas);
  return canvas;
};

/** The way of a line over the sheet as it is scaled now. */
const wayOf = (chart: uPlot, { x: places, logY }: Drawing, line: Line): Path2D => {
  const way = new Path2D();
  line.y.forEach((y, at) => {
    const x = places[at];
    if (y === null || x === undefined || (logY && y <= 0)) return;
    way.lineTo(chart.valToPos(x, 'x'), chart.valToPos(y, 'y'));
  });
  return way;
};

/** Draws the lines of a key above all others. */
type Trace = (drawing: Drawing, key: string | undefined) => void;

/** The way of each line is kept in `ways` until those are cleared: whoever moves over a chart comes by the same lines again and again. */
const tracing = (chart: uPlot, ways: Map<Line, Path2D>): Trace => {
  const canvas = overlayOf(chart);
  const pen = canvas.getContext('2d');
  return (drawing, key) => {
    const lines = key === undefined ? [] : drawing.lines.filter((one) => one.key === key);
    if (pen === null || (lines.length === 0 && canvas.width <= 1)) return;
    const [wide, high] = [chart.over.clientWidth, chart.over.clientHeight];
    // A sheet of one point is one that nothing was drawn on.
    [canvas.width, canvas.height] = lines.length === 0 ? [1, 1] : [wide, high];
    pen.lineWidth = 3;
    pen.lineJoin = 'round';
    for (const line of lines) {
      const way = ways.get(line) ?? wayOf(chart, drawing, line);
      ways.set(line, way);
      pen.strokeStyle = line.colour;
      pen.stroke(way);
    }
  };
};

/** A chart in this element. What changes only the values keeps the axes and the pointer. */
export const lineChart = (at: HTMLElement, events: ChartEvents): LineChart => {
  let chart: uPlot | undefined;
  let trace: Trace | undefined;
  /** Ways of lines as the chart is scaled now. */
  const ways = new Map<Line, Path2D>();
  let drawn: Drawing | undefined;
  let kept: string | undefined;
  let lit: string | undefined;
  let height = usualHeight;
  const shapeOf = ({ lines, dark, logX, logY, times, range, yRange }: Drawing) =>
    JSON.stringify([
      lines.map(({ key, colour, dash, marker, low, raw }) => [
        key,
        colour,
        dash,
        marker,
        low !== undefined,
        raw !== undefined,
      ]),
      dark,
      logX,
      logY,
      times,
      range,
      yRange,
    ]);
  const light = () => {
    if (drawn !== undefined) trace?.(drawn, lit);
  };
  return {
    draw(drawing) {
      const shape = shapeOf(drawing);
      const data = dataOf(drawing);
      drawn = drawing;
      ways.clear();
      if (chart !== undefined && kept === shape) {
        chart.setData(data);
        light();
        return;
      }
      chart?.destroy();
      const size = { width: Math.max(120, at.clientWidth), height };
      chart = new uPlot(
        optionsOf(drawing, size, {
          ...events,
          latest: () => drawn ?? drawing,
          onScale: () => ways.clear(),
        }),
        data,
        at,
      );
      trace = tracing(chart, ways);
      chart.over.addEventListener('dblclick', () => events.onZoom(undefined));
      chart.over.addEventListener('click', () => events.onPress());
      moveAxis(chart, drawing, events);
      kept = shape;
      light();
    },
    highlight(key) {
      if (key === lit) return;
      lit = key;
      light();
    },
    resize(width, high = height) {
      height = high;
      if (chart === undefined || width <= 0) return;
      if (chart.width === width && chart.height === high) return;
      chart.setSize({ width, height });
      ways.clear();
      light();
    },
    remove() {
      chart?.destroy();
      chart = undefined;
      trace = undefined;
    },
  };
};
