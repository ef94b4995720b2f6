// Places of what came of what: a column for each step, in it one below the other. Pure.

export interface Placed {
  readonly x: number;
  readonly y: number;
}
export const lineageBox = { width: 190, height: 40, across: 60, down: 14 } as const;

/** A place for each node by its level, the most upstream on the left; and how large the whole is. */
export const placesOf = (
  levels: readonly number[],
): { readonly places: readonly Placed[]; readonly width: number; readonly height: number } => {
  const columns = [...new Set(levels)].sort((a, b) => a - b);
  const count = new Map<number, number>();
  const { width, height, across, down } = lineageBox;
  const places = levels.map((level) => {
    const row = count.get(level) ?? 0;
    count.set(level, row + 1);
    return { x: columns.indexOf(level) * (width + across), y: row * (height + down) };
  });
  const rows = Math.max(1, ...count.values());
  // Columns of fewer stand in the middle of the longest.
  return {
    places: places.map(({ x, y }, at) => ({
      x,
      y: y + ((rows - (count.get(levels[at] ?? 0) ?? 0)) * (height + down)) / 2,
    })),
    width: Math.max(1, columns.length) * (width + across) - across,
    height: rows * (height + down) - down,
  };
};
