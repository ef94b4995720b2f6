// Points in space and how they look from a side. Pure.

export interface SpacePoint {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  /** As it was sent with the point. */
  readonly colour: string | undefined;
}

const readLine = (line: string): readonly number[] => {
  try {
    const found: unknown = JSON.parse(line);
    return Array.isArray(found) ? found.map(Number) : [];
  } catch {
    return [];
  }
};

/** The first points of a text with one in each line, `[x, y, z]` or with red, green and blue from 0 to 1, moved and scaled into a ball of one. */
export const readSpace = (text: string, most: number): readonly SpacePoint[] => {
  const rows = text
    .split('\n', most)
    .map(readLine)
    .filter((row) => row.length >= 3 && row.slice(0, 3).every(Number.isFinite));
  const middle = [0, 1, 2].map(
    (at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0) / rows.length,
  );
  const away = (row: readonly number[]) => middle.map((one, at) => (row[at] ?? 0) - one);
  let far = 0;
  for (const row of rows) far = Math.max(far, Math.hypot(...away(row)));
  return rows.map((row) => {
    const [x = 0, y = 0, z = 0] = away(row).map((one) => one / (far || 1));
    const tones = row.slice(3, 6).map((tone) => Math.round(Math.max(0, Math.min(1, tone)) * 255));
    const coloured = tones.length === 3 && tones.every(Number.isFinite);
    return { x, y, z, colour: coloured ? `rgb(${tones.join(' ')})` : undefined };
  });
};

/** Where points are on paper when they are turned around the upright axis and then tilted, the farthest first. */
export const turned = (
  points: readonly SpacePoint[],
  around: number,
  up: number,
): readonly { readonly x: number; readonly y: number; readonly colour: string | undefined }[] => {
  const [ca, sa, cu, su] = [Math.cos(around), Math.sin(around), Math.cos(up), Math.sin(up)];
  return points
    .map(({ x, y, z, colour }) => {
      const deep = z * ca - x * sa;
      return { x: x * ca + z * sa, y: y * cu - deep * su, deep: y * su + deep * cu, colour };
    })
    .sort((a, b) => a.deep - b.deep);
};
