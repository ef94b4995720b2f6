import { Failure } from '#ports/failure';
import { isUuid } from '../uuid.js';

const version7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const mostIds = 1000;

/** An id that a client made, in lower case. Rejects with `invalid` for one of another version. */
export const readId = (text: string, what: string): string => {
  const id = text.toLowerCase();
  if (!version7.test(id)) throw new Failure('invalid', `${what} id must be a version 7 UUID`);
  return id;
};

/** An id that must be a UUID of any version, in lower case. Rejects with `invalid`. */
export const readAnyId = (text: string, member: string): string => {
  if (!isUuid(text)) throw new Failure('invalid', `${member} must be a UUID`);
  return text.toLowerCase();
};

/** Refuses, with `unprocessable`, a list that is empty or holds more than 1,000. */
export const requireSome = (name: string, { length }: readonly unknown[]): void => {
  if (length === 0 || length > mostIds)
    throw new Failure('unprocessable', `${name} size must be between 1 and ${mostIds}`);
};

/** The ids of a list, each once. Rejects with `unprocessable` by its size, and with `invalid` for what is no UUID. */
export const readIds = (ids: readonly string[], member = 'ids'): readonly string[] => {
  requireSome(member, ids);
  return [...new Set(ids.map((id) => readAnyId(id, member)))];
};
