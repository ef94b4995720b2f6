// `WITH value AS name`, which names a value for the rest of a statement: the engine's parser knows names of subqueries alone.
import { Failure } from '#ports/failure';
import { fold } from './fold.js';
import { depthOf, isSign, isWord, requireFew, sign } from './phrases.js';
import type { Token } from './tokens.js';

/** Of a statement in which the values stand in place of their names; each may name others twice. */
const mostTokens = 65_536;

const opens = (token: Token | undefined): boolean => token !== undefined && depthOf(token) > 0;
const closes = (token: Token | undefined): boolean => token !== undefined && depthOf(token) < 0;

/** Where each bracket is closed, by where it opens. */
const closingsOf = (tokens: readonly Token[]): ReadonlyMap<number, number> => {
  const found = new Map<number, number>();
  const open: number[] = [];
  tokens.forEach((token, at) => {
    if (opens(token)) open.push(at);
    else if (closes(token)) {
      const opened = open.pop();
      if (opened !== undefined) found.set(opened, at);
    }
  });
  return found;
};

interface Part {
  readonly from: number;
  readonly to: number;
}
const bodies = ['select', 'from', 'values', 'table', 'insert', 'update', 'delete'];

/** What stands between commas behind WITH, and where the query begins. */
const partsAt = (
  tokens: readonly Token[],
  closings: ReadonlyMap<number, number>,
  begin: number,
): { readonly parts: readonly Part[]; readonly end: number } => {
  const parts: Part[] = [];
  let from = begin;
  let at = begin;
  for (; at < tokens.length; at++) {
    const token = tokens[at];
    if (opens(token)) at = closings.get(at) ?? tokens.length;
    else if (closes(token)) break;
    else if (isWord(token, ...bodies) && !isWord(tokens[at - 1], 'distinct', 'as')) break;
    else if (isSign(token, ',')) {
      parts.push({ from, to: at });
      from = at + 1;
    }
  }
  return { parts: [...parts, { from, to: at }], end: at };
};

const nameOf = (token: Token | undefined): string | undefined =>
  token?.kind === 'word'
    ? fold(token.text)
    : token?.kind === 'name'
      ? fold(token.text.slice(1, -1).replaceAll('""', '"'))
      : undefined;

/** Whether a part names a value: what it is called stands behind it. */
const isValue = (tokens: readonly Token[], { from, to }: Part): boolean =>
  to - from >= 3 && nameOf(tokens[to - 1]) !== undefined && isWord(tokens[to - 2], 'as');

/** Words behind which a value may stand; behind others a name is that of a column or a table. */
const beforeValue: ReadonlySet<string> = new Set(
  'select distinct all where prewhere and or not on having qualify by when then else case between like ilike in limit offset interval'.split(
    ' ',
  ),
);
/** Words that end the list of what is selected. */
const afterItem = [
  ...['from', 'where', 'prewhere', 'group', 'having', 'order', 'limit', 'qualify', 'window'],
  ...['union', 'intersect', 'except', 'offset', 'format'],
];

/** A bracket, and which clause of the query in it is read. */
interface Level {
  readonly bracket: string;
  clause: string;
}

const isMeant = (tokens: readonly Token[], at: number, { bracket, clause }: Level): boolean => {
  const [before, next, later] = [tokens[at - 1], tokens[at + 1], tokens[at + 2]];
  if (isSign(next, '(') || isSign(next, '.')) return false;
  if (isSign(next, '-') && isSign(later, '>')) return false; // what a lambda takes
  if (bracket === '{' && isSign(next, ':') && !isSign(later, ':')) return false;
  if (before === undefined) return true;
  if (before.kind === 'word') return beforeValue.has(before.text.toLowerCase());
  if (before.kind !== 'sign' || closes(before) || before.text === '.') return false;
  return !(clause === 'from' && before.text === ',');
};

/** Whether a name is all of what is selected, which is then called by it. */
const isItem = (tokens: readonly Token[], at: number, { clause }: Level): boolean => {
  const [before, next] = [tokens[at - 1], tokens[at + 1]];
  return (
    clause === 'select' &&
    (isSign(before, ',') || isWord(before, 'select', 'distinct')) &&
    (next === undefined || isSign(next, ',') || closes(next) || isWord(next, ...afterItem))
  );
};

type Values = ReadonlyMap<string, readonly Token[]>;

/** The tokens with the values in place of their names. Rejects with `invalid` for too many. */
const inPlace = (tokens: readonly Token[], values: Values): readonly Token[] => {
  const put: Token[] = [];
  const levels: Level[] = [{ bracket: '', clause: '' }];
  tokens.forEach((token, at) => {
    const level = levels.at(-1) ?? { bracket: '', clause: '' };
    if (opens(token)) levels.push({ bracket: token.text, clause: '' });
    else if (closes(token)) levels.pop();
    else if (isWord(token, 'select', ...afterItem)) level.clause = token.text.toLowerCase();
    const name = nameOf(token);
    const value = name === undefined ? undefined : values.get(name);
    if (value === undefined || !isMeant(tokens, at, level)) {
      put.push(token);
      return;
    }
    if (put.length + value.length > mostTokens)
      throw new Failure('invalid', 'the query is too long');
    put.push(sign('('));
    for (const one of value) put.push(one);
    put.push(sign(')'));
    if (isItem(tokens, at, level)) put.push({ kind: 'word', text: 'AS' }, token);
  });
  return put;
};

/** One WITH, which begins here, and all that it is in force for, without the values that it names. */
const withoutValues = (
  tokens: readonly Token[],
  begin: number,
  { parts, end }: ReturnType<typeof partsAt>,
  until: number,
): readonly Token[] => {
  const values = new Map<string, readonly Token[]>();
  const kept: (readonly Token[])[] = [];
  let size = 0;
  for (const part of parts) {
    const name = isValue(tokens, part) ? nameOf(tokens[part.to - 1]) : undefined;
    const put = inPlace(tokens.slice(part.from, part.to - (name === undefined ? 0 : 2)), values);
    size += put.length;
    if (size > mostTokens) throw new Failure('invalid', 'the query is too long');
    if (name === undefined) kept.push(put);
    else values.set(name, put);
  }
  const listed = kept.flatMap((part, at) => (at === 0 ? part : [sign(','), ...part]));
  const opening = tokens.slice(begin, parts[0]?.from ?? begin);
  return [
    ...(kept.length === 0 ? [] : opening),
    ...listed,
    ...inPlace(tokens.slice(end, until), values),
  ];
};

/** Where the bracket ends in which a token stands. */
const endOfLevel = (
  tokens: readonly Token[],
  closings: ReadonlyMap<number, number>,
  from: number,
): number => {
  let at = from;
  for (; at < tokens.length && !closes(tokens[at]); at++)
    if (opens(tokens[at])) at = closings.get(at) ?? tokens.length;
  return at;
};

/** The statement with values where their names stood. A value that reads a table is judged as any subquery is. */
export const rewriteValues = (tokens: readonly Token[]): readonly Token[] => {
  let found = tokens;
  let closings = closingsOf(found);
  let done = 0;
  for (let at = 0; at < found.length; at++) {
    if (!isWord(found[at], 'with') || !(at === 0 || isSign(found[at - 1], '('))) continue;
    const begin = isWord(found[at + 1], 'recursive') ? at + 2 : at + 1;
    const read = partsAt(found, closings, begin);
    if (!read.parts.some((part) => isValue(found, part))) continue;
    requireFew(++done, 'WITH and a value');
    const until = Math.min(endOfLevel(found, closings, read.end), found.length);
    const put = withoutValues(found, at, read, until);
    if (at + put.length + found.length - until > mostTokens)
      throw new Failure('invalid', 'the query is too long');
    found = [...found.slice(0, at), ...put, ...found.slice(until)];
    closings = closingsOf(found);
  }
  return found;
};
