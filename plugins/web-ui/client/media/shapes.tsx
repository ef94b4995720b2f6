// Pictures of several files of one name together: curves over one another, histograms side by side over the steps.
import { useMemo } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import { colourOf, useColours } from '../charts/colours.js';
import { rangeOf } from '../../pure/drawing.js';
import { evenly, readBins, readJson, readPoints, rebinned } from '../../pure/media.js';
import { sequential } from '../../pure/plots.js';
import { useLoaded } from '../loading.js';
import { isDark } from '../state.js';
import { loadText, type Media } from './files.js';
import { Wait } from '../shell/wait.js';

/** Files that are read and drawn together; of more, some that lie evenly apart. */
const mostTogether = 60;

const useJson = (of: readonly Media[]) =>
  useLoaded(
    async (signal) => {
      const some = evenly(of, mostTogether);
      const texts = await Promise.all(some.map((one) => loadText(one, signal)));
      return some.flatMap((file, at) => {
        const json = readJson(texts[at] ?? '');
        return json === undefined ? [] : [{ file, json }];
      });
    },
    [of.map(({ id }) => id).join()],
  );

/** Curves over one another, with an axis from the least to the most; those of several runs in the colours of the runs. */
export const CurveShapes = ({
  of,
  nameOf,
}: {
  of: readonly Media[];
  nameOf: (one: Media) => string;
}) => {
  const alone = new Set(of.map(({ run }) => run)).size < 2;
  const keyOf = ({ id, run }: Media) => (alone ? id : run);
  useColours(of.map(keyOf));
  const { value, fault } = useJson(of);
  if (value === undefined) return <Wait fault={fault} />;
  const curves = value.flatMap(({ file, json }) => {
    const points = readPoints(json);
    return points === undefined ? [] : [{ file, ...points }];
  });
  const [[x0, x1], [y0, y1]] = [
    rangeOf(curves.flatMap(({ x }) => x)),
    rangeOf(curves.flatMap(({ y }) => y)),
  ];
  const toX = (one: number) => 44 + ((one - x0) / (x1 - x0)) * 360;
  const toY = (one: number) => 236 - ((one - y0) / (y1 - y0)) * 220;
  const dark = isDark.value;
  return (
    <svg
      viewBox="0 0 420 260"
      width={420}
      height={260}
      role="img"
      aria-label={`${curves.length} curves`}
    >
      <path fill="none" stroke="currentColor" stroke-opacity="0.3" d="M44 16V236H404" />
      {curves.map(({ file, x, y }) => (
        <path
          key={file.id}
          fill="none"
          stroke-width="1.5"
          stroke={colourOf(keyOf(file), dark)}
          d={`M${x.map((one, at) => `${toX(one).toFixed(1)} ${toY(y[at] ?? 0).toFixed(1)}`).join('L')}`}
        >
          <title>{nameOf(file)}</title>
        </path>
      ))}
      {[
        [40, 240, 'end', y0],
        [40, 22, 'end', y1],
        [44, 252, 'start', x0],
        [404, 252, 'end', x1],
      ].map(([x, y, anchor, label]) => (
        <text
          key={`${x} ${y}`}
          x={x}
          y={y}
          text-anchor={anchor as 'start' | 'end'}
          fill="currentColor"
        >
          {formatNumber(Number(label))}
        </text>
      ))}
    </svg>
  );
};

const rows = 40;

/** Histograms over the steps: each a column, darker where more values lie. */
export const HistogramShapes = ({ of }: { of: readonly Media[] }) => {
  const { value, fault } = useJson([...of].sort((a, b) => (a.step ?? -1) - (b.step ?? -1)));
  const drawn = useMemo(() => {
    const all = (value ?? []).flatMap(({ file, json }) => {
      const bins = readBins(json);
      return bins === undefined || bins.from.length === 0 ? [] : [{ step: file.step, bins }];
    });
    const [low, high] = rangeOf(all.flatMap(({ bins }) => bins.from));
    return {
      low,
      high,
      columns: all.map(({ step, bins }) => ({ step, counts: rebinned(bins, low, high, rows) })),
    };
  }, [value]);
  if (value === undefined) return <Wait fault={fault} />;
  const { columns, low, high } = drawn;
  if (columns.length === 0)
    return <p class="faint">These files are no histograms that can be drawn.</p>;
  const wide = Math.min(24, 400 / columns.length);
  const count = `${formatCount(columns.length)}${of.length > mostTogether ? ` of ${formatCount(of.length)}` : ''}`;
  const dark = isDark.value;
  return (
    <svg
      viewBox="0 0 480 250"
      width={480}
      height={250}
      role="img"
      aria-label={`Histograms at ${count} steps, from ${formatNumber(low)} to ${formatNumber(high)}`}
    >
      {columns.map(({ step, counts }, at) => {
        const top = Math.max(...counts);
        return counts.map((count, row) =>
          count === 0 ? null : (
            <rect
              key={`${at} ${row}`}
              x={60 + at * wide}
              y={220 - (row + 1) * 5.2}
              width={wide - 0.5}
              height={5}
              fill={sequential(dark ? count / top : 1 - count / top, dark)}
            >
              <title>{`step ${step ?? '–'}: ${count}`}</title>
            </rect>
          ),
        );
      })}
      <g fill="currentColor">
        <text x={54} y={218} text-anchor="end">
          {formatNumber(Number(low.toPrecision(3)))}
        </text>
        <text x={54} y={22} text-anchor="end">
          {formatNumber(Number(high.toPrecision(3)))}
        </text>
        <text
          x={60}
          y={238}
        >{`step ${columns[0]?.step ?? '–'} to ${columns.at(-1)?.step ?? '–'}${of.length > mostTogether ? `, ${count} drawn` : ''}`}</text>
      </g>
    </svg>
  );
};
