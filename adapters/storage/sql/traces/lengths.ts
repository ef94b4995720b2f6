// Durations of many rows: kept as how much each is longer than the one before, and ranked without sorting them. Pure.
import { varintBytes, writeVarint } from '../metrics/varints.js';

/** Durations in ascending order as bytes; the first one is told apart. */
export const writeLengths = (lengths: readonly number[]): Uint8Array => {
  const steps = lengths.map((length, at) => length - (lengths[at - 1] ?? length));
  const bytes = new Uint8Array(steps.reduce((sum, step) => sum + varintBytes(step), 0));
  steps.reduce((at, step) => writeVarint(bytes, at, step), 0);
  return bytes;
};

export const readLengths = (shortest: number, bytes: Uint8Array): readonly number[] => {
  const lengths: number[] = [];
  readLengthsInto(lengths, shortest, bytes, { from: 0, to: bytes.length });
  return lengths;
};

/** The same of a part of some bytes, behind what was read before. */
export const readLengthsInto = (
  lengths: number[],
  shortest: number,
  bytes: Uint8Array,
  { from, to }: { readonly from: number; readonly to: number },
): void => {
  let length = shortest;
  // Written out, since millions are read at once.
  for (let at = from; at < to;) {
    let byte = bytes[at++] ?? 0;
    let step = byte & 0x7f;
    for (let scale = 0x80; byte >= 0x80; scale *= 0x80) {
      byte = bytes[at++] ?? 0;
      step += (byte & 0x7f) * scale;
    }
    length += step;
    lengths.push(length);
  }
};

/** Steps from one power of two to the next. */
const stepsOfPower = 64;
const [smallBits, most] = [6, 0x7fffffff];
/** Steps of durations on either side of 0. */
const sideSteps = stepsOfPower * 64;

/** The step of a whole number, a sixty-fourth of itself wide; steps ascend with the numbers. */
const stepOf = (length: number): number => {
  if (length < 0) return -1 - stepOf(-length);
  let [rest, power] = [length, 0];
  for (; rest > most; power += smallBits) rest = Math.floor(rest / stepsOfPower);
  if (rest < stepsOfPower) return rest;
  const top = 31 - Math.clz32(rest);
  return (top - smallBits + 1 + power) * stepsOfPower + ((rest >>> (top - smallBits)) & 63);
};

/** The numbers of rank `ceil(part * n)` among all of several lists; `undefined` where these are empty. Each list is read twice, so that not all are held. */
export const rankedOf = (
  lists: readonly (() => readonly number[])[],
  parts: readonly number[],
): readonly number[] | undefined => {
  const counts = new Float64Array(2 * sideSteps);
  let n = 0;
  for (const list of lists)
    for (const length of list()) {
      const at = stepOf(length) + sideSteps;
      counts[at] = (counts[at] ?? 0) + 1;
      n++;
    }
  if (n === 0) return undefined;
  const places = parts.map((part) => {
    let place = Math.ceil(part * n);
    const at = counts.findIndex((count) => {
      if (place <= count) return true;
      place -= count;
      return false;
    });
    return { step: at - sideSteps, place };
  });
  const held = new Map(places.map(({ step }) => [step, [] as number[]]));
  for (const list of lists) for (const length of list()) held.get(stepOf(length))?.push(length);
  for (const some of held.values()) some.sort((one, other) => one - other);
  return places.map(({ step, place }) => held.get(step)?.[place - 1] ?? 0);
};
