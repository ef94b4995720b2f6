// The elements of a row of the table, filled anew as rows come onto the screen. Stored names become text only.
import { colourOf, formatAgo, formatNumber, formatSpan, formatValue } from '../../pure/format.js';
import { pathOf } from '../../pure/address.js';
import type { RunColumn } from '../../pure/columns.js';
import { hovered } from '../charts/panel.js';
import { isDark } from '../state.js';
import type { TableProps } from './table-props.js';

/** Metrics that are not finite come as words, and stand where numbers do. */
export const isNumeric = ({ kind }: RunColumn, value: unknown): boolean =>
  kind === 'metric' || (kind !== 'metadata' && typeof value === 'number');
export const labelOf = ({ name, value, kind }: RunColumn): string =>
  kind === 'metric' && value !== undefined && value !== 'last' ? `${name} (${value})` : name;

/** A value as its column shows it. */
export const showCell = ({ kind, name }: RunColumn, value: unknown, now: number): string => {
  if (value === null || value === undefined) return '';
  if (kind === 'metadata' && typeof value === 'number') {
    if (name === 'duration') return formatSpan(value);
    if (['start', 'end', 'lastSeen'].includes(name)) return formatAgo(value, now);
  }
  return typeof value === 'number' ? formatNumber(value) : formatValue(value);
};

export const stateSigns: Readonly<Record<string, string>> = {
  running: '● ',
  finished: '✓ ',
  crashed: '✗ ',
};

export const makeRow = (): HTMLElement => {
  const row = document.createElement('div');
  row.className = 'row';
  row.setAttribute('role', 'row');
  return row;
};

const cellAt = (row: HTMLElement, at: number): HTMLElement => {
  const there = row.children[at];
  if (there instanceof HTMLElement) return there;
  const cell = document.createElement('div');
  cell.setAttribute('role', 'cell');
  if (at === 0) {
    const box = document.createElement('input');
    box.type = 'checkbox';
    const link = document.createElement('a');
    cell.className = 'name';
    cell.append(box, document.createElement('i'), link);
  }
  row.append(cell);
  return cell;
};

const fillName = (cell: HTMLElement, key: string, name: string, props: TableProps): void => {
  const [box, dot, link] = cell.children;
  if (box instanceof HTMLInputElement) {
    box.checked = props.picked.has(key);
    box.ariaLabel = `Select ${name}`;
  }
  if (dot instanceof HTMLElement) dot.style.background = colourOf(key, isDark.peek());
  if (link instanceof HTMLAnchorElement) {
    link.textContent = name;
    link.title = name;
    link.href = pathOf('w', props.workspace, 'p', props.project, 'run', key);
  }
};

export const fillRow = (row: HTMLElement, place: number, props: TableProps): void => {
  const { rows, columns, shown, picked, pins, cursor } = props;
  const key = rows?.keys[place];
  if (rows === undefined || key === undefined) return;
  const now = Date.now();
  row.dataset['key'] = key;
  row.classList.toggle('picked', picked.has(key));
  row.classList.toggle('hovered', hovered.peek() === key);
  row.classList.toggle('cursor', cursor === key);
  fillName(cellAt(row, 0), key, String(rows.values[0]?.[place] ?? key), props);
  shown.forEach((column, at) => {
    const cell = cellAt(row, at + 1);
    const value = rows.values[columns.indexOf(column)]?.[place];
    const text = showCell(column, value, now);
    const sign = column.name === 'state' ? (stateSigns[text] ?? '') : '';
    cell.textContent = sign + text;
    cell.title = typeof value === 'number' ? String(value) : text;
    cell.className = isNumeric(column, value) ? 'number' : column.name === 'state' ? text : '';
    cell.dataset['at'] = String(at);
    const left = pins[at];
    cell.classList.toggle('pinned', left !== undefined);
    cell.style.left = left === undefined ? '' : `${left}px`;
  });
  while (row.children.length > shown.length + 1) row.lastElementChild?.remove();
};
