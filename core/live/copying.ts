import type { MetricPoint } from '#ports/storage/metrics';
import type { Stores } from '#ports/storage/storage';

const pointsPerWrite = 5000;

/** Copies the points of one experiment into a new one, up to and with a step; points without a step are copied too. */
export const copyRun = async (stores: Stores, fromId: string, toId: string, lastStep: number | undefined, now: number): Promise<void> => {
  const names = new Set((await stores.metrics.listSeries(fromId)).map((series) => series.name));
  for (const name of names) {
    let waiting: MetricPoint[] = [];
    const write = async () => {
      if (waiting.length > 0) await stores.metrics.append({ experimentId: toId, points: waiting, receivedAt: now });
      waiting = [];
    };
    for await (const points of stores.metrics.readPoints(fromId, name)) {
      waiting.push(...points.filter((point) => lastStep === undefined || point.step === undefined || point.step <= lastStep).map((point) => ({ ...point, name })));
      if (waiting.length >= pointsPerWrite) await write();
    }
    await write();
  }
};
