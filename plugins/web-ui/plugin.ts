// The web UI: the page and its files. What it shows it asks of the same rows as any other program.
import { fileURLToPath } from 'node:url';
import { plugin } from '#ports/plugin';
import { Operations } from '#ports/operations';
import { PluginUi } from '#ports/plugin-ui';
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
  needs: { additions: PluginUi, operations: Operations },
  contribute: ({ additions, operations }) => ({
    areas: [
      ...webUiAreas(readFiles(fileURLToPath(new URL('files/', import.meta.url))), operations),
      ...additionAreas(additions),
    ],
  }),
});
