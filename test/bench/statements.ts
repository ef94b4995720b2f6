// What a server sends to its database, counted where the driver sends it.
import pg from 'pg';

export interface Sent {
  /** Statements, those that begin and end transactions included. */
  readonly statements: number;
  /** Times that a connection with nothing under way was sent something: what follows without waiting adds nothing. */
  readonly turns: number;
  /** The beginnings of the newest statements, oldest first. */
  readonly newest: readonly string[];
}

type Query = (this: pg.Client, ...args: unknown[]) => unknown;

const remembered = 60;
const shown = 160;

const textOf = (statement: unknown): string =>
  typeof statement === 'string'
    ? statement
    : String((statement as { readonly text?: unknown }).text ?? '');

/** Counts from now on, in every connection of this process. */
export const countStatements = (): (() => Sent) => {
  const busy = new WeakSet<pg.Client>();
  const newest: string[] = [];
  let [statements, turns] = [0, 0];
  const prototype = pg.Client.prototype as { query: Query }; // one of its overloads, which are all passed on
  const { query } = prototype;
  prototype.query = function (...args) {
    statements++;
    newest.push(textOf(args[0]).slice(0, shown));
    if (newest.length > remembered) newest.shift();
    if (!busy.has(this)) {
      turns++;
      busy.add(this);
      this.once('drain', () => {
        busy.delete(this);
      });
    }
    return query.apply(this, args);
  };
  return () => ({ statements, turns, newest: [...newest] });
};
