// Columns below what stands before a slash in their names, to any depth. Pure.

interface Named {
  readonly kind: string;
  readonly name: string;
}
export type Entry<C extends Named> =
  | { readonly column: C }
  | {
      /** What stands before the slash, from the beginning of the names on, with it. */
      readonly prefix: string;
      readonly kind: string;
      readonly inside: readonly C[];
    };

/** Fewer of one prefix stand as they are. */
const fewest = 3;

/** What stands directly below a prefix: columns, and prefixes of several; in the order of the first of each. */
export const entriesBelow = <C extends Named>(
  columns: readonly C[],
  prefix: string,
): readonly Entry<C>[] => {
  const below = new Map<string, C[]>();
  for (const column of columns) {
    const slash = column.name.indexOf('/', prefix.length);
    // A slash at the end or twice in a row parts nothing.
    const key =
      slash < 1 || slash === column.name.length - 1
        ? `${column.kind} ${column.name}`
        : `${column.kind}/${column.name.slice(0, slash + 1)}`;
    const inside = below.get(key);
    if (inside === undefined) below.set(key, [column]);
    else inside.push(column);
  }
  return [...below].flatMap(([key, inside]): readonly Entry<C>[] => {
    const [first] = inside;
    if (first === undefined || inside.length < fewest || key.startsWith(`${first.kind} `))
      return inside.map((column) => ({ column }));
    return [{ prefix: key.slice(first.kind.length + 1), kind: first.kind, inside }];
  });
};
