// The points of metrics as the wire lists them. There may be millions in one reply, so their bytes are laid out at once, from what does not change, and
// numbers are written into the gaps.
import { pointsIn, type PointColumns, type StoredPoint } from '#ports/storage/metrics';
import { decodeColumns } from './codec.js';
import { columnsFrom, type Columns } from './points.js';

/** Texts that JSON has as they are: every number, and the words for those that are not finite. */
const isPlain = /^[\w+.-]*$/;

const heads = (name: string, context: string | undefined) => ({
  metricName: JSON.stringify(name),
  runContext: JSON.stringify(context ?? null),
});

/** One after the other, whatever they are. */
const writeEach = (name: string, points: readonly StoredPoint[]): Uint8Array<ArrayBuffer> => {
  const { metricName, runContext } = heads(name, points[0]?.context);
  return new TextEncoder().encode(
    points
      .map(
        ({ text, timestamp, step, epoch }) =>
          `{"metricName":${metricName},"metricValue":${JSON.stringify(text)},"timestamp":${timestamp},"step":${step ?? null},"epoch":${epoch ?? null},"runContext":${runContext}}`,
      )
      .join(','),
  );
};

const [zero, quote, comma, blank] = [0x30, 0x22, 0x2c, ' '];
/** The largest number whose digits are written here. */
const largest = 10 ** 15;

/** The four digits of each number below 10,000. */
const fours = Uint8Array.from({ length: 40_000 }, (_, at) => {
  const place = 10 ** (3 - (at & 3));
  return zero + (Math.floor((at >> 2) / place) % 10);
});

/** The digits of a whole number from 0 on, so that the last one stands before `end`. */
const writeDigits = (into: Uint8Array, end: number, value: number): void => {
  let at = end;
  let left = value;
  while (left >= 10_000) {
    const higher = Math.floor(left / 10_000);
    const four = (left - higher * 10_000) << 2;
    at -= 4;
    into[at] = fours[four]!;
    into[at + 1] = fours[four + 1]!;
    into[at + 2] = fours[four + 2]!;
    into[at + 3] = fours[four + 3]!;
    left = higher;
  }
  let low = left | 0;
  do {
    const tenth = (low / 10) | 0;
    into[--at] = zero + low - tenth * 10;
    low = tenth;
  } while (low > 0);
};

/** How many digits the numbers of a column have at most; 0 where none has a number, and `undefined` where not all are whole numbers from 0 on. */
const digitsOf = (column: Float64Array): number | undefined => {
  let [most, absent] = [0, 0];
  for (let at = 0; at < column.length; at++) {
    const value = column[at]!;
    if (value !== value) absent++;
    else if (value >= 0 && value < largest && Math.floor(value) === value)
      most = value > most ? value : most;
    else return undefined;
  }
  if (absent === column.length) return 0;
  return absent === 0 ? String(most).length : undefined;
};

const textsOf = ({ values, texts }: PointColumns): readonly string[] =>
  Array.from(values, (value, at) => texts.get(at) ?? String(value));

/** All of one form: every member has the same place in each, with blanks before a number or behind a text that is shorter than others. */
const writeAlike = (name: string, columns: PointColumns): Uint8Array<ArrayBuffer> | undefined => {
  const { values, texts, context } = columns;
  const [stepDigits, epochDigits, timeDigits] = [
    digitsOf(columns.steps),
    digitsOf(columns.epochs),
    digitsOf(columns.timestamps),
  ];
  if (
    stepDigits === undefined ||
    epochDigits === undefined ||
    timeDigits === undefined ||
    timeDigits === 0
  )
    return undefined;
  const { metricName, runContext } = heads(name, context);
  // A byte for each character, and nothing that JSON writes in another way.
  if (![name, context ?? '', ...texts.values()].every((text) => isPlain.test(text)))
    return undefined;
  const numbers = Buffer.from(
    (texts.size === 0 ? values : textsOf(columns)).join(','), // which is several times as fast for numbers
    'latin1',
  );
  let [longest, length] = [0, 0];
  for (let at = 0; at < numbers.length; at++) {
    if (numbers[at] === comma) length = 0;
    else if (++length > longest) longest = length;
  }
  const gap = (digits: number) => (digits === 0 ? 'null' : blank.repeat(digits));
  const parts = [
    `{"metricName":${metricName},"timestamp":`,
    gap(timeDigits),
    ',"step":',
    gap(stepDigits),
    ',"epoch":',
    gap(epochDigits),
    `,"runContext":${runContext},"metricValue":"`,
    blank.repeat(longest + 1),
    '},',
  ];
  const ends: number[] = [];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.length);
  const [, timeEnd = 0, , stepEnd = 0, , epochEnd = 0, valueStart = 0] = ends;
  const one = parts.join('');
  const bytes = Buffer.allocUnsafeSlow(one.length * values.length); // which shares its memory with nothing
  bytes.fill(one, 'latin1');
  let from = 0;
  for (let at = 0, start = 0; at < values.length; at++, start += one.length) {
    writeDigits(bytes, start + timeEnd, columns.timestamps[at]!);
    if (stepDigits > 0) writeDigits(bytes, start + stepEnd, columns.steps[at]!);
    if (epochDigits > 0) writeDigits(bytes, start + epochEnd, columns.epochs[at]!);
    let into = start + valueStart;
    for (; from < numbers.length && numbers[from] !== comma; from++) bytes[into++] = numbers[from]!;
    from++;
    bytes[into] = quote;
  }
  return bytes.subarray(0, -1);
};

/** Points as items of a JSON list, in memory of their own; they are one at least. */
export const writePoints = (name: string, points: PointColumns): Uint8Array<ArrayBuffer> =>
  writeAlike(name, points) ?? writeEach(name, pointsIn(points));

/** Chunks of a series as they are stored, one after the other; of each, how many of its first points are left out. */
export interface StoredChunks {
  readonly name: string;
  readonly context: string | undefined;
  readonly chunks: readonly { readonly points: Uint8Array<ArrayBuffer>; readonly skip: number }[];
}

/** Side by side what came one after the other. */
const joinColumns = (all: readonly Columns[]): Columns => {
  const [first] = all;
  if (all.length === 1 && first !== undefined) return first;
  const count = all.reduce((sum, { values }) => sum + values.length, 0);
  const joined = {
    values: new Float64Array(count),
    timestamps: new Float64Array(count),
    steps: new Float64Array(count),
    epochs: new Float64Array(count),
    texts: new Map<number, string>(),
  };
  let from = 0;
  for (const columns of all) {
    for (const name of ['values', 'timestamps', 'steps', 'epochs'] as const)
      joined[name].set(columns[name], from);
    for (const [at, text] of columns.texts) joined.texts.set(from + at, text);
    from += columns.values.length;
  }
  return joined;
};

/** The same of stored chunks, which are one at least. Throws where the bytes of one are damaged. */
export const writeChunks = ({ name, context, chunks }: StoredChunks): Uint8Array<ArrayBuffer> =>
  writePoints(name, {
    context,
    // At once: a text of its own for each chunk, joined afterwards, takes twice the memory, for which the garbage collector then runs.
    ...joinColumns(
      chunks.map(({ points, skip }) =>
        columnsFrom(
          decodeColumns(Buffer.from(points.buffer, points.byteOffset, points.length)),
          skip,
        ),
      ),
    ),
  });
