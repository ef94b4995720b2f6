// The sums of hours as bytes: all whole numbers side by side, all others behind them, then texts as JSON, and at the end what tells how many
// different values there were, so that months of a field are read without parsing a digit. Pure.
import { packedBytes } from './distinct.js';
import { emptySketch, type Numbers, type Sketch } from './sketches.js';

/** The sums of one field in one hour and version. */
export interface Profile {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly version: string;
  readonly sketch: Sketch;
}

/** What stands behind the numbers. */
interface Tail {
  readonly versions: readonly string[];
  /** Texts with their counts, by the place of the profile. */
  readonly texts: readonly (readonly [place: number, texts: Sketch['texts']])[];
}

/** Lengths of the three parts, and whether whole numbers take eight bytes each. */
const headBytes = 16;
const has = { exact: 1, wholeMeans: 2, weights: 4, ends: 8, registers: 16 } as const;
const isSmall = (value: number): boolean => value === (value | 0) && !Object.is(value, -0);

const isOne = (value: number): boolean => value === 1;
const areAll = (numbers: Numbers, test: (value: number) => boolean): boolean => {
  for (const number of numbers) if (!test(number)) return false;
  return true;
};

export const packProfiles = (profiles: readonly Profile[]): Uint8Array => {
  const versions = [...new Set(profiles.map(({ version }) => version))];
  const [wholes, others]: [number[], number[]] = [[], []];
  const texts: (readonly [number, Sketch['texts']])[] = [];
  const registers: Uint8Array[] = [];
  for (const [place, { hour, version, sketch }] of profiles.entries()) {
    const { min, max, means, weights } = sketch;
    const [wholeMeans, weighted] = [areAll(means, isSmall), !areAll(weights, isOne)];
    wholes.push(
      hour,
      versions.indexOf(version),
      (sketch.exact ? has.exact : 0) |
        (wholeMeans ? has.wholeMeans : 0) |
        (weighted ? has.weights : 0) |
        (min === null || max === null ? 0 : has.ends) |
        (sketch.registers === null ? 0 : has.registers),
      ...[sketch.events, sketch.missing, sketch.zeros, sketch.negatives, sketch.longTexts],
      ...[sketch.numbers, sketch.otherTexts, means.length],
      ...(wholeMeans ? means : []),
      ...(weighted ? weights : []),
    );
    others.push(sketch.sum, sketch.squares);
    if (min !== null && max !== null) others.push(min, max);
    if (!wholeMeans) others.push(...means);
    if (Object.keys(sketch.texts).length > 0) texts.push([place, sketch.texts]);
    if (sketch.registers !== null) registers.push(sketch.registers);
  }
  const isWide = !wholes.every(isSmall);
  const tail = Buffer.from(JSON.stringify({ versions, texts } satisfies Tail));
  const head = Uint32Array.of(wholes.length, others.length, tail.length, isWide ? 1 : 0);
  const packed = isWide ? Float64Array.from(wholes) : Int32Array.from(wholes);
  // Numbers of eight bytes begin at a multiple of eight.
  const padding = Buffer.alloc((8 - (packed.byteLength % 8)) % 8);
  return Buffer.concat([
    Buffer.from(head.buffer),
    Buffer.from(packed.buffer),
    padding,
    Buffer.from(Float64Array.from(others).buffer),
    tail,
    ...registers,
  ]);
};

/** Weights of values that stood there once each. */
const ones = new Float64Array(1024).fill(1);
const onesOf = (length: number): Float64Array =>
  length <= ones.length ? ones.subarray(0, length) : new Float64Array(length).fill(1);

/** Means and weights of what is answered lie in the bytes that are given, so that months are read without copying a number. */
export const unpackProfiles = (packed: Uint8Array): readonly Profile[] => {
  // Numbers begin where arrays of them can.
  const { buffer, byteOffset: start } =
    packed.byteOffset % 8 === 0 ? packed : Uint8Array.from(packed);
  const [wholeCount = 0, otherCount = 0, tailBytes = 0, isWide = 0] = new Uint32Array(
    buffer,
    start,
    4,
  );
  const wholes = isWide
    ? new Float64Array(buffer, start + headBytes, wholeCount)
    : new Int32Array(buffer, start + headBytes, wholeCount);
  const othersAt = Math.ceil((headBytes + wholes.byteLength) / 8) * 8;
  const others = new Float64Array(buffer, start + othersAt, otherCount);
  const tailAt = othersAt + others.byteLength;
  const tail = JSON.parse(Buffer.from(buffer, start + tailAt, tailBytes).toString()) as Tail; // written by packProfiles
  const texts = new Map(tail.texts);
  const profiles: Profile[] = [];
  let [at, other, registersAt] = [0, 0, start + tailAt + tailBytes];
  const whole = (): number => wholes[at++] ?? 0;
  const number = (): number => others[other++] ?? 0;
  while (at < wholeCount) {
    const hour = whole();
    const version = tail.versions[whole()] ?? '';
    const flags = whole();
    const events = whole();
    const missing = whole();
    const zeros = whole();
    const negatives = whole();
    const longTexts = whole();
    const numbers = whole();
    const otherTexts = whole();
    const length = whole();
    const sum = number();
    const squares = number();
    const hasEnds = (flags & has.ends) !== 0;
    const min = hasEnds ? number() : null;
    const max = hasEnds ? number() : null;
    const wholeMeans = (flags & has.wholeMeans) !== 0;
    const means = wholeMeans
      ? wholes.subarray(at, at + length)
      : others.subarray(other, other + length);
    if (wholeMeans) at += length;
    else other += length;
    const weighted = (flags & has.weights) !== 0;
    const weights = weighted ? wholes.subarray(at, at + length) : onesOf(length);
    if (weighted) at += length;
    const hasRegisters = (flags & has.registers) !== 0;
    const registers = hasRegisters ? new Uint8Array(buffer, registersAt, packedBytes) : null;
    if (hasRegisters) registersAt += packedBytes;
    profiles.push({
      hour,
      version,
      sketch: {
        events,
        missing,
        zeros,
        negatives,
        longTexts,
        numbers,
        sum,
        squares,
        min,
        max,
        means,
        weights,
        exact: (flags & has.exact) !== 0,
        texts: texts.get(profiles.length) ?? emptySketch.texts,
        otherTexts,
        registers,
      },
    });
  }
  return profiles;
};
