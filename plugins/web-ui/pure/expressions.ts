// Expressions over metrics, as a chart of one's own draws them: `val/loss - train/loss`, `log(loss), loss @ vit`. Pure.
// Names are those of metrics as they are, or any in quotes; lines are parted by commas; after an @ stands a part of the names of the runs that are drawn.

export type Expression =
  | { readonly number: number }
  | { readonly metric: string }
  | { readonly of: keyof typeof functions; readonly given: readonly Expression[] }
  | {
      readonly sign: keyof typeof operators;
      readonly left: Expression;
      readonly right: Expression;
    };

export interface Formula {
  /** One for each line of a run, with its text. */
  readonly lines: readonly { readonly text: string; readonly expression: Expression }[];
  /** A part of the names of the runs that are drawn; all of them where it is empty. */
  readonly runs: string;
}
export type ReadFormula = Formula | { readonly fault: string };

const functions = {
  log: Math.log,
  log10: Math.log10,
  exp: Math.exp,
  abs: Math.abs,
  sqrt: Math.sqrt,
  min: Math.min,
  max: Math.max,
} as const;
const operators = {
  '+': (a: number, b: number) => a + b,
  '-': (a: number, b: number) => a - b,
  '*': (a: number, b: number) => a * b,
  '/': (a: number, b: number) => a / b,
  '^': (a: number, b: number) => a ** b,
} as const;
const isFunction = (word: string): word is keyof typeof functions => Object.hasOwn(functions, word);

/** Most lines of a formula, letters of it, and parentheses within each other. */
const most = { lines: 8, letters: 1000, depth: 30 } as const;

class Fault extends Error {}

/** Letters that end a name which is not in quotes and not known. */
const ends = /[\s+*^(),@'"]/;

class Reader {
  private at = 0;
  private depth = 0;
  private readonly known: readonly string[];
  constructor(
    private readonly text: string,
    known: readonly string[],
  ) {
    // The longest first: of `loss` and `loss/val`, the second is meant where it stands.
    this.known = [...known].sort((a, b) => b.length - a.length);
  }

  whole(): Formula {
    const lines: { readonly text: string; readonly expression: Expression }[] = [];
    do {
      const from = this.at;
      const expression = this.sum();
      lines.push({ text: this.text.slice(from, this.at).trim(), expression });
    } while (this.take(','));
    if (lines.length > most.lines)
      throw new Fault(`at most ${most.lines} lines are drawn together`);
    const runs = this.take('@') ? this.text.slice(this.at).trim() : '';
    if (runs === '' && this.skip() < this.text.length)
      throw new Fault(`at ${this.at + 1}: an operator such as + - * / is missing`);
    return { lines, runs: runs.replaceAll(/^["']|["']$/g, '') };
  }

  private skip(): number {
    while (/\s/.test(this.text.charAt(this.at))) this.at++;
    return this.at;
  }
  private take(sign: string): boolean {
    if (this.text.charAt(this.skip()) !== sign) return false;
    this.at++;
    return true;
  }

  private sum(): Expression {
    return this.joined(['+', '-'], () => this.joined(['*', '/'], () => this.power()));
  }
  private joined(signs: readonly (keyof typeof operators)[], read: () => Expression): Expression {
    let left = read();
    for (;;) {
      const sign = signs.find((one) => this.take(one));
      if (sign === undefined) return left;
      left = { sign, left, right: read() };
    }
  }
  private power(): Expression {
    const left = this.term();
    return this.take('^') ? { sign: '^', left, right: this.nested(() => this.power()) } : left;
  }
  private nested<T>(read: () => T): T {
    if (++this.depth > most.depth) throw new Fault(`it nests more than ${most.depth} deep`);
    const found = read();
    this.depth--;
    return found;
  }

  private term(): Expression {
    if (this.take('-'))
      return this.nested(() => ({
        sign: '*' as const,
        left: { number: -1 },
        right: this.power(),
      }));
    if (this.take('(')) {
      const inside = this.nested(() => this.sum());
      this.close();
      return inside;
    }
    const rest = this.text.slice(this.skip());
    const number = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d+)?(?![\w.])/i.exec(rest)?.[0];
    if (number !== undefined) {
      this.at += number.length;
      return { number: Number(number) };
    }
    return this.named(rest);
  }

  private named(rest: string): Expression {
    const quote = rest.charAt(0);
    if (quote === '"' || quote === "'") {
      const end = rest.indexOf(quote, 1);
      if (end < 0)
        throw new Fault(`at ${this.at + 1}: this name does not end; close it with a quote`);
      this.at += end + 1;
      return { metric: rest.slice(1, end) };
    }
    const word = /^[a-z][a-z0-9]*(?=\s*\()/.exec(rest)?.[0] ?? '';
    if (isFunction(word)) {
      this.at += word.length;
      return this.called(word);
    }
    const known = this.known.find(
      (one) => rest.startsWith(one) && !/[\w.]/.test(rest.charAt(one.length)),
    );
    const end = rest.search(ends);
    const name = known ?? (end < 0 ? rest : rest.slice(0, end));
    if (name === '') throw new Fault(`at ${this.at + 1}: the name of a metric is missing`);
    if (known === undefined) throw new Fault(`there is no metric ${name.slice(0, 100)}`);
    this.at += name.length;
    return { metric: name };
  }
  private called(word: keyof typeof functions): Expression {
    this.take('(');
    const given = [this.nested(() => this.sum())];
    while (this.take(',')) given.push(this.nested(() => this.sum()));
    this.close();
    const several = word === 'min' || word === 'max';
    if (!several && given.length > 1) throw new Fault(`${word} takes one value`);
    return { of: word, given };
  }
  private close(): void {
    if (!this.take(')')) throw new Fault(`at ${this.at + 1}: a closing ) is missing`);
  }
}

/** Reads a formula over metrics of these names; or says what is wrong with it. A name in quotes may be any. */
export const readFormula = (text: string, known: readonly string[]): ReadFormula => {
  if (text.length > most.letters) return { fault: `a formula has at most ${most.letters} letters` };
  try {
    return new Reader(text, known).whole();
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    return { fault: thrown.message };
  }
};

/** The metrics that an expression is of. */
export const metricsOf = (one: Expression): readonly string[] =>
  'metric' in one
    ? [one.metric]
    : 'given' in one
      ? one.given.flatMap(metricsOf)
      : 'sign' in one
        ? [...metricsOf(one.left), ...metricsOf(one.right)]
        : [];

/** Its value where metrics have these; NaN where one has none. */
export const valueOf = (one: Expression, of: (metric: string) => number | undefined): number => {
  if ('number' in one) return one.number;
  if ('metric' in one) return of(one.metric) ?? Number.NaN;
  if ('given' in one)
    return functions[one.of](...(one.given.map((each) => valueOf(each, of)) as [number])); // as many as it takes
  return operators[one.sign](valueOf(one.left, of), valueOf(one.right, of));
};

export interface Points {
  readonly x: Float64Array;
  readonly y: Float32Array;
}

/**
 * The points of an expression: at every place where one of its metrics has a value and all others have one there or before. Between places nothing
 * is made up: a value holds until the next.
 */
export const pointsOf = (expression: Expression, curves: ReadonlyMap<string, Points>): Points => {
  const names = [...new Set(metricsOf(expression))];
  const lists = names.map((name) => curves.get(name));
  const places = [...new Set(lists.flatMap((list) => [...(list?.x ?? [])]))].sort((a, b) => a - b);
  const at = names.map(() => -1);
  const [x, y]: [number[], number[]] = [[], []];
  for (const place of places) {
    names.forEach((_, of) => {
      const list = lists[of];
      while (list !== undefined && (list.x[(at[of] ?? 0) + 1] ?? Infinity) <= place)
        at[of] = (at[of] ?? 0) + 1;
    });
    const value = valueOf(expression, (metric) => {
      const of = names.indexOf(metric);
      return lists[of]?.y[at[of] ?? -1];
    });
    if (!Number.isFinite(value)) continue;
    x.push(place);
    y.push(value);
  }
  return { x: Float64Array.from(x), y: Float32Array.from(y) };
};
