// A picture, and over it what a run said lies where.
import { useState } from 'preact/hooks';
import { formatNumber } from '../../pure/format.js';
import type { Shape } from '../../pure/annotations.js';
import { colourOf } from '../charts/colours.js';
import { isDark, query, setQuery } from '../state.js';
import { addressOf, type Media } from './files.js';

/** Whether what lies where is drawn; the address says where it is not. */
const shown = () => query.value.get('boxes') !== '0';

const says = ({ label, score }: Shape): string =>
  score === undefined ? label : `${label} ${formatNumber(Number(score.toPrecision(3)))}`;

/** Shapes in the pixels of the picture, at whatever size that is shown. */
const Shapes = ({ of, width, height }: { of: readonly Shape[]; width: number; height: number }) => {
  const unit = Math.max(width, height) / 200;
  return (
    <svg class="shapes" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {of.map((one, at) => {
        const colour = colourOf(`value ${one.label}`, isDark.value);
        const [x = 0, y = 0] = one.corners[0] ?? [];
        return (
          <g key={at}>
            <polygon
              points={one.corners.map((corner) => corner.join(',')).join(' ')}
              fill={colour}
              fill-opacity="0.12"
              stroke={colour}
              stroke-width={unit}
            />
            <text
              x={x + unit}
              y={Math.max(6 * unit, y - unit)}
              font-size={6 * unit}
              fill={colour}
              paint-order="stroke"
              stroke="#fff"
              stroke-width={unit}
            >
              {says(one).slice(0, 24)}
            </text>
          </g>
        );
      })}
    </svg>
  );
};

export const Picture = ({ of, lazy = false }: { of: Media; lazy?: boolean }) => {
  const [size, setSize] = useState<readonly [number, number]>();
  const told =
    of.shapes.length === 0 ? of.name : `${of.name}: ${of.shapes.slice(0, 20).map(says).join(', ')}`;
  return (
    <span class="framed">
      <img
        src={addressOf(of)}
        alt={told}
        {...(lazy ? { loading: 'lazy' as const } : {})}
        onLoad={({ currentTarget }) =>
          setSize([currentTarget.naturalWidth || 1, currentTarget.naturalHeight || 1])
        }
      />
      {size === undefined || of.shapes.length === 0 || !shown() ? null : (
        <Shapes of={of.shapes} width={size[0]} height={size[1]} />
      )}
    </span>
  );
};

/** Shows or hides what lies where, for all pictures; nothing where none says. */
export const ShapesSwitch = ({ of }: { of: readonly Media[] }) =>
  of.some(({ shapes }) => shapes.length > 0) ? (
    <button
      type="button"
      aria-pressed={shown()}
      onClick={() => setQuery({ boxes: shown() ? '0' : undefined })}
    >
      boxes
    </button>
  ) : null;
