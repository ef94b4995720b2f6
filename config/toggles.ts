// The toggles that load plugins, and those of what has no area yet; all others stand with their areas.
import { areas } from '#core/areas';
import type { ToggleRows } from '#ports/area-settings';
import { nearest } from './nearest.js';
import { areaToggles, inOrder } from './area-rows.js';

export const installationToggles: ToggleRows = {
  'anonymous-mode': {
    default: false,
    says: 'Logging without a key, claimed later',
    since: 'December 2023',
    restart: true,
  },
  'model-production-monitoring-druid': {
    default: false,
    says: 'Choice of a Druid store; has no effect',
    since: 'March 2024',
  },
  'model-registry-webhooks-github': {
    default: true,
    says: 'CI-workflow form of registry webhooks',
    restart: true,
  },
  'web-ui': {
    default: true,
    says: 'Pages in which people look at what was logged, at /w',
    restart: true,
  },
};

/** Every toggle of the product. */
export const toggleRows: ToggleRows = inOrder({ ...installationToggles, ...areaToggles(areas) });

/** The name of a toggle in the environment. */
export const toggleVariable = (name: string): string =>
  `ORRERY_TOGGLE_${name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_')}`;

/** A sentence for each toggle that neither the core nor a plugin has, with the one that was likely meant. */
export const unknownToggles = (
  given: Iterable<string>,
  ofPlugins: readonly string[],
): readonly string[] => {
  const known = [...Object.keys(toggleRows), ...ofPlugins];
  return [...given]
    .filter((name) => !known.includes(name))
    .map(
      (name) => `there is no toggle ${name.slice(0, 60)}; did you mean ${nearest(name, known)}?`,
    );
};
