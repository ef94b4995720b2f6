// Points and boxes in space and how they look from a side. Pure.
import { readJson } from './media.js';

export interface SpacePoint {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** As it was sent with the point. */
  readonly colour: string | undefined;
}

const readLine = (line: string): readonly number[] => {
  try {
    const found: unknown = JSON.parse(line);
    return Array.isArray(found) ? found.map(Number) : [];
  } catch {
    return [];
  }
};

type Spot = readonly [x: number, y: number, z: number];

/** Moves and scales what is in space into a ball of one around the middle of these spots. */
const intoBall = (
  middleOf: readonly (readonly number[])[],
  all: readonly (readonly number[])[],
) => {
  const middle = [0, 1, 2].map(
    (at) => middleOf.reduce((sum, row) => sum + (row[at] ?? 0), 0) / (middleOf.length || 1),
  );
  const away = (row: readonly number[]) => middle.map((one, at) => (row[at] ?? 0) - one);
  let far = 0;
  for (const row of all) far = Math.max(far, Math.hypot(...away(row)));
  return (row: readonly number[]): Spot => {
    const [x = 0, y = 0, z = 0] = away(row).map((one) => one / (far || 1));
    return [x, y, z];
  };
};

/** Lines in space that belong together, such as the edges of a box. */
export interface SpaceBox {
  readonly name: string;
  /** As it was sent with the box. */
  readonly colour: string | undefined;
  readonly lines: readonly (readonly Spot[])[];
}
export interface Scene {
  readonly points: readonly SpacePoint[];
  readonly boxes: readonly SpaceBox[];
}

const isSpot = (row: unknown): row is readonly number[] =>
  Array.isArray(row) && row.length >= 3 && row.slice(0, 3).every(Number.isFinite);
const toneOf = (tones: readonly number[], most: number): string | undefined =>
  tones.length === 3 && tones.every(Number.isFinite)
    ? `rgb(${tones.map((tone) => Math.round((Math.max(0, Math.min(most, tone)) / most) * 255)).join(' ')})`
    : undefined;

const readBox = (line: string) => {
  const { segments, color, name, label } = readJson(line) ?? {};
  const lines = (Array.isArray(segments) ? (segments as readonly unknown[]) : [])
    .map((some) => (Array.isArray(some) ? some.filter(isSpot) : []))
    .filter((some) => some.length > 1);
  const tones = Array.isArray(color) ? color.map(Number) : [];
  const told = [name, label].find((one) => typeof one === 'string') ?? '';
  return lines.length === 0 ? [] : [{ name: String(told), colour: toneOf(tones, 255), lines }];
};

/** The first points and boxes of texts with one in each line, in one ball: points are `[x, y, z]` or with red, green and blue from 0 to 1, boxes have `segments` between points, a `color` from 0 to 255 and a `name`. */
export const readScene = (
  texts: { readonly points: string; readonly boxes: string },
  most: { readonly points: number; readonly boxes: number },
): Scene => {
  const rows = texts.points.split('\n', most.points).map(readLine).filter(isSpot);
  const boxes = texts.boxes.split('\n', most.boxes).flatMap(readBox);
  const corners = boxes.flatMap(({ lines }) => lines.flat());
  const place = intoBall(rows.length > 0 ? rows : corners, [...rows, ...corners]);
  return {
    points: rows.map((row) => {
      const [x, y, z] = place(row);
      return { x, y, z, colour: toneOf(row.slice(3, 6), 1) };
    }),
    boxes: boxes.map((box) => ({ ...box, lines: box.lines.map((line) => line.map(place)) })),
  };
};

/** Where a place is on paper when it is turned around the upright axis and then tilted, and how far away. */
const turnedSpot = (
  [x, y, z]: Spot,
  around: number,
  up: number,
): { readonly x: number; readonly y: number; readonly deep: number } => {
  const [ca, sa, cu, su] = [Math.cos(around), Math.sin(around), Math.cos(up), Math.sin(up)];
  const deep = z * ca - x * sa;
  return { x: x * ca + z * sa, y: y * cu - deep * su, deep: y * su + deep * cu };
};

/** The lines of a box on paper. */
export const turnedLines = (
  { lines }: SpaceBox,
  around: number,
  up: number,
): readonly (readonly { readonly x: number; readonly y: number }[])[] =>
  lines.map((line) => line.map((spot) => turnedSpot(spot, around, up)));

/** Where points are on paper when they are turned around the upright axis and then tilted, the farthest first. */
export const turned = (
  points: readonly SpacePoint[],
  around: number,
  up: number,
): readonly { readonly x: number; readonly y: number; readonly colour: string | undefined }[] =>
  points
    .map(({ x, y, z, colour }) => ({ ...turnedSpot([x, y, z], around, up), colour }))
    .sort((a, b) => a.deep - b.deep);
