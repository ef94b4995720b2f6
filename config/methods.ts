// Whether what a plugin made has the methods that it must have.

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The first method that a value lacks. */
export const missingMethod = (value: unknown, methods: object): string | undefined =>
  Object.keys(methods).find((name) => !isObject(value) || typeof value[name] !== 'function');
