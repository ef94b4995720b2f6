/** Numbers that look random and are the same for the same seed, so that a demo can be told about. */
export interface Chances {
  /** Uniform in 0 to 1. */
  next(): number;
  /** Uniform around zero, `size` wide. */
  around(size: number): number;
  pick<T>(from: readonly [T, ...T[]]): T;
}

export const chances = (seed: number): Chances => {
  let state = (seed + 1) >>> 0;
  const next = (): number => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
    mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
    return ((mixed ^ (mixed >>> 16)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    around: (size) => (next() - 0.5) * size,
    pick: (from) => from[Math.floor(next() * from.length)] ?? from[0],
  };
};
