// What commands print: lines for people, or one JSON document for programs. Colour only where a terminal shows it.
import { stripVTControlCharacters, styleText } from 'node:util';

export interface Output {
  /** A line for people; nothing with `--json`. */
  line(text: string): void;
  /** Rows under each other; aligned on a terminal, separated by tabs elsewhere. */
  table(rows: readonly (readonly string[])[]): void;
  /** The result for programs; nothing without `--json`. */
  json(value: unknown): void;
  /** Progress and remarks, to standard error in either form. */
  note(text: string): void;
  /** A word in colour, where the output is a terminal. */
  good(text: string): string;
  warning(text: string): string;
  bad(text: string): string;
  /** Whether programs are to read it. */
  readonly forPrograms: boolean;
}

type Colour = 'green' | 'yellow' | 'red';

export interface OutputOptions {
  readonly json?: boolean | undefined;
  /** Standard output and error when left out. */
  readonly to?: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>;
  readonly notes?: Pick<NodeJS.WriteStream, 'write'>;
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

const align = (rows: readonly (readonly string[])[]): readonly string[] => {
  const widths = rows.reduce<readonly number[]>(
    (before, row) =>
      row.map((cell, at) => Math.max(before[at] ?? 0, stripVTControlCharacters(cell).length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at === row.length - 1
          ? cell
          : cell + ' '.repeat((widths[at] ?? 0) - stripVTControlCharacters(cell).length),
      )
      .join('  '),
  );
};

export const openOutput = ({
  json = false,
  to = process.stdout,
  notes = process.stderr,
  environment = process.env,
}: OutputOptions = {}): Output => {
  const terminal = to.isTTY && !json;
  const colours =
    terminal && (environment['NO_COLOR'] ?? '') === '' && environment['TERM'] !== 'dumb';
  const colour =
    (which: Colour) =>
    (text: string): string =>
      colours ? styleText(which, text) : text;
  const line = (text: string): void => {
    if (!json) to.write(`${text}\n`);
  };
  return {
    line,
    table: (rows) => {
      for (const text of terminal ? align(rows) : rows.map((row) => row.join('\t'))) line(text);
    },
    json: (value) => {
      if (json) to.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    note: (text) => {
      notes.write(`${text}\n`);
    },
    good: colour('green'),
    warning: colour('yellow'),
    bad: colour('red'),
    forPrograms: json,
  };
};
