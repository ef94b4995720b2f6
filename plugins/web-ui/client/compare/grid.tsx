// Values by name and run, either way round, each against the run that others are measured by.
import { useEffect, useMemo, useState } from 'preact/hooks';
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

interface GridProps {
  readonly label: string;
  readonly rows: readonly GridRow[];
  readonly runs: readonly string[];
  readonly base: number;
  readonly transposed: boolean;
  /** Whether values are names, also those that look like numbers. */
  readonly plain?: boolean;
  readonly nameOf: (run: string) => string;
  readonly addressOf: (run: string) => string;
}

/** Cells that are made in a frame without being felt. */
const cellsAtOnce = 350;

/** How many lines are there by now: of a large table some more with each frame. */
const useLines = (lines: number, cells: number): number => {
  const [count, setCount] = useState(0);
  const step = Math.max(1, Math.floor(cellsAtOnce / Math.max(1, cells)));
  const shown = Math.min(lines, count + step);
  useEffect(() => {
    if (shown >= lines) return undefined;
    const next = requestAnimationFrame(() => setCount(shown));
    return () => cancelAnimationFrame(next);
  }, [shown, lines]);
  return shown;
};

/** A table that is made anew where all of its cells would change. */
export const Grid = (props: GridProps) => (
  <Cells key={`${props.base} ${String(props.transposed)}`} {...props} />
);

const Cells = ({
  label,
  rows,
  runs,
  base,
  transposed,
  plain = false,
  nameOf,
  addressOf,
}: GridProps) => {
  const [lines, cells] = transposed ? [runs.length, rows.length] : [rows.length, runs.length];
  const shown = useLines(lines, cells);
  const runAt = (run: string, at: number) => (
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
  // Lines that are there are not looked at again while others come.
  const all = useMemo(
    () =>
      transposed
        ? runs.map((run, at) => (
            <tr key={run}>
              <th scope="row">{runAt(run, at)}</th>
              {rows.map((row) => cell(row, run, at))}
            </tr>
          ))
        : rows.map((row) => (
            <tr key={row.name}>
              <th scope="row" title={row.name}>
                {row.name}
              </th>
              {runs.map((run, at) => cell(row, run, at))}
            </tr>
          )),
    [rows, runs, plain, nameOf],
  );
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label={label}>
      <table
        class={
          !transposed || lines * cells > cellsAtOnce ? 'plain compared even' : 'plain compared'
        }
        style={{ '--cells': String(cells) }}
      >
        <thead>
          <tr>
            <td />
            {transposed
              ? rows.map(({ name }) => (
                  <th key={name} title={name}>
                    {name}
                  </th>
                ))
              : runs.map((run, at) => <th key={run}>{runAt(run, at)}</th>)}
          </tr>
        </thead>
        <tbody>{all.slice(0, shown)}</tbody>
      </table>
    </div>
  );
};
