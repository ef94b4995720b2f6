// A sheet as text for a terminal and as Markdown. What users stored can move no cursor and mark nothing up. Pure.
import { curveTable, showSheetCell, type Sheet, type SheetTable } from './sheet.js';

/** The letters of a cell, of a line in a terminal, and of a stored text at most. */
const most = { cell: 40, line: 180, text: 20_000 } as const;

/** Without what a terminal obeys, and without what turns the direction of a line around. */
const tame = (text: string): string =>
  text.replaceAll(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    '�',
  );
const inLine = (text: string): string => tame(text.replaceAll(/\s+/g, ' '));

const shortened = (text: string, letters: number): string =>
  text.length <= letters ? text : `${text.slice(0, letters - 1)}…`;

const lengthOf = (text: string): number => [...text].length;
const padded = (text: string, letters: number, right: boolean): string => {
  const room = ' '.repeat(Math.max(0, letters - lengthOf(text)));
  return right ? room + text : text + room;
};

interface LaidTable {
  readonly lines: readonly string[];
  /** Names of columns for which there was no room. */
  readonly left: readonly string[];
}

const layTable = ({ columns, rows, depths }: SheetTable): LaidTable => {
  const cells = columns.map(({ form }, at) =>
    rows.map((row, place) => {
      const text = shortened(inLine(showSheetCell(row[at] ?? null, form)), most.cell);
      return at === 0 ? '  '.repeat(Math.min(20, depths?.[place] ?? 0)) + text : text;
    }),
  );
  const names = columns.map(({ name }) => shortened(inLine(name), most.cell));
  const widths = cells.map((column, at) =>
    column.reduce((wide, one) => Math.max(wide, lengthOf(one)), lengthOf(names[at] ?? '')),
  );
  let [shown, line] = [0, 0];
  while (shown < columns.length && (shown === 0 || line + (widths[shown] ?? 0) + 2 <= most.line)) {
    line += (widths[shown] ?? 0) + 2;
    shown++;
  }
  const isNumber = (at: number) => rows.some((row) => typeof row[at] === 'number');
  const write = (of: (at: number) => string) =>
    Array.from({ length: shown }, (_, at) => padded(of(at), widths[at] ?? 0, isNumber(at)))
      .join('  ')
      .trimEnd();
  return {
    lines: [
      write((at) => names[at] ?? ''),
      write((at) => '─'.repeat(widths[at] ?? 0)),
      ...rows.map((_, place) => write((at) => cells[at]?.[place] ?? '')),
    ],
    left: names.slice(shown),
  };
};

const cutText = (text: string): string =>
  text.length <= most.text
    ? text
    : `${text.slice(0, most.text)}\n… ${text.length - most.text} more letters`;

const tablesOf = (sheet: Sheet): readonly SheetTable[] => [
  ...sheet.tables.filter(({ rows }) => rows.length > 0),
  ...sheet.charts.map(curveTable),
];

/** For a terminal of 180 letters; columns without room are named. */
export const terminalText = (sheet: Sheet): string => {
  const facts = sheet.facts.map(([name, value]): readonly string[] => [
    inLine(name),
    inLine(value),
  ]);
  const wide = facts.reduce((most_, [name = '']) => Math.max(most_, lengthOf(name)), 0);
  const parts = [
    [inLine(sheet.title), ...sheet.says.map(inLine)],
    facts.map(([name = '', value = '']) => `${padded(name, wide, false)}  ${value}`),
    ...tablesOf(sheet).map((table) => {
      const { lines, left } = layTable(table);
      return [
        ...(table.title === '' ? [] : [`${inLine(table.title)}`]),
        ...lines,
        ...(left.length === 0 ? [] : [`not shown: ${shortened(left.join(', '), most.line)}`]),
      ];
    }),
    ...sheet.texts.map(({ title, text }) => [`${inLine(title)}:`, tame(cutText(text))]),
  ];
  return `${parts
    .filter((part) => part.length > 0)
    .map((part) => part.join('\n'))
    .join('\n\n')}\n`;
};

/** A text among Markdown that is nothing but text. */
const inMarkdown = (text: string): string =>
  inLine(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*[\]|!#]/g, (sign) => `\\${sign}`);

/** A block that no text within it ends. */
const fenced = (text: string): string => {
  const longest = (text.match(/`+/g) ?? []).reduce((most_, one) => Math.max(most_, one.length), 2);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
};

const markdownTable = ({ title, columns, rows, depths }: SheetTable): string => {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const isNumber = (at: number) => rows.some((row) => typeof row[at] === 'number');
  const cells = (row: SheetTable['rows'][number], place: number) =>
    columns.map(({ form }, at) => {
      const text = inMarkdown(showSheetCell(row[at] ?? null, form));
      return at === 0 ? '· '.repeat(depths?.[place] ?? 0) + text : text;
    });
  return [
    ...(title === '' ? [] : [`## ${inMarkdown(title)}`, '']),
    line(columns.map(({ name }) => inMarkdown(name))),
    line(columns.map((_, at) => (isNumber(at) ? '---:' : '---'))),
    ...rows.map((row, place) => line(cells(row, place))),
  ].join('\n');
};

export const markdownText = (sheet: Sheet): string =>
  `${[
    `# ${inMarkdown(sheet.title)}`,
    ...sheet.says.map(inMarkdown),
    sheet.facts.map(([name, value]) => `- ${inMarkdown(name)}: ${inMarkdown(value)}`).join('\n'),
    ...tablesOf(sheet).map(markdownTable),
    ...sheet.texts.map(
      ({ title, text }) => `## ${inMarkdown(title)}\n\n${fenced(tame(cutText(text)))}`,
    ),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
