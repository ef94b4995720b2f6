// Batches as the Python client sends them, made before anything is timed.

export interface Shape {
  readonly series: number;
  readonly points: number;
}

/** A training curve's value at a step: it falls, and trembles, with the digits that a float has. */
const valueAt = (series: number, step: number): number =>
  Math.exp(-step / 5000) * (1 + series / 10) + Math.sin(step * 12.9898 + series * 78.233) * 0.05;

const makeBatch = (
  experimentKey: string,
  { series, points }: Shape,
  firstStep: number,
  names = (at: number) => `train/metric_${at}`,
) => ({
  experimentKey,
  values: Array.from({ length: points }, (_, step) =>
    Array.from({ length: series }, (__, at) => ({
      metricName: names(at),
      metricValue: valueAt(at, firstStep + step),
      step: firstStep + step,
      epoch: Math.floor((firstStep + step) / 1000),
      context: null,
      timestamp: 1_700_000_000_000 + (firstStep + step) * 731,
    })),
  ).flat(),
});

/** Where a request's own number stands, so that no two are the same to the server. */
const mark = '000000000000';

/** A whole request as bytes, and where its number goes. */
export interface Prepared {
  readonly bytes: Buffer;
  readonly markAt: number;
  /** Where ids begin whose first twelve digits are that number, too. */
  readonly idsAt?: readonly number[];
}

export interface Target {
  readonly path: string;
  readonly apiKey: string;
}

/** One POST as it goes over the wire. */
export const prepare = ({ path, apiKey }: Target, body: object): Prepared => {
  const content = Buffer.from(JSON.stringify({ ...body, mark }));
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${content.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), content]);
  return { bytes, markAt: bytes.lastIndexOf(mark) };
};

export const batchPath = '/clientlib/batch/logger/experiment/metric';

/** A few batches for every experiment, which follow each other. */
export const prepareBatches = (
  target: Target,
  keys: readonly string[],
  shape: Shape,
  each: number,
  names?: (at: number) => string,
): readonly (readonly Prepared[])[] =>
  keys.map((key) =>
    Array.from({ length: each }, (_, i) =>
      prepare(target, makeBatch(key, shape, i * shape.points, names)),
    ),
  );
