// What a plot of many runs is given.
import type { RunColumn } from '../../pure/columns.js';
import type { RunRows } from '../runs/rows.js';

export type PlotName = 'parallel' | 'scatter' | 'bars' | 'boxes';

export interface PlotProps {
  readonly rows: RunRows | undefined;
  readonly columns: readonly RunColumn[];
  /** By what runs are grouped; none where they are not. */
  readonly by: readonly RunColumn[];
  readonly dark: boolean;
  readonly nameOf: (run: string) => string;
  readonly addressOf: (run: string) => string;
  /** The runs from one value to another are asked for. */
  readonly onBrush: (column: RunColumn, from: unknown, to: unknown) => void;
}
