import { idOf } from './connection.js';

/** What a searchable value is, as its row keeps it. */
export const valueKinds = {
  metric: 1,
  parameter: 2,
  other: 3,
  tag: 4,
  environment: 5,
  noted: 6,
} as const;
export type ValueKind = keyof typeof valueKinds;

/** The key of a parameter, other, tag or system detail within its experiment and project. */
export const valueKeyOf = (name: string): string => idOf(name, '');

const prefixLength = 190;

/** The part of a text that is indexed: its first 190 code points, as the databases count them. */
export const prefixOf = (text: string): string =>
  text.length <= prefixLength
    ? text
    : [...text.slice(0, prefixLength * 2)].slice(0, prefixLength).join('');
