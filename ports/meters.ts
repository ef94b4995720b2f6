import { port } from './port.js';

/** A figure that only grows. */
export interface Counter {
  add(amount: number, labels?: Readonly<Record<string, string>>): void;
}
/** A distribution; what is observed is in the unit that the name ends with. */
export interface Histogram {
  observe(value: number, labels?: Readonly<Record<string, string>>): void;
}

/** Figures about the process, shown at `/metrics`. Asking for a name again gives the same figure. */
export interface Meters {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  histogram(name: string, help: string, buckets: readonly number[], labels?: readonly string[]): Histogram;
  /** A figure read when it is asked for. */
  gauge(name: string, help: string, read: () => number | Promise<number>): void;
  /** Everything, in the Prometheus text format. */
  show(): Promise<string>;
}
export const Meters = port<Meters>('meters');
