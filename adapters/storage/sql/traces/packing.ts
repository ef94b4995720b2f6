// Frames are packed on this thread where a batch is small, and on a thread beside it where it is large, so that requests are read meanwhile.
import { threadBeside } from '../beside.js';
import { varintBytes, writeVarint } from '../metrics/varints.js';
import { isOdd } from './grams.js';
import { packContent, type Content, type Packed } from './pack-content.js';

type Texts = readonly (string | undefined)[];

/** A batch of as many bytes goes to the thread beside; less takes no longer here than its way there. */
const besideBytes = 128 * 1024;
/** Young objects of that thread, in MiB: it keeps none. */
const youngMb = 4;

/** Texts that are to lie in a row: how many there are, how long each is, and the texts themselves. */
interface Row {
  readonly texts: Texts;
  readonly numbers: readonly number[];
  /** Where the texts begin, and where they end. */
  readonly from: number;
  readonly bytes: number;
}
const measure = (texts: Texts): Row => {
  const numbers = [
    texts.length,
    ...texts.map((text) => (text === undefined ? 0 : text.length + 1)),
  ];
  const from = numbers.reduce((sum, one) => sum + varintBytes(one), 0);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), from);
  return { texts, numbers, from, bytes };
};
const bytesOf = (rows: readonly Row[]): number => rows.reduce((sum, { bytes }) => sum + bytes, 0);

/** Lays out rows one behind the other, in memory of their own: in one piece, since to hand many to another thread takes longer than to fill them. */
const layOut = (rows: readonly Row[]): readonly Content[] => {
  const all = Buffer.allocUnsafeSlow(bytesOf(rows));
  let begin = 0;
  return rows.map(({ texts, numbers, from, bytes }) => {
    const row = new Uint8Array(all.buffer, begin, bytes);
    numbers.reduce((at, one) => writeVarint(row, at, one), 0);
    let at = begin + from;
    for (const text of texts) if (text !== undefined) at += all.write(text, at);
    begin += bytes;
    return { bytes: row, from, hasGrams: !isOdd(texts) };
  });
};

const pack = threadBeside<readonly Content[], readonly Packed[]>(
  new URL('./packing-thread.js', import.meta.url),
  youngMb,
);

/** Packs texts as frames, in their order. */
export const packAll = async (all: readonly Texts[]): Promise<readonly Packed[]> => {
  const rows = all.map(measure);
  if (bytesOf(rows) < besideBytes) return layOut(rows).map(packContent);
  const contents = layOut(rows);
  try {
    return await pack(
      contents,
      contents.slice(0, 1).map(({ bytes }) => bytes.buffer), // all of them lie in one
    );
  } catch {
    return layOut(rows).map(packContent); // that thread has ended, and what it was given with it
  }
};
