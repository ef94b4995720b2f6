// Reading attributes of an entry. Pure.
import type { Entry } from './connection.js';

/** Attributes that say who somebody is. */
export interface EntryAttributes {
  /** Stands for the person for ever: `entryUUID`, or `objectGUID` of Active Directory. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Whose values are the groups; none when empty. */
  readonly groups: string;
}

/** A value as text; one of bytes that are none, such as an `objectGUID`, in hexadecimal digits. */
const asText = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value === '' ? undefined : value;
  if (!Buffer.isBuffer(value) || value.length === 0) return undefined;
  const text = value.toString('latin1');
  return /^[\x20-\x7e]+$/.test(text) ? text : value.toString('hex');
};

/** The values of an attribute, whose name directories write in any case. */
export const valuesOf = (entry: Entry, attribute: string): readonly string[] => {
  const name = Object.keys(entry).find((key) => key.toLowerCase() === attribute.toLowerCase());
  const given: unknown = name === undefined ? undefined : entry[name];
  return (Array.isArray(given) ? given : [given]).flatMap((value) => asText(value) ?? []);
};

export const valueOf = (entry: Entry, attribute: string): string | undefined =>
  valuesOf(entry, attribute)[0];

/** What to ask the directory for. */
export const wanted = ({ id, name, email, groups }: EntryAttributes) => ({
  attributes: [id, name, email, groups].filter((attribute) => attribute !== ''),
  explicitBufferAttributes: [id],
});
