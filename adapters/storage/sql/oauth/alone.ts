import type { Connection } from '../connection.js';

/** The connection, for what nothing around it may take back. */
export const alone = (connection: Connection): Connection => {
  if (connection.inTransaction) throw new Error('a code is never used inside a transaction');
  return connection;
};
