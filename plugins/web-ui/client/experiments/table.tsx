// The items of experiments as a table: of each experiment what it gave and how that was scored.
import { withQuery } from '../../pure/address.js';
import { expectedOf, gainOf, scoreIn, type ItemRow, type Judged } from '../../pure/experiments.js';
import { itemName } from '../../pure/datasets.js';
import { formatNumber } from '../../pure/format.js';
import { previewOf } from '../../pure/trace-values.js';
import type { Experiment } from '../evaluating-server.js';
import { Grid, type GridCell, type GridColumn } from '../shell/grid.js';

/** A letter that stands for an experiment wherever there is no room for its name. */
export const letterOf = (at: number): string => String.fromCharCode(65 + at);

const rounded = (value: number): string => formatNumber(Number(value.toPrecision(3)));

/** A score, and by how much it is better or worse than that of the first experiment. */
export const scoreCell = (row: ItemRow, at: number, by: Judged): GridCell => {
  const value = scoreIn(row.runs[at], by.score);
  const gain = at === 0 ? undefined : gainOf(row, at, by);
  if (value === undefined) return { text: '', kind: 'number' };
  if (gain === undefined || gain === 0) return { text: rounded(value), kind: 'number' };
  return {
    text: `${rounded(value)} ${gain > 0 ? '▲' : '▼'} ${rounded(Math.abs(gain))}`,
    kind: gain > 0 ? 'number gained' : 'number lost',
  };
};

const outputCell = (row: ItemRow, at: number): GridCell => {
  const runs = row.runs[at] ?? [];
  const [first] = runs;
  if (first === undefined) return { text: 'was not run', kind: 'faint' };
  const says = previewOf(first.output);
  return { text: runs.length > 1 ? `${says} (first of ${runs.length} runs)` : says };
};

export const ItemTable = ({
  of,
  rows,
  by,
  cursor,
  onOpen,
}: {
  of: readonly Experiment[];
  rows: readonly ItemRow[];
  by: Judged;
  cursor: number;
  onOpen: (id: string) => void;
}) => {
  const expected = rows.some(({ data }) => expectedOf(data) !== undefined);
  const columns: readonly GridColumn[] = [
    { label: 'item', width: 170, grows: true },
    ...(expected ? [{ label: 'expected', width: 130, grows: true }] : []),
    ...of.flatMap(({ name }, at) => [
      { label: of.length === 1 ? 'output' : `${letterOf(at)} ${name}`, width: 150, grows: true },
      ...(by.score === ''
        ? []
        : [
            {
              label: of.length === 1 ? by.score : `${letterOf(at)} ${by.score}`,
              width: 110,
              numeric: true,
            },
          ]),
    ]),
  ];
  const at = (place: number) => {
    const row = rows[place];
    if (row === undefined) return undefined;
    return {
      key: row.id,
      address: location.pathname + withQuery(location.search, { peek: row.id }),
      cells: [
        { text: itemName(row.id, row.data) },
        ...(expected ? [{ text: previewOf(expectedOf(row.data)) }] : []),
        ...of.flatMap((_, place) => [
          outputCell(row, place),
          ...(by.score === '' ? [] : [scoreCell(row, place, by)]),
        ]),
      ],
    };
  };
  return (
    <Grid
      label="Items"
      columns={columns}
      count={rows.length}
      at={at}
      of={rows}
      cursor={cursor < 0 ? undefined : cursor}
      onOpen={onOpen}
    />
  );
};
