// Lines over one axis, behind an interface of our own: uPlot draws them now, and only this file knows.
import uPlot from 'uplot';
import { formatNumber } from '../../pure/format.js';
import type { Drawing } from '../../pure/drawing.js';

export interface LineChart {
  draw(drawing: Drawing): void;
  resize(width: number): void;
  remove(): void;
}
export interface ChartEvents {
  /** A part of the axis was dragged over, or, with nothing, all of it is asked for. */
  onZoom(range: readonly [number, number] | undefined): void;
  /** The line next to the pointer, by its key, and what is there. */
  onHover(key: string | undefined, says: string): void;
}

const height = 190;

const optionsOf = (
  { lines, dark, logX, logY, times, range, yRange }: Drawing,
  width: number,
  events: ChartEvents,
): uPlot.Options => {
  const axis: uPlot.Axis = {
    stroke: dark ? '#8b8f99' : '#6b7079',
    grid: { stroke: dark ? '#24272d' : '#ececee', width: 1 },
    ticks: { show: false },
    font: '11px system-ui',
    size: 26,
  };
  const numbers = (_: uPlot, values: readonly number[]) =>
    values.map((value: number | null) => (value === null ? '' : formatNumber(value)));
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
  return {
    width,
    height,
    series,
    bands,
    legend: { show: false },
    padding: [8, 18, 0, 0],
    scales: {
      x: {
        time: times,
        distr: logX ? 3 : 1,
        ...(range === undefined ? {} : { range: [range[0], range[1]] }),
      },
      y: {
        distr: logY ? 3 : 1,
        ...(yRange === undefined ? {} : { range: [yRange[0], yRange[1]] }),
      },
    },
    axes: [
      { ...axis, ...(times ? {} : { values: numbers }) },
      { ...axis, size: 52, values: numbers },
    ],
    ...(times ? { ms: 1 as const } : {}),
    focus: { alpha: 0.35 },
    cursor: {
      focus: { prox: 24 },
      sync: { key: 'orrery', setSeries: false },
      drag: { x: true, y: false, setScale: false },
      points: { size: 5 },
    },
    hooks: {
      setSelect: [
        (chart) => {
          const { left, width: wide } = chart.select;
          if (wide < 4) return;
          events.onZoom([chart.posToVal(left, 'x'), chart.posToVal(left + wide, 'x')]);
          chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
        },
      ],
      setSeries: [
        (chart, at) => {
          const key = at === null ? undefined : chart.series[at]?.label;
          const line = lines.find((one) => one.key === key);
          const place = chart.cursor.idx;
          const y =
            line === undefined || place === null || place === undefined ? undefined : line.y[place];
          const says =
            y === null || y === undefined ? '' : `${line?.name ?? ''}  ${formatNumber(y)}`;
          events.onHover(line?.key, says);
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

/** A chart in this element. What changes only the values keeps the axes and the pointer. */
export const lineChart = (at: HTMLElement, events: ChartEvents): LineChart => {
  let chart: uPlot | undefined;
  let kept: string | undefined;
  const shapeOf = ({ lines, dark, logX, logY, times, range, yRange }: Drawing) =>
    JSON.stringify([
      lines.map(({ key, dash, low, raw }) => [key, dash, low !== undefined, raw !== undefined]),
      dark,
      logX,
      logY,
      times,
      range,
      yRange,
    ]);
  return {
    draw(drawing) {
      const shape = shapeOf(drawing);
      const data = dataOf(drawing);
      if (chart !== undefined && kept === shape) {
        chart.setData(data);
        return;
      }
      chart?.destroy();
      chart = new uPlot(optionsOf(drawing, Math.max(120, at.clientWidth), events), data, at);
      chart.over.addEventListener('dblclick', () => events.onZoom(undefined));
      kept = shape;
    },
    resize(width) {
      if (chart !== undefined && width > 0 && chart.width !== width)
        chart.setSize({ width, height });
    },
    remove() {
      chart?.destroy();
      chart = undefined;
    },
  };
};
