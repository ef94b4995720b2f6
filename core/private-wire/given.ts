/** The members of a request that were sent. */
export const given = <T extends object>(
  sent: T,
): { readonly [M in keyof T]?: Exclude<T[M], undefined> } =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) as {
    readonly [M in keyof T]?: Exclude<T[M], undefined>;
  }; // the same members but for those that are missing
