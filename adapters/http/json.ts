// A JSON body, read within bounds: packed size, inflated size, depth, NUL.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, inflate, brotliDecompress } from 'node:zlib';
import { Failure } from '#ports/failure';

export interface JsonBounds {
  readonly packedBytes: number;
  readonly inflatedBytes: number;
  readonly depth: number;
}

export interface JsonBody {
  readonly value: unknown;
  /** SHA-256 of the inflated bytes, in hex. */
  readonly digest: () => string;
}

const unpackers = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) };
const isPacking = (name: string): name is keyof typeof unpackers => Object.hasOwn(unpackers, name);

/** Not by a loop over the request: leaving that one early would destroy the connection, and the refusal with it. */
export const readAll = (request: IncomingMessage, limit: number): Promise<Buffer> => new Promise((resolve, reject) => {
  let pieces: Buffer[] = [];
  let size = 0;
  let whole = false;
  const refuse = () => { pieces = []; reject(new Failure('tooLarge', `the body must be at most ${limit} bytes`)); };
  if (Number(request.headers['content-length'] ?? 0) > limit) { refuse(); return; }
  request.on('data', (piece: Buffer) => { // no encoding is set on it, so its pieces are buffers
    size += piece.length;
    if (size > limit) refuse();
    else pieces.push(piece);
  });
  request.once('end', () => { whole = true; resolve(pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces)); });
  for (const end of ['aborted', 'error', 'close'] as const) request.once(end, () => { if (!whole) reject(new Failure('invalid', 'the request ended before its body')); });
});

const unpack = async (packed: Buffer, encoding: string, limit: number): Promise<Buffer> => {
  if (encoding === 'identity' || encoding === '') return packed;
  if (!isPacking(encoding)) throw new Failure('unsupported', `Content-Encoding ${encoding.slice(0, 40)} is not supported`);
  try {
    return await unpackers[encoding](packed, { maxOutputLength: limit });
  } catch (cause) {
    const tooLarge = cause instanceof RangeError || (cause as { code?: unknown }).code === 'ERR_BUFFER_TOO_LARGE'; // zlib's errors carry a code
    throw tooLarge ? new Failure('tooLarge', `the inflated body must be at most ${limit} bytes`, { cause }) : new Failure('invalid', `the body is not ${encoding}`, { cause });
  }
};

/** How numbers that JavaScript would round or shorten look: `122.0`, `1e5`, 16 digits and more. */
const awkward = String.raw`NaN|-?(?:Infinity|\d+\.\d*0|\d{16,}(?:\.\d+)?|\d+(?:\.\d+)?[eE][+-]?\d+|\d*\.\d{18,}|0\.0{6,}\d+)`;

/**
 * Puts quotes around the awkward numbers of the members that keep their text. A quote inside a JSON text is always escaped, so `"name"`
 * before a colon is a member's name wherever it stands; one regular expression over the text costs a fraction of a lossless parser.
 */
const quoteLiterals = (names: readonly string[]) => {
  if (names.length === 0) return (text: string) => text;
  const pattern = new RegExp(String.raw`("(?:${names.join('|')})"\s*:\s*)(${awkward})(?=\s*[,}])`, 'g');
  return (text: string) => text.replace(pattern, '$1"$2"');
};

/** Python writes NaN and infinities as bare words, which JSON has not: read as texts, wherever they stand outside of texts. */
const quoteOddNumbers = (text: string): string => text.replace(/"(?:[^"\\]|\\.)*"|-?Infinity|NaN/g, (token) => (token.startsWith('"') ? token : `"${token}"`));

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (!/NaN|Infinity/.test(text)) throw cause;
    return JSON.parse(quoteOddNumbers(text));
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
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [mend(name, keepsNul), mend(item, keepsNul)]));
};

const checkDepth = (value: unknown, left: number): void => {
  if (typeof value !== 'object' || value === null) return;
  if (left === 0) throw new Failure('invalid', 'the body is nested too deeply');
  if (Array.isArray(value)) { for (const item of value) if (typeof item === 'object') checkDepth(item, left - 1); return; }
  for (const name in value) { const item = (value as Record<string, unknown>)[name]; if (typeof item === 'object') checkDepth(item, left - 1); } // any object can be read by name
};

/** Makes the reader of a row's JSON bodies. It rejects with `tooLarge`, `unsupported` or `invalid`, each with one sentence. */
export const jsonReader = (options: { readonly literals: readonly string[]; readonly keepsNul: boolean }) => {
  const quote = quoteLiterals(options.literals);
  return async (request: IncomingMessage, bounds: JsonBounds): Promise<JsonBody> => {
    const packed = await readAll(request, bounds.packedBytes);
    const bytes = await unpack(packed, (request.headers['content-encoding'] ?? '').trim().toLowerCase(), bounds.inflatedBytes);
    const digest = () => createHash('sha256').update(bytes).digest('hex');
    const text = bytes.toString('utf8');
    if (text.trim() === '') return { value: {}, digest };
    let value: unknown;
    try {
      value = parse(quote(text));
    } catch (cause) {
      throw new Failure('invalid', 'the body is not JSON', { cause });
    }
    checkDepth(value, bounds.depth);
    return { value: text.includes(String.raw`\u0000`) || text.includes('\0') ? mend(value, options.keepsNul) : value, digest };
  };
};
