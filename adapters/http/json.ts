// A JSON body, read within bounds: packed size, inflated size, memory, depth, NUL.
import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Failure, isFailure } from '#ports/failure';
import { replaceOddNumbers } from '#ports/json-text';
import type { Held } from './budget.js';
import { costOfJson, mostBytesPerByte } from './json-cost.js';
import { parseWithRaw, type RawPlaces } from './raw-members.js';
import { readAll, unpack } from './reading.js';

export interface JsonBounds {
  readonly packedBytes: number;
  readonly inflatedBytes: number;
  readonly depth: number;
}

export interface JsonBody {
  readonly value: unknown;
  /** SHA-256 of the inflated bytes, in hex. */
  readonly digest: () => string;
  /** Whether nothing was sent, which reads like an object without members. */
  readonly isEmpty?: boolean;
}

/** How numbers that JavaScript would round or shorten look: `122.0`, `1e5`, 16 digits and more. */
const awkward = String.raw`NaN|-?(?:Infinity|\d+\.\d*0|\d{16,}(?:\.\d+)?|\d+(?:\.\d+)?[eE][+-]?\d+|\d*\.\d{18,}|0\.0{6}\d+)`;

/**
 * Puts quotes around the awkward numbers of the members that keep their text. A quote inside a JSON text is always escaped, so `"name"`
 * before a colon is a member's name wherever it stands; one regular expression over the text costs a fraction of a lossless parser.
 */
export const literalPattern = (names: readonly string[]): RegExp =>
  new RegExp(String.raw`("(?:${names.join('|')})"\s*:\s*)(${awkward})(?=\s*[,}])`, 'g');
const quoteLiterals = (names: readonly string[]) => {
  if (names.length === 0) return (text: string) => text;
  const pattern = literalPattern(names);
  return (text: string) => text.replace(pattern, '$1"$2"');
};

const parse = (text: string, oddNumbersAreNull: boolean): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!/NaN|Infinity/.test(text)) throw cause;
    return JSON.parse(
      replaceOddNumbers(text, (number) => (oddNumbersAreNull ? 'null' : `"${number}"`)),
    );
  }
};

const mend = (value: unknown, keepsNul: boolean): unknown => {
  if (typeof value === 'string') {
    if (!value.includes('\0')) return value;
    if (keepsNul) return value.replaceAll('\0', '\ufffd');
    throw new Failure('invalid', 'a text must not hold the character U+0000');
  }
  if (Array.isArray(value)) return value.map((item) => mend(item, keepsNul));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [mend(name, keepsNul), mend(item, keepsNul)]),
  );
};

const tooDeep = () => new Failure('invalid', 'the body is nested too deeply');

const checkDepth = (value: unknown, left: number): void => {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw tooDeep();
  if (Array.isArray(value)) {
    for (const item of value) if (typeof item === 'object') checkDepth(item, left - 1);
    return;
  }
  for (const name in value) {
    const item = (value as Record<string, unknown>)[name];
    if (typeof item === 'object') checkDepth(item, left - 1);
  } // any object can be read by name
};

const smallBytes = 4 * 1024 * 1024;

/** Takes from the budget what the text and its values will need. Small bodies count as the worst there is while as much again is left for others, so that they are not looked at twice; says whether this one was, its depth too. */
const takeForParsing = (bytes: Buffer, depth: number, held: Held): boolean => {
  const worst = bytes.length * (1 + mostBytesPerByte);
  const isSmall = bytes.length <= smallBytes && held.fits(2 * worst);
  const cost = isSmall ? undefined : costOfJson(bytes);
  if (cost !== undefined && cost.depth > depth) throw tooDeep();
  held.take(cost === undefined ? worst : bytes.length + cost.bytes);
  return cost !== undefined;
};

/** The value with its raw members; `undefined` where there are none, or the text is not plainly JSON, which is then told by reading it as a whole. */
const readRaw = (
  text: string,
  places: RawPlaces,
  check: (value: unknown, depth: number) => void,
): { readonly value: unknown } | undefined => {
  try {
    return parseWithRaw(text, places, check);
  } catch (thrown) {
    if (isFailure(thrown)) throw thrown;
    return undefined;
  }
};

/** Makes the reader of a row's JSON bodies. It rejects with `tooLarge`, `unsupported` or `invalid`, each with one sentence. */
export const jsonReader = (options: {
  readonly literals: readonly string[];
  readonly keepsNul: boolean;
  readonly oddNumbersAreNull?: boolean;
  /** Where members stand that are kept as text. */
  readonly raws?: RawPlaces;
}) => {
  const quote = quoteLiterals(options.literals);
  // Numbers that keep their text are found in the whole body.
  const raws: RawPlaces = options.literals.length === 0 ? (options.raws ?? new Map()) : new Map();
  return async (request: IncomingMessage, bounds: JsonBounds, held: Held): Promise<JsonBody> => {
    const packed = await readAll(request, bounds.packedBytes, held);
    const bytes = await unpack(
      packed,
      (request.headers['content-encoding'] ?? '').trim().toLowerCase(),
      bounds.inflatedBytes,
      held,
    );
    const digest = () => hash('sha256', bytes, 'hex');
    const isLookedAt = takeForParsing(bytes, bounds.depth, held);
    const text = bytes.toString('utf8');
    if (text.trim() === '') return { value: {}, digest, isEmpty: true };
    const holdsNul = text.includes(String.raw`\u0000`) || text.includes('\0');
    if (!holdsNul) {
      const raw = readRaw(text, raws, (value, depth) => {
        if (!isLookedAt) checkDepth(value, bounds.depth - depth);
      });
      if (raw !== undefined) {
        if (!isLookedAt) checkDepth(raw.value, bounds.depth);
        return { value: raw.value, digest };
      }
    }
    let value: unknown;
    try {
      value = parse(quote(text), options.oddNumbersAreNull === true);
    } catch (cause) {
      throw new Failure('invalid', 'Unable to process JSON: the body is not JSON', { cause });
    }
    if (!isLookedAt) checkDepth(value, bounds.depth);
    return { value: holdsNul ? mend(value, options.keepsNul) : value, digest };
  };
};
