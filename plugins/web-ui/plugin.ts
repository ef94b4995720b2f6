// The web UI: the page and its files. What it shows it asks of the same rows as any other program.
import { fileURLToPath } from 'node:url';
import { Clock } from '#ports/clock';
import { Images } from '#ports/images';
import { plugin } from '#ports/plugin';
import { Operations } from '#ports/operations';
import { PluginUi } from '#ports/plugin-ui';
import { Settings } from '#ports/settings';
import { additionAreas } from './additions.js';
import { webUiAreas } from './areas.js';
import { readFiles } from './files.js';

export default plugin({
  name: 'web-ui',
  api: 1,
  toggle: {
    name: 'web-ui',
    default: true,
    says: 'Pages in which people look at what was logged, at /w',
  },
  needs: {
    additions: PluginUi,
    operations: Operations,
    images: Images,
    clock: Clock,
    settings: Settings,
  },
  contribute: ({ additions, ...needs }) => ({
    areas: [
      ...webUiAreas(readFiles(fileURLToPath(new URL('files/', import.meta.url))), needs),
      ...additionAreas(additions),
    ],
  }),
});
