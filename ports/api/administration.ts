// What an administrator sees and switches at run time: toggles and settings.
import { workspace } from '../model/workspaces.js';
import { maybe, operations } from './operation.js';
import { anything, flag, list, object, optional, text, shape, withExample } from './schema.js';
import { admin, read } from './tracking.js';

const toggle = withExample(
  shape('Toggle', 'Whether a part of the product is there.', {
    name: text(),
    enabled: flag(),
  }),
  { name: 'curves-panel', enabled: true },
);
const toggleRow = shape('ToggleDetails', 'A toggle, and where its value comes from.', {
  name: text(),
  enabled: flag(),
  default: flag(),
  source: text(),
  description: text(),
  since: text(),
  restart: flag(),
});

export const administrationOperations = operations({
  listEffectiveToggles: {
    method: 'GET',
    path: read('/feature-toggles'),
    access: { needs: 'read', about: maybe(workspace, 'query.workspaceName') },
    summary: 'Toggles as they stand for a workspace',
    query: object({ workspaceName: optional(text()) }),
    replies: { 200: list(toggle) },
    fails: ['invalid', 'absent'],
  },
  listToggles: {
    method: 'GET',
    path: admin('/feature-toggles'),
    access: { needs: 'organization-admin', about: 'caller' },
    summary: 'Toggles with their defaults and where their values come from',
    replies: { 200: list(toggleRow) },
  },
  changeToggle: {
    method: 'PUT',
    path: admin('/feature-toggles'),
    access: { needs: 'organization-admin', about: 'caller' },
    audit: true,
    summary:
      'Switch a toggle for the installation; one that loads a plugin takes effect at the next start',
    body: object({ name: text({ min: 1, max: 100 }), enabled: flag() }),
    replies: { 200: list(toggleRow), 409: object({ msg: text(), message: text() }) },
    fails: ['invalid'],
  },
  listSettings: {
    method: 'GET',
    path: admin('/settings'),
    access: { needs: 'organization-admin', about: 'caller' },
    summary: 'Settings in force, secrets masked',
    replies: {
      200: list(
        shape('EffectiveSetting', 'A setting, and where its value comes from.', {
          name: text(),
          value: anything(),
          default: anything(),
          source: text(),
          effect: text(),
        }),
      ),
    },
  },
});
