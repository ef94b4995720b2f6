// Rows as lines of JSON behind a cursor, read a page at a time as they are taken.
import type { Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import { KeptJson, stringifyKept } from '#ports/kept-json';
import { readId } from './ids.js';

const [usualLimit, mostLimit] = [500, 2000];
/** Rows that are read at once, unless told otherwise: their bodies may be long. */
const usualAtOnce = 100;
/** Characters of lines that go out together. */
const piece = 64 * 1024;
const type = 'application/octet-stream';

export interface StreamRequest {
  readonly limit?: number | undefined;
  /** The last row that the client has. */
  readonly after?: string | undefined;
}

/** The rows of a stream: pages by id, the greatest first. */
export interface StreamedRows<T> {
  /** Rows that are asked for at once; more than usual where `list` bounds what they have together. */
  readonly atOnce?: number;
  /** May give fewer rows than asked for; none where there are no more. */
  list(page: { readonly beforeId?: string; readonly limit: number }): Promise<readonly T[]>;
  idOf(row: T): string;
  /** As they go out; a text is JSON already. */
  show(rows: readonly T[]): Promise<readonly (object | string)[]>;
}

/** How many rows are asked for: 500 where nothing is said. Rejects with `unprocessable` beyond 2,000. */
export const readLimit = (limit: number | undefined): number => {
  if (limit !== undefined && (limit < 1 || limit > mostLimit))
    throw new Failure('unprocessable', `limit must be between 1 and ${mostLimit}`);
  return limit ?? usualLimit;
};

const textOf = (shown: object | string): string => {
  if (typeof shown === 'string') return shown;
  return shown instanceof KeptJson ? shown.json : stringifyKept(shown);
};
const lineOf = (shown: object | string): string => `${textOf(shown)}\r\n`;
const encoder = new TextEncoder();
/** What tells a client, after the first rows went out, that the rest is missing. */
const brokenOff = lineOf({ code: 500, message: 'the server failed while it read the rest' });

/** Lines of rows, as many together as make a piece. */
function* inPieces(shown: readonly (object | string)[]): Iterable<string> {
  let text = '';
  for (const one of shown) {
    text += lineOf(one);
    if (text.length >= piece) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

/** The rows strictly after the cursor as lines. Rejects with `unprocessable` for the limit, and with `invalid` for a cursor that is no id. */
export const lineStream = <T>(request: StreamRequest, rows: StreamedRows<T>): Download => {
  const limit = readLimit(request.limit);
  const after = request.after === undefined ? undefined : readId(request.after, 'last retrieved');
  const read = (left: number, beforeId: string | undefined): Promise<readonly T[]> => {
    const page = rows.list({
      limit: Math.min(left, rows.atOnce ?? usualAtOnce),
      ...(beforeId === undefined ? {} : { beforeId }),
    });
    page.catch(() => undefined); // nobody may wait for it any more when it fails
    return page;
  };
  async function* lines(): AsyncIterable<Uint8Array> {
    let begun = false;
    try {
      let left = limit;
      for (let next: ReturnType<typeof read> | undefined = read(left, after); next !== undefined;) {
        const page: readonly T[] = await next;
        const last = page.at(-1);
        if (last === undefined) return;
        left -= page.length;
        // The database reads the next rows while these are written.
        next = left > 0 ? read(left, rows.idOf(last)) : undefined;
        for (const some of inPieces(await rows.show(page))) {
          yield encoder.encode(some);
          begun = true;
        }
      }
    } catch (thrown) {
      if (!begun) throw thrown;
      yield encoder.encode(brokenOff);
    }
  }
  return { type, open: lines };
};

async function* nothing(): AsyncIterable<Uint8Array> {
  // what is unknown has no rows
}
/** No rows: an empty body, never a reply without one. */
export const emptyStream: Download = { type, open: nothing };
