// Vectors as points, laid out by where they lie farthest apart: coloured by what is said of them, told when pointed at.
import { useMemo, useState } from 'preact/hooks';
import {
  inksOf,
  readEmbeddings,
  readLabels,
  usualColumn,
  type Embedding,
  type Inks,
  type LabelColumn,
  type Sprite,
} from '../../pure/embeddings.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { project, readCells } from '../../pure/media.js';
import { sequential } from '../../pure/plots.js';
import { colourOf, useColours } from '../charts/colours.js';
import { Swatch } from '../charts/swatch.js';
import { useLoaded } from '../loading.js';
import { isDark } from '../state.js';
import { addressOf, loadText, type Media } from './files.js';
import { Odd, useText, Wait } from './waiting.js';

const mostPoints = 2000;
const side = 420;

type Places = readonly (readonly [number, number])[];

interface Points {
  readonly places: Places;
  readonly columns: readonly LabelColumn[];
}

const useEmbedding = (of: Media, one: Embedding) => {
  const { value, fault } = useLoaded(
    async (signal) => {
      const read = (id: string) => loadText({ ...of, id, size: 0 }, signal);
      const [tensor, labels] = await Promise.all([
        read(one.tensor),
        one.labels === undefined ? '' : read(one.labels),
      ]);
      return { tensor, columns: readLabels(labels, mostPoints) };
    },
    [of.run, of.id, one.tensor],
  );
  const places = useMemo(
    () =>
      project(
        readCells(value?.tensor ?? '', '\t', mostPoints)
          .map((row) => row.slice(0, 256).map(Number))
          .filter((row) => row.every(Number.isFinite)),
      ),
    [value],
  );
  return {
    fault,
    points: value === undefined ? undefined : { places, columns: value.columns },
  };
};

/** One of the small pictures, as large as it is asked for. */
const Thumb = ({
  of,
  sprite,
  at,
  ...box
}: {
  of: Media;
  sprite: Sprite;
  at: number;
  x?: number;
  y?: number;
  width: number;
  height: number;
}) => {
  const { width, height, columns } = sprite;
  const [left, top] = [(at % columns) * width, Math.floor(at / columns) * height];
  return (
    <svg {...box} viewBox={`${left} ${top} ${width} ${height}`} aria-hidden="true">
      <image
        href={addressOf({ run: of.run, id: sprite.id })}
        width={columns * width}
        height={columns * height}
        preserveAspectRatio="none"
      />
    </svg>
  );
};

const inkOf = (inks: Inks, value: string | undefined, dark: boolean): string => {
  if (value === undefined || inks.kind === 'none') return 'currentColor';
  if (inks.kind === 'values') return colourOf(`value ${value}`, dark);
  const part = (Number(value) - inks.low) / (inks.high - inks.low || 1);
  return sequential(dark ? part : 1 - part, dark);
};

const Legend = ({
  inks,
  hidden,
  onHide,
}: {
  inks: Inks;
  hidden: ReadonlySet<string>;
  onHide: (name: string) => void;
}) =>
  inks.kind === 'values' ? (
    <p class="legend">
      {inks.names.map((name) => (
        <button
          key={name}
          type="button"
          aria-pressed={!hidden.has(name)}
          onClick={() => onHide(name)}
        >
          <Swatch of={`value ${name}`} /> {name === '' ? 'unnamed' : name}
        </button>
      ))}
    </p>
  ) : inks.kind === 'scale' ? (
    <p class="faint">
      coloured from {formatNumber(inks.low)} to {formatNumber(inks.high)}
    </p>
  ) : null;

/** What is said of the point that is pointed at, with its picture. */
const Told = ({
  of,
  sprite,
  points,
  at,
}: {
  of: Media;
  sprite: Sprite | undefined;
  points: Points;
  at: number;
}) => (
  <div class="pointed" role="status">
    {sprite === undefined ? null : <Thumb of={of} sprite={sprite} at={at} width={64} height={64} />}
    <dl>
      {points.columns.map(({ name, values }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{values[at] ?? '–'}</dd>
        </div>
      ))}
      <div>
        <dt>point</dt>
        <dd>{formatCount(at + 1)}</dd>
      </div>
    </dl>
  </div>
);

const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };

const Cloud = ({ of, one, points }: { of: Media; one: Embedding; points: Points }) => {
  const { places, columns } = points;
  const [named, setNamed] = useState<string>();
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<number>();
  const [pictured, setPictured] = useState(one.sprite !== undefined);
  const column = columns.find(({ name }) => name === named) ?? usualColumn(columns);
  const inks = useMemo(() => inksOf(column), [column]);
  const names = inks.kind === 'values' ? inks.names : [];
  useColours(names.map((name) => `value ${name}`));
  const dark = isDark.value;
  const most = places.reduce((far, [x, y]) => Math.max(far, Math.abs(x), Math.abs(y)), 0) || 1;
  const sprite = pictured ? one.sprite : undefined;
  const radius = sprite === undefined ? 3.5 : 9;
  return (
    <>
      {columns.length > 1 || one.sprite !== undefined ? (
        <p class="controls">
          {columns.length > 1 ? (
            <label>
              coloured by{' '}
              <select
                value={column?.name}
                onChange={({ currentTarget }) => {
                  setNamed(currentTarget.value);
                  setHidden(new Set());
                }}
              >
                {columns.map(({ name }) => (
                  <option key={name}>{name}</option>
                ))}
              </select>
            </label>
          ) : null}
          {one.sprite === undefined ? null : (
            <button type="button" aria-pressed={pictured} onClick={() => setPictured(!pictured)}>
              pictures
            </button>
          )}
        </p>
      ) : null}
      <svg
        class="embedding"
        viewBox={`0 0 ${side} ${side}`}
        width={side}
        height={side}
        role="img"
        tabindex={0}
        aria-label={`${places.length} points of ${one.title}${names.length === 0 ? '' : `, ${names.length} labels`}; the arrow keys tell of each`}
        onKeyDown={(event) => {
          const step = steps[event.key];
          if (step === undefined) return;
          event.preventDefault();
          setAt(((at ?? -step) + step + places.length) % places.length);
        }}
      >
        {places.map(([x, y], place) => {
          const value = column?.values[place];
          if (value !== undefined && hidden.has(value)) return null;
          const [cx, cy] = [side / 2 + (x / most) * 200, side / 2 - (y / most) * 200];
          return (
            <g key={place} onPointerEnter={() => setAt(place)}>
              <circle
                cx={cx}
                cy={cy}
                r={place === at ? radius + 2 : radius}
                fill={inkOf(inks, value, dark)}
                fill-opacity={place === at ? 1 : 0.6}
              >
                {value === undefined ? null : <title>{value}</title>}
              </circle>
              {sprite === undefined ? null : (
                <Thumb
                  of={of}
                  sprite={sprite}
                  at={place}
                  x={cx - 6}
                  y={cy - 6}
                  width={12}
                  height={12}
                />
              )}
            </g>
          );
        })}
        <text x={6} y={side - 6} fill="currentColor" fill-opacity="0.75">
          {`${places.length === mostPoints ? 'the first ' : ''}${places.length} points, first two principal directions`}
        </text>
      </svg>
      <Legend
        inks={inks}
        hidden={hidden}
        onHide={(name) => {
          const next = new Set(hidden);
          if (!next.delete(name)) next.add(name);
          setHidden(next);
        }}
      />
      {at === undefined ? null : <Told of={of} sprite={one.sprite} points={points} at={at} />}
    </>
  );
};

const One = ({ of, one }: { of: Media; one: Embedding }) => {
  const { points, fault } = useEmbedding(of, one);
  if (points === undefined) return <Wait fault={fault} />;
  return points.places.length < 2 ? <Odd of={of} /> : <Cloud of={of} one={one} points={points} />;
};

export const Embeddings = ({ of }: { of: Media }) => {
  const { value, fault } = useText(of);
  const [chosen, setChosen] = useState(0);
  const all = useMemo(() => readEmbeddings(value ?? ''), [value]);
  if (value === undefined) return <Wait fault={fault} />;
  const one = all[chosen] ?? all[0];
  if (one === undefined) return <Odd of={of} />;
  return (
    <>
      {all.length > 1 ? (
        <label>
          embedding{' '}
          <select
            value={chosen}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          >
            {all.map(({ title }, at) => (
              <option key={at} value={at}>
                {title}
              </option>
            ))}
          </select>
        </label>
      ) : null}
      <One key={one.tensor} of={of} one={one} />
    </>
  );
};
