// The colours of what is drawn together. Pure.

/** Twelve that stay apart for the three kinds of colour blindness, each at 3:1 or more against the paper it is on; `test/plugins/web-ui/pure.test.ts` holds them to it. */
export const palettes = {
  light: [
    'rgb(0 23 160)',
    'rgb(168 146 1)',
    'rgb(152 14 79)',
    'rgb(244 46 247)',
    'rgb(57 158 156)',
    'rgb(99 51 192)',
    'rgb(168 89 52)',
    'rgb(1 28 252)',
    'rgb(85 11 107)',
    'rgb(167 25 255)',
    'rgb(12 100 148)',
    'rgb(33 69 1)',
  ],
  dark: [
    'rgb(0 74 255)',
    'rgb(180 183 75)',
    'rgb(244 189 170)',
    'rgb(225 122 229)',
    'rgb(44 163 127)',
    'rgb(152 96 255)',
    'rgb(204 112 23)',
    'rgb(81 227 255)',
    'rgb(184 11 181)',
    'rgb(129 90 9)',
    'rgb(7 110 105)',
    'rgb(156 236 7)',
  ],
} as const;
const count = palettes.light.length;

/** The place that a key would have if it were alone: the same wherever and whenever it is shown. */
export const ownPlace = (key: string): number => {
  let hash = 2166136261;
  for (let at = 0; at < key.length; at++)
    hash = Math.imul(hash ^ key.charCodeAt(at), 16777619) >>> 0;
  return hash % count;
};

/**
 * A place for each key, no two alike: a colour, and with more than twelve keys a stroke. A key keeps the place that it had before, else it has its
 * own where that is free, else the next that is.
 */
export const placesOf = (
  keys: readonly string[],
  before: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> => {
  const all = [...new Set(keys)];
  const room = Math.ceil(all.length / count) * count;
  const places = new Map<string, number>();
  const taken = new Set<number>();
  const take = (key: string, place: number) => {
    places.set(key, place);
    taken.add(place);
  };
  for (const key of all) {
    const place = before.get(key);
    if (place !== undefined && place < room && !taken.has(place)) take(key, place);
  }
  for (const key of all) {
    if (places.has(key)) continue;
    const own = ownPlace(key);
    for (let step = 0; step < room; step++) {
      const round = Math.floor(step / count) * count;
      const place = round + ((own + step) % count);
      if (taken.has(place)) continue;
      take(key, place);
      break;
    }
  }
  return places;
};

export const paletteColour = (place: number, dark: boolean): string =>
  palettes[dark ? 'dark' : 'light'][place % count] ?? 'currentColor';

const strokes = [undefined, [7, 3], [2, 3], [9, 3, 2, 3]] as const;
/** The stroke of a place: whole for the first twelve. */
export const strokeOf = (place: number): readonly number[] | undefined =>
  strokes[Math.floor(place / count) % strokes.length];
/** A stroke for each of a few lines, so that colour is not all that tells them apart. */
export const fewStroke = (at: number): readonly number[] | undefined =>
  strokes[at % strokes.length];
