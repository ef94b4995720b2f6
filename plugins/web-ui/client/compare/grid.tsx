// Values by name and run, either way round, each against the run that others are measured by.
import { asNumber, differenceOf } from '../../pure/compared.js';
import { formatValue } from '../../pure/format.js';

export interface GridRow {
  readonly name: string;
  readonly values: readonly unknown[];
}

const same = (one: unknown, other: unknown): boolean =>
  one === other || (asNumber(one) !== undefined && asNumber(one) === asNumber(other));

const Cell = ({
  value,
  base,
  isBase,
  plain,
}: {
  value: unknown;
  base: unknown;
  isBase: boolean;
  plain: boolean;
}) => {
  const by = isBase || plain ? undefined : differenceOf(value, base);
  const text = formatValue(plain ? value : (asNumber(value) ?? value));
  return (
    <td class={isBase || !same(value, base) ? '' : 'faint'} title={formatValue(value)}>
      {text === '' ? '–' : text}
      {by === undefined ? null : <span class={by.startsWith('+') ? 'more' : 'less'}> {by}</span>}
    </td>
  );
};

export const Grid = ({
  label,
  rows,
  runs,
  base,
  transposed,
  plain = false,
  nameOf,
  addressOf,
}: {
  label: string;
  rows: readonly GridRow[];
  runs: readonly string[];
  base: number;
  transposed: boolean;
  /** Whether values are names, also those that look like numbers. */
  plain?: boolean;
  nameOf: (run: string) => string;
  addressOf: (run: string) => string;
}) => {
  const Run = ({ run, at }: { run: string; at: number }) => (
    <>
      <a href={addressOf(run)}>{nameOf(run)}</a>
      {at === base ? <span class="faint"> base</span> : null}
    </>
  );
  const cell = ({ name, values }: GridRow, run: string, at: number) => (
    <Cell
      key={name + run}
      value={values[at]}
      base={values[base]}
      isBase={at === base}
      plain={plain}
    />
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table class="plain compared">
        <thead>
          <tr>
            <td />
            {transposed
              ? rows.map(({ name }) => <th key={name}>{name}</th>)
              : runs.map((run, at) => (
                  <th key={run}>
                    <Run run={run} at={at} />
                  </th>
                ))}
          </tr>
        </thead>
        <tbody>
          {transposed
            ? runs.map((run, at) => (
                <tr key={run}>
                  <th scope="row">
                    <Run run={run} at={at} />
                  </th>
                  {rows.map((row) => cell(row, run, at))}
                </tr>
              ))
            : rows.map((row) => (
                <tr key={row.name}>
                  <th scope="row">{row.name}</th>
                  {runs.map((run, at) => cell(row, run, at))}
                </tr>
              ))}
        </tbody>
      </table>
    </div>
  );
};
