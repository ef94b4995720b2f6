// How long the database may take for one thing, in ms. Exports, imports and changes of the schema are exempt: they take as long as there is data.

/** Waiting for a lock: whoever holds one longer has lost its client, or is doing what others must not wait for. */
export const lockMs = 5000;
/** One statement of a transaction. */
export const statementMs = 60_000;
/** A transaction that waits for its client. */
export const idleMs = 30_000;
/** One statement of a search. */
export const searchMs = 30_000;
/** Repeating what the database asked to repeat, lock waits included. */
export const repeatMs = 10_000;
