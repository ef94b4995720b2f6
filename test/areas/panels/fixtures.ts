import { panel } from '#ports/model/panels';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { unknownId } from '#test/api/fresh';
import { panels } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['panels'],
  kinds: [kindIn(panel, panels, { name: ({ panelId }) => panelId, unknown: () => unknownId })],
  rows: {
    uploadPanel: {
      parts: (world) => [{ name: 'file', fileName: 'panel.zip', content: world.of(panels).panel }],
    },
    deletePanel: { consumes: true },
    deleteDashboard: {
      with: (world) => ({ 'body.template_id': world.of(panels).viewId }),
      consumes: true,
    },
    deleteView: {
      with: (world) => ({ 'body.templateId': world.of(panels).viewId }),
      consumes: true,
    },
  },
};
