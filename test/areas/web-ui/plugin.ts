// A plugin with a page for the battery: its script is this file.
import { plugin } from '#ports/plugin';

export default plugin({
  name: 'sample-page',
  api: 1,
  contribute: () => ({
    ui: {
      folder: new URL('./', import.meta.url),
      pages: [
        {
          name: 'sample',
          title: 'Sample',
          element: 'sample-page',
          script: 'plugin.js',
          of: 'project',
        },
      ],
    },
  }),
});
