// Errors of a database without what users have stored: drivers and databases put values into messages, and errors are logged.
import type { Knex } from 'knex';

/** Members that name things of the schema; all others may hold values. */
const kept = new Set([
  'code',
  'errno',
  'sqlState',
  'severity',
  'constraint',
  'table',
  'column',
  'schema',
  'routine',
  'fatal',
  'syscall',
]);
const statementAtMost = 300;

/** Everything from the first quotation mark to the last one left out: inside of values may stand quotation marks, too. */
const unquoted = (text: string, marks: readonly string[]): string => {
  const first = Math.min(...marks.map((mark) => text.indexOf(mark)).filter((at) => at !== -1));
  const last = Math.max(...marks.map((mark) => text.lastIndexOf(mark)));
  return last === -1 ? text : `${text.slice(0, first + 1)}…${text.slice(last)}`;
};

/** Takes values out of an error. It keeps the statement with its placeholders, the kind of fault, and names of the schema. */
export const removeValues = (error: Error, statement: string): void => {
  const prefix = `${statement} - `;
  const said = error.message.startsWith(prefix)
    ? error.message.slice(prefix.length)
    : error.message;
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  for (const name of Object.keys(error)) if (!kept.has(name)) Reflect.deleteProperty(error, name);
  error.message = `${unquoted(statement, ["'"]).slice(0, statementAtMost)} - ${unquoted(said, ["'", '"'])}`;
  error.stack = [`${error.name}: ${error.message}`, ...frames].join('\n');
};

/** Waits for a statement that was sent past knex; rejects without values. */
export const withoutValues = async <T>(statement: string, sent: Promise<T>): Promise<T> => {
  try {
    return await sent;
  } catch (thrown) {
    if (thrown instanceof Error) removeValues(thrown, statement);
    throw thrown;
  }
};

/** Takes the values out of every error of a statement, before anybody sees it. Expects knex to leave bound values out of its messages (`compileSqlOnError: false`). */
export const hideValues = (db: Knex): void => {
  db.on('query-error', (error: unknown, { sql }: { readonly sql: string }) => {
    if (error instanceof Error) removeValues(error, sql);
  });
};
