import type { Knex } from 'knex';
import type { PipelinedTransaction } from '#ports/sql-dialect';
import { repeatStatement, withPatience, type Connection } from './connection.js';

/**
 * A transaction as one message, again where the database asks for it or was not reached. Rejects with what was refused, and nothing is stored
 * then; a connection lost on the way does not tell what became of the commit.
 */
export const inOnePiece = (
  { db, dialect }: Connection,
  { transact }: PipelinedTransaction,
  works: (inside: Knex) => readonly (() => Promise<unknown>)[],
): Promise<void> =>
  withPatience(dialect, false, () => repeatStatement(dialect, () => transact(db, works)));
