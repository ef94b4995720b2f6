// Types by the names that ClickHouse has for them, in casts, put into the engine's own.
import { isSign, isWord, sign, word } from './phrases.js';
import { tokenize, type Token } from './tokens.js';

/** What takes no other type within it; whole numbers are as wide as those of `toInt64` and `toUInt8`. */
const plain: Readonly<Record<string, string>> = {
  ...{ float32: 'FLOAT', float64: 'DOUBLE', bool: 'BOOLEAN', boolean: 'BOOLEAN' },
  ...{ string: 'VARCHAR', fixedstring: 'VARCHAR' },
  ...{ date: 'DATE', date32: 'DATE', datetime: 'TIMESTAMP', datetime64: 'TIMESTAMP' },
  ...{ int8: 'BIGINT', int16: 'BIGINT', int32: 'BIGINT', int64: 'BIGINT' },
  ...{ uint8: 'BIGINT', uint16: 'BIGINT', uint32: 'BIGINT', uint64: 'BIGINT' },
};
/** Digits of decimal numbers whose type is given the scale alone. */
const digits: Readonly<Record<string, string>> = {
  ...{ decimal32: '9', decimal64: '18', decimal128: '38', decimal256: '38' },
};
const wrappers: ReadonlySet<string> = new Set(['nullable', 'lowcardinality']);

/** How deep types stand in each other, and of how many tokens one is, at most: others are left to the engine, which refuses them. */
const mostDepth = 10;
const mostTokens = 80;

export interface EngineType {
  readonly put: readonly Token[];
  /** Where the type ends. */
  readonly end: number;
  /** What of a number is dropped is cut off, and not rounded. */
  readonly isWhole: boolean;
  readonly isList: boolean;
  readonly isNullable: boolean;
}

const found = (put: readonly Token[], end: number, said: Partial<EngineType> = {}): EngineType => ({
  ...{ put, end, isWhole: false, isList: false, isNullable: false },
  ...said,
});

/** The type that begins here; undefined where it is none of which this knows how it goes on. */
export const typeAt = (tokens: readonly Token[], at: number, depth = 0): EngineType | undefined => {
  const first = tokens[at];
  if (first?.kind !== 'word' || depth > mostDepth) return undefined;
  const called = first.text.toLowerCase();
  if (!isSign(tokens[at + 1], '(')) {
    const own = Object.hasOwn(plain, called) ? plain[called] : undefined;
    return found([own === undefined ? first : word(own)], at + 1, { isWhole: own === 'BIGINT' });
  }
  const inner = () => typeAt(tokens, at + 2, depth + 1);
  const closed = (end: number | undefined) => end !== undefined && isSign(tokens[end], ')');
  if (wrappers.has(called)) {
    const of = inner();
    if (of === undefined || !closed(of.end)) return undefined;
    return { ...of, end: of.end + 1, isNullable: of.isNullable || called === 'nullable' };
  }
  if (called === 'array') {
    const of = inner();
    if (of === undefined || !closed(of.end)) return undefined;
    return found([...of.put, sign('['), sign(']')], of.end + 1, { isList: true });
  }
  if (called === 'map') {
    const key = inner();
    if (key === undefined || !isSign(tokens[key.end], ',')) return undefined;
    const value = typeAt(tokens, key.end + 1, depth + 1);
    if (value === undefined || !closed(value.end)) return undefined;
    // No word, which would be taken for the function of that name.
    const name = { kind: 'name', text: 'MAP' } as const;
    const put = [name, sign('('), ...key.put, sign(','), ...value.put, sign(')')];
    return found(put, value.end + 1);
  }
  // Numbers and a time zone alone.
  let end = at + 2;
  while (end < at + 10 && tokens[end] !== undefined && !isSign(tokens[end], ')')) end++;
  if (!closed(end)) return undefined;
  const given = tokens.slice(at + 2, end);
  if (Object.hasOwn(digits, called)) {
    const put = [
      ...[word('DECIMAL'), sign('('), word(digits[called] ?? '38'), sign(',')],
      ...[...given, sign(')')],
    ];
    return found(put, end + 1);
  }
  if (Object.hasOwn(plain, called)) return found([word(plain[called] ?? called)], end + 1);
  return found([first, sign('('), ...given, sign(')')], end + 1);
};

/** The type that a constant in quotes names, as functions take it. */
export const typeInText = (token: Token | undefined): EngineType | undefined => {
  const quoted = token?.kind === 'text' ? /^'(.{1,200})'$/s.exec(token.text)?.[1] : undefined;
  if (quoted === undefined) return undefined;
  const { tokens } = tokenize(quoted.replaceAll("''", "'"));
  if (tokens.length > mostTokens) return undefined;
  const type = typeAt(tokens, 0);
  return type?.end === tokens.length ? type : undefined;
};

/** Names of calls that cast, with what they are called here. */
const casts: Readonly<Record<string, string>> = {
  ...{ cast: 'CAST', try_cast: 'TRY_CAST' },
  ...{ accuratecast: 'CAST', accuratecastornull: 'TRY_CAST' },
};
/** A bracket that is open, of a cast where it has a name, and where in it the type begins. */
interface Open {
  readonly cast?: string;
  readonly at: number;
  as?: number;
  comma?: number;
}
interface Edit {
  readonly from: number;
  readonly to: number;
  readonly put: readonly Token[];
}

/** What is changed at a cast that closes here. */
const editsOf = (tokens: readonly Token[], open: Open, close: number): readonly Edit[] => {
  const { cast, at, as, comma } = open;
  const mark = as ?? comma;
  if (cast === undefined || mark === undefined || close - mark > mostTokens) return [];
  const type =
    as === undefined
      ? close === mark + 2
        ? typeInText(tokens[mark + 1])
        : undefined
      : typeAt(tokens, mark + 1);
  if (type === undefined) return [];
  const rest = as === undefined ? [] : tokens.slice(type.end, close);
  const ending = [word('AS'), ...type.put, ...rest];
  const named = { from: at - 1, to: at, put: [word(cast)] };
  if (!type.isWhole || rest.length > 0) return [named, { from: mark, to: close, put: ending }];
  const cut = [word('trunc'), sign('('), word(cast), sign('(')];
  const asNumber = [word('AS'), word('DOUBLE'), sign(')'), sign(')')];
  return [
    named,
    { from: at + 1, to: at + 1, put: cut },
    { from: mark, to: close, put: [...asNumber, ...ending] },
  ];
};

const edited = (tokens: readonly Token[], edits: readonly Edit[]): readonly Token[] => {
  const put: Token[] = [];
  let at = 0;
  // What is only put in goes before what stands there.
  for (const edit of [...edits].sort((a, b) => a.from - b.from || a.to - b.to)) {
    if (edit.from < at) continue; // within a type that is replaced as a whole
    for (; at < edit.from; at++) put.push(tokens[at] ?? sign(' '));
    for (const token of edit.put) put.push(token);
    at = edit.to;
  }
  for (; at < tokens.length; at++) put.push(tokens[at] ?? sign(' '));
  return put;
};

/** Types in `CAST(x AS T)`, `CAST(x, 'T')` and `x::T`. One pass, however they stand in each other. */
export const rewriteTypes = (tokens: readonly Token[]): readonly Token[] => {
  const edits: Edit[] = [];
  const open: Open[] = [];
  tokens.forEach((token, at) => {
    const inner = open.at(-1);
    if (token.kind === 'word') {
      if (inner !== undefined && isWord(token, 'as')) inner.as = at;
      return;
    }
    if (token.kind !== 'sign') return;
    if ('([{'.includes(token.text)) {
      const before = tokens[at - 1];
      const name = before?.kind === 'word' ? before.text.toLowerCase() : '';
      const cast = token.text === '(' && Object.hasOwn(casts, name) ? casts[name] : undefined;
      open.push(cast === undefined ? { at } : { cast, at });
    } else if (')]}'.includes(token.text)) {
      const closed = open.pop();
      if (closed !== undefined) for (const edit of editsOf(tokens, closed, at)) edits.push(edit);
    } else if (token.text === ',' && inner !== undefined) inner.comma = at;
    else if (token.text === ':' && isSign(tokens[at - 1], ':')) {
      const type = typeAt(tokens, at + 1);
      if (type !== undefined) edits.push({ from: at + 1, to: type.end, put: type.put });
    }
  });
  return edits.length === 0 ? tokens : edited(tokens, edits);
};
