// Sparse texts of a chunk: a varint count, then for each its distance from the text before, its length in bytes, its UTF-8.
import type { Point, Slice } from './points.js';
import { readVarint, varintBytes, writeVarint } from './varints.js';

/** A text or none for every point; nothing at all when no point has one. */
export const gatherTexts = (slices: readonly Slice[]): readonly Pick<Point, 'text'>[] => {
  if (slices.every(({ columns }) => columns.texts.size === 0)) return [];
  const texts = slices.flatMap(({ columns, from, to }) =>
    Array.from({ length: to - from }, (_, i) => ({ text: columns.texts.get(from + i) })),
  );
  return texts.some(({ text }) => text !== undefined) ? texts : [];
};

/** Bytes that `writeTexts` needs for these points. */
export const measureTexts = (points: readonly Pick<Point, 'text'>[]): number => {
  let count = 0;
  let bytes = 0;
  let before = 0;
  for (let at = 0; at < points.length; at++) {
    const text = points[at]!.text;
    if (text === undefined) continue;
    const length = Buffer.byteLength(text);
    bytes += varintBytes(at - before) + varintBytes(length) + length;
    before = at;
    count++;
  }
  return bytes + varintBytes(count);
};

/** Writes the texts and gives the place after them. */
export const writeTexts = (
  points: readonly Pick<Point, 'text'>[],
  into: Buffer,
  from: number,
): number => {
  let place = writeVarint(into, from, countTexts(points));
  let before = 0;
  for (let at = 0; at < points.length; at++) {
    const text = points[at]!.text;
    if (text === undefined) continue;
    place = writeVarint(into, place, at - before);
    place = writeVarint(into, place, Buffer.byteLength(text));
    place += into.write(text, place);
    before = at;
  }
  return place;
};

/** Texts by the place of their point; throws an `Error` unless they fill the bytes exactly and belong to one of `points` points. */
export const readTexts = (bytes: Buffer, from: number, points: number): Map<number, string> => {
  const texts = new Map<number, string>();
  const cursor = { at: from };
  let owner = 0;
  for (let left = readVarint(bytes, cursor); left > 0; left--) {
    owner += readVarint(bytes, cursor);
    const length = readVarint(bytes, cursor);
    const end = cursor.at + length;
    if (owner >= points || end > bytes.length)
      throw new Error('metric chunk has a text outside its bounds');
    texts.set(owner, bytes.toString('utf8', cursor.at, end));
    cursor.at = end;
  }
  if (cursor.at !== bytes.length) throw new Error('metric chunk has bytes after its last text');
  return texts;
};

const countTexts = (points: readonly Pick<Point, 'text'>[]): number => {
  let count = 0;
  for (const point of points) if (point.text !== undefined) count++;
  return count;
};
