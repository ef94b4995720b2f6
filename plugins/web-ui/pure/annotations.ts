// What clients say lies where in a picture: boxes and polygons in layers, in pixels of the picture. Pure.

export interface Shape {
  readonly layer: string;
  readonly label: string;
  readonly score: number | undefined;
  /** Corners in their order. */
  readonly corners: readonly (readonly [number, number])[];
}

/** Shapes of a picture at most; more are not told apart by anybody. */
const most = 500;

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Pairs of numbers, whether they come in pairs or one after the other. */
const pairs = (value: unknown): readonly (readonly [number, number])[] => {
  const flat = list(value).flat(2).map(Number);
  return flat.every(Number.isFinite)
    ? Array.from({ length: Math.floor(flat.length / 2) }, (_, at) => [
        flat[2 * at] ?? 0,
        flat[2 * at + 1] ?? 0,
      ])
    : [];
};

const boxCorners = (value: unknown): readonly (readonly [number, number])[] => {
  const [x = NaN, y = NaN, width = NaN, height = NaN] = list(value).flat().map(Number);
  return [x, y, width, height].every(Number.isFinite)
    ? [
        [x, y],
        [x + width, y],
        [x + width, y + height],
        [x, y + height],
      ]
    : [];
};

/** The shapes that the metadata of a picture holds; none where it holds none that can be drawn. */
export const readShapes = (metadata: string | null): readonly Shape[] => {
  if (metadata?.includes('"annotations"') !== true) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(metadata);
  } catch {
    return [];
  }
  const layers = isRecord(parsed) ? list(parsed['annotations']) : [];
  return layers
    .filter(isRecord)
    .flatMap(({ name, data }) =>
      list(data)
        .filter(isRecord)
        .flatMap(({ label, score, boxes, points }) =>
          [...list(boxes).map(boxCorners), ...list(points).map(pairs)].map((corners) => ({
            layer: String(name ?? ''),
            label: String(label ?? ''),
            score: typeof score === 'number' ? score : undefined,
            corners,
          })),
        ),
    )
    .filter(({ corners }) => corners.length > 1)
    .slice(0, most);
};
