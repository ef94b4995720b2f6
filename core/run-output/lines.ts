// Cuts pieces of output into lines without holding more than a few of them.
import type { OutputPiece, OutputSpan } from '#ports/storage/texts';

const newline = 10;

/** Whole lines that follow each other. The last line of all may lack its newline. */
export interface Block {
  /** Number of its first line, from 1 on. */
  readonly first: number;
  readonly lines: number;
  readonly bytes: Uint8Array;
  /** Where its bytes are those of standard error, in their order. */
  readonly errors: readonly Range[];
}
interface Range {
  readonly from: number;
  readonly to: number;
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

/** Where the spans behind `from` bytes are those of standard error. */
const errorsOf = (spans: readonly OutputSpan[], from: number): readonly Range[] => {
  let at = from;
  return spans.flatMap(({ bytes, stderr }) => {
    at += bytes;
    return stderr ? [{ from: at - bytes, to: at }] : [];
  });
};
/** The part of ranges between two places, counted from the first one. */
const within = (ranges: readonly Range[], from: number, to: number): readonly Range[] =>
  ranges.flatMap((one) =>
    one.from < to && one.to > from
      ? [{ from: Math.max(one.from, from) - from, to: Math.min(one.to, to) - from }]
      : [],
  );

/** Blocks of whole lines. The pieces begin at the line `first`. */
export async function* toBlocks(
  pieces: AsyncIterable<readonly OutputPiece[]>,
  first: number,
): AsyncIterable<Block> {
  let line = first;
  let open: Uint8Array = new Uint8Array(0);
  let openErrors: readonly Range[] = [];
  for await (const some of pieces) {
    const bytes = join([open, ...some.map(({ content }) => content)]);
    const errors = [
      ...openErrors,
      ...errorsOf(
        some.flatMap(({ spans }) => spans),
        open.length,
      ),
    ];
    const end = bytes.lastIndexOf(newline) + 1;
    if (end > 0) {
      const whole = bytes.subarray(0, end);
      const lines = countNewlines(whole);
      yield { first: line, lines, bytes: whole, errors: within(errors, 0, end) };
      line += lines;
    }
    open = bytes.slice(end, end + mostOfLine);
    openErrors = within(errors, end, end + mostOfLine);
  }
  if (open.length > 0) yield { first: line, lines: 1, bytes: open, errors: openErrors };
}

/** The lines of a block in their order, without their newlines; and whether any of their bytes, the newline too, went to standard error. */
export function* linesOf({ first, bytes, errors }: Block): Iterable<{
  readonly number: number;
  readonly bytes: Uint8Array;
  readonly stderr: boolean;
}> {
  let [number, from, passed] = [first, 0, 0];
  while (from < bytes.length) {
    const found = bytes.indexOf(newline, from);
    const end = found === -1 ? bytes.length : found;
    while ((errors[passed]?.to ?? Infinity) <= from) passed++;
    const stderr = (errors[passed]?.from ?? Infinity) <= end;
    yield { number, bytes: bytes.subarray(from, end), stderr };
    from = end + 1;
    number++;
  }
}
