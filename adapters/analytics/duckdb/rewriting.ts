// Forms of ClickHouse SQL that the engine's parser does not know, put into its own: on tokens, so that nothing in quotes or comments is touched.
import { Failure } from '#ports/failure';
import { callAt, closeOf, depthOf, isSign, isWord, requireFew, sign, word } from './phrases.js';
import { tokenize, type Token } from './tokens.js';
import { rewriteTypes, typeInText } from './types.js';
import { rewriteValues } from './with-values.js';

const listed = (given: readonly (readonly Token[])[]): readonly Token[] =>
  given.flatMap((one, at) => (at === 0 ? one : [sign(','), ...one]));

const quantiles: ReadonlySet<string> = new Set(['quantile', 'quantileexact', 'quantiletdigest']);
const manyQuantiles: ReadonlySet<string> = new Set(['quantiles', 'quantilesexact']);
const withoutIf = (name: string): string => (name.endsWith('if') ? name.slice(0, -2) : name);

/** `quantile(0.9)(x)`: first how far, then of what; of several at once, a list; `quantileIf(0.9)(x, c)` of those rows alone where c holds. */
const rewriteQuantiles = (tokens: readonly Token[]): readonly Token[] => {
  const found = [...tokens];
  let done = 0;
  for (let at = found.length - 1; at >= 0; at--) {
    const name = found[at]?.kind === 'word' ? found[at]?.text.toLowerCase() : undefined;
    if (name === undefined) continue;
    const plain = withoutIf(name);
    if (!(quantiles.has(plain) || manyQuantiles.has(plain))) continue;
    if (!isSign(found[at + 1], '(')) continue;
    requireFew(++done, 'quantile');
    const first = closeOf(found, at + 1);
    const isTwice = isSign(found[first + 1], '(');
    const levels = isTwice
      ? found.slice(at + 2, first)
      : [{ kind: 'number', text: '0.5' } as const];
    const second = isTwice ? closeOf(found, first + 1) : first;
    const { given } = callAt(found, isTwice ? first + 1 : at + 1);
    const condition = plain !== name && given.length > 1 ? given.pop() : undefined;
    const of = listed(given);
    const many = manyQuantiles.has(plain);
    found.splice(
      at,
      second - at + 1,
      word('quantile_cont'),
      sign('('),
      ...of,
      sign(','),
      ...(many ? [sign('['), ...levels, sign(']')] : levels),
      sign(')'),
      ...(condition === undefined
        ? []
        : [word('FILTER'), sign('('), word('WHERE'), ...condition, sign(')')]),
    );
  }
  return found;
};

/** Letters of a time's form that the engine calls otherwise. */
const formLetters: Readonly<Record<string, string>> = {
  '%F': '%Y-%m-%d',
  '%T': '%H:%M:%S',
  '%R': '%H:%M',
  '%i': '%M',
  '%s': '%S',
};
/** Whether all of an argument stands in brackets, as values that belong together do. */
const isTuple = (one: readonly Token[]): boolean =>
  isSign(one[0], '(') && closeOf(one, 0) === one.length - 1 && callAt(one, 0).given.length > 1;
/** Values that belong together, as a list. */
const tupleAsList = (one: readonly Token[]): readonly Token[] =>
  isTuple(one) ? [word('json_array'), ...one] : one;

type Rewriting = (given: readonly (readonly Token[])[]) => readonly Token[] | undefined;
const swapped =
  (name: string): Rewriting =>
  (given) =>
    given.length === 2
      ? [word(name), sign('('), ...listed([...given].reverse()), sign(')')]
      : undefined;
const ofTuple =
  (name: string): Rewriting =>
  (given) => [word(name), sign('('), ...listed(given.map(tupleAsList)), sign(')')];
/** What a JSON text has at a place, of the type that is named last; where there is none, what ClickHouse has for nothing. */
const jsonOfType: Rewriting = (given) => {
  const [named, ...more] = given.at(-1) ?? [];
  const type = more.length === 0 ? typeInText(named) : undefined;
  if (type === undefined || given.length < 2) return undefined;
  const of = [sign('('), ...listed(given.slice(0, -1)), sign(')')];
  const tried = (from: readonly Token[], put: readonly Token[]) => [
    ...[word('TRY_CAST'), sign('('), ...from, word('AS'), ...put, sign(')')],
  ];
  const [only, ...others] = type.put;
  const plain = others.length === 0 ? (only?.text ?? '') : '';
  if (!type.isNullable && Object.hasOwn(jsonOf, plain))
    return [word(jsonOf[plain] ?? plain), ...of];
  const text = [word('JSONExtractText'), ...of];
  if (plain === 'BIGINT')
    return tried([word('trunc'), sign('('), ...tried(text, [word('DOUBLE')]), sign(')')], type.put);
  if (plain !== '' || type.put[0]?.text === 'DECIMAL') return tried(text, type.put);
  const whole = tried([word('JSONExtractKept'), ...of], type.put);
  return type.isList
    ? [word('coalesce'), sign('('), ...whole, sign(','), sign('['), sign(']'), sign(')')]
    : whole;
};
/** Functions that give a value of one type, and what is none where there is none. */
const jsonOf: Readonly<Record<string, string>> = {
  ...{ BIGINT: 'JSONExtractInt', DOUBLE: 'JSONExtractFloat', FLOAT: 'JSONExtractFloat' },
  ...{ VARCHAR: 'JSONExtractString', BOOLEAN: 'JSONExtractBool' },
};

/** Calls whose arguments stand in another order here, or take another form. */
const calls: Readonly<Record<string, Rewriting>> = {
  position: (given) =>
    given.length === 2 ? [word('strpos'), sign('('), ...listed(given), sign(')')] : undefined,
  jsonextract: jsonOfType,
  arraymap: swapped('list_transform'),
  arrayfilter: swapped('list_filter'),
  grouparray: ofTuple('groupArray'),
  tojsonstring: ofTuple('toJSONString'),
  formatdatetime([of = [], form]) {
    const [text] = form ?? [];
    if (form?.length !== 1 || text?.kind !== 'text') return undefined;
    const put = text.text.replaceAll(/%[a-zA-Z%]/g, (letter) => formLetters[letter] ?? letter);
    return [
      ...[word('strftime'), sign('('), word('CAST'), sign('('), ...of, word('AS')],
      ...[word('TIMESTAMP'), sign(')'), sign(','), { kind: 'text' as const, text: put }, sign(')')],
    ];
  },
};

const rewriteCalls = (tokens: readonly Token[]): readonly Token[] => {
  const found = [...tokens];
  let done = 0;
  for (let at = found.length - 1; at >= 0; at--) {
    const token = found[at];
    const name = token?.kind === 'word' ? token.text.toLowerCase() : '';
    if (!Object.hasOwn(calls, name) || !isSign(found[at + 1], '(')) continue;
    requireFew(++done, token?.text ?? name);
    const { given, close } = callAt(found, at + 1);
    const put = calls[name]?.(given);
    if (put !== undefined) found.splice(at, close - at + 1, ...put);
  }
  return found;
};

const endsSelect = ['union', 'intersect', 'except'];
const afterWhere = [
  ...['group', 'having', 'qualify', 'window', 'order', 'limit', 'offset', ...endsSelect],
];

/** Where one of the words stands that end a clause, or the bracket ends that it is in. */
const endOfClause = (
  tokens: readonly Token[],
  from: number,
  ...words: readonly string[]
): number => {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    depth += token === undefined ? 0 : depthOf(token);
    if (depth < 0 || (depth === 0 && isWord(token, ...words))) return at;
  }
  return tokens.length;
};

/** PREWHERE says how to read and not what to find: its condition is one with that of WHERE. */
const rewritePrewhere = (tokens: readonly Token[]): readonly Token[] => {
  const put = new Map<number, readonly Token[]>();
  const swap = new Map<number, readonly Token[]>();
  let done = 0;
  tokens.forEach((token, at) => {
    if (!isWord(token, 'prewhere')) return;
    requireFew(++done, 'PREWHERE');
    const end = endOfClause(tokens, at + 1, 'where', ...afterWhere);
    if (!isWord(tokens[end], 'where')) return void swap.set(at, [word('WHERE')]);
    swap.set(at, [word('WHERE'), sign('(')]);
    swap.set(end, [sign(')'), word('AND'), sign('(')]);
    put.set(endOfClause(tokens, end + 1, ...afterWhere), [sign(')')]);
  });
  if (swap.size === 0) return tokens;
  return [...tokens, undefined].flatMap((token, at) => [
    ...(put.get(at) ?? []),
    ...(swap.get(at) ?? (token === undefined ? [] : [token])),
  ]);
};

/** `LIMIT n BY columns` keeps the first n of each: the engine says it before the order, by the number of a row. */
const rewriteLimitBy = (tokens: readonly Token[], done = 0): readonly Token[] => {
  const at = tokens.findIndex(
    (token, i) =>
      isWord(token, 'limit') && tokens[i + 1]?.kind === 'number' && isWord(tokens[i + 2], 'by'),
  );
  if (at === -1) return tokens;
  requireFew(done + 1, 'LIMIT BY');
  let depth = 0;
  let end = at + 3;
  for (; end < tokens.length; end++) {
    const token = tokens[end];
    if (token === undefined) break;
    depth += depthOf(token);
    if (depth < 0 || (depth === 0 && (isWord(token, 'limit', ...endsSelect) || isSign(token, ';'))))
      break;
  }
  let order = at;
  depth = 0;
  for (let i = at - 1; i >= 0; i--) {
    const token = tokens[i];
    if (token === undefined) break;
    depth -= depthOf(token);
    if (depth < 0) break;
    if (depth === 0 && isWord(token, 'select', ...endsSelect)) break;
    if (depth === 0 && isWord(token, 'order') && isWord(tokens[i + 1], 'by')) order = i;
  }
  const ordered = tokens.slice(order, at);
  const kept = [
    ...[word('QUALIFY'), word('row_number'), sign('('), sign(')'), word('OVER'), sign('(')],
    ...[word('PARTITION'), word('BY'), ...tokens.slice(at + 3, end), ...ordered, sign(')')],
    ...[sign('<'), sign('='), tokens[at + 1] ?? sign('0')],
  ];
  return rewriteLimitBy(
    [...tokens.slice(0, order), ...kept, ...ordered, ...tokens.slice(end)],
    done + 1,
  );
};

/** Words that are said before a table's name. */
const beforeTable = ['from', 'join'];

/** FINAL after a table asks for its newest rows, of which alone there are any. */
const dropFinal = (tokens: readonly Token[]): readonly Token[] =>
  tokens.filter((token, at) => {
    if (!isWord(token, 'final')) return true;
    const [one, two, three] = [tokens[at - 1], tokens[at - 2], tokens[at - 3]];
    const isName = (some: Token | undefined) => some?.kind === 'word' || some?.kind === 'name';
    const after =
      (isName(one) && (isWord(two, ...beforeTable) || isSign(two, ','))) ||
      (isName(one) && isName(two) && isWord(three, ...beforeTable)) ||
      (isName(one) && isWord(two, 'as'));
    return !after || isSign(tokens[at + 1], '.') || isSign(tokens[at + 1], '(');
  });

/** Names that are words of the engine's grammar, with what they are called here. */
const renamed: Readonly<Record<string, string>> = {
  arrayjoin: 'unnest',
  isnull: 'isNullValue',
  isnotnull: 'isNotNullValue',
};

/** Whether ANY compares a value with each of a list here, and is no function. */
const isComparing = (before: Token | undefined): boolean =>
  (before?.kind === 'sign' && /^[=<>!~]$/.test(before.text)) || isWord(before, 'like', 'ilike');

/** `map('k', v)` becomes an object, `arrayJoin(l)` rows, `array(a, b)` a list, as `tuple(a, b)` does. */
const rename = (tokens: readonly Token[]): readonly Token[] =>
  tokens.map((token, at) => {
    if (token.kind !== 'word' || !isSign(tokens[at + 1], '(')) return token;
    const [name, before, first] = [token.text.toLowerCase(), tokens[at - 1], tokens[at + 2]];
    if (isSign(before, '.')) return token;
    switch (name) {
      case 'map':
        return isSign(first, '[') || isSign(first, ')') ? token : word('json_object');
      case 'any':
        return isComparing(before) ? token : word('any_value');
      case 'tuple':
        return word('json_array');
      case 'array':
        return isWord(first, 'select', 'with', 'from', 'values') ? token : word('list_value');
      default:
        return Object.hasOwn(renamed, name) ? word(renamed[name] ?? name) : token;
    }
  });

/** Signs that belong together; between all others a blank does no harm. */
const together = /^(?:[<>=!|&*/+\-~@^%#:.]|->>?)$/;

const written = (tokens: readonly Token[], gaps: ReadonlySet<Token>): string =>
  tokens
    .map((token, at) => {
      const next = tokens[at + 1];
      const close =
        token.kind === 'sign' &&
        next?.kind === 'sign' &&
        together.test(token.text) &&
        together.test(next.text) &&
        !gaps.has(token);
      return close ? token.text : `${token.text} `;
    })
    .join('');

/**
 * The statement as the engine is given it. Rejects with `invalid` for settings anywhere, for more than one statement and for what has no end.
 */
export const rewrite = (statement: string): string => {
  const { tokens, gaps } = tokenize(statement);
  if (tokens.some((token) => isWord(token, 'settings', 'set')))
    throw new Failure('invalid', 'a query must not have SETTINGS or SET');
  const end = tokens.findLastIndex((token) => !isSign(token, ';')) + 1;
  const one = tokens.slice(0, end);
  if (one.length === 0) throw new Failure('invalid', 'the query cannot be parsed');
  if (one.some((token) => isSign(token, ';')))
    throw new Failure('invalid', 'a query must be one statement');
  const clauses = rewriteLimitBy(rewritePrewhere(dropFinal(rewriteValues(one))));
  return written(rename(rewriteTypes(rewriteCalls(rewriteQuantiles(clauses)))), gaps);
};
