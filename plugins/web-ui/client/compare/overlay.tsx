// Histograms of several runs over one another, each as parts of its whole.
import { useMemo } from 'preact/hooks';
import { formatNumber } from '../../pure/format.js';
import { overlaid, readBins, readJson } from '../../pure/media.js';
import { colourOf, useColours } from '../charts/colours.js';
import { Swatch } from '../charts/swatch.js';
import { useLoaded } from '../loading.js';
import { loadText, type Media } from '../media/files.js';
import { isDark } from '../state.js';
import { Wait } from '../shell/wait.js';

const [wide, high, left, bottom] = [480, 220, 48, 24];

export const HistogramOverlay = ({
  of,
  nameOf,
}: {
  of: readonly Media[];
  nameOf: (run: string) => string;
}) => {
  useColours(of.map(({ run }) => run));
  const { value, fault } = useLoaded(
    (signal) => Promise.all(of.map((one) => loadText(one, signal))),
    [of.map(({ id }) => id).join()],
  );
  const drawn = useMemo(
    () =>
      overlaid(
        (value ?? []).flatMap((text, at) => {
          const json = readJson(text);
          const [bins, file] = [json === undefined ? undefined : readBins(json), of[at]];
          return bins === undefined || file === undefined ? [] : [{ key: file.run, bins }];
        }),
      ),
    [value],
  );
  if (value === undefined) return <Wait fault={fault} />;
  if (drawn === undefined)
    return <p class="faint">These files are no histograms that can be drawn.</p>;
  const { low, high: most, rows, lines, top } = drawn;
  const toX = (row: number) => left + (row / rows) * (wide - left - 8);
  const toY = (part: number) => high - bottom - (part / (top || 1)) * (high - bottom - 8);
  return (
    <>
      <svg
        viewBox={`0 0 ${wide} ${high}`}
        width={wide}
        height={high}
        role="img"
        aria-label={`Histograms of ${lines.length} runs over one another, from ${formatNumber(low)} to ${formatNumber(most)}`}
      >
        <path
          fill="none"
          stroke="currentColor"
          stroke-opacity="0.3"
          d={`M${left} 8V${high - bottom}H${wide - 8}`}
        />
        {lines.map(({ key, parts }) => (
          <path
            key={key}
            data-key={key}
            fill={colourOf(key, isDark.value)}
            fill-opacity="0.12"
            stroke={colourOf(key, isDark.value)}
            stroke-width="1.5"
            d={`M${toX(0)} ${toY(0)}${parts
              .map((part, row) => `V${toY(part).toFixed(1)}H${toX(row + 1).toFixed(1)}`)
              .join('')}V${toY(0)}`}
          >
            <title>{nameOf(key)}</title>
          </path>
        ))}
        <g fill="currentColor">
          <text x={left - 6} y={14} text-anchor="end">
            {`${formatNumber(Number((100 * top).toPrecision(2)))} %`}
          </text>
          <text x={left} y={high - 6}>
            {formatNumber(Number(low.toPrecision(3)))}
          </text>
          <text x={wide - 8} y={high - 6} text-anchor="end">
            {formatNumber(Number(most.toPrecision(3)))}
          </text>
        </g>
      </svg>
      <p class="legend">
        {lines.map(({ key }) => (
          <span key={key}>
            <Swatch of={key} /> {nameOf(key)}
          </span>
        ))}
      </p>
    </>
  );
};
