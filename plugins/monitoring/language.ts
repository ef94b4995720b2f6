// The language of filters and of metrics: one aggregate over the table `model`, with an optional condition. Text becomes a tree here, and nothing
// of it goes to any database. Pure.
import { Failure } from '#ports/failure';

export type Node =
  | { readonly is: 'value'; readonly value: string | number | boolean | null }
  | { readonly is: 'column'; readonly name: string; readonly place: number }
  | {
      readonly is: 'call';
      readonly name: string;
      readonly args: readonly Node[];
      readonly distinct: boolean;
      readonly place: number;
    }
  | {
      readonly is: 'case';
      readonly when: readonly (readonly [Node, Node])[];
      readonly otherwise: Node;
    };

export interface Metric {
  readonly select: Node;
  readonly where: Node | undefined;
}

/** A statement whose rows are asked for: what `*` stands for is an item without a node. */
export interface Statement {
  readonly items: readonly { readonly name: string; readonly node: Node | undefined }[];
  readonly where: Node | undefined;
  readonly group: readonly Node[];
  /** Nodes, or places among the items from 0 on. */
  readonly order: readonly { readonly by: Node | number; readonly descending: boolean }[];
  readonly limit: number | undefined;
}

interface Token {
  readonly is: 'word' | 'name' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
  readonly place: number;
}

/** In characters; the command `audit rows` of the client asks with more than ten thousand. */
export const longestStatement = 32_000;

const refuse = (what: string, place: number) =>
  new Failure('invalid', `${what} at position ${place + 1}`);

/** Names of functions, and how many arguments each takes. */
const scalars: Readonly<Record<string, readonly [least: number, most: number]>> = {
  abs: [1, 1],
  ln: [1, 1],
  exp: [1, 1],
  pow: [2, 2],
  power: [2, 2],
  nullif: [2, 2],
  coalesce: [1, 20],
  substring: [2, 3],
  timestamp_to_millis: [1, 1],
  millis_to_timestamp: [1, 1],
};
export const aggregates: Readonly<Record<string, readonly [least: number, most: number]>> = {
  count: [1, 1],
  sum: [1, 1],
  avg: [1, 1],
  min: [1, 1],
  max: [1, 1],
  stddev: [1, 1],
  var: [1, 1],
  variance: [1, 1],
  median: [1, 1],
  percentile: [2, 2],
  corr: [2, 2],
};

const tokensOf = (text: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  const quotedUntil = (quote: string): string => {
    const from = at;
    let held = '';
    for (at++; at < text.length; at++) {
      if (text[at] !== quote) held += text[at] ?? '';
      else if (text[at + 1] === quote) {
        held += quote;
        at++;
      } else {
        at++;
        return held;
      }
    }
    throw refuse('a quote is not closed', from);
  };
  const run = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  while (at < text.length) {
    const [sign, place] = [text[at] ?? '', at];
    if (/\s/.test(sign)) at++;
    else if (sign === "'") tokens.push({ is: 'text', text: quotedUntil(sign), place });
    else if (sign === '"' || sign === '`')
      tokens.push({ is: 'name', text: quotedUntil(sign), place });
    else if (/[\p{L}_]/u.test(sign))
      tokens.push({ is: 'word', text: run(/[\p{L}\p{N}_.]+/uy), place });
    else if (/[0-9.]/.test(sign))
      tokens.push({ is: 'number', text: run(/[0-9]*\.?[0-9]*(?:[eE][+-]?[0-9]+)?/y), place });
    else {
      const found = run(/<=|>=|<>|!=|[-+*/%(),=<>;]/y);
      if (found === '') throw refuse(`${sign} is not understood`, at);
      tokens.push({ is: 'sign', text: found, place });
    }
  }
  return [...tokens, { is: 'end', text: '', place: text.length }];
};

const call = (name: string, args: readonly Node[], place = 0): Node => ({
  is: 'call',
  name,
  args,
  distinct: false,
  place,
});

const comparisons: Readonly<Record<string, string>> = {
  '=': '=',
  '<>': '!=',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};
const deepest = 100;

class Parser {
  #at = 0;
  #depth = 0;
  #inAggregate = false;
  readonly #tokens: readonly Token[];
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    if (text.length > longestStatement)
      throw new Failure('invalid', `it has more than ${longestStatement} characters`);
    this.#tokens = tokensOf(text);
  }

  get #next(): Token {
    return this.#tokens[this.#at] ?? { is: 'end', text: '', place: 0 };
  }
  #isWord(word: string, token = this.#next): boolean {
    return token.is === 'word' && token.text.toLowerCase() === word;
  }
  #takeWord(word: string): boolean {
    if (!this.#isWord(word)) return false;
    this.#at++;
    return true;
  }
  #takeSign(sign: string): boolean {
    if (this.#next.is !== 'sign' || this.#next.text !== sign) return false;
    this.#at++;
    return true;
  }
  #expectWord(word: string): void {
    if (!this.#takeWord(word)) throw refuse(`${word.toUpperCase()} is expected`, this.#next.place);
  }
  #expectSign(sign: string): void {
    if (!this.#takeSign(sign)) throw refuse(`${sign} is expected`, this.#next.place);
  }
  #end(): void {
    if (this.#next.is !== 'end')
      throw refuse(`${this.#next.text.slice(0, 40)} is out of place`, this.#next.place);
  }

  metric(): Metric {
    this.#expectWord('select');
    const select = this.#or();
    if (this.#takeWord('as')) this.#at++;
    this.#fromModel();
    const where = this.#takeWord('where') ? this.#or() : undefined;
    this.#takeSign(';');
    this.#end();
    if (!hasAggregate(select))
      throw refuse('an aggregate such as count(*) is expected', this.#tokens[1]?.place ?? 0);
    if (where !== undefined && hasAggregate(where))
      throw refuse('a condition holds no aggregate', 0);
    return { select, where };
  }

  statement(): Statement {
    this.#expectWord('select');
    const items = [this.#item()];
    while (this.#takeSign(',')) items.push(this.#item());
    this.#fromModel();
    const where = this.#takeWord('where') ? this.#or() : undefined;
    const group: Node[] = [];
    if (this.#takeWord('group')) {
      this.#expectWord('by');
      do group.push(this.#or());
      while (this.#takeSign(','));
    }
    const order = this.#takeWord('order') ? this.#order(items.map(({ name }) => name)) : [];
    const limit = this.#takeWord('limit') ? this.#count() : undefined;
    this.#takeSign(';');
    this.#end();
    for (const node of [where, ...group])
      if (node !== undefined && hasAggregate(node))
        throw refuse('WHERE and GROUP BY hold no aggregate', 0);
    return { items, where, group, order, limit };
  }

  #item(): Statement['items'][number] {
    const from = this.#next.place;
    if (this.#takeSign('*')) return { name: '*', node: undefined };
    const node = this.#or();
    const before = this.#next.place;
    const given = this.#takeWord('as') ? this.#next : undefined;
    if (given !== undefined) this.#at++;
    return { name: given?.text ?? this.#text.slice(from, before).trim(), node };
  }
  #fromModel(): void {
    this.#expectWord('from');
    const table = this.#next;
    this.#at++;
    if (!['word', 'name'].includes(table.is) || table.text.toLowerCase() !== 'model')
      throw refuse('the only table is model', table.place);
  }
  #order(names: readonly string[]): Statement['order'] {
    this.#expectWord('by');
    const order: { by: Node | number; descending: boolean }[] = [];
    do {
      const node = this.#or();
      const place =
        node.is === 'value' && typeof node.value === 'number'
          ? node.value - 1
          : node.is === 'column'
            ? names.indexOf(node.name)
            : -1;
      const descending = this.#takeWord('desc');
      if (!descending) this.#takeWord('asc');
      order.push({ by: place >= 0 && place < names.length ? place : node, descending });
    } while (this.#takeSign(','));
    return order;
  }
  #count(): number {
    const token = this.#next;
    this.#at++;
    if (token.is !== 'number' || !/^[0-9]+$/.test(token.text))
      throw refuse('a whole number is expected', token.place);
    return Number(token.text);
  }

  condition(): Node {
    const node = this.#or();
    this.#end();
    if (hasAggregate(node)) throw refuse('a filter holds no aggregate', 0);
    return node;
  }

  #or(): Node {
    if (++this.#depth > deepest) throw refuse('it is nested too deeply', this.#next.place);
    let left = this.#and();
    while (this.#takeWord('or')) left = call('or', [left, this.#and()]);
    this.#depth--;
    return left;
  }
  #and(): Node {
    let left = this.#not();
    while (this.#takeWord('and')) left = call('and', [left, this.#not()]);
    return left;
  }
  #not(): Node {
    return this.#takeWord('not') ? call('not', [this.#not()]) : this.#comparison();
  }
  #comparison(): Node {
    const left = this.#sum();
    const token = this.#next;
    const sign = token.is === 'sign' ? comparisons[token.text] : undefined;
    if (sign !== undefined) {
      this.#at++;
      return call(sign, [left, this.#sum()], token.place);
    }
    if (this.#takeWord('is')) {
      const negated = this.#takeWord('not');
      this.#expectWord('null');
      return negated ? call('not', [call('isNull', [left])]) : call('isNull', [left]);
    }
    const negated = this.#isWord('not') && this.#at++ >= 0;
    const tested = this.#tested(left);
    if (tested === undefined) {
      if (negated) throw refuse('IN, BETWEEN or CONTAINS is expected', this.#next.place);
      return left;
    }
    return negated ? call('not', [tested]) : tested;
  }
  #tested(left: Node): Node | undefined {
    if (this.#takeWord('contains')) return call('contains', [left, this.#sum()]);
    if (this.#takeWord('between')) {
      const low = this.#sum();
      this.#expectWord('and');
      return call('and', [call('>=', [left, low]), call('<=', [left, this.#sum()])]);
    }
    if (!this.#takeWord('in')) return undefined;
    this.#expectSign('(');
    return call('in', [left, ...this.#list()]);
  }
  #list(): readonly Node[] {
    const nodes = [this.#or()];
    while (this.#takeSign(',')) nodes.push(this.#or());
    this.#expectSign(')');
    return nodes;
  }
  #sum(): Node {
    let left = this.#product();
    for (;;) {
      if (this.#takeSign('+')) left = call('+', [left, this.#product()]);
      else if (this.#takeSign('-')) left = call('-', [left, this.#product()]);
      else return left;
    }
  }
  #product(): Node {
    let left = this.#unary();
    for (;;) {
      if (this.#takeSign('*')) left = call('*', [left, this.#unary()]);
      else if (this.#takeSign('/')) left = call('/', [left, this.#unary()]);
      else if (this.#takeSign('%')) left = call('%', [left, this.#unary()]);
      else return left;
    }
  }
  #unary(): Node {
    if (++this.#depth > deepest) throw refuse('it is nested too deeply', this.#next.place);
    const node = this.#takeSign('-')
      ? call('-', [{ is: 'value', value: 0 }, this.#unary()])
      : this.#primary();
    this.#depth--;
    return node;
  }
  #primary(): Node {
    const token = this.#next;
    this.#at++;
    if (token.is === 'number') {
      const value = Number(token.text);
      if (Number.isNaN(value)) throw refuse(`${token.text} is no number`, token.place);
      return { is: 'value', value };
    }
    if (token.is === 'text') return { is: 'value', value: token.text };
    if (token.is === 'name') return { is: 'column', name: token.text, place: token.place };
    if (token.is === 'sign' && token.text === '(') {
      const node = this.#or();
      this.#expectSign(')');
      return node;
    }
    if (token.is !== 'word')
      throw refuse(
        token.is === 'end' ? 'it ends too early' : `${token.text} is out of place`,
        token.place,
      );
    const word = token.text.toLowerCase();
    if (word === 'true' || word === 'false') return { is: 'value', value: word === 'true' };
    if (word === 'null') return { is: 'value', value: null };
    if (word === 'case') return this.#case();
    if (word === 'timestamp' && this.#next.is === 'text') return this.#timestamp();
    if (reserved.has(word)) throw refuse(`${token.text} is out of place`, token.place);
    if (this.#takeSign('(')) return this.#call(word, token.place);
    return { is: 'column', name: token.text, place: token.place };
  }
  /** `TIMESTAMP '2026-01-01 00:00:00'`, in UTC, as milliseconds. */
  #timestamp(): Node {
    const { text, place } = this.#next;
    this.#at++;
    const time = Date.parse(/^\d{4}-\d{2}-\d{2}$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
    if (Number.isNaN(time)) throw refuse(`${text.slice(0, 40)} is no time`, place);
    return { is: 'value', value: time };
  }
  #call(name: string, place: number): Node {
    const isAggregate = Object.hasOwn(aggregates, name);
    const counts = isAggregate
      ? aggregates[name]
      : Object.hasOwn(scalars, name)
        ? scalars[name]
        : undefined;
    if (counts === undefined) throw refuse(`there is no function ${name.slice(0, 40)}`, place);
    if (isAggregate && this.#inAggregate) throw refuse('an aggregate stands within another', place);
    if (name === 'count' && this.#takeSign('*')) {
      this.#expectSign(')');
      return { is: 'call', name, args: [], distinct: false, place };
    }
    const before = this.#inAggregate;
    this.#inAggregate ||= isAggregate;
    const distinct = name === 'count' && this.#takeWord('distinct');
    const args = this.#list();
    this.#inAggregate = before;
    if (args.length < counts[0] || args.length > counts[1])
      throw refuse(`${name} does not take ${args.length} arguments`, place);
    return { is: 'call', name, args, distinct, place };
  }
  #case(): Node {
    const when: (readonly [Node, Node])[] = [];
    const subject = this.#isWord('when') ? undefined : this.#or();
    while (this.#takeWord('when')) {
      const test = this.#or();
      this.#expectWord('then');
      when.push([subject === undefined ? test : call('=', [subject, test]), this.#or()]);
    }
    const otherwise: Node = this.#takeWord('else') ? this.#or() : { is: 'value', value: null };
    this.#expectWord('end');
    if (when.length === 0) throw refuse('WHEN is expected', this.#next.place);
    return { is: 'case', when, otherwise };
  }
}

const reserved = new Set(
  'select from where group order having join union limit with insert update delete as when then else end and or'.split(
    ' ',
  ),
);

/** The nodes right below one. */
export const partsOfNode = (node: Node): readonly Node[] =>
  node.is === 'call' ? node.args : node.is === 'case' ? [...node.when.flat(), node.otherwise] : [];

export const hasAggregate = (node: Node): boolean =>
  (node.is === 'call' && Object.hasOwn(aggregates, node.name)) ||
  partsOfNode(node).some(hasAggregate);

/** One SELECT of one aggregate expression. Throws `invalid` with the position of what is not understood. */
export const parseMetric = (sql: string): Metric => new Parser(sql).metric();

/** One SELECT of rows or of groups of them. Throws `invalid` with the position of what is not understood. */
export const parseStatement = (sql: string): Statement => new Parser(sql).statement();

const operators = ['<=', '>=', '!=', '<>', '=', '<', '>'] as const;

/** `column op value` where the value may stand without quotes: the value quoted, if that is what it is. */
const withQuotes = (clause: string): string => {
  const trimmed = clause.trim();
  const sign = operators
    .map((operator) => ({ operator, at: trimmed.indexOf(operator) }))
    .filter(({ at }) => at > 0)
    .sort((one, other) => one.at - other.at || other.operator.length - one.operator.length)[0];
  const list = /\sin\s*\(/i.exec(trimmed);
  if (list !== null && (sign === undefined || list.index < sign.at)) return trimmed;
  const contains = /\scontains\s/i.exec(trimmed);
  const at =
    contains !== null && (sign === undefined || contains.index < sign.at)
      ? { from: contains.index, to: contains.index + contains[0].length, operator: ' contains ' }
      : sign && { from: sign.at, to: sign.at + sign.operator.length, operator: sign.operator };
  if (at === undefined) return trimmed;
  const column = trimmed.slice(0, at.from).trim();
  const value = trimmed.slice(at.to).trim();
  const isPlain = /^(['"]).*\1$/s.test(value) ? false : Number.isNaN(Number(value)) || value === '';
  if (isPlain && (value === '' || /[=<>()'"]|\s(?:and|or)$/i.test(value)))
    throw new Failure('invalid', `the value of ${column.slice(0, 60)} must stand in quotes`);
  const name = /^["`]/.test(column) ? column : `"${column.replaceAll('"', '""')}"`;
  const text = /^".*"$/s.test(value)
    ? `'${value.slice(1, -1).replaceAll("'", "''")}'`
    : isPlain && !/^(true|false|null)$/i.test(value)
      ? `'${value.replaceAll("'", "''")}'`
      : value;
  return `${name} ${at.operator} ${text}`;
};

/** The parts between such words that stand outside quotes and brackets. */
const clausesOf = (filter: string, word: 'and' | 'or'): readonly string[] => {
  const between = word === 'and' ? /^\sand\s/i : /^\sor\s/i;
  const length = word.length + 2;
  const clauses: string[] = [];
  let [from, quote, depth]: [number, string, number] = [0, '', 0];
  for (let at = 0; at < filter.length; at++) {
    const sign = filter[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (depth === 0 && between.test(filter.slice(at, at + length))) {
      clauses.push(filter.slice(from, at));
      from = at + length;
      at += length - 1;
    }
  }
  return [...clauses, filter.slice(from)];
};

/** What stands within the brackets around all of a text; `undefined` where there are none. */
const withinBrackets = (text: string): string | undefined => {
  if (!text.startsWith('(') || !text.endsWith(')')) return undefined;
  let [quote, depth] = ['', 0];
  for (let at = 0; at < text.length; at++) {
    const sign = text[at] ?? '';
    if (quote !== '') quote = sign === quote ? '' : quote;
    else if (sign === "'" || sign === '"') quote = sign;
    else if (sign === '(') depth++;
    else if (sign === ')' && --depth === 0 && at < text.length - 1) return undefined;
  }
  return depth === 0 ? text.slice(1, -1) : undefined;
};

const joined = (word: 'and' | 'or', nodes: readonly Node[]): Node =>
  nodes.reduce((left, right) => call(word, [left, right]));

/** Clauses joined by AND; within brackets by OR too, outside of which that may be part of a value. */
const readFilter = (filter: string, level: number): Node => {
  if (level > deepest) throw new Failure('invalid', 'a filter is nested too deeply');
  return joined(
    'and',
    clausesOf(filter, 'and').map((clause) => {
      const inner = withinBrackets(clause.trim());
      return inner === undefined
        ? new Parser(withQuotes(clause)).condition()
        : joined(
            'or',
            clausesOf(inner, 'or').map((part) => readFilter(part, level + 1)),
          );
    }),
  );
};

/** A filter as a condition. Throws `invalid` for what is not understood. */
export const parseFilter = (filter: string): Node => {
  if (filter.length > longestStatement)
    throw new Failure('invalid', `a filter has at most ${longestStatement} characters`);
  return readFilter(filter, 0);
};
