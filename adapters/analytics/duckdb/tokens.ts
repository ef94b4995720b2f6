// A statement cut into tokens, as the engine's parser cuts it: what stands in quotes and comments is told apart from words.
import { Failure } from '#ports/failure';

export interface Token {
  /** `word`: a name without quotes. `name`: one in quotes. `text`: a constant in quotes. `sign`: one character of anything else. */
  readonly kind: 'word' | 'name' | 'text' | 'number' | 'sign';
  /** As it is given to the engine. */
  readonly text: string;
}

const unparsable = () => new Failure('invalid', 'the query cannot be parsed');

const blank = /[\s\u00a0\ufeff]/;
const firstOfWord = /[\p{L}_\u0080-\u{10ffff}]/u;
const restOfWord = /[\p{L}\p{N}_$\u0080-\u{10ffff}]*/uy;
const numeral = /\d[\w.]*/y;
const tag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;

const matchAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
};

/** Where a text that begins with a quote ends; quotes within are doubled. */
const endOfQuoted = (sql: string, from: number, quote: string, escapes: boolean): number => {
  for (let at = from + 1; at < sql.length; at++) {
    if (escapes && sql[at] === '\\') at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  throw unparsable();
};

/** Where a comment ends; one within another ends first. */
const endOfComment = (sql: string, from: number): number => {
  let depth = 0;
  for (let at = from; at < sql.length; at++) {
    const two = sql.slice(at, at + 2);
    if (two === '/*') depth++;
    else if (two === '*/') depth--;
    else continue;
    at++;
    if (depth === 0) return at + 1;
  }
  throw unparsable();
};

export interface Tokens {
  readonly tokens: readonly Token[];
  /** Those behind which something stands that is no token: a blank, a comment. */
  readonly gaps: ReadonlySet<Token>;
}

/** Rejects with `invalid` for quotes and comments without an end, and for escapes of which no two dialects think alike. */
export const tokenize = (sql: string): Tokens => {
  const tokens: Token[] = [];
  const gaps = new Set<Token>();
  let at = 0;
  const take = (kind: Token['kind'], end: number, text = sql.slice(at, end)): void => {
    tokens.push({ kind, text });
    at = end;
  };
  const skip = (end: number): void => {
    const last = tokens.at(-1);
    if (last !== undefined) gaps.add(last);
    at = end;
  };
  while (at < sql.length) {
    const char = String.fromCodePoint(sql.codePointAt(at) ?? 0);
    const two = sql.slice(at, at + 2);
    if (char === '\0') throw unparsable();
    if (blank.test(char)) skip(at + 1);
    else if (two === '--') {
      const end = sql.slice(at).search(/[\r\n]/);
      skip(end === -1 ? sql.length : at + end);
    } else if (two === '/*') skip(endOfComment(sql, at));
    else if (char === "'") take('text', endOfQuoted(sql, at, "'", false));
    else if (char === '"') take('name', endOfQuoted(sql, at, '"', false));
    else if (char === '`') {
      const end = endOfQuoted(sql, at, '`', false);
      const name = sql.slice(at + 1, end - 1).replaceAll('``', '`');
      take('name', end, `"${name.replaceAll('"', '""')}"`);
    } else if (char === '$' && matchAt(tag, sql, at) !== '') {
      const mark = matchAt(tag, sql, at);
      const end = sql.indexOf(mark, at + mark.length);
      if (end === -1) throw unparsable();
      take('text', end + mark.length);
    } else if (/[eE]/.test(char) && sql[at + 1] === "'")
      take('text', endOfQuoted(sql, at + 1, "'", true));
    else if (/[xXbBnN]/.test(char) && sql[at + 1] === "'")
      take('text', endOfQuoted(sql, at + 1, "'", false));
    else if (/[uU]/.test(char) && /^&['"]/.test(sql.slice(at + 1, at + 3))) throw unparsable();
    else if (firstOfWord.test(char)) {
      take('word', at + char.length + matchAt(restOfWord, sql, at + char.length).length);
    } else if (/\d/.test(char)) take('number', at + matchAt(numeral, sql, at).length);
    else take('sign', at + char.length);
  }
  return { tokens, gaps };
};
