// What clients say lies where in a picture: boxes and polygons in layers, in pixels of the picture. Pure.

export interface Shape {
  readonly layer: string;
  readonly label: string;
  readonly score: number | undefined;
  /** Corners in their order. */
  readonly corners: readonly (readonly [number, number])[];
}

/** Shapes of a picture that are read at most. */
const most = 5000;

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

/** The shapes of one annotation: boxes and polygons as the Python client names them, or one box or outline as detectors name them. */
const outlinesOf = (one: Readonly<Record<string, unknown>>) => {
  const box = one['bbox'] ?? one['box'];
  return [
    ...list(one['boxes']).map(boxCorners),
    ...(box === undefined ? [] : [boxCorners(box)]),
    ...list(one['points']).map(pairs),
    ...list(one['segmentation']).map(pairs),
  ];
};

const nameOf = (one: Readonly<Record<string, unknown>>): string => {
  const name = one['label'] ?? one['category'] ?? one['class'] ?? one['category_id'];
  return typeof name === 'string' || typeof name === 'number' ? String(name) : '';
};

const shapesOf = (layer: string, annotations: unknown): readonly Shape[] =>
  list(annotations)
    .filter(isRecord)
    .flatMap((one) => {
      const score = one['score'] ?? one['confidence'];
      return outlinesOf(one).map((corners) => ({
        layer,
        label: nameOf(one),
        score: typeof score === 'number' && Number.isFinite(score) ? score : undefined,
        corners,
      }));
    });

const plainLists = ['boxes', 'bboxes', 'bounding_boxes', 'boundingBoxes', 'polygons'] as const;

/**
 * The shapes that the metadata of a picture holds, at most 5000; none where it holds none that can be drawn. They stand in `annotations`, in layers
 * (`{name, data: […]}`) or without, or in a list named for boxes.
 */
export const readShapes = (metadata: string | null): readonly Shape[] => {
  if (metadata === null || !/"annotations"|"polygons"|box/i.test(metadata)) return [];
  let parsed: unknown;
  try {
    parsed = JSON.parse(metadata);
  } catch {
    return [];
  }
  if (!isRecord(parsed)) return [];
  const layers = list(parsed['annotations']).filter(isRecord);
  return [
    ...layers.flatMap((one) =>
      Array.isArray(one['data'])
        ? shapesOf(typeof one['name'] === 'string' ? one['name'] : '', one['data'])
        : shapesOf('', [one]),
    ),
    ...plainLists.flatMap((name) => shapesOf('', parsed[name])),
  ]
    .filter(({ corners }) => corners.length > 1)
    .slice(0, most);
};

/** Which shapes are drawn. */
export interface ShapeChoice {
  /** Those of a lower score are not; those without a score always are. */
  readonly least: number;
  /** Labels and layers that are not. */
  readonly withoutLabels: ReadonlySet<string>;
  readonly withoutLayers: ReadonlySet<string>;
}

export const chosenShapes = (all: readonly Shape[], choice: ShapeChoice): readonly Shape[] =>
  all.filter(
    ({ label, layer, score }) =>
      !choice.withoutLabels.has(label) &&
      !choice.withoutLayers.has(layer) &&
      (score === undefined || score >= choice.least),
  );

/** Names of an address in which they stand one after the other, and the other way round. */
export const readNames = (text: string | null): ReadonlySet<string> =>
  new Set(
    (text ?? '')
      .split(',')
      .filter((one) => one !== '')
      .map((one) => {
        if (one === '-') return '';
        try {
          return decodeURIComponent(one);
        } catch {
          return one;
        }
      }),
  );
export const writeNames = (names: ReadonlySet<string>): string | undefined =>
  names.size === 0
    ? undefined
    : [...names]
        .map((one) => (one === '' ? '-' : encodeURIComponent(one).replace(/^-$/, '%2D')))
        .join();
