// By what lines are coloured, and what the colours mean.
import { writeColumn, type RunColumn } from '../../pure/columns.js';
import { colourOf, type Painted } from '../charts/colours.js';
import { isDark, setQuery } from '../state.js';
import type { Paint } from './paint.js';

const mostNamed = 12;

const ink = ({ key, light, dark }: Painted): string =>
  (isDark.value ? dark : light) ?? colourOf(key ?? '', isDark.value);

export const ColourChoice = ({
  columns,
  column,
  paint,
}: {
  columns: readonly RunColumn[];
  column: RunColumn | undefined;
  paint: Paint | undefined;
}) => (
  <div class="legend">
    <label class="slide">
      colour
      <select
        aria-label="Colour by"
        value={column === undefined ? '' : writeColumn(column)}
        onChange={({ currentTarget }) => setQuery({ colour: currentTarget.value }, true)}
      >
        <option value="">each run</option>
        {columns.map((one) => (
          <option key={writeColumn(one)} value={writeColumn(one)}>
            by {one.name}
          </option>
        ))}
      </select>
    </label>
    {paint?.legend.slice(0, mostNamed).map(({ name, of }) => (
      <span key={name}>
        <svg viewBox="0 0 8 8" width="8" height="8" aria-hidden="true">
          <circle cx="4" cy="4" r="4" fill={ink(of)} />
        </svg>{' '}
        {name}
      </span>
    ))}
    {paint !== undefined && paint.legend.length > mostNamed ? (
      <span class="faint">{paint.legend.length - mostNamed} more</span>
    ) : null}
  </div>
);
