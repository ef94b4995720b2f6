import type { MetricPoint } from '#ports/storage/metrics';
import type { LoggedKind } from '#ports/storage/values';
import type { Stores } from '#ports/storage/storage';
import { nameKey } from '../parameters/rules.js';

const pointsPerWrite = 5000;

const within = (step: number | undefined, lastStep: number | undefined): boolean =>
  lastStep === undefined || step === undefined || step <= lastStep;

/** Points of many metrics go in one write: a write costs about as much for one metric as for hundreds. */
const copyPoints = async (
  stores: Pick<Stores, 'metrics'>,
  fromId: string,
  toId: string,
  lastStep: number | undefined,
  now: number,
): Promise<void> => {
  const names = new Set((await stores.metrics.listSeries(fromId)).map((series) => series.name));
  let waiting: MetricPoint[] = [];
  const write = async () => {
    if (waiting.length > 0)
      await stores.metrics.append({ experimentId: toId, points: waiting, receivedAt: now });
    waiting = [];
  };
  for (const name of names) {
    for await (const points of stores.metrics.readPoints(fromId, name)) {
      for (const point of points)
        if (within(point.step, lastStep)) waiting.push({ ...point, name });
      if (waiting.length >= pointsPerWrite) await write();
    }
  }
  await write();
};

/** The extremes come first, so that they are the copy's extremes and the current value stays current. */
const copyValues = async (
  stores: Pick<Stores, 'values'>,
  kind: LoggedKind,
  fromId: string,
  toId: string,
  lastStep: number | undefined,
  now: number,
): Promise<void> => {
  const found = (await stores.values.list(fromId, kind)).filter(
    (value) => kind !== 'other' || value.name !== nameKey,
  );
  const values = found.flatMap(({ name, context, min, max, last }) =>
    [min, max, last]
      .filter(({ step }) => within(step, lastStep))
      .map((moment) => ({ name, context, ...moment })),
  );
  await stores.values.write({ experimentId: toId, kind, values, receivedAt: now });
};

/**
 * Copies what one experiment has logged into a new one: points, parameters and others up to and with a step, or without one, and tags.
 * The copy keeps its own name.
 */
export const copyRun = async (
  stores: Pick<Stores, 'metrics' | 'values'>,
  fromId: string,
  toId: string,
  lastStep: number | undefined,
  now: number,
): Promise<void> => {
  await copyPoints(stores, fromId, toId, lastStep, now);
  await copyValues(stores, 'parameter', fromId, toId, lastStep, now);
  await copyValues(stores, 'other', fromId, toId, lastStep, now);
  await stores.values.addTags(toId, await stores.values.listTags(fromId), now);
};
