// Tokens as the forms of `rewriting.ts` look at them.
import { Failure } from '#ports/failure';
import type { Token } from './tokens.js';

export const isWord = (token: Token | undefined, ...words: readonly string[]): boolean =>
  token?.kind === 'word' && words.includes(token.text.toLowerCase());
export const isSign = (token: Token | undefined, sign: string): boolean =>
  token?.kind === 'sign' && token.text === sign;

export const word = (text: string): Token => ({ kind: 'word', text });
export const sign = (text: string): Token => ({ kind: 'sign', text });

const opening = new Set(['(', '[', '{']);
const closing = new Set([')', ']', '}']);
/** By how much a token opens or closes brackets. */
export const depthOf = ({ kind, text }: Token): number =>
  kind !== 'sign' ? 0 : opening.has(text) ? 1 : closing.has(text) ? -1 : 0;

/** Where the bracket that opens here is closed. */
export const closeOf = (tokens: readonly Token[], open: number): number => {
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
export const requireFew = (many: number, form: string): void => {
  if (many > mostOfForm)
    throw new Failure('invalid', `a query must have at most ${mostOfForm} times ${form}`);
};

/** The arguments of a call whose bracket opens here, and where it closes. */
export const callAt = (tokens: readonly Token[], open: number) => {
  const close = closeOf(tokens, open);
  const given: Token[][] = [[]];
  let depth = 0;
  for (const token of tokens.slice(open + 1, close)) {
    depth += depthOf(token);
    if (depth === 0 && isSign(token, ',')) given.push([]);
    else given.at(-1)?.push(token);
  }
  return { given, close };
};
