import cluster from 'node:cluster';
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  Registry,
  collectDefaultMetrics,
} from 'prom-client';
import type { Meters } from '#ports/meters';
import { askPrimary } from './gathered-meters.js';

let processFigures: Registry | undefined;
/** Figures of the process: taken once, since each taking has timers and observers that never end. */
const ofProcess = (): Registry => {
  if (processFigures === undefined)
    collectDefaultMetrics({ register: (processFigures = new Registry()) });
  return processFigures;
};

/** Figures in a registry of their own, with those of the process beside them. */
export const promMeters = (): Meters => {
  const [registry, shared] = [new Registry(), ofProcess()];
  const known = <T>(name: string): T | undefined => registry.getSingleMetric(name) as T | undefined; // a name is always asked for in one form
  const own = async (): Promise<string> => `${await registry.metrics()}\n${await shared.metrics()}`;
  if (cluster.isWorker) AggregatorRegistry.setRegistries([registry, shared]);
  return {
    counter(name, help, labels = []) {
      const counter =
        known<Counter>(name) ??
        new Counter({ name, help, labelNames: [...labels], registers: [registry] });
      return {
        add: (amount, values = {}) => {
          counter.inc(values, amount);
        },
      };
    },
    histogram(name, help, buckets, labels = []) {
      const histogram =
        known<Histogram>(name) ??
        new Histogram({
          name,
          help,
          buckets: [...buckets],
          labelNames: [...labels],
          registers: [registry],
        });
      return {
        observe: (value, values = {}) => {
          histogram.observe(values, value);
        },
      };
    },
    gauge(name, help, read, { of = 'process', label } = {}) {
      if (known(name) !== undefined) registry.removeSingleMetric(name);
      new Gauge({
        name,
        help,
        labelNames: label === undefined ? [] : [label],
        registers: [registry],
        aggregator: of === 'process' ? 'sum' : 'max',
        async collect() {
          const reading = await Promise.resolve(read()).catch(() =>
            label === undefined ? Number.NaN : new Map<string, number>(),
          );
          if (typeof reading === 'number') this.set(reading);
          else for (const [value, figure] of reading) this.set({ [label ?? '']: value }, figure);
        },
      });
    },
    info(name, help, labels) {
      if (known(name) !== undefined) registry.removeSingleMetric(name);
      new Gauge({
        name,
        help,
        labelNames: Object.keys(labels),
        registers: [registry],
        aggregator: 'first',
      }).set(labels, 1);
    },
    show: async () => (await askPrimary()) ?? own(),
  };
};
