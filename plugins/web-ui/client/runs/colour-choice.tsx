// By what lines are coloured, stroked and marked, and what that means.
import type { ComponentChild } from 'preact';
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { markerPath, strokeCount, type Stroke } from '../../pure/markers.js';
import { colourOf, type Painted } from '../charts/colours.js';
import { isDark, query, setQuery } from '../state.js';
import type { Strokes } from '../../pure/strokes.js';
import type { Paint } from './paint.js';

const mostNamed = 12;

const ink = ({ key, light, dark }: Painted): string =>
  (isDark.value ? dark : light) ?? colourOf(key ?? '', isDark.value);

const Sample = ({ of: { dash, marker } }: { of: Stroke }) => (
  <svg viewBox="0 0 26 10" width="26" height="10" aria-hidden="true">
    <path
      d="M0 5H26"
      fill="none"
      stroke="currentColor"
      stroke-width="1.5"
      stroke-dasharray={dash?.join(' ')}
    />
    <path d={markerPath(marker, 13, 5, 3.2)} fill="currentColor" />
  </svg>
);

const Legend = <T,>({
  of,
  most,
  sample,
}: {
  of: readonly { readonly name: string; readonly of: T }[];
  most: number;
  sample: (of: T) => ComponentChild;
}) => (
  <>
    {of.slice(0, most).map(({ name, of: one }) => (
      <span key={name} title={name}>
        {sample(one)} {name}
      </span>
    ))}
    {of.length > most ? <span class="faint">{of.length - most} more</span> : null}
  </>
);

const Choice = ({
  label,
  name,
  columns,
  value,
  first,
}: {
  label: string;
  name: 'colour' | 'stroke';
  columns: readonly RunColumn[];
  value: string;
  first: readonly (readonly [value: string, says: string])[];
}) => (
  <label class="slide">
    {name}
    <select
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => setQuery({ [name]: currentTarget.value }, true)}
    >
      {first.map(([one, says]) => (
        <option key={one} value={one}>
          {says}
        </option>
      ))}
      {columns.map((one) => (
        <option key={writeColumn(one)} value={writeColumn(one)}>
          by {one.name}
        </option>
      ))}
    </select>
  </label>
);

export const ColourChoice = ({
  columns,
  column,
  paint,
  stroke,
  strokes,
  latest,
  addressOf,
}: {
  columns: readonly RunColumn[];
  column: RunColumn | undefined;
  paint: Paint | undefined;
  stroke: RunColumn | 'each' | undefined;
  strokes: Strokes | undefined;
  latest: { readonly key: string; readonly name: string } | undefined;
  addressOf: (key: string) => string;
}) => {
  const pinned = query.value.get('latest') === '1';
  return (
    <div class="legend">
      <Choice
        label="Colour by"
        name="colour"
        columns={columns}
        value={column === undefined ? '' : writeColumn(column)}
        first={[['', 'each run']]}
      />
      <Legend
        of={paint?.legend ?? []}
        most={mostNamed}
        sample={(of) => (
          <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
            <circle cx="4" cy="4" r="4" fill={ink(of)} />
          </svg>
        )}
      />
      <Choice
        label="Stroke and mark by"
        name="stroke"
        columns={columns}
        value={stroke === undefined ? '' : stroke === 'each' ? stroke : writeColumn(stroke)}
        first={[
          ['', 'none'],
          ['each', 'each run'],
        ]}
      />
      <Legend of={strokes?.legend ?? []} most={strokeCount} sample={(of) => <Sample of={of} />} />
      <button
        type="button"
        title="The run that began last is always drawn"
        aria-pressed={pinned}
        onClick={() => setQuery({ latest: pinned ? undefined : '1' })}
      >
        latest
      </button>
      {latest === undefined ? null : (
        <a href={addressOf(latest.key)} dir="auto">
          {latest.name}
        </a>
      )}
    </div>
  );
};
