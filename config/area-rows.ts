// The settings and toggles that areas bring. Two areas that bring the same one are a mistake in the product, or in a plugin.
import type { Area } from '#ports/api/area';
import type { SettingRows, ToggleRows } from '#ports/area-settings';
import { Failure } from '#ports/failure';

/** The members in the order of their names. */
export const inOrder = <T>(members: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(members).sort(([a], [b]) => (a < b ? -1 : 1)));

const gather = <T>(
  some: readonly Area[],
  what: string,
  rowsOf: (area: Area) => Readonly<Record<string, T>> | undefined,
): Readonly<Record<string, T>> => {
  const owners = new Map<string, string>();
  const found: Record<string, T> = {};
  for (const area of some)
    for (const [name, row] of Object.entries(rowsOf(area) ?? {})) {
      const owner = owners.get(name);
      if (owner !== undefined)
        throw new Failure(
          'conflict',
          `the areas ${owner} and ${area.name} both bring the ${what} ${name}`,
        );
      owners.set(name, area.name);
      found[name] = row;
    }
  return found;
};

/** The settings of these areas, by name. Rejects with `conflict` one that two of them bring. */
export const areaSettingRows = (some: readonly Area[]): SettingRows =>
  gather(some, 'setting', ({ settings }) => settings?.rows);
/** The toggles of these areas, likewise. */
export const areaToggles = (some: readonly Area[]): ToggleRows =>
  gather(some, 'toggle', ({ toggles }) => toggles);
