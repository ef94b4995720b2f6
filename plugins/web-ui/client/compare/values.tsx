// What runs have under each name: parameters, packages, the numbers of metrics.
import { differs } from '../../pure/columns.js';
import { formatCount } from '../../pure/format.js';
import type { runsServer } from '../server.js';
import { query } from '../state.js';
import { Grid, type GridRow } from './grid.js';
import type { Compared } from './runs.js';

export type Found = Awaited<ReturnType<typeof runsServer.compare>>;
export type Section = Found['sections'][number]['section'];

/** Whether a choice of the address is on. */
export const flag = (name: string, usual = false) =>
  (query.value.get(name) ?? (usual ? '1' : '0')) === '1';

/** What is said of names that were not looked at. */
const leftOf = (count: number, more: boolean, what: string): string | undefined =>
  count === 0 && !more
    ? undefined
    : `${count === 0 ? '' : `${formatCount(count)} `}${more ? 'or more ' : ''}other ${what} of the project are not looked at`;

/** The values of a part under which runs differ, in the order of the address. */
const rowsOf = (found: Found, part: Section, keys: readonly string[]): readonly GridRow[] =>
  (found.sections.find(({ section }) => section === part)?.differences ?? []).map(
    ({ name, values }) => ({
      name,
      values: keys.map((key) => values[found.runs.indexOf(key)] ?? null),
    }),
  );

export const Values = ({
  of,
  found,
  base,
  addressOf,
  parts,
}: {
  of: Compared;
  found: Found;
  base: number;
  addressOf: (run: string) => string;
  parts: readonly Section[];
}) => {
  const grid = {
    runs: of.keys,
    base,
    transposed: flag('transposed'),
    nameOf: of.nameOf,
    addressOf,
  };
  const sections = found.sections.filter(({ section }) => parts.includes(section));
  return (
    <>
      {sections.map(({ section, equal, differing }) => {
        const whole = section === 'parameter' && !flag('differing', true);
        const rows = whole ? of.parameters : rowsOf(found, section, of.keys);
        return (
          <section key={section}>
            <h2>
              {section}{' '}
              <span class="faint">
                {differing} differ, {equal} the same
                {rows.length < differing ? `; the first ${rows.length} are shown` : ''}
              </span>
            </h2>
            {!whole ||
            leftOf(of.left.parameters, of.left.more, 'parameters') === undefined ? null : (
              <p class="faint">{leftOf(of.left.parameters, of.left.more, 'parameters')}.</p>
            )}
            {rows.length === 0 ? null : (
              <Grid label={`${section} of the runs`} rows={rows} {...grid} />
            )}
          </section>
        );
      })}
    </>
  );
};

export const Numbers = ({
  of,
  base,
  addressOf,
}: {
  of: Compared;
  base: number;
  addressOf: (run: string) => string;
}) => {
  const rows = of.numbers
    .filter(({ values }) => !flag('differing', true) || differs(values))
    .map(({ metric, value, values }) => ({
      name: value === 'last' ? metric : `${metric} (${value})`,
      values,
    }));
  const left = leftOf(of.left.metrics, of.left.more, 'metrics');
  return (
    <>
      {left === undefined ? null : <p class="faint">{left}; charts find them by name.</p>}
      {rows.length === 0 ? (
        <p class="empty">No metric differs between these runs.</p>
      ) : (
        <Grid
          label="Metrics of the runs"
          rows={rows}
          runs={of.keys}
          base={base}
          transposed={flag('transposed')}
          nameOf={of.nameOf}
          addressOf={addressOf}
        />
      )}
    </>
  );
};
