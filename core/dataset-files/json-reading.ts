// The objects of a JSON file, a list of them or one after the other, read as they come. Pure.
import { Failure } from '#ports/failure';
import { parseJson } from '../json-text.js';

/** Characters of one object, or of one row of a table. */
export const longestRow = 16 * 1024 * 1024;

type Members = Readonly<Record<string, unknown>>;

const unfit = (what: string) => new Failure('invalid', `the JSON file ${what}`);

const parsed = (text: string, place: number): Members => {
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw unfit(`cannot be read, at object ${place}`);
  return value as Members; // an object that is no list
};

/** Each object. Rejects with `invalid` for what is no object, what stands between them, a file that is cut, and too long an object. */
export async function* jsonObjects(texts: AsyncIterable<string>): AsyncIterable<Members> {
  let list: 'unknown' | 'open' | 'closed' | 'none' = 'unknown';
  let [depth, quoted, escaped, found, text] = [0, false, false, 0, ''];
  /** In a list, whether a comma must come before the next object. */
  let needsComma = false;
  for await (const piece of texts) {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const sign = piece[at] ?? '';
      if (depth > 0) {
        if (quoted) {
          if (escaped) escaped = false;
          else if (sign === '\\') escaped = true;
          else if (sign === '"') quoted = false;
        } else if (sign === '"') quoted = true;
        else if (sign === '{' || sign === '[') depth++;
        else if ((sign === '}' || sign === ']') && --depth === 0) {
          found++;
          yield parsed(text + piece.slice(from, at + 1), found);
          [text, needsComma] = ['', true];
        }
      } else if (sign === '{' && list !== 'closed' && !(list === 'open' && needsComma)) {
        if (list === 'unknown') list = 'none';
        [from, depth, needsComma] = [at, 1, false];
      } else if (sign === '[' && list === 'unknown') list = 'open';
      else if (sign === ']' && list === 'open' && (needsComma || found === 0)) list = 'closed';
      else if (sign === ',' && list === 'open' && needsComma) needsComma = false;
      else if (!/[ \t\r\n]/.test(sign)) throw unfit(`cannot be read, behind object ${found}`);
    }
    if (depth > 0) {
      text += piece.slice(from);
      if (text.length > longestRow)
        throw unfit(`has more than ${longestRow} characters in object ${found + 1}`);
    }
  }
  if (depth > 0 || list === 'open') throw unfit('ends before its end');
  if (list === 'unknown') throw unfit('is empty');
}
