// Rows as lines of JSON behind a cursor, read a page at a time as they are taken.
import type { Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import { stringifyKept } from '#ports/kept-json';
import { readId } from './ids.js';

const [usualLimit, mostLimit] = [500, 2000];
/** Rows that are read at once: their bodies may be long. */
const rowsAtOnce = 100;
const type = 'application/octet-stream';

export interface StreamRequest {
  readonly limit?: number | undefined;
  /** The last row that the client has. */
  readonly after?: string | undefined;
}

/** The rows of a stream: pages by id, the greatest first. */
export interface StreamedRows<T> {
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

const lineOf = (shown: object | string): string =>
  `${typeof shown === 'string' ? shown : stringifyKept(shown)}\r\n`;
const encoder = new TextEncoder();
/** What tells a client, after the first rows went out, that the rest is missing. */
const brokenOff = lineOf({ code: 500, message: 'the server failed while it read the rest' });

/** The rows strictly after the cursor as lines. Rejects with `unprocessable` for the limit, and with `invalid` for a cursor that is no id. */
export const lineStream = <T>(request: StreamRequest, rows: StreamedRows<T>): Download => {
  const limit = readLimit(request.limit);
  const after = request.after === undefined ? undefined : readId(request.after, 'last retrieved');
  async function* lines(): AsyncIterable<Uint8Array> {
    let beforeId = after;
    let begun = false;
    try {
      for (let left = limit; left > 0;) {
        const wanted = Math.min(left, rowsAtOnce);
        const page = await rows.list({
          limit: wanted,
          ...(beforeId === undefined ? {} : { beforeId }),
        });
        for (const shown of await rows.show(page)) {
          yield encoder.encode(lineOf(shown));
          begun = true;
        }
        const last = page.at(-1);
        if (last === undefined) return;
        left -= page.length;
        beforeId = rows.idOf(last);
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
