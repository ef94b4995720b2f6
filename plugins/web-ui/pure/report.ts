// A report: what a page shows, in one file that needs no server, and the same file read back. Pure.
import { escaped, type Drawing, type Line } from './drawing.js';
import type { Sheet, SheetCell, SheetTable, SheetText } from './sheet.js';

export interface ReportChart {
  readonly title: string;
  readonly says: string;
  /** What was drawn, every place of every line of it. */
  readonly drawing: Drawing;
}
export interface Report {
  readonly format: 'orrery-report';
  readonly version: 1;
  /** Milliseconds since the Unix epoch. */
  readonly madeAt: number;
  readonly title: string;
  /** Where the page is that it was made of. */
  readonly address: string;
  readonly says: readonly string[];
  /** What was left out so that the file stays small enough, a sentence each. */
  readonly cut: readonly string[];
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly tables: readonly SheetTable[];
  readonly charts: readonly ReportChart[];
  readonly texts: readonly SheetText[];
}

/** The data of a report at most, in characters; charts and rows beyond are left out. */
export const mostCharacters = 8_000_000;
const mostInText = 20_000;

/** Curves come in 32 bits, of which nine digits say all. */
const digits = (values: readonly (number | null)[]): readonly (number | null)[] =>
  values.map((one) => (one === null || !Number.isFinite(one) ? null : Number(one.toPrecision(9))));

const lineOf = ({ key, name, colour, dash, y, low, high, raw }: Line): Line => ({
  ...{ key, name, colour, y: digits(y) },
  ...(dash === undefined ? {} : { dash }),
  ...(low === undefined ? {} : { low: digits(low) }),
  ...(high === undefined ? {} : { high: digits(high) }),
  ...(raw === undefined ? {} : { raw: digits(raw) }),
});

const charactersIn = (of: unknown): number => JSON.stringify(of).length;

/** As many of some things, from the first on, as there is room for, and the room that is left. */
const fitting = <T>(
  all: readonly T[],
  room: number,
): { readonly kept: readonly T[]; readonly room: number } => {
  const kept: T[] = [];
  let left = room;
  for (const one of all) {
    left -= charactersIn(one) + 1;
    if (left < 0) break;
    kept.push(one);
  }
  return { kept, room: Math.max(0, left) };
};

/** The report of a sheet. */
export const reportOf = (
  { title, says, facts, tables, charts, texts, ...sheet }: Sheet,
  { address, madeAt, most = mostCharacters }: { address: string; madeAt: number; most?: number },
): Report => {
  const cut = [
    ...(sheet.cut === undefined ? [] : [`Of the rows, these are the ${sheet.cut}.`]),
    ...(sheet.chartsCut === undefined ? [] : [`Of the charts, these are the ${sheet.chartsCut}.`]),
  ];
  const drawn = fitting(
    charts.map((one) => ({
      title: one.title,
      says: one.says,
      drawing: { ...one.drawing, lines: one.drawing.lines.map(lineOf) },
    })),
    most / 2,
  );
  if (drawn.kept.length < charts.length)
    cut.push(`Of ${charts.length} charts there was room for the first ${drawn.kept.length}.`);
  let room = most / 2 + drawn.room;
  const held = tables.map((table): SheetTable => {
    const found = fitting(table.rows, room);
    room = found.room;
    if (found.kept.length < table.rows.length)
      cut.push(
        `Of ${table.rows.length} rows of ${table.title === '' ? 'the table' : table.title} there was room for the first ${found.kept.length}.`,
      );
    return { ...table, rows: found.kept };
  });
  for (const text of texts)
    if (text.text.length > mostInText)
      cut.push(`Of ${text.title} these are the first ${mostInText} characters.`);
  return {
    format: 'orrery-report',
    version: 1,
    madeAt,
    title,
    address,
    says,
    cut,
    facts,
    tables: held,
    charts: drawn.kept,
    texts: texts.map((one) => ({ ...one, text: one.text.slice(0, mostInText) })),
  };
};

/** The element of the file that holds the report as JSON. */
export const reportId = 'orrery-report';

/** The script of the file, with the digest by which its policy lets it in. */
export interface ReportParts {
  readonly script: string;
  readonly digest: string;
}

/** The file: it asks nobody for anything, and runs nothing but its own script. */
export const reportHtml = (report: Report, parts: ReportParts): string => {
  const policy = `default-src 'none'; script-src '${parts.digest}'; base-uri 'none'; form-action 'none'`;
  const data = JSON.stringify(report).replaceAll('<', '\\u003c');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="referrer" content="no-referrer">
<title>${escaped(report.title)}</title></head>
<body><main class="report" id="report"></main><noscript>This report needs script to be shown; what it holds stands in it as JSON.</noscript>
<script type="application/json" id="${reportId}">${data}</script>
<script>${parts.script}</script></body></html>
`;
};

type Json = Readonly<Record<string, unknown>>;
const isRecord = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
const pairOf = (value: unknown): readonly [number, number] | undefined => {
  const [from, to] = list(value).map(numberOf);
  return typeof from === 'number' && typeof to === 'number' ? [from, to] : undefined;
};

const readLine = (of: Json, length: number): Line => {
  const values = (member: string) =>
    Array.from({ length }, (_, at) => numberOf(list(of[member])[at]));
  const colour = textOf(of['colour']);
  const dash = list(of['dash']).flatMap((one) => numberOf(one) ?? []);
  return {
    key: textOf(of['key']),
    name: textOf(of['name']),
    colour: /^(rgb\([\d ]{5,11}\)|#[\da-f]{6})$/.test(colour) ? colour : '#5746c9',
    ...(dash.length === 0 ? {} : { dash }),
    y: values('y'),
    ...(Array.isArray(of['low']) ? { low: values('low') } : {}),
    ...(Array.isArray(of['high']) ? { high: values('high') } : {}),
    ...(Array.isArray(of['raw']) ? { raw: values('raw') } : {}),
  };
};

const readDrawing = (of: Json): Drawing => {
  const x = list(of['x']).map((one) => numberOf(one) ?? 0);
  const [range, yRange] = [pairOf(of['range']), pairOf(of['yRange'])];
  return {
    x,
    lines: list(of['lines'])
      .filter(isRecord)
      .map((one) => readLine(one, x.length)),
    dark: of['dark'] === true,
    logX: of['logX'] === true,
    logY: of['logY'] === true,
    times: of['times'] === true,
    ...(range === undefined ? {} : { range }),
    ...(yRange === undefined ? {} : { yRange }),
  };
};

const readCell = (value: unknown): SheetCell =>
  typeof value === 'string' ? value : numberOf(value);

const readTable = (of: Json): SheetTable => ({
  title: textOf(of['title']),
  columns: list(of['columns'])
    .filter(isRecord)
    .map(({ name, form }) => ({
      name: textOf(name),
      form: (['time', 'span'] as const).find((one) => one === form) ?? 'plain',
    })),
  rows: list(of['rows']).map((row) => list(row).map(readCell)),
  ...(Array.isArray(of['depths'])
    ? { depths: list(of['depths']).map((one) => numberOf(one) ?? 0) }
    : {}),
});

/** The JSON in a file, or the text itself where it is no page. */
const dataIn = (text: string): string => {
  const begin = `<script type="application/json" id="${reportId}">`;
  const from = text.indexOf(begin);
  if (from < 0) return text;
  const to = text.indexOf('</script>', from);
  return text.slice(from + begin.length, to < 0 ? undefined : to);
};

/** A report from its file, or from its JSON alone; else what is wrong with it. What is not as it should be is left out. */
export const readReport = (text: string): Report | { readonly fault: string } => {
  let found: unknown;
  try {
    found = JSON.parse(dataIn(text));
  } catch {
    return { fault: 'this file is no report: it holds no JSON of one' };
  }
  if (!isRecord(found) || found['format'] !== 'orrery-report')
    return { fault: 'this file is no report: its JSON does not say that it is one' };
  if (found['version'] !== 1)
    return {
      fault: 'this report is of a form that is not known here; a newer release may read it',
    };
  return {
    format: 'orrery-report',
    version: 1,
    madeAt: numberOf(found['madeAt']) ?? 0,
    title: textOf(found['title']),
    address: textOf(found['address']),
    says: list(found['says']).map(textOf),
    cut: list(found['cut']).map(textOf),
    facts: list(found['facts']).map((fact) => {
      const [name, value] = list(fact);
      return [textOf(name), textOf(value)];
    }),
    tables: list(found['tables']).filter(isRecord).map(readTable),
    charts: list(found['charts'])
      .filter(isRecord)
      .map((one) => ({
        title: textOf(one['title']),
        says: textOf(one['says']),
        drawing: readDrawing(isRecord(one['drawing']) ? one['drawing'] : {}),
      })),
    texts: list(found['texts'])
      .filter(isRecord)
      .map((one) => ({ title: textOf(one['title']), text: textOf(one['text']) })),
  };
};
