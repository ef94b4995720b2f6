// How rows of many members are shown: as objects, or as their text at once, which pages and streams of thousands of rows are made of. Pure.
import { KeptJson, stringifyKept } from '#ports/kept-json';

type Members<R> = Readonly<Record<string, (row: R) => unknown>>;
type Shown<M> = {
  [K in keyof M]: M[K] extends (row: never) => infer V ? V : never;
};

export interface RowForm<R, S> {
  /** The row as an object. */
  show(row: R): S;
  /** The row as its text, which costs a fraction of that. It stands for the object in a reply and nowhere else: no member of it can be read. */
  write(row: R): S;
  /** The same without some members, which are then not made at all. */
  without(excluded: ReadonlySet<string>): RowForm<R, S>;
}

/** Text that stands between quotation marks as it is. */
const plain = /^[ !#-[\]-~]*$/;

/** The list that was written last: rows that follow each other often have the same. */
let lastList: { readonly list: readonly unknown[]; readonly text: string } = {
  list: [],
  text: '[]',
};
const textOfList = (list: readonly unknown[]): string => {
  if (list !== lastList.list) lastList = { list, text: stringifyKept(list) };
  return lastList.text;
};

const textOf = (value: unknown): string => {
  if (typeof value === 'string') return plain.test(value) ? `"${value}"` : JSON.stringify(value);
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null';
  if (value instanceof KeptJson) return value.json;
  return Array.isArray(value) ? textOfList(value) : stringifyKept(value);
};

/** A form of these members in their order, each made from what is known of a row. What there is nothing of is left out. */
export const rowForm =
  <R>() =>
  <const M extends Members<R>>(members: M): RowForm<R, Shown<M>> => {
    const all = Object.entries(members);
    const parts = all.map(([name, of]) => ({ before: `,${JSON.stringify(name)}:`, of }));
    return {
      show: (row) => Object.fromEntries(all.map(([name, of]) => [name, of(row)])) as Shown<M>, // member by member
      write(row) {
        let text = '';
        for (const { before, of } of parts) {
          const value = of(row);
          if (value !== undefined) text += before + textOf(value);
        }
        return new KeptJson(`{${text.slice(1)}}`) as unknown as Shown<M>; // as was just said
      },
      without(excluded) {
        const left = all.filter(([name]) => !excluded.has(name));
        return left.length === all.length
          ? rowForm<R>()(members)
          : rowForm<R>()(Object.fromEntries(left) as M); // whoever excludes members does without them
      },
    };
  };
