// Reads JSON of which nothing is promised: a model's words, and what clients write. Pure.

export type Members = Readonly<Record<string, unknown>>;

/** The members of an object; none of anything else. */
export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}; // any object can be read by name
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
export const wholeOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;

/** The value that a JSON text stands for; `undefined` when it is none. */
export const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // told from every JSON text
  }
};

/** The members of an object that have a value. */
export const present = <T extends object>(
  members: T,
): { readonly [M in keyof T]?: Exclude<T[M], undefined> } =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as {
    readonly [M in keyof T]?: Exclude<T[M], undefined>;
  }; // the same members but for those without a value
