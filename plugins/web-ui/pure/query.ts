// The query bar's language: what clients write in code, read into the tree of rules that the server takes. Pure.
// `Metric("val/acc") > 0.8 & ~Tag("bad")`, `|`, parentheses; a bare word is part of a run's name, `Name =~ "^vit"` an expression for it.

export interface Rule {
  readonly field: string;
  readonly source: string;
  readonly operator: string;
  readonly type: 'string' | 'double';
  readonly value: string | number;
  readonly ignoreCase?: boolean;
}
export interface RuleGroup {
  readonly condition: 'AND' | 'OR';
  readonly rules: readonly (Rule | RuleGroup)[];
}

/** What is wrong with a query, and where in its text. */
export interface QueryFault {
  readonly at: number;
  readonly says: string;
}
export type ReadQuery = { readonly rules: RuleGroup | undefined } | { readonly fault: QueryFault };

const sources: Readonly<Record<string, string>> = {
  metric: 'metrics',
  param: 'params',
  parameter: 'params',
  other: 'log_other',
  tag: 'tag',
  metadata: 'metadata',
  environment: 'env_details',
};
/** The words by which a query names what it asks about. */
export const queryWords = ['Metric', 'Param', 'Tag', 'Other', 'Metadata', 'Environment'] as const;

const operators: Readonly<Record<string, readonly [plain: string, negated: string]>> = {
  '==': ['equal', 'not_equal'],
  '=': ['equal', 'not_equal'],
  '!=': ['not_equal', 'equal'],
  '>': ['greater', 'less_or_equal'],
  '>=': ['greater_or_equal', 'less'],
  '<': ['less', 'greater_or_equal'],
  '<=': ['less_or_equal', 'greater'],
  contains: ['contains', 'not_contains'],
  startswith: ['begins_with', 'not_begins_with'],
  endswith: ['ends_with', 'not_ends_with'],
};
const present = ['is_not_null', 'is_null'] as const;
/** Of a regular expression on names, which pages alone may ask. */
const matching = ['matches', 'not_matches'] as const;
const mostPattern = 200;

interface Token {
  readonly at: number;
  readonly kind: 'word' | 'text' | 'number' | 'sign' | 'end';
  readonly text: string;
}

class Fault extends Error {
  constructor(
    readonly at: number,
    says: string,
  ) {
    super(says);
  }
}

const signs = ['=~', '==', '!=', '>=', '<=', '>', '<', '=', '&', '|', '~', '(', ')'];
const wordAt = /[^\s"'()&|~<>=!]+/y;

const wordOf = (text: string, at: number): string | undefined => {
  wordAt.lastIndex = at;
  return wordAt.exec(text)?.[0];
};
const isNumber = (word: string): boolean => /^[-+.\d]/.test(word) && Number.isFinite(Number(word));

/** The text that a quote begins. A raw one keeps its backslashes, but for those before a quote. */
const readText = (
  query: string,
  at: number,
  raw: boolean,
): { readonly text: string; readonly end: number } => {
  const quote = query.charAt(at);
  let text = '';
  for (let place = at + 1; place < query.length; place++) {
    const one = query.charAt(place);
    if (one === quote) return { text, end: place + 1 };
    if (one === '\\' && place + 1 < query.length) {
      place++;
      const next = query.charAt(place);
      text += raw && next !== quote ? one + next : next;
    } else text += one;
  }
  throw new Fault(at, 'this text does not end; close it with a quote');
};

const isMatching = (token: Token | undefined): boolean =>
  token?.text === '=~' || (token?.kind === 'word' && token.text.toLowerCase() === 'matches');

const tokensOf = (query: string): readonly Token[] => {
  const tokens: Token[] = [];
  let at = 0;
  const take = (kind: Token['kind'], text: string, length: number) => {
    tokens.push({ at, kind, text });
    at += length;
  };
  while (at < query.length) {
    const here = query.charAt(at);
    const sign = signs.find((one) => query.startsWith(one, at));
    if (/\s/.test(here)) at++;
    else if (here === '"' || here === "'") {
      const { text, end } = readText(query, at, isMatching(tokens.at(-1)));
      take('text', text, end - at);
    } else if (sign !== undefined) take('sign', sign, sign.length);
    else {
      const word = wordOf(query, at);
      if (word === undefined) throw new Fault(at, `${here} has no meaning here`);
      take(isNumber(word) ? 'number' : 'word', word, word.length);
    }
  }
  return [...tokens, { at: query.length, kind: 'end', text: '' }];
};

class Reader {
  private place = 0;
  constructor(private readonly tokens: readonly Token[]) {}

  private get next(): Token {
    return this.tokens[Math.min(this.place, this.tokens.length - 1)]!;
  }
  private ended(): boolean {
    return this.next.kind === 'end';
  }
  private take(): Token {
    const token = this.next;
    this.place++;
    return token;
  }
  private takeSign(text: string): boolean {
    if (this.next.kind !== 'sign' || this.next.text !== text) return false;
    this.place++;
    return true;
  }

  whole(): RuleGroup | undefined {
    if (this.ended()) return undefined;
    const read = this.either(false, 0);
    if (!this.ended()) throw new Fault(this.next.at, 'join conditions with & or |');
    return 'rules' in read ? read : { condition: 'AND', rules: [read] };
  }

  private either(negated: boolean, depth: number): Rule | RuleGroup {
    if (depth > 30) throw new Fault(this.next.at, 'conditions nest at most 30 deep');
    return this.joined('|', negated ? 'AND' : 'OR', () =>
      this.joined('&', negated ? 'OR' : 'AND', () => this.term(negated, depth)),
    );
  }
  private joined(
    sign: string,
    condition: RuleGroup['condition'],
    read: () => Rule | RuleGroup,
  ): Rule | RuleGroup {
    const first = read();
    const rules = [first];
    while (this.takeSign(sign)) rules.push(read());
    return rules.length === 1 ? first : { condition, rules };
  }

  private term(negated: boolean, depth: number): Rule | RuleGroup {
    if (this.takeSign('~')) return this.term(!negated, depth);
    if (this.takeSign('(')) {
      const inside = this.either(negated, depth + 1);
      if (!this.takeSign(')')) throw new Fault(this.next.at, 'a closing ) is missing');
      return inside;
    }
    const token = this.take();
    const source = sources[token.text.toLowerCase()];
    if (token.kind === 'word' && source !== undefined && this.takeSign('('))
      return this.claim(source, negated);
    if (token.text.toLowerCase() === 'name' && isMatching(this.next)) return this.matches(negated);
    if (token.kind === 'end' || token.kind === 'sign')
      throw new Fault(token.at, 'a condition is missing, such as Metric("loss") < 0.1');
    return {
      field: 'Name',
      source: 'log_other',
      operator: negated ? 'not_contains' : 'contains',
      type: 'string',
      value: token.text,
      ignoreCase: true,
    };
  }

  private matches(negated: boolean): Rule {
    this.take();
    const { at, kind, text } = this.take();
    if (kind === 'end' || kind === 'sign' || text === '')
      throw new Fault(at, 'a regular expression in quotes is missing');
    const wrong = /\(\?<?[=!]|\\[1-9]/.exec(text.replaceAll('\\\\', '..'));
    if (wrong !== null)
      throw new Fault(
        at + 1 + wrong.index,
        'a regular expression here neither looks around nor refers back',
      );
    if (text.length > mostPattern)
      throw new Fault(at, `a regular expression has at most ${mostPattern} characters`);
    return {
      ...{ field: 'Name', source: 'log_other', type: 'string' },
      ...{ operator: matching[negated ? 1 : 0], value: text },
    };
  }

  private claim(source: string, negated: boolean): Rule {
    const name = this.take();
    if (name.kind === 'end' || name.kind === 'sign')
      throw new Fault(name.at, 'a name in quotes is missing');
    if (!this.takeSign(')')) throw new Fault(this.next.at, 'a closing ) is missing');
    const side = negated ? 1 : 0;
    const field = name.text;
    if (source === 'tag')
      return {
        field,
        source,
        operator: negated ? 'not_equal' : 'equal',
        type: 'string',
        value: field,
      };
    if (isMatching(this.next)) {
      if (source === 'log_other' && field === 'Name') return this.matches(negated);
      throw new Fault(this.next.at, 'only names are matched by an expression: Name =~ "^vit"');
    }
    const operator = operators[this.next.text.toLowerCase()];
    if (operator === undefined || this.next.kind === 'text')
      return { field, source, operator: present[side], type: 'string', value: '' };
    this.take();
    const value = this.take();
    if (value.kind === 'end' || value.kind === 'sign')
      throw new Fault(value.at, `a value for ${field} is missing`);
    const number = value.kind === 'number';
    return {
      field,
      source,
      operator: operator[side],
      type: number ? 'double' : 'string',
      value: number ? Number(value.text) : value.text,
    };
  }
}

/** The rules of a query, nothing for an empty one; or what is wrong with it. */
export const readQuery = (query: string): ReadQuery => {
  try {
    return { rules: new Reader(tokensOf(query)).whole() };
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { fault: { at: thrown.at, says: thrown.message } };
  }
};

/** A name as a query writes it. */
export const quoted = (name: string): string =>
  `"${name.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`;

/** The place in a query where a name is being written: which word it belongs to and how much of it is there. */
export const completionAt = (
  query: string,
  caret: number,
): { readonly word: string; readonly part: string; readonly from: number } | undefined => {
  const found = /(Metric|Param|Parameter|Tag|Other|Metadata|Environment)\(["']?([^"'()]*)$/i.exec(
    query.slice(Math.max(0, caret - 300), caret),
  );
  const [, word, part] = found ?? [];
  return word === undefined || part === undefined
    ? undefined
    : { word, part, from: caret - part.length };
};

/** The place in a query where a value is being written: of what, and how much of it is there. */
export const valueAt = (
  query: string,
  caret: number,
):
  | { readonly word: string; readonly name: string; readonly part: string; readonly from: number }
  | undefined => {
  const found =
    /(Metric|Param|Parameter|Other|Environment|Metadata)\("((?:[^"\\]|\\.)*)"\) *(?:==|!=|=|contains|startswith|endswith) *("[^"&|()]*|[^\s"&|()]*)$/i.exec(
      query.slice(Math.max(0, caret - 400), caret),
    );
  const [, word, name, part] = found ?? [];
  return word === undefined || name === undefined || part === undefined
    ? undefined
    : {
        word,
        name: name.replaceAll(/\\(.)/g, '$1'),
        part: part.replace(/^"/, ''),
        from: caret - part.length,
      };
};
