// A port and its token share one name: `export interface Clock {…}; export const Clock = port<Clock>('clock')`.

/** A token that carries the type of what it stands for. Two copies of this package agree on it, since it is a registered symbol. */
export type Port<T> = symbol & { readonly __port?: T };

/** The token called `orrery.port.<name>`; calling it again with the same name gives the same token. */
export const port = <T>(name: string): Port<T> => Symbol.for(`orrery.port.${name}`) as Port<T>; // the phantom member exists in types only

/** What a factory asks for, by the names it uses. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- a table of ports of differing types has no narrower element type
export type Needs = { readonly [name: string]: Port<any> };

/** The same table with every port replaced by what implements it. */
export type Resolved<N extends Needs> = {
  readonly [K in keyof N]: N[K] extends Port<infer T> ? T : never;
};
