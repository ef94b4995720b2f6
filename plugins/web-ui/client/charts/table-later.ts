// The table of a chart, fetched when it is first asked for.
import { lazy } from '../lazy.js';
import type { AsTableProps } from './as-table.js';

export const AsTable = lazy<AsTableProps>(async () => (await import('./as-table.js')).AsTable);
