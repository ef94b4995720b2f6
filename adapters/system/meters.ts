import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Meters } from '#ports/meters';

let processFigures: Registry | undefined;
/** Figures of the process: taken once, since each taking has timers and observers that never end. */
const ofProcess = (): Registry => {
  if (processFigures === undefined) collectDefaultMetrics({ register: processFigures = new Registry() });
  return processFigures;
};

/** Figures in a registry of their own, with those of the process beside them. */
export const promMeters = (): Meters => {
  const [registry, shared] = [new Registry(), ofProcess()];
  const known = <T>(name: string): T | undefined => registry.getSingleMetric(name) as T | undefined; // a name is always asked for in one form
  return {
    counter(name, help, labels = []) {
      const counter = known<Counter>(name) ?? new Counter({ name, help, labelNames: [...labels], registers: [registry] });
      return { add: (amount, values = {}) => { counter.inc(values, amount); } };
    },
    histogram(name, help, buckets, labels = []) {
      const histogram = known<Histogram>(name) ?? new Histogram({ name, help, buckets: [...buckets], labelNames: [...labels], registers: [registry] });
      return { observe: (value, values = {}) => { histogram.observe(values, value); } };
    },
    gauge(name, help, read) {
      if (known(name) !== undefined) registry.removeSingleMetric(name);
      new Gauge({ name, help, registers: [registry], async collect() { this.set(await Promise.resolve(read()).catch(() => Number.NaN)); } });
    },
    show: async () => `${await registry.metrics()}\n${await shared.metrics()}`,
  };
};
