// A kind of thing is named by a typed reference, as a port is: `export const trace = kind<Trace>()('trace')` beside the record.

/**
 * A reference to a kind of thing that rows are about, which carries the type of its record. Two references of one name are the same kind, so
 * two copies of this package agree on it.
 */
export interface Kind<
  Name extends string = string,
  Record = unknown,
  HasDefault extends boolean = boolean,
> {
  /** As handlers know the record: `{ trace: Trace }`, and `{ traces: Trace[] }` for several. */
  readonly name: Name;
  /** Whether a request that leaves it out means the caller's default one, and not none. */
  readonly hasDefault: HasDefault;
  /** Exists in types only. */
  readonly record?: Record;
}

/** What the gate loads for a kind. */
export type RecordOf<K> = K extends Kind<string, infer Record> ? Record : never;

/** A reference to the kind of that name. */
export const kind =
  <Record>() =>
  <const Name extends string>(name: Name): Kind<Name, Record, false> => ({
    name,
    hasDefault: false,
  });

/** The same for a kind of which every caller may have a default one. */
export const kindWithDefault =
  <Record>() =>
  <const Name extends string>(name: Name): Kind<Name, Record, true> => ({ name, hasDefault: true });
