import { area } from '#ports/api/area';
import { automationOperations } from '#ports/api/automations';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { ChatModels } from '#ports/chat-model';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { MetricRunner } from '#ports/metric-runner';
import { automationRule, scopeOfType, type AutomationRule } from '#ports/model/automations';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope } from '#ports/model/projects';
import { Sealer } from '#ports/sealer';
import { ruleOrders } from '#ports/storage/automations';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readIds } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { reachesRecord, recordRules } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { traceSettings } from '../traces/settings.js';
import { preview } from './previewing.js';
import { readProjectIds, readRule, ruleFilters, showLog, showRule } from './rules.js';
import { scoreNow } from './scoring.js';

/** A rule of one project is that project's; one of several is the workspace's, and more than a key of one project reaches. */
const placed = (rule: AutomationRule): AutomationRule & { readonly projectId?: string } =>
  rule.projects.length === 1 ? { ...rule, ...given({ projectId: rule.projects[0]?.id }) } : rule;

const automationKind = defineKind(automationRule, {
  needs: { storage: storageOf('automations', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) => {
    const rules = recordRules(
      { stores, places, membersOnly: true },
      'automation rule',
      async (...which) => {
        const found = await stores.automations.find(...which);
        return found && placed(found);
      },
    );
    return {
      ...rules,
      async find(name, asking) {
        const found = await rules.find(name, asking);
        const only = asking.caller.scope?.projectId;
        return found && (only === undefined || found.projectId === only) ? found : undefined;
      },
    };
  },
});

const mostLogsShown = 2000;
const usualLogsShown = 1000;

const absentRule = (id: string) =>
  new Failure('absent', `automation rule ${id.slice(0, 100)} not found`);

/** The project that a query names. Rejects with `invalid` for what is no id. */
const projectIn = (id: string | undefined): string | undefined =>
  id === undefined || id.trim() === '' ? undefined : readAnyId(id, 'project_id');
const isOf = ({ projects }: AutomationRule, projectId: string | undefined): boolean =>
  projectId === undefined || projects.some(({ id }) => id === projectId);
/** Whether a rule is within what a credential reaches. */
const isReached = ({ projects }: AutomationRule, { project }: Pick<ProjectScope, 'project'>) =>
  project === undefined || projects.every(({ id }) => id === project.id);

export const automationsArea = area({
  name: 'automations',
  summary: 'Rules that score traces, spans and threads as they are logged.',
  family: privateFamily,
  table: automationOperations,
  kinds: [automationKind],
  needs: {
    storage: storageOf(
      'automationRuns',
      'automations',
      'projects',
      'providerKeys',
      'threads',
      'traces',
      'workspaces',
    ),
    clock: Clock,
    ids: Ids,
    models: ChatModels,
    metrics: MetricRunner,
    sealer: Sealer,
    traceSettings: traceSettings.port,
  },
  handlers: ({ storage, clock, ids, models, metrics, sealer, traceSettings: settings }) => {
    const asking = { storage, models, metrics, sealer, prices: settings.ORRERY_MODEL_PRICES };
    const { automationRuns, automations, projects } = storage.stores;

    /** Refuses with `absent` projects that are not of the workspace, or that the caller does not read. */
    const checkProjects = async (
      workspaceId: string,
      wanted: readonly string[],
      caller: Caller,
    ): Promise<void> => {
      for (const projectId of wanted) {
        const project = await projects.findById(projectId);
        if (
          project?.workspaceId !== workspaceId ||
          !(await reachesRecord({ projects }, caller, { workspaceId, projectId }))
        )
          throw new Failure('absent', `project ${projectId} not found`);
      }
    };

    return {
      evaluateTraces: ({ projectScope, ...request }) =>
        scoreNow(storage.stores, 'trace', projectScope, request),
      evaluateSpans: ({ projectScope, ...request }) =>
        scoreNow(storage.stores, 'span', projectScope, request),
      evaluateThreads: ({ projectScope, ...request }) =>
        scoreNow(storage.stores, 'thread', projectScope, request),
      async previewAutomationRule({ body, projectScope: { workspace }, signal }) {
        const { type } = body;
        const { code } = readRule({ type, name: 'preview', code: body.code });
        const looked = {
          projectId: readAnyId(body.project_id, 'project_id'),
          entityId: readAnyId(body.entity_id, 'entity_id'),
          kind: scopeOfType[type],
        };
        const { messages, scores, left, ...rest } = await preview(
          asking,
          workspace.id,
          code,
          looked,
          signal,
        );
        return {
          ...rest,
          ...given({ messages: messages && [...messages] }),
          scores: [...scores],
          left: [...left],
        };
      },
      async listAutomationRules({ query, reach: { workspace, project } }) {
        const page = readPage(query);
        const { total, content } = await automations.list({
          workspaceId: workspace.id,
          ...given({
            projectId: projectIn(query.project_id),
            onlyProjectId: project?.id,
            id: query.id?.trim(),
            name: query.name?.trim(),
          }),
          filters: readFilters(query.filters, ruleFilters),
          orders: readSorting(query.sorting, ruleOrders),
          offset: (page.page - 1) * page.size,
          limit: page.size,
        });
        return showPage(page, { total, content: content.map(showRule) }, ruleOrders);
      },
      async createAutomationRule({ body, reach: { workspace }, caller }) {
        const projectIds = readProjectIds(body);
        const rule = readRule(body);
        await checkProjects(workspace.id, projectIds, caller);
        const id = ids.next();
        await automations.insert({
          ...{ ...rule, workspaceId: workspace.id, id, projectIds },
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/automations/evaluators/${id}` };
      },
      async deleteAutomationRules({ body, query, reach }) {
        const projectId = projectIn(query.project_id);
        const found = await automations.findMany(reach.workspace.id, readIds(body.ids));
        const wanted = found.filter((rule) => isReached(rule, reach) && isOf(rule, projectId));
        await automations.remove(
          reach.workspace.id,
          wanted.map(({ id }) => id),
        );
        return undefined;
      },
      async showAutomationRule({ automationRule: rule, query }) {
        if (!isOf(rule, projectIn(query.project_id))) throw absentRule(rule.id);
        return showRule(rule);
      },
      async updateAutomationRule({ automationRule: stored, body, caller }) {
        const { workspaceId, id } = stored;
        const projectIds = readProjectIds(body);
        const rule = readRule(body);
        if (rule.type !== stored.type)
          throw new Failure('invalid', `type of the rule is ${stored.type}, and cannot change`);
        await checkProjects(workspaceId, projectIds, caller);
        const made = madeBy(clock, caller);
        if (!(await automations.replace({ ...rule, workspaceId, id, projectIds, ...made })))
          throw absentRule(id);
        return undefined;
      },
      async listAutomationRuleLogs({ params, query, reach }) {
        const { size } = readPage({ size: query.size }, usualLogsShown);
        const rule = await automations.find(reach.workspace.id, params.id.toLowerCase());
        const lines =
          rule !== undefined && isReached(rule, reach)
            ? await automationRuns.listLogs(rule.id, Math.min(size, mostLogsShown))
            : [];
        return {
          ...{ page: 1, size: lines.length, total: lines.length },
          content: lines.map(showLog),
        };
      },
    };
  },
});
