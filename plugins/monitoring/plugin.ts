// Monitoring of models in production: their events come in one by one or as files, are kept as columns and as sums, and are asked by hour and day.
import { plugin } from '#ports/plugin';
import { alertJob } from './alert-running.js';
import { monitoringAreas } from './areas.js';
import { removeModelsOf } from './model-settling.js';
import { needs, tables } from './needs.js';
import { upkeepJob } from './upkeep.js';

export default plugin({
  name: 'monitoring',
  api: 1,
  toggle: {
    name: 'model-production-monitoring',
    default: true,
    says: 'Monitoring of models in production',
  },
  needs,
  tables,
  contribute: (resolved) => ({
    areas: monitoringAreas(resolved),
    jobs: [upkeepJob(resolved), alertJob(resolved)],
    ui: {
      folder: new URL('page/', import.meta.url),
      pages: [
        {
          name: 'models',
          title: 'monitoring',
          element: 'monitored-models',
          script: 'page.js',
          of: 'workspace',
          anchor: 'model-production-monitoring',
        },
      ],
    },
    on: {
      'workspace.deleted': ({ detail }) => removeModelsOf(resolved.tables, detail.workspaceId),
    },
  }),
});
