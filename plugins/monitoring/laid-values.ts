// Values of events that name the same columns in the same order, as most events of a batch do: each holds its values alone, and what follows from the names
// is worked out once. Pure.
import type { Source, Value } from './items.js';

/** Names of columns in an order; those that begin alike share their beginning. */
export class Layout {
  readonly #next = new Map<string, Layout>();
  #lastName: string | undefined;
  #lastSource: Source | undefined;
  #last: Layout | undefined;
  #names: readonly string[] | undefined;
  #places: ReadonlyMap<string, number> | undefined;

  private constructor(
    readonly size: number,
    readonly column: string,
    readonly before: Layout | undefined,
    readonly made: { count: number },
  ) {}

  static empty(): Layout {
    return new Layout(0, '', undefined, { count: 0 });
  }

  /** These names and no others, which share nothing. */
  static of(names: readonly string[]): Layout {
    const made = new Layout(names.length, names.at(-1) ?? '', undefined, { count: 0 });
    made.#names = names;
    return made;
  }

  /** The same with one column more; `undefined` where there are too many already, as of events of which each leaves out others. */
  with(source: Source, name: string): Layout | undefined {
    if (this.#lastName === name && this.#lastSource === source) return this.#last;
    const column = `${source}_${name}`;
    let next = this.#next.get(column);
    if (next === undefined) {
      if (++this.made.count > mostLayouts) return undefined;
      next = new Layout(this.size + 1, column, this, this.made);
      this.#next.set(column, next);
    }
    [this.#lastName, this.#lastSource, this.#last] = [name, source, next];
    return next;
  }

  get names(): readonly string[] {
    return (this.#names ??= namesOf(this));
  }

  get places(): ReadonlyMap<string, number> {
    return (this.#places ??= new Map(this.names.map((name, place) => [name, place])));
  }
}
const mostLayouts = 20_000;

const namesOf = (layout: Layout): readonly string[] => {
  const names = new Array<string>(layout.size);
  for (let at: Layout | undefined = layout; at !== undefined && at.size > 0; at = at.before)
    names[at.size - 1] = at.column;
  return names;
};

/** Values by column, as a map of them. */
export class LaidValues implements ReadonlyMap<string, Value> {
  readonly #given: readonly Value[];

  constructor(
    readonly layout: Layout,
    held: readonly Value[],
  ) {
    this.#given = held;
  }

  get held(): readonly Value[] {
    return this.#given;
  }

  get size(): number {
    return this.held.length;
  }
  get(column: string): Value | undefined {
    const place = this.layout.places.get(column);
    return place === undefined ? undefined : this.held[place];
  }
  has(column: string): boolean {
    return this.layout.places.has(column);
  }
  keys(): MapIterator<string> {
    return this.layout.names.values();
  }
  values(): MapIterator<Value> {
    return this.held.values();
  }
  *entries(): MapIterator<[string, Value]> {
    const { names } = this.layout;
    for (let at = 0; at < names.length; at++) {
      const value = this.held[at];
      if (value !== undefined) yield [names[at] ?? '', value];
    }
  }
  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }
  forEach(visit: (value: Value, column: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [column, value] of this.entries()) visit(value, column, this);
  }
}

/** Values of many events side by side, those of an event next to each other. */
export interface Lying {
  /** NaN where there is a text. */
  readonly numbers: Float64Array;
  /** Places in the list of texts, from 1 on; 0 where there is a number. */
  readonly places: Uint32Array;
  readonly texts: readonly string[];
}

const noValues: readonly Value[] = [];

/** Values of an event that lie side by side with those of others: none is an object by itself before somebody asks for it. */
export class FlatValues extends LaidValues {
  #held: readonly Value[] | undefined;

  constructor(
    layout: Layout,
    readonly lying: Lying,
    /** Where the first of them lies. */
    readonly from: number,
  ) {
    super(layout, noValues);
  }

  override get held(): readonly Value[] {
    return (this.#held ??= Array.from({ length: this.layout.size }, (_, place) => this.at(place)));
  }

  override get size(): number {
    return this.layout.size;
  }

  at(place: number): Value {
    const { numbers, places, texts } = this.lying;
    const text = places[this.from + place] ?? 0;
    return text === 0 ? (numbers[this.from + place] ?? 0) : (texts[text - 1] ?? '');
  }

  override get(column: string): Value | undefined {
    const place = this.layout.places.get(column);
    return place === undefined ? undefined : this.at(place);
  }
}
