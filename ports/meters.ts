import { port } from './port.js';

/** A figure that only grows. */
export interface Counter {
  add(amount: number, labels?: Readonly<Record<string, string>>): void;
}
/** A distribution; what is observed is in the unit that the name ends with. */
export interface Histogram {
  observe(value: number, labels?: Readonly<Record<string, string>>): void;
}

export type Reading = number | ReadonlyMap<string, number>;

/** Figures about the process, shown at `/metrics`. Asking for a name again gives the same figure. */
export interface Meters {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  histogram(
    name: string,
    help: string,
    buckets: readonly number[],
    labels?: readonly string[],
  ): Histogram;
  /** A figure read when it is asked for: of this process, or of the whole installation, which every process reads alike. With a label, one for each of its values. */
  gauge(
    name: string,
    help: string,
    read: () => Reading | Promise<Reading>,
    options?: { readonly of?: 'process' | 'installation'; readonly label?: string },
  ): void;
  /** What is told by labels alone; its value is 1. */
  info(name: string, help: string, labels: Readonly<Record<string, string>>): void;
  /** Everything, in the Prometheus text format; where several processes serve here, of all of them together. */
  show(): Promise<string>;
}
export const Meters = port<Meters>('meters');
