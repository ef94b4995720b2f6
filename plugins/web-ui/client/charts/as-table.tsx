// A chart as a table: for whoever reads numbers rather than lines, and for those who cannot see them.
import type { Drawing } from '../../pure/drawing.js';
import { formatCount, formatNumber } from '../../pure/format.js';
import { Dialog } from '../shell/dialog.js';

const [mostPlaces, mostLines] = [400, 50];

export interface AsTableProps {
  readonly title: string;
  /** What the places are of. */
  readonly axis: string;
  readonly of: Drawing;
  readonly onClose: () => void;
}

export const AsTable = ({ title, axis, of: { x, lines, times, range }, onClose }: AsTableProps) => {
  const inside = x.flatMap((place, at) =>
    range === undefined || (place >= range[0] && place <= range[1]) ? [at] : [],
  );
  const each = Math.max(1, Math.ceil(inside.length / mostPlaces));
  const places = inside.filter((_, at) => at % each === 0);
  const shown = lines.slice(0, mostLines);
  return (
    <Dialog label={`${title} as a table`} wide onClose={onClose}>
      <h2>{title}</h2>
      <p class="faint">
        {`${formatCount(places.length)} of ${formatCount(inside.length)} places, ${shown.length} of ${lines.length} lines; the CSV of the chart has all of them`}
      </p>
      <div class="scroll tall" tabIndex={0} role="region" aria-label={`Values of ${title}`}>
        <table class="plain many">
          <thead>
            <tr>
              <th scope="col">{axis}</th>
              {shown.map(({ key, name }) => (
                <th key={key} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {places.map((at) => (
              <tr key={at}>
                <th scope="row">
                  {times ? new Date(x[at] ?? 0).toLocaleString('en-GB') : formatNumber(x[at] ?? 0)}
                </th>
                {shown.map(({ key, y }) => {
                  const value = y[at] ?? null;
                  return (
                    <td key={key} class="number">
                      {value === null ? '–' : formatNumber(value)}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
};
