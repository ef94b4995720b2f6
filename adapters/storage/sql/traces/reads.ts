// Reads of traces and spans that look at as much as a project has.
import type { Knex } from 'knex';
import type { Fragment } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { joined } from '../fragment.js';
import { createSemaphore } from '../semaphore.js';
import type { Row } from './rows.js';

export type Read = (...parts: readonly (string | Fragment)[]) => Promise<readonly Row[]>;

/** The rows of a statement that is put together from parts. */
export const run = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  ...parts: readonly (string | Fragment)[]
): Promise<readonly Row[]> => {
  const { sql, bindings } = joined(...parts);
  return (await dialect.run(db, sql, bindings)) as readonly Row[]; // the columns that the parts name
};

/** Few at a time: each may keep every core of the database busy, and some hundred MiB of its memory. */
const turns = createSemaphore({
  ...{ running: 2, waiting: 200 },
  busy: 'too many reads of whole projects at the moment',
});

/** Reads with room to remember and with more than one process where the engine has them, ended after a while. */
export const withReads = <T>(
  { db, dialect, inTransaction }: Connection,
  work: (read: Read) => Promise<T>,
): Promise<T> => {
  const reading =
    (on: Knex): Read =>
    (...parts) =>
      run({ db: on, dialect }, ...parts);
  return inTransaction
    ? work(reading(db))
    : turns.take(undefined, () =>
        (dialect.withWorkers ?? dialect.withLargeWorkMem)(db, undefined, (on) => work(reading(on))),
      );
};
