// Shows a report: in its own file, and in the app where one is opened. What it holds becomes text and lines, never markup.
import { formatNumber } from '../../pure/format.js';
import type { Report } from '../../pure/report.js';
import { formatInstant, showSheetCell, type SheetTable } from '../../pure/sheet.js';
import { drawCharts } from './chart.js';
import { part } from './parts.js';
import { reportStyle } from './style.js';

const tableOf = ({ title, columns, rows, depths }: SheetTable): Element =>
  part(
    'section',
    {},
    ...(title === '' ? [] : [part('h2', {}, title)]),
    part(
      'div',
      { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': title || 'Table' },
      part(
        'table',
        {},
        part(
          'thead',
          {},
          part('tr', {}, ...columns.map(({ name }) => part('th', { scope: 'col' }, name))),
        ),
        part(
          'tbody',
          {},
          ...rows.map((row, at) =>
            part(
              'tr',
              {},
              ...columns.map(({ form }, place) => {
                const cell = row[place] ?? null;
                const deep = place === 0 ? '\u2003'.repeat(Math.min(20, depths?.[at] ?? 0)) : '';
                return part(
                  'td',
                  { dir: 'auto', ...(typeof cell === 'number' ? { class: 'number' } : {}) },
                  deep + showSheetCell(cell, form),
                );
              }),
            ),
          ),
        ),
      ),
    ),
  );

let styled = false;
const style = (): void => {
  if (styled) return;
  styled = true;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(reportStyle);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
};

export const showReport = (root: Element, report: Report): void => {
  const { title, madeAt, address, says, cut, facts, tables, charts, texts } = report;
  style();
  root.classList.toggle('dark', charts[0]?.drawing.dark === true);
  root.replaceChildren(
    part('h1', { dir: 'auto' }, title),
    part('p', { class: 'faint' }, `Made on ${formatInstant(madeAt)} of ${address}`),
    ...says.map((one) => part('p', { dir: 'auto' }, one)),
    ...cut.map((one) => part('p', { class: 'cut' }, `Cut: ${one}`)),
    ...(facts.length === 0
      ? []
      : [
          part(
            'dl',
            {},
            ...facts.flatMap(([name, value]) => [
              part('dt', { dir: 'auto' }, name),
              part('dd', { dir: 'auto' }, value),
            ]),
          ),
        ]),
    drawCharts(charts, formatNumber),
    ...tables.map(tableOf),
    ...texts.map((one) =>
      part(
        'section',
        {},
        part('h2', {}, one.title),
        part('pre', { dir: 'auto', tabindex: '0', 'aria-label': one.title }, one.text),
      ),
    ),
  );
};
