// Every point of some metrics of a run, as parts of a table.
import type { ParquetColumn } from '#ports/parquet';
import { pointsIn } from '#ports/storage/metrics';
import type { Stores } from '#ports/storage/storage';
import type { TablePart } from '../table-file.js';

export const pointColumns: readonly ParquetColumn[] = [
  { name: 'metric', type: 'text' },
  { name: 'context', type: 'text' },
  { name: 'step', type: 'number' },
  { name: 'epoch', type: 'number' },
  { name: 'timestamp', type: 'number' },
  { name: 'value', type: 'number' },
  { name: 'logged', type: 'text' },
];

/** `null` for what is no number; the text as it was logged stands beside it. */
const toNumber = (text: string): number | null => {
  const number = text.trim() === '' ? NaN : Number(text);
  return Number.isNaN(number) ? null : number;
};

/** One metric after another, each in the order of arrival; times are milliseconds since the Unix epoch. */
export async function* pointsOf(
  { metrics: store }: Pick<Stores, 'metrics'>,
  experimentId: string,
  metrics: readonly string[],
): AsyncIterable<TablePart> {
  for (const metric of metrics)
    for await (const columns of store.readPoints(experimentId, metric)) {
      const points = pointsIn(columns);
      yield [
        points.map(() => metric),
        points.map(({ context }) => context ?? null),
        points.map(({ step }) => step ?? null),
        points.map(({ epoch }) => epoch ?? null),
        points.map(({ timestamp }) => timestamp),
        points.map(({ text }) => toNumber(text)),
        points.map(({ text }) => text),
      ];
    }
}
