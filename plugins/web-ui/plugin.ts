// The web UI: the page, its files, and what it must know of its session. All else it asks of the same rows as any other program.
import { fileURLToPath } from 'node:url';
import { plugin } from '#ports/plugin';
import { Settings } from '#ports/settings';
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
  needs: { settings: Settings },
  contribute: ({ settings }) => ({
    areas: webUiAreas(
      settings.version,
      readFiles(fileURLToPath(new URL('files/', import.meta.url))),
    ),
  }),
});
