// Which texts and words the rows of a block may have, as bits: a block that lacks a bit of what is claimed has no such row. Pure.
import type { FieldFilter } from '#ports/field-query';
import { isWordy, positive } from '../field-query.js';
import { bitOf, filterBytes, gramsIn, gramsOf, isOdd } from './grams.js';

/** Longer texts of a block are not looked through: their bits would tell nothing apart. */
const mostCharacters = 256 * 1024;
/** Bits of a word: more of them tell more blocks apart, until too many bits are set. */
const bitsOfWord = 4;

/** Fields whose texts stand in the bits of their blocks, and the columns of those. */
const textFields: Readonly<Record<string, string>> = {
  name: 'name',
  tags: 'tags',
  environment: 'environment',
  model: 'model',
  provider: 'provider',
  thread_id: 'thread_id',
};
export const wordedColumns: Readonly<Record<'trace' | 'span', readonly string[]>> = {
  trace: ['name', 'tags', 'environment', 'thread_id'],
  span: ['name', 'tags', 'environment', 'model', 'provider'],
};

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .split(/[^a-z0-9_]+/)
    .filter((word) => word !== '');

/** FNV-1a of a word, which is ASCII. */
const hashOf = (word: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++)
    hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193) >>> 0;
  return hash;
};
const bitAt = (hash: number, at: number): number => bitOf(hash ^ Math.imul(at + 1, 0x85ebca6b));
const bitsOf = (word: string): readonly number[] => {
  const hash = hashOf(word);
  return Array.from({ length: bitsOfWord }, (_, at) => bitAt(hash, at));
};

/** What stands in JSON otherwise than it reads, so that words of it may be others. */
const mayHide = (json: string): boolean => json.includes(String.raw`\u`);

const every = (): Uint8Array<ArrayBuffer> => new Uint8Array(filterBytes).fill(0xff);

/** The bits of a block with these texts, each once, and these texts of JSON, of which the words count. */
export const wordBits = (
  texts: ReadonlySet<string>,
  json: ReadonlySet<string>,
): Uint8Array<ArrayBuffer> => {
  const all = [...texts, ...json];
  const characters = all.reduce((sum, text) => sum + text.length, 0);
  if (characters > mostCharacters || isOdd(all) || [...json].some(mayHide)) return every();
  const found = gramsOf(Buffer.from([...texts].join('\n')), 0);
  const words = new Set<string>();
  for (const text of json) for (const word of wordsOf(text)) words.add(word);
  for (const word of words) {
    const hash = hashOf(word);
    for (let at = 0; at < bitsOfWord; at++) {
      const bit = bitAt(hash, at);
      found[bit >>> 3] = (found[bit >>> 3] ?? 0) | (1 << (bit & 7));
    }
  }
  return found;
};

interface Bit {
  readonly byte: number;
  readonly mask: number;
}

const textBits = (filter: FieldFilter): readonly Bit[] => {
  if (filter.is === 'text') return positive.has(filter.operator) ? gramsIn(filter.value) : [];
  if (filter.is !== 'list') return [];
  const element = JSON.stringify(filter.value);
  if (filter.operator === 'equals') return gramsIn(element);
  return filter.operator === 'contains' ? gramsIn(element.slice(1, -1)) : [];
};

/** Names on the path of a claim stand in the text around what is claimed, and so does a value that is equal. */
const pathBits = (filter: FieldFilter): readonly Bit[] => {
  if (filter.path === undefined || (filter.is !== 'text' && filter.is !== 'number')) return [];
  if (filter.is === 'text' && !positive.has(filter.operator)) return [];
  const names = filter.path.filter((step) => typeof step === 'string');
  const values = filter.is === 'text' && filter.operator === 'equals' ? [filter.value] : [];
  const words = new Set([...names, ...values].filter(isWordy).flatMap(wordsOf));
  const bits = new Set([...words].flatMap(bitsOf));
  return [...bits].map((bit) => ({ byte: bit >>> 3, mask: 1 << (bit & 7) }));
};

/** The bits that a block has if one of its rows is as a claim says; none where bits do not tell. */
export const claimedBits = (filter: FieldFilter): readonly Bit[] => {
  if (filter.field === 'metadata') return pathBits(filter);
  return Object.hasOwn(textFields, filter.field) && filter.path === undefined
    ? textBits(filter)
    : [];
};
