// The rows of a CSV file (RFC 4180), read as they come. Pure.
import { Failure } from './failure.js';

export interface RowBounds {
  readonly mostColumns: number;
  /** Characters of one row. */
  readonly longestRow: number;
}

const broken = (line: number, what: string) =>
  new Failure('invalid', `the CSV file ${what}, in row ${line}`);

/** Cells of each row; lines without any are left out. Rejects with `invalid` for quotes that are out of place or left open, too many columns or too long a row. */
export async function* csvRows(
  texts: AsyncIterable<string>,
  { mostColumns, longestRow }: RowBounds,
): AsyncIterable<readonly string[]> {
  let [row, cell, size, line]: [string[], string, number, number] = [[], '', 0, 1];
  let state: 'start' | 'plain' | 'quoted' | 'closed' = 'start';
  let afterReturn = false;

  const endCell = (): void => {
    row.push(cell);
    if (row.length > mostColumns) throw broken(line, `has more than ${mostColumns} columns`);
    [cell, state] = ['', 'start'];
  };
  const endRow = (): readonly string[] => {
    endCell();
    const ended = row;
    [row, size] = [[], 0];
    line++;
    return ended;
  };

  for await (const text of texts) {
    let from = 0;
    const take = (to: number): void => {
      size += to - from;
      if (size > longestRow) throw broken(line, `has more than ${longestRow} characters`);
      cell += text.slice(from, to);
      from = to + 1;
    };
    for (let at = 0; at < text.length; at++) {
      const sign = text[at];
      if (afterReturn) {
        afterReturn = false;
        if (sign === '\n') {
          from = at + 1;
          continue;
        }
      }
      if (state === 'quoted') {
        const quote = text.indexOf('"', at);
        if (quote === -1) break;
        take(quote);
        [at, state] = [quote, 'closed'];
      } else if (sign === '"') {
        if (state === 'plain') throw broken(line, 'has a quote within a cell that is not quoted');
        if (state === 'closed') cell += '"';
        [from, state] = [at + 1, 'quoted'];
      } else if (sign === ',' || sign === '\n' || sign === '\r') {
        if (state === 'plain') take(at);
        from = at + 1;
        if (sign === ',') endCell();
        else {
          if (row.length > 0 || state !== 'start') yield endRow();
          afterReturn = sign === '\r';
        }
      } else if (state === 'closed') throw broken(line, 'goes on behind the quotes of a cell');
      else state = 'plain';
    }
    if (state === 'plain' || state === 'quoted') take(text.length);
  }
  if (state === 'quoted') throw broken(line, 'ends within the quotes of a cell');
  if (row.length > 0 || state !== 'start') yield endRow();
}
