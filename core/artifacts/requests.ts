// From what clients send of artifacts to what is kept. Pure.
import { Failure } from '#ports/failure';
import { quoteOddNumbers } from '#ports/json-text';
import { parseJson } from '../json-text.js';

const mostMetadata = 1024 * 1024;
const mostLabels = 1000;
const longestLabel = 1000;

/** Metadata as JSON text: to the letter where it is sound; null for what clears it, `undefined` for nothing said. Rejects with `invalid` for what is no object or too long. */
export const readArtifactMetadata = (sent: unknown, what: string): string | null | undefined => {
  if (sent === undefined) return undefined;
  if (sent === null || (typeof sent === 'string' && sent.trim() === '')) return null;
  const text = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const mended = parseJson(text) === undefined ? quoteOddNumbers(text) : text;
  const value = parseJson(mended);
  if (value === null) return null;
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Failure('invalid', `${what} must be a JSON object`);
  if (mended.length > mostMetadata)
    throw new Failure('tooLarge', `${what} must be at most ${mostMetadata} characters`);
  return mended;
};

/** Aliases or tags, in their order: empty ones are left out, and repeated ones. Rejects with `invalid` for too many or too long ones. */
export const readLabels = (
  sent: readonly string[] | undefined,
  what: string,
  keyOf: (label: string) => string = (label) => label,
): readonly string[] | undefined => {
  if (sent === undefined) return undefined;
  if (sent.some((label) => label.length > longestLabel))
    throw new Failure('invalid', `${what} must each be at most ${longestLabel} characters`);
  const kept = new Map<string, string>();
  for (const label of sent)
    if (label !== '' && !kept.has(keyOf(label))) kept.set(keyOf(label), label);
  if (kept.size > mostLabels) throw new Failure('invalid', `${what} must be at most ${mostLabels}`);
  return [...kept.values()];
};

/** Aliases: those that differ only in case are one. */
export const readAliases = (sent: readonly string[] | undefined): readonly string[] | undefined =>
  readLabels(sent, 'alias', (alias) => alias.toLowerCase());
