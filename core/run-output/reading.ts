// Reads some lines of an output: by number, by a text that they hold, or those of standard error. Each reading ends after so many lines and bytes and says where it goes on.
import type { TextStore } from '#ports/storage/texts';
import type { LineIndex } from './line-index.js';
import { linesOf, toBlocks, type Block } from './lines.js';

export interface Wanted {
  /** Numbers of the first line and the last one to look at. */
  readonly from: number;
  readonly to: number;
  /** Lines to answer. */
  readonly limit: number;
  readonly search?: { readonly text: string; readonly ignoreCase: boolean };
  /** Only lines of standard error. */
  readonly stderr?: true;
}

export interface FoundLine {
  readonly number: number;
  readonly text: string;
  readonly cut?: true;
  readonly stderr?: true;
}
export interface Found {
  readonly lines: readonly FoundLine[];
  /** The line from which the same reading goes on; `undefined` when it is at its end. */
  readonly next: number | undefined;
}

/** What is told of a line. */
const lineBytes = 16 * 1024;
const replyBytes = 4 * 1024 * 1024;
/** What one search looks through. */
const searchedBytes = 64 * 1024 * 1024;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** The beginning of a line, not cut within a character. */
const toText = (bytes: Uint8Array): Pick<FoundLine, 'text' | 'cut'> => {
  if (bytes.length <= lineBytes) return { text: decoder.decode(bytes) };
  let end = lineBytes;
  while (end > lineBytes - 4 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return { text: decoder.decode(bytes.subarray(0, end)), cut: true };
};

type Holds = (bytes: Uint8Array) => boolean;

const holding = ({ search }: Wanted): Holds => {
  if (search === undefined) return () => true;
  const { text, ignoreCase } = search;
  const wanted = ignoreCase ? text.toLowerCase() : text;
  return (bytes) => {
    const whole = decoder.decode(bytes);
    return (ignoreCase ? whole.toLowerCase() : whole).includes(wanted);
  };
};

const isWithin = ({ first, lines }: Block, { from, to }: Wanted): boolean =>
  first <= to && first + lines > from;

export const readSome = async (
  texts: Pick<TextStore, 'readOutputFrom'>,
  experimentId: string,
  index: LineIndex,
  wanted: Wanted,
): Promise<Found> => {
  const holds = holding(wanted);
  const onlyErrors = wanted.stderr === true;
  const sought = onlyErrors || wanted.search !== undefined;
  const start = index.before(wanted.from);
  const found: FoundLine[] = [];
  let [size, searched] = [0, 0];
  for await (const block of toBlocks(texts.readOutputFrom(experimentId, start.place), start.line)) {
    // Few blocks hold what is searched for: their lines are cut only where they do.
    if (isWithin(block, wanted) && (!onlyErrors || block.errors.length > 0) && holds(block.bytes))
      for (const { number, bytes, stderr } of linesOf(block)) {
        if (number < wanted.from || number > wanted.to || (onlyErrors && !stderr)) continue;
        if (!holds(bytes)) continue;
        if (found.length === wanted.limit || size >= replyBytes)
          return { lines: found, next: number };
        found.push({ number, ...toText(bytes), ...(stderr ? { stderr } : {}) });
        size += Math.min(bytes.length, lineBytes);
      }
    searched += block.bytes.length;
    const next = block.first + block.lines;
    if (next > wanted.to) break; // before more is read
    if (sought && searched >= searchedBytes) return { lines: found, next };
  }
  return { lines: found, next: undefined };
};
