// Forms of ClickHouse SQL that the engine's parser does not know, put into its own: on tokens, so that nothing in quotes or comments is touched.
import { Failure } from '#ports/failure';
import { tokenize, type Token } from './tokens.js';

const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toLowerCase());
const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.kind === 'sign' && token.text === sign;

const word = (text: string): Token => ({ kind: 'word', text });
const sign = (text: string): Token => ({ kind: 'sign', text });

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);
const depthOf = ({ kind, text }: Token): number =>
  kind !== 'sign' ? 0 : opening.has(text) ? 1 : closing.has(text) ? -1 : 0;

/** Where the bracket that opens here is closed. */
const closeOf = (tokens: readonly Token[], open: number): number => {
  let depth = 0;
  for (let at = open; at < tokens.length; at++) {
    const token = tokens[at];
    depth += token === undefined ? 0 : depthOf(token);
    if (depth === 0) return at;
  }
  throw new Failure('invalid', 'the query cannot be parsed');
};

/** Of one form in a statement: each is looked for in all of it, so that more would keep the server from other work. */
const mostOfForm = 200;
const requireFew = (many: number, form: string): void => {
  if (many > mostOfForm)
    throw new Failure('invalid', `a query must have at most ${mostOfForm} times ${form}`);
};

const quantiles: ReadonlySet<string> = new Set(['quantile', 'quantileexact', 'quantiletdigest']);
const manyQuantiles: ReadonlySet<string> = new Set(['quantiles', 'quantilesexact']);

/** `quantile(0.9)(x)`: first how far, then of what; of several at once, a list. */
const rewriteQuantiles = (tokens: readonly Token[]): readonly Token[] => {
  const found = [...tokens];
  let done = 0;
  for (let at = found.length - 1; at >= 0; at--) {
    const name = found[at]?.kind === 'word' ? found[at]?.text.toLowerCase() : undefined;
    if (name === undefined || !(quantiles.has(name) || manyQuantiles.has(name))) continue;
    if (!isSign(found[at + 1], '(')) continue;
    requireFew(++done, 'quantile');
    const first = closeOf(found, at + 1);
    const isTwice = isSign(found[first + 1], '(');
    const levels = isTwice
      ? found.slice(at + 2, first)
      : [{ kind: 'number', text: '0.5' } as const];
    const second = isTwice ? closeOf(found, first + 1) : first;
    const of = isTwice ? found.slice(first + 2, second) : found.slice(at + 2, first);
    const many = manyQuantiles.has(name);
    found.splice(
      at,
      second - at + 1,
      word('quantile_cont'),
      sign('('),
      ...of,
      sign(','),
      ...(many ? [sign('['), ...levels, sign(']')] : levels),
      sign(')'),
    );
  }
  return found;
};

const endsSelect = ['union', 'intersect', 'except'];

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

/** `map('k', v)` becomes an object, `arrayJoin(l)` rows; `a == b` is a comparison. */
const rename = (tokens: readonly Token[]): readonly Token[] =>
  tokens.map((token, at) => {
    if (!isSign(tokens[at + 1], '(')) return token;
    if (isWord(token, 'arrayjoin')) return word('unnest');
    const first = tokens[at + 2];
    return isWord(token, 'map') && !isSign(first, '[') && !isSign(first, ')')
      ? word('json_object')
      : token;
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
  return written(rename(rewriteQuantiles(rewriteLimitBy(dropFinal(one)))), gaps);
};
