// The elements of a row of the table, filled anew as rows come onto the screen. Stored names become text only.
import { formatAgo, formatNumber, formatSpan, formatValue, shortened } from '../../pure/format.js';
import { addressIn, pathOf } from '../../pure/address.js';
import type { RunColumn } from '../../pure/columns.js';
import { colourOf, isDrawn } from '../charts/colours.js';
import { hovered } from '../charts/panel.js';
import { isDark } from '../state.js';
import type { TableProps } from './table-props.js';

/** Metrics that are not finite come as words, and stand where numbers do. */
export const isNumeric = ({ kind }: RunColumn, value: unknown): boolean =>
  kind === 'metric' || (kind !== 'metadata' && typeof value === 'number');

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

/** About how wide a letter is, to see how many there is room for. */
const letterPx = 7.2;

interface Name {
  readonly box: HTMLInputElement;
  readonly dot: HTMLElement;
  readonly link: HTMLAnchorElement;
  readonly head: Text;
  readonly tail: HTMLElement;
}
interface Cell {
  readonly element: HTMLElement;
  readonly text: Text;
  style: string;
}
interface Parts {
  readonly name: Name;
  readonly cells: Cell[];
}
/** The parts of each row, so that none is looked for when it is filled. */
const partsOf = new WeakMap<HTMLElement, Parts>();

/** A long name gives way in its middle, so that its end is seen: there runs differ. */
const tailLetters = 8;

const makeName = (row: HTMLElement): Name => {
  const cell = document.createElement('div');
  cell.setAttribute('role', 'cell');
  cell.className = 'name';
  const box = document.createElement('input');
  box.type = 'checkbox';
  const dot = document.createElement('i');
  const link = document.createElement('a');
  link.dir = 'auto';
  const [start, tail] = [document.createElement('span'), document.createElement('span')];
  const head = document.createTextNode('');
  start.append(head);
  link.append(start, tail);
  cell.append(box, dot, link);
  row.append(cell);
  return { box, dot, link, head, tail };
};

export const makeRow = (): HTMLElement => {
  const row = document.createElement('div');
  row.className = 'row';
  row.setAttribute('role', 'row');
  partsOf.set(row, { name: makeName(row), cells: [] });
  return row;
};

const makeCell = (row: HTMLElement, at: number): Cell => {
  const element = document.createElement('div');
  element.setAttribute('role', 'cell');
  element.dataset['at'] = String(at);
  const text = document.createTextNode('');
  element.append(text);
  row.append(element);
  return { element, text, style: '' };
};

const fillName = (
  { box, dot, link, head, tail }: Name,
  key: string,
  name: string,
  props: TableProps,
): void => {
  box.checked = props.picked.has(key);
  box.ariaLabel = `Select ${name}`;
  // Only what is drawn has a colour: that tells which runs the charts show.
  const drawn = isDrawn(key);
  dot.className = drawn ? 'drawn' : '';
  dot.style.background = drawn ? colourOf(key, isDark.peek()) : 'none';
  const end = name.length > 2 * tailLetters ? name.length - tailLetters : name.length;
  head.data = name.slice(0, end);
  tail.textContent = name.slice(end);
  // Its two halves are one name.
  link.ariaLabel = name;
  link.href = addressIn(pathOf('w', props.workspace, 'p', props.project, 'run', key));
};

/** What a pointer or the keys are at, without filling anything. */
export const markRow = (row: HTMLElement, { picked, cursor }: TableProps): void => {
  const key = row.dataset['key'] ?? '';
  const style = `row${picked.has(key) ? ' picked' : ''}${hovered.peek() === key ? ' hovered' : ''}${cursor === key ? ' cursor' : ''}`;
  if (row.className !== style) row.className = style;
};

export const fillRow = (row: HTMLElement, place: number, props: TableProps): void => {
  const { rows, columns, shown, pins, widthOf } = props;
  const key = rows?.keys[place];
  const parts = partsOf.get(row);
  if (rows === undefined || key === undefined || parts === undefined) return;
  const now = Date.now();
  row.dataset['key'] = key;
  markRow(row, props);
  fillName(parts.name, key, String(rows.values[0]?.[place] ?? key), props);
  shown.forEach((column, at) => {
    const cell = (parts.cells[at] ??= makeCell(row, at));
    const value = rows.values[columns.indexOf(column)]?.[place];
    const text = showCell(column, value, now);
    const sign = column.name === 'state' ? (stateSigns[text] ?? '') : '';
    cell.text.data = shortened(sign + text, Math.floor((widthOf(column) - 16) / letterPx));
    const left = pins[at];
    const style = `${isNumeric(column, value) ? 'number' : column.name === 'state' ? text : ''}${left === undefined ? '' : ' pinned'}`;
    if (cell.style === style && left === undefined) return;
    cell.style = style;
    cell.element.className = style;
    cell.element.style.left = left === undefined ? '' : `${left}px`;
  });
  for (const { element } of parts.cells.splice(shown.length)) element.remove();
};

/** The whole text of what is under the pointer, put there when one looks for it. */
export const tellWhole = (target: HTMLElement, place: number, props: TableProps): void => {
  const column = props.shown[Number(target.dataset['at'])];
  const value =
    column === undefined
      ? props.rows?.values[0]?.[place]
      : props.rows?.values[props.columns.indexOf(column)]?.[place];
  target.title =
    typeof value === 'number' && column !== undefined && column.kind !== 'metadata'
      ? String(value)
      : column?.kind === 'metadata' && typeof value === 'number' && column.name !== 'duration'
        ? new Date(value).toLocaleString('en-GB')
        : formatValue(value);
};
