// Toggles in force: defaults ← file ← what an administrator switched ← environment.
import type { ToggleRow, ToggleRows } from '#ports/area-settings';
import { Failure } from '#ports/failure';
import type { ToggleStore } from '#ports/storage/toggles';
import type { Toggles, ToggleState } from '#ports/toggles';
import type { Loaded } from './load.js';
import type { ImportedPlugin } from './plugins.js';
import { toggleRows } from './toggles.js';

export interface LiveToggles extends Toggles {
  /** Takes in the toggles of areas that plugins bring. */
  bring(rows: ToggleRows): void;
  /** Learns what was switched elsewhere. */
  refresh(): Promise<void>;
}

export const liveToggles = (
  { toggles }: Loaded,
  imported: readonly ImportedPlugin[],
  store: ToggleStore,
): LiveToggles => {
  const switched = new Map<string, boolean>();
  const brought = new Map<string, ToggleRow>(
    imported.flatMap(({ plugin }) =>
      plugin.toggle === undefined
        ? []
        : [[plugin.toggle.name, { ...plugin.toggle, restart: true }] as const],
    ),
  );
  const names = () =>
    [...new Set([...toggles.keys(), ...brought.keys(), ...switched.keys()])].sort();
  const state = (name: string): ToggleState => {
    const loaded = toggles.get(name);
    const own = toggleRows[name];
    const row = own ?? brought.get(name);
    const fallback = row?.default ?? false;
    const chosen = switched.get(name);
    const fixed = loaded?.fixed === true;
    return {
      name,
      default: fallback,
      says: row?.says ?? 'not known to this release',
      since: row?.since ?? '',
      restart: own?.restart === true || brought.get(name)?.restart === true,
      enabled: fixed || chosen === undefined ? (loaded?.enabled ?? fallback) : chosen,
      source: fixed
        ? 'environment'
        : chosen !== undefined
          ? 'administrator'
          : (loaded?.source ?? 'default'),
    };
  };
  return {
    isOn: (name) => state(name).enabled,
    list: () => names().map(state),
    async change(name, enabled) {
      if (toggles.get(name)?.fixed === true)
        throw new Failure('conflict', `toggle ${name} is fixed by the environment`);
      await store.write(name, enabled);
      switched.set(name, enabled);
    },
    bring(rows) {
      for (const [name, row] of Object.entries(rows)) brought.set(name, row);
    },
    async refresh() {
      for (const { name, enabled } of await store.list()) switched.set(name, enabled);
    },
  };
};
