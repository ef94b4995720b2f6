// A sheet as one document in SVG: its charts below each other, else its bars, else its first table. Pure.
import { escaped, svgOf } from './drawing.js';
import { shortened } from './format.js';
import { showSheetCell, type Sheet, type SheetBar, type SheetTable } from './sheet.js';

/** What one picture holds at most. */
export const mostInPicture = { charts: 12, rows: 100, bars: 200, columns: 10 } as const;

const wide = 720;
const [rowHigh, headHigh] = [18, 44];
const inks = (dark: boolean) =>
  dark
    ? { ink: '#e7e8ec', faint: '#969ba6', grid: '#272a31', paper: '#101114' }
    : { ink: '#17181c', faint: '#62666f', grid: '#e3e4e8', paper: '#ffffff' };
const markColours = { usual: '#4c7be0', slow: '#c77700', error: '#d0342c' } as const;

const page = (height: number, dark: boolean, inside: string): string => {
  const { paper } = inks(dark);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${height}" viewBox="0 0 ${wide} ${height}" font-family="system-ui, sans-serif" font-size="11">
<rect width="${wide}" height="${height}" fill="${paper}"/>
${inside}
</svg>
`;
};

const headOf = ({ title, says, chartsCut }: Sheet, dark: boolean): string => {
  const { ink, faint } = inks(dark);
  return `<text x="12" y="20" font-size="13" font-weight="600" fill="${ink}">${escaped(shortened(title, 90))}</text><text x="12" y="36" fill="${faint}">${escaped(shortened([...(chartsCut === undefined ? [] : [`The ${chartsCut} charts.`]), ...says].join(' '), 120))}</text>`;
};

const chartsOf = (sheet: Sheet, dark: boolean): string => {
  const shown = sheet.charts.slice(0, mostInPicture.charts);
  let at = headHigh;
  const parts = shown.map(({ title, drawing, says }) => {
    const svg = svgOf({ ...drawing, dark }, shortened(title, 60), says);
    const high = Number(/ height="(\d+)"/.exec(svg)?.[1] ?? 0);
    const placed = svg.replace('<svg ', `<svg y="${at}" `);
    at += high + 8;
    return placed;
  });
  return page(at, dark, headOf(sheet, dark) + parts.join(''));
};

const barLine = ({ name, depth, left, width, says, mark }: SheetBar, at: number, dark: boolean) => {
  const { ink, faint } = inks(dark);
  const [from, room] = [280, wide - 280 - 90];
  const y = headHigh + at * rowHigh;
  const begin = 12 + Math.min(depth, 16) * 10;
  const letters = Math.max(6, Math.floor((from - begin - 8) / 6.2));
  const x = from + (left / 100) * room;
  return `<text x="${begin}" y="${y + 12}" fill="${ink}">${escaped(shortened(name, letters))}</text><rect x="${x.toFixed(1)}" y="${y + 3}" width="${Math.max(1, (width / 100) * room).toFixed(1)}" height="11" rx="2" fill="${markColours[mark]}"/><text x="${wide - 12}" y="${y + 12}" text-anchor="end" fill="${mark === 'error' ? markColours.error : faint}">${escaped(shortened(says, 16))}</text>`;
};

const barsOf = (sheet: Sheet, dark: boolean): string => {
  const shown = sheet.bars.slice(0, mostInPicture.bars);
  const left = sheet.bars.length - shown.length;
  const foot =
    left === 0
      ? ''
      : `<text x="12" y="${headHigh + shown.length * rowHigh + 14}" fill="${inks(dark).faint}">${left} more are not drawn</text>`;
  return page(
    headHigh + (shown.length + (left === 0 ? 0 : 1)) * rowHigh + 12,
    dark,
    headOf(sheet, dark) + shown.map((one, at) => barLine(one, at, dark)).join('\n') + foot,
  );
};

const tableOf = (sheet: Sheet, table: SheetTable | undefined, dark: boolean): string => {
  const { ink, faint, grid } = inks(dark);
  const columns = table?.columns.slice(0, mostInPicture.columns) ?? [];
  const rows = table?.rows.slice(0, mostInPicture.rows) ?? [];
  const first = columns.length < 4 ? 260 : 180;
  const each = (wide - 24 - first) / Math.max(1, columns.length - 1);
  const letters = (at: number) => Math.max(5, Math.floor((at === 0 ? first : each) / 6.4) - 1);
  const placeOf = (at: number) => (at === 0 ? 12 : 12 + first + (at - 1) * each);
  const cell = (of: string, at: number, y: number, fill: string) =>
    `<text x="${placeOf(at).toFixed(1)}" y="${y}" fill="${fill}">${escaped(shortened(of, letters(at)))}</text>`;
  const lines = rows.map((row, place) => {
    const y = headHigh + 32 + place * rowHigh;
    return `<path stroke="${grid}" d="M12 ${y - 13}H${wide - 12}"/>${columns
      .map(({ form }, at) => cell(showSheetCell(row[at] ?? null, form), at, y, ink))
      .join('')}`;
  });
  return page(
    headHigh + 32 + rows.length * rowHigh,
    dark,
    `${headOf(sheet, dark)}${columns.map(({ name }, at) => cell(name, at, headHigh + 14, faint)).join('')}${lines.join('')}`,
  );
};

/** With colours for a dark ground where that is wanted. */
export const pictureOf = (sheet: Sheet, dark: boolean): string =>
  sheet.charts.length > 0
    ? chartsOf(sheet, dark)
    : sheet.bars.length > 0
      ? barsOf(sheet, dark)
      : tableOf(sheet, sheet.tables[0], dark);
