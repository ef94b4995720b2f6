// A picture, and over it what a run said lies where.
import { useState } from 'preact/hooks';
import { formatCount, formatNumber } from '../../pure/format.js';
import {
  chosenShapes,
  readNames,
  writeNames,
  type Shape,
  type ShapeChoice,
} from '../../pure/annotations.js';
import { fewStroke } from '../../pure/colours.js';
import { colourOf, useColours } from '../charts/colours.js';
import { Swatch } from '../charts/swatch.js';
import { isDark, query, setQuery } from '../state.js';
import { addressOf, type Media } from './files.js';

/** Whether what lies where is drawn; the address says where it is not. */
const shown = () => query.value.get('boxes') !== '0';

const choice = (): ShapeChoice => ({
  least: Number(query.value.get('score') ?? 0) || 0,
  withoutLabels: readNames(query.value.get('without')),
  withoutLayers: readNames(query.value.get('layers')),
});

/** More in one picture are not told apart by anybody. */
const mostDrawn = 500;

const says = ({ label, score }: Shape): string =>
  score === undefined ? label : `${label} ${formatNumber(Number(score.toPrecision(3)))}`;

/** Shapes in the pixels of the picture, at whatever size that is shown; each layer has a stroke of its own. */
const Shapes = ({
  of,
  layers,
  width,
  height,
}: {
  of: readonly Shape[];
  layers: readonly string[];
  width: number;
  height: number;
}) => {
  const unit = Math.max(width, height) / 200;
  return (
    <svg class="shapes" viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {of.map((one, at) => {
        const colour = colourOf(`value ${one.label}`, isDark.value);
        const [x = 0, y = 0] = one.corners[0] ?? [];
        const stroke = fewStroke(layers.indexOf(one.layer))?.map((part) => part * unit);
        return (
          <g key={at}>
            <polygon
              points={one.corners.map((corner) => corner.join(',')).join(' ')}
              fill={colour}
              fill-opacity="0.12"
              stroke={colour}
              stroke-width={unit}
              {...(stroke === undefined ? {} : { 'stroke-dasharray': stroke.join(' ') })}
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

export const Picture = ({
  of,
  lazy = false,
  onOpen,
}: {
  of: Media;
  lazy?: boolean;
  /** Makes a button of the picture. */
  onOpen?: (() => void) | undefined;
}) => {
  const [size, setSize] = useState<readonly [number, number]>();
  const drawn = shown() ? chosenShapes(of.shapes, choice()).slice(0, mostDrawn) : [];
  const told =
    drawn.length === 0 ? of.name : `${of.name}: ${drawn.slice(0, 20).map(says).join(', ')}`;
  const image = (
    <img
      src={addressOf(of)}
      alt={told}
      {...(lazy ? { loading: 'lazy' as const } : {})}
      onLoad={({ currentTarget }) =>
        setSize([currentTarget.naturalWidth || 1, currentTarget.naturalHeight || 1])
      }
    />
  );
  return (
    <span class="framed">
      {onOpen === undefined ? (
        image
      ) : (
        <button type="button" class="picture" aria-label={`Enlarge ${of.name}`} onClick={onOpen}>
          {image}
        </button>
      )}
      {size === undefined || drawn.length === 0 ? null : (
        <Shapes
          of={drawn}
          layers={[...new Set(of.shapes.map(({ layer }) => layer))]}
          width={size[0]}
          height={size[1]}
        />
      )}
    </span>
  );
};

const mostNames = 24;

/** A button for each name; those that are not pressed are not drawn. */
const Names = ({
  of,
  member,
  without,
  swatch,
  unnamed,
}: {
  of: readonly string[];
  /** Of the address, in which the names stand that are not drawn. */
  member: string;
  without: ReadonlySet<string>;
  swatch: boolean;
  /** What stands for the name that is empty. */
  unnamed: string;
}) => (
  <>
    {of.slice(0, mostNames).map((name) => (
      <button
        key={name}
        type="button"
        aria-pressed={!without.has(name)}
        onClick={() => {
          const next = new Set(without);
          if (!next.delete(name)) next.add(name);
          setQuery({ [member]: writeNames(next) });
        }}
      >
        {swatch ? <Swatch of={`value ${name}`} /> : null} {name === '' ? unnamed : name}
      </button>
    ))}
    {of.length > mostNames ? (
      <span class="faint">and {of.length - mostNames} more, which are drawn</span>
    ) : null}
  </>
);

const uniqueOf = (all: readonly Shape[], member: 'label' | 'layer'): readonly string[] =>
  [...new Set(all.map((one) => one[member]))].sort();

const Choices = ({ of }: { of: readonly (readonly Shape[])[] }) => {
  const all = of.flat();
  const labels = uniqueOf(all, 'label');
  const layers = uniqueOf(all, 'layer');
  const { least, withoutLabels, withoutLayers } = choice();
  const scores = all.flatMap(({ score }) => score ?? []);
  const [low, high] = [Math.min(0, ...scores), Math.max(1, ...scores)];
  const drawn = of.map((some) => chosenShapes(some, choice()).length);
  const count = drawn.reduce((sum, one) => sum + Math.min(one, mostDrawn), 0);
  useColours(labels.map((name) => `value ${name}`));
  return (
    <>
      <Names of={labels} member="without" without={withoutLabels} swatch unnamed="no label" />
      {layers.length > 1 ? (
        <Names
          of={layers}
          member="layers"
          without={withoutLayers}
          swatch={false}
          unnamed="no layer"
        />
      ) : null}
      {scores.length === 0 ? null : (
        <label class="slide">
          score at least <b>{formatNumber(least)}</b>
          <input
            type="range"
            aria-label="Least score"
            min={low}
            max={high}
            step={(high - low) / 100}
            value={least}
            onInput={({ currentTarget }) => {
              const score = Number(Number(currentTarget.value).toPrecision(3));
              setQuery({ score: score <= low ? undefined : String(score) });
            }}
          />
        </label>
      )}
      <span class="faint" role="status">
        {formatCount(count)} of {formatCount(all.length)} shapes
        {drawn.some((one) => one > mostDrawn) ? `, of a picture the first ${mostDrawn}` : ''}
      </span>
    </>
  );
};

/** Shows or hides what lies where, for all pictures, by label, layer and score; nothing where none says. */
export const ShapesSwitch = ({ of }: { of: readonly Media[] }) => {
  const shapes = of.map((one) => one.shapes).filter((some) => some.length > 0);
  return shapes.length === 0 ? null : (
    <>
      <button
        type="button"
        aria-pressed={shown()}
        onClick={() => setQuery({ boxes: shown() ? '0' : undefined })}
      >
        boxes
      </button>
      {shown() ? <Choices of={shapes} /> : null}
    </>
  );
};
