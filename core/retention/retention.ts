import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { retentionOperations } from '#ports/api/retention';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { retentionRule, type RetentionRule } from '#ports/model/retention';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { readId } from '../private-wire/ids.js';
import { readPage } from '../private-wire/pages.js';
import { recordRules } from '../private-wire/records.js';

const retentionRuleKind = defineKind(retentionRule, {
  needs: { storage: storageOf('projects', 'retention', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'retention rule', stores.retention.find),
});

const show = (rule: RetentionRule) => ({
  id: rule.id,
  workspace_id: rule.workspaceId,
  project_id: rule.projectId,
  level: rule.projectId === undefined ? 'workspace' : 'project',
  retention: rule.retention,
  apply_to_past: rule.appliesToPast,
  enabled: rule.enabled,
  ...showAuthorship(rule),
});

export const retentionArea = area({
  name: 'retention',
  summary: 'Rules by which traces are deleted when they are old.',
  family: privateFamily,
  table: retentionOperations,
  kinds: [retentionRuleKind],
  needs: { storage: storageOf('retention'), clock: Clock, ids: Ids },
  handlers: ({ storage, clock, ids }) => {
    const { retention } = storage.stores;
    return {
      async listRetentionRules({ query, workspace }) {
        const page = readPage(query);
        const found = await retention.page(
          {
            workspaceId: workspace.id,
            projectId: undefined,
            disabledToo: query.include_inactive ?? false,
          },
          page,
        );
        const content = found.content.map(show);
        return { page: page.page, size: content.length, total: found.total, content };
      },
      async createRetentionRule({ body, projectScope: { workspace, project }, caller }) {
        if (body.organization_level === true)
          throw new Failure('unprocessable', 'a rule is about one project or one workspace');
        const rule: RetentionRule = {
          workspaceId: workspace.id,
          id: body.id === undefined ? ids.next() : readId(body.id, 'retention rule'),
          projectId: project?.id,
          retention: body.retention,
          appliesToPast: body.apply_to_past ?? false,
          enabled: true,
          ...madeBy(clock, caller),
        };
        await retention.insert(rule);
        return { body: show(rule), madeAt: `/v1/private/retention/rules/${rule.id}` };
      },
      showRetentionRule: async (call) => show(call.retentionRule),
      async deleteRetentionRule({ retentionRule: { workspaceId, id }, caller }) {
        if (!(await retention.disable(workspaceId, id, touchedBy(clock, caller))))
          throw new Failure('absent', `retention rule ${id} not found`);
        return undefined;
      },
    };
  },
});
