// What can be done with the value of a cell: runs that have it, runs that do not, groups of such values.
import type { RunColumn } from '../../pure/columns.js';
import { formatValue } from '../../pure/format.js';
import { claimOf, groupName } from '../../pure/grouping.js';
import { attempt } from '../attempt.js';
import { Menu } from '../shell/menu.js';
import { tell } from '../state.js';

export interface AtCell {
  readonly at: Element;
  readonly column: RunColumn;
  readonly value: unknown;
}

export interface CellMenuProps {
  readonly of: AtCell;
  readonly onFilter: (column: RunColumn, value: unknown, without: boolean) => void;
  readonly onGroup: (column: RunColumn) => void;
  readonly onClose: () => void;
}

export const CellMenu = ({
  of: { at, column, value },
  onFilter,
  onGroup,
  onClose,
}: CellMenuProps) => {
  const says = `${column.name} = ${groupName(value).slice(0, 40)}`;
  const asks = claimOf(column, value) !== undefined;
  const text = formatValue(value);
  return (
    <Menu
      at={at}
      label={`Value of ${column.name}`}
      entries={[
        [`Only ${says}`, asks ? () => onFilter(column, value, false) : undefined],
        [`Without ${says}`, asks ? () => onFilter(column, value, true) : undefined],
        [`Group by ${column.name}`, column.kind === 'metric' ? undefined : () => onGroup(column)],
        [
          'Copy the value',
          text === ''
            ? undefined
            : () => attempt(navigator.clipboard.writeText(text).then(() => tell('Value copied'))),
        ],
      ]}
      onClose={onClose}
    />
  );
};

export interface AtRow {
  readonly at: Element;
  readonly cells: readonly Pick<AtCell, 'column' | 'value'>[];
}

export type RowMenuProps = Omit<CellMenuProps, 'of' | 'onGroup'> & { readonly of: AtRow };

/** The same for the row that keys are at: runs that have the value of one of its columns, or that have it not. */
export const RowMenu = ({ of: { at, cells }, onFilter, onClose }: RowMenuProps) => (
  <Menu
    at={at}
    label="Values of this run"
    entries={cells
      .filter(({ column, value }) => claimOf(column, value) !== undefined)
      .flatMap(({ column, value }) => {
        const says = `${column.name} = ${groupName(value).slice(0, 40)}`;
        return [false, true].map(
          (without) =>
            [
              `${without ? 'Without' : 'Only'} ${says}`,
              () => onFilter(column, value, without),
            ] as const,
        );
      })}
    onClose={onClose}
  />
);
