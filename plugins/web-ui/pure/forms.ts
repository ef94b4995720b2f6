// The other forms of an address, by the words of a menu. Pure.
import { withQuery } from './address.js';
import { formatCount } from './format.js';

/** Rows of which a form holds so many at most. */
export interface FormRows {
  readonly total: number;
  /** Where nothing is asked for, and at most. */
  readonly usual: number;
  readonly most: number;
}

const tables = [
  ['CSV', 'csv'],
  ['JSON', 'json'],
  ['Markdown', 'md'],
  ['text', 'txt'],
  ['SVG', 'svg'],
  ['PNG', 'png'],
] as const;
const ofCharts = [
  ['charts as SVG', 'svg'],
  ['charts as PNG', 'png'],
  ['charts as CSV', 'csv'],
  ['charts as JSON', 'json'],
] as const;

/** Names and addresses. Where a form cannot hold all rows, its name says how many of how many it has. */
export const formsOf = (
  { path, search }: { readonly path: string; readonly search: string },
  rows: FormRows | undefined,
  charts: boolean,
): readonly (readonly [name: string, address: string])[] => {
  const limit = rows === undefined || rows.total <= rows.usual ? undefined : String(rows.most);
  const cut =
    rows === undefined || rows.total <= rows.most
      ? ''
      : `, the first ${formatCount(rows.most)} of ${formatCount(rows.total)}`;
  const to = (format: string, of?: string) => path + withQuery(search, { format, limit, of });
  return [
    ...tables.map(
      ([name, format]) => [name + cut, to(format, charts ? 'table' : undefined)] as const,
    ),
    ...(charts ? ofCharts.map(([name, format]) => [name, to(format, 'charts')] as const) : []),
    [`report, one HTML file${cut}`, to('report')],
  ];
};
