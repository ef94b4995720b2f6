// A place in the order of a query, as a text that only this query takes back. Pure.
import { Failure } from '#ports/failure';
import type { RunPosition, SortKey } from '#ports/storage/run-table';

const foreign = () =>
  new Failure(
    'invalid',
    'the cursor belongs to another query, project or workspace; begin again without one',
  );

/** A cursor of the query with this digest. */
export const writeCursor = (digest: string, { keys, id }: RunPosition): string =>
  Buffer.from(JSON.stringify([digest, id, ...keys])).toString('base64url');

const isKey = (value: unknown): value is SortKey =>
  value === null || typeof value === 'string' || typeof value === 'number';

/** Throws `invalid` for what is no cursor, or one of another query. */
export const readCursor = (digest: string, sorts: number, cursor: string): RunPosition => {
  const [of, id, ...keys] = parse(cursor);
  if (of !== digest || typeof id !== 'string' || !isId(id)) throw foreign();
  if (keys.length !== sorts || !keys.every(isKey)) throw foreign();
  return { id, keys };
};

const isId = (id: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id);

const parse = (cursor: string): readonly unknown[] => {
  try {
    const value: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(value)) return value as readonly unknown[];
  } catch {
    // told below
  }
  throw foreign();
};
