// Members that a row keeps as JSON text are cut out of a body before it is parsed. Their bytes are looked at once, and no value is made of them that would only
// be written as a text again.
import { closingQuote } from '#ports/json-text';
import { KeptJson } from '#ports/kept-json';

/** Names of members by how many objects and lists are around them. */
export type RawPlaces = ReadonlyMap<number, ReadonlySet<string>>;

interface ShownSchema {
  readonly lenient?: string;
  readonly properties?: Readonly<Record<string, ShownSchema>>;
  readonly items?: ShownSchema;
}

/** Where a schema has members that are kept as text. */
export const rawPlaces = (schema: unknown): RawPlaces => {
  const places = new Map<number, Set<string>>();
  const visit = (at: ShownSchema, depth: number): void => {
    for (const [name, of] of Object.entries(at.properties ?? {})) {
      if (of.lenient === 'json')
        places.set(depth + 1, (places.get(depth + 1) ?? new Set()).add(name));
      else visit(of, depth + 1);
    }
    if (at.items !== undefined) visit(at.items, depth + 1);
  };
  visit((schema ?? {}) as ShownSchema, 0); // JSON Schema of our own making
  return places;
};

const [quote, comma, colon] = [0x22, 0x2c, 0x3a];
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];
const isBlank = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

const afterBlanks = (text: string, from: number): number => {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
};

/** A value of a body. */
interface Value {
  readonly end: number;
  /** As it came. */
  readonly sent: string;
  /** Without blanks. */
  readonly json: string;
}

/** A value that begins at a place; `undefined` where it does not end. */
const valueAt = (text: string, from: number): Value | undefined => {
  let [at, depth, kept, done] = [from, 0, '', from];
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      at = closingQuote(text, at + 1);
      if (at === -1) return undefined;
    } else if (code === openObject || code === openList) depth++;
    else if (code === closeObject || code === closeList) {
      if (depth === 0) break;
      depth--;
    } else if (code === comma && depth === 0) break;
    else if (isBlank(code)) {
      kept += text.slice(done, at);
      at = afterBlanks(text, at) - 1;
      done = at + 1;
    }
  }
  const sent = text.slice(from, at);
  return { end: at, sent, json: done === from ? sent : kept + text.slice(done, at) };
};

/** Escapes that need not be, as the characters that they stand for; half of a surrogate pair, which no engine reads, is replaced. */
const unescape = (json: string): string => {
  let [kept, done] = ['', 0];
  for (let at = json.indexOf('"'); at !== -1;) {
    const end = closingQuote(json, at + 1) + 1;
    if (end === 0) break;
    const token = json.slice(at, end);
    // A string at a time: one escape after the other takes seconds where a text of 10 MB has nothing but them.
    if (hasEscapes(token)) {
      kept += json.slice(done, at) + JSON.stringify((JSON.parse(token) as string).toWellFormed()); // in quotes
      done = end;
    }
    at = json.indexOf('"', end);
  }
  return kept + json.slice(done);
};
const hasEscapes = (json: string): boolean => json.includes('\\u') || json.includes('\\/');

interface Cut {
  /** The body with a number in each place that was cut out, which counts them. */
  readonly skeleton: string;
  readonly cut: readonly Value[];
}

/** Cuts the members at these places out of a JSON text; `undefined` where it is none, or is written so that it must be read otherwise. */
const cutOut = (text: string, places: RawPlaces): Cut | undefined => {
  const cut: Value[] = [];
  const inObject: boolean[] = [];
  let [skeleton, done, at, named] = ['', 0, 0, false];
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === quote) {
      const end = closingQuote(text, at + 1);
      if (end === -1) return undefined;
      const names = named ? places.get(inObject.length) : undefined;
      const name = names === undefined ? '' : text.slice(at + 1, end);
      named = false;
      at = end + 1;
      if (names === undefined) continue;
      if (name.includes('\\')) return undefined;
      if (!names.has(name)) continue;
      at = afterBlanks(text, at);
      if (text.charCodeAt(at) !== colon) return undefined;
      at = afterBlanks(text, at + 1);
      const value = valueAt(text, at);
      if (value === undefined) return undefined;
      skeleton += text.slice(done, at) + String(cut.length);
      cut.push(value);
      at = done = value.end;
      continue;
    }
    if (code === openObject || code === openList) {
      inObject.push(code === openObject);
      named = code === openObject;
    } else if (code === closeObject || code === closeList) {
      inObject.pop();
      named = false;
    } else if (code === comma) named = inObject.at(-1) === true;
    at++;
  }
  return { skeleton: skeleton + text.slice(done), cut };
};

/** Puts what was cut out back as texts. */
const putIn = (
  value: unknown,
  depth: number,
  places: RawPlaces,
  texts: readonly (KeptJson | null)[],
  deepest: number,
): void => {
  if (typeof value !== 'object' || value === null || depth > deepest) return;
  if (Array.isArray(value)) {
    for (const item of value) putIn(item, depth + 1, places, texts, deepest);
    return;
  }
  const members = value as Record<string, unknown>; // an object, as was just checked
  const names = places.get(depth);
  if (names !== undefined)
    for (const name of names)
      if (Object.hasOwn(members, name)) members[name] = texts[Number(members[name])];
  for (const [name, item] of Object.entries(members))
    if (names?.has(name) !== true) putIn(item, depth + 1, places, texts, deepest);
};

/** The value of a JSON text, in which members at these places are texts; `undefined` where it must be read otherwise. Throws where it is not JSON. */
export const parseWithRaw = (
  text: string,
  places: RawPlaces,
  check: (value: unknown, depth: number) => void,
): { readonly value: unknown } | undefined => {
  if (places.size === 0) return undefined;
  const found = cutOut(text, places);
  if (found === undefined) return undefined;
  const value = JSON.parse(found.skeleton) as unknown;
  const deepest = Math.max(...places.keys());
  const texts = found.cut.map(({ sent, json }) => {
    // With its blanks: without them `1 2` would be a number.
    check(JSON.parse(sent), deepest);
    if (json === 'null') return null;
    return new KeptJson(hasEscapes(json) ? unescape(json) : json);
  });
  putIn(value, 1, places, texts, deepest);
  return { value };
};
