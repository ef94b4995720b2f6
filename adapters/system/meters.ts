import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import type { Meters } from '#ports/meters';

/** Figures in a registry of their own, with those of the process beside them. */
export const promMeters = (): Meters => {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
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
    show: () => registry.metrics(),
  };
};
