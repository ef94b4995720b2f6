// Marks along a line, by which it is told from others without its colour. Pure.

/** A stroke and a mark that belong together. */
export interface Stroke {
  /** Lengths of strokes and gaps; a whole line without them. */
  readonly dash: readonly number[] | undefined;
  readonly marker: number;
}

const dashes = [undefined, [7, 3], [2, 3], [9, 3, 2, 3]] as const;
const shapes = 4;

/** How many strokes differ from each other. */
export const strokeCount = dashes.length * shapes;

/** The stroke of a place: no two alike among the first sixteen. */
export const strokeAt = (at: number): Stroke => ({
  dash: dashes[at % dashes.length],
  marker: (at + Math.floor(at / dashes.length)) % shapes,
});

/** The outline of a mark around a point: a circle, a square, a triangle, a diamond. */
export const markerPath = (marker: number, x: number, y: number, size: number): string => {
  const at = (dx: number, dy: number) => `${(x + dx).toFixed(1)} ${(y + dy).toFixed(1)}`;
  const corners = (...all: readonly (readonly [number, number])[]) =>
    `M${all.map(([dx, dy]) => at(dx * size, dy * size)).join('L')}Z`;
  switch (marker % shapes) {
    case 1:
      return corners([-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]);
    case 2:
      return corners([0, -1.2], [1.1, 0.9], [-1.1, 0.9]);
    case 3:
      return corners([0, -1.3], [1.3, 0], [0, 1.3], [-1.3, 0]);
    default:
      return `M${at(-size, 0)}a${size} ${size} 0 1 0 ${2 * size} 0a${size} ${size} 0 1 0 ${-2 * size} 0Z`;
  }
};

const apart = 80;

/** Which of the points of a line have a mark: about one in eighty pixels, those of other lines elsewhere. */
export const markedPoints = (
  points: readonly (readonly [x: number, y: number])[],
  line: number,
): readonly (readonly [x: number, y: number])[] => {
  const [first] = points;
  if (first === undefined) return [];
  let next = first[0] + ((line * 23) % apart);
  const found: (readonly [number, number])[] = [];
  for (const point of points) {
    if (point[0] < next) continue;
    found.push(point);
    next = point[0] + apart;
  }
  return found.length === 0 ? [first] : found;
};
