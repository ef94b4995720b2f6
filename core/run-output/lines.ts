// Cuts pieces of output into lines without holding more than a few of them.
import type { OutputPiece } from '#ports/storage/texts';

const newline = 10;

/** Whole lines that follow each other. The last line of all may lack its newline. */
export interface Block {
  /** Number of its first line, from 1 on. */
  readonly first: number;
  readonly lines: number;
  readonly bytes: Uint8Array;
}

/** What is kept of a line that does not end: the rest is skipped. */
const mostOfLine = 1024 * 1024;

const countNewlines = (bytes: Uint8Array): number => {
  let count = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++;
  return count;
};

const join = (parts: readonly Uint8Array[]): Uint8Array => {
  const [only, ...more] = parts;
  if (only !== undefined && more.length === 0) return only;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

/** Blocks of whole lines. The pieces begin at the line `first`. */
export async function* toBlocks(
  pieces: AsyncIterable<readonly OutputPiece[]>,
  first: number,
): AsyncIterable<Block> {
  let line = first;
  let open: Uint8Array = new Uint8Array(0);
  for await (const some of pieces) {
    const bytes = join([open, ...some.map(({ content }) => content)]);
    const end = bytes.lastIndexOf(newline) + 1;
    if (end > 0) {
      const whole = bytes.subarray(0, end);
      const lines = countNewlines(whole);
      yield { first: line, lines, bytes: whole };
      line += lines;
    }
    open = bytes.slice(end, end + mostOfLine);
  }
  if (open.length > 0) yield { first: line, lines: 1, bytes: open };
}

/** The lines of a block in their order, without their newlines. */
export function* linesOf({ first, bytes }: Block): Iterable<{
  readonly number: number;
  readonly bytes: Uint8Array;
}> {
  let [number, from] = [first, 0];
  while (from < bytes.length) {
    const found = bytes.indexOf(newline, from);
    const end = found === -1 ? bytes.length : found;
    yield { number, bytes: bytes.subarray(from, end) };
    from = end + 1;
    number++;
  }
}
