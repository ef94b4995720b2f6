import { alert } from '#ports/model/alerts';
import { kindIn, type AreaFixtures, type RowFixture } from '#test/api/fixtures';
import { freshName, mayCallNowhere, nowhere, unknownId } from '#test/api/fresh';
import { alerts } from './things.js';

const byClients = 'is made by clients';
const webhook = { url: nowhere };
const triggers = [{ event_type: 'prompt:created' }];
const writing: RowFixture = {
  with: () => ({
    'body.name': freshName('alert'),
    'body.webhook': webhook,
    'body.triggers': triggers,
  }),
  ownNames: ['body.name', 'body.webhook.name'],
  notOurs: {
    'body.webhook.id': byClients,
    'body.triggers.*.id': byClients,
    'body.triggers.*.trigger_configs.*.id': byClients,
  },
};

export const fixtures: AreaFixtures = {
  areas: ['alerts'],
  kinds: [kindIn(alert, alerts, { name: ({ alertId }) => alertId, unknown: () => unknownId })],
  settings: mayCallNowhere,
  rows: {
    createAlert: writing,
    updateAlert: writing,
    testAlert: {
      ...writing,
      notOurs: {
        ...writing.notOurs,
        'body.id': 'is looked for in what the request reaches alone',
        'body.project_id': 'is nothing to a sample',
      },
    },
    deleteAlerts: {
      consumes: true,
      with: (world) => ({ 'body.ids': [world.of(alerts).alertId] }),
      notOurs: { 'body.ids': 'are looked for in the workspace of the header alone' },
    },
  },
};
