// Rules by which traces are deleted when they are old.
import { projectScope } from '../model/projects.js';
import { retentionRule, retentions } from '../model/retention.js';
import { detailed, maybe, one, operations } from './operation.js';
import {
  authorship,
  everywhere,
  headerWorkspace,
  paged,
  refusedWorkspace,
} from './private-wire.js';
import { flag, integer, list, object, optional, shape, text, word } from './schema.js';

const shown = shape('RetentionRule', 'After which age traces are deleted.', {
  id: text(),
  workspace_id: text(),
  project_id: optional(text()),
  level: text(),
  retention: text(),
  apply_to_past: flag(),
  enabled: flag(),
  ...authorship,
});

const path = everywhere('/v1/private/retention/rules');
const byId = {
  path: everywhere('/v1/private/retention/rules/{ruleId}'),
  params: object({ ruleId: text() }),
} as const;
const about = one(retentionRule, 'header.comet-workspace/params.ruleId');

export const retentionOperations = operations({
  listRetentionRules: {
    method: 'GET',
    path,
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'The retention rules of a workspace and its projects, the newest first',
    query: object({ ...paged, include_inactive: optional(flag()) }),
    replies: {
      200: shape('RetentionRulePage', 'A page of a list; `size` is how many it holds.', {
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(shown),
      }),
    },
    fails: ['invalid'],
  },
  createRetentionRule: {
    method: 'POST',
    path,
    access: { needs: 'workspace-admin', about: maybe(projectScope, 'body.project_id') },
    audit: true,
    summary:
      'Delete traces of a project, or of all projects of the workspace, with everything about them once they are old enough; replaces the rule that is in force there',
    body: object({
      id: optional(text()),
      project_id: optional(text()),
      organization_level: optional(flag()),
      retention: word(...retentions),
      apply_to_past: optional(flag()),
    }),
    replies: { 201: detailed(shown) },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  showRetentionRule: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'A retention rule',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  deleteRetentionRule: {
    ...byId,
    method: 'DELETE',
    access: { needs: 'workspace-admin', about },
    audit: true,
    summary: 'Switch a retention rule off: nothing more is deleted by it',
    replies: { 204: null },
    fails: ['absent', 'forbidden'],
  },
});
