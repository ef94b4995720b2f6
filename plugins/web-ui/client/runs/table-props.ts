// What the table of runs is given, and what it works out of it.
import type { RunColumn } from '../../pure/columns.js';
import type { ColumnActs } from './chosen.js';
import type { Sort } from '../../pure/run-page.js';
import type { RunRows } from './rows.js';

export interface TableAsk {
  readonly workspace: string;
  readonly project: string;
  /** All columns that were asked for, and which of them are shown. */
  readonly columns: readonly RunColumn[];
  readonly shown: readonly RunColumn[];
  readonly widths: ReadonlyMap<string, number>;
  readonly acts: ColumnActs;
  readonly rows: RunRows | undefined;
  readonly sort: Sort | undefined;
  readonly picked: ReadonlySet<string>;
  /** Whether all runs of the query are selected, also those that are not loaded. */
  readonly all: boolean;
  /** The row at which keys act. */
  readonly cursor: string | undefined;
  readonly onAll: () => void;
  readonly onSort: (column: RunColumn) => void;
  readonly onGroup: (column: RunColumn) => void;
  readonly onPick: (key: string, upTo: boolean) => void;
  readonly onPeek: (key: string) => void;
  /** Shows another value of a metric: the next one, or that of the other column. */
  readonly onValue: (column: RunColumn, other?: RunColumn) => void;
  readonly onFilter: (column: RunColumn, value: unknown, without: boolean) => void;
  readonly onMore: () => void;
}
export interface TableProps extends TableAsk {
  readonly widthOf: (column: RunColumn) => number;
  /** How far from the left the columns stay that are pinned; nothing for the others. */
  readonly pins: readonly (number | undefined)[];
}
