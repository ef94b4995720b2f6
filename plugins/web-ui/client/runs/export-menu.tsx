// Saves the rows and columns that are shown, or all rows of the query as the server writes them.
import { useState } from 'preact/hooks';
import { addressOf } from '../../pure/asking.js';
import { labelOf, type RunColumn } from '../../pure/columns.js';
import { csvLine } from '../../pure/format.js';
import { nameColumn } from '../../pure/run-page.js';
import { save } from '../save.js';
import { Menu } from '../shell/menu.js';
import type { Chosen } from './chosen.js';
import type { RunRows } from './rows.js';
import { addressIn } from '../../pure/address.js';

interface Shown {
  readonly rows: RunRows | undefined;
  readonly columns: readonly RunColumn[];
  readonly shown: readonly RunColumn[];
}

const valuesOf = ({ rows, columns, shown }: Shown) => {
  const places = [0, ...shown.map((column) => columns.indexOf(column))];
  return (rows?.keys ?? []).map((key, place) => ({
    key,
    values: places.map((one) => rows?.values[one]?.[place] ?? null),
  }));
};

const csvOf = (of: Shown): string =>
  [
    csvLine(['key', ...[nameColumn, ...of.shown].map(labelOf)]),
    ...valuesOf(of).map(({ key, values }) => csvLine([key, ...values])),
  ].join('\n');

const jsonOf = (of: Shown): string => {
  const names = [nameColumn, ...of.shown].map(labelOf);
  return JSON.stringify(
    valuesOf(of).map(({ key, values }) => ({
      key,
      ...Object.fromEntries(names.map((name, at) => [name, values[at] ?? null])),
    })),
    null,
    1,
  );
};

/** A column as the server names it in a file: `metric.min:loss`. */
const named = ({ kind, name, value, direction }: RunColumn): string =>
  [
    kind,
    ...(value === undefined || value === 'last' ? [] : [value]),
    ...(direction === undefined ? [] : [direction]),
  ].join('.') + `:${name}`;

const wholeAddress = (
  project: string,
  { rules, archived, sort }: Chosen,
  shown: readonly RunColumn[],
  format: string,
): string => {
  const address = addressOf(
    '/v1/private/ui/runs/export',
    {},
    {
      project,
      format,
      archived,
      ...(rules === undefined ? {} : { query: JSON.stringify(rules) }),
    },
  );
  const lists = new URLSearchParams([
    ...['metadata:key', ...[nameColumn, ...shown].map(named)].map((one): [string, string] => [
      'columns',
      one,
    ]),
    ...(sort === undefined
      ? []
      : [['sort', `${sort.descending ? '-' : ''}${named(sort.column)}`] as [string, string]]),
  ]);
  return `${address}&${lists.toString()}`;
};

export const ExportMenu = ({
  name,
  project,
  chosen,
  rows,
  shown,
}: {
  name: string;
  project: string;
  chosen: Chosen;
  rows: RunRows | undefined;
  shown: readonly RunColumn[];
}) => {
  const [at, setAt] = useState<Element>();
  const of = { rows, columns: chosen.columns, shown };
  const whole = (format: string) => () =>
    location.assign(addressIn(wholeAddress(project, chosen, shown, format)));
  return (
    <>
      <button
        type="button"
        aria-haspopup="menu"
        title="Save the rows as a file"
        onClick={({ currentTarget }) => setAt(currentTarget)}
      >
        export ▾
      </button>
      {at === undefined ? null : (
        <Menu
          at={at}
          label="Export"
          entries={[
            ['What is loaded, as CSV', () => save(`${name}.csv`, new Blob([`${csvOf(of)}\n`]))],
            ['What is loaded, as JSON', () => save(`${name}.json`, new Blob([jsonOf(of)]))],
            ['All runs of the query, as CSV', whole('csv')],
            ['All runs of the query, as JSON lines', whole('jsonl')],
            ['All runs of the query, as Parquet', whole('parquet')],
          ]}
          onClose={() => setAt(undefined)}
        />
      )}
    </>
  );
};
