import { alertOperations } from '#ports/api/alerts';
import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import type { Call } from '#ports/api/operation';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { alert, alertEventTypes, type Alert, type AlertTrigger } from '#ports/model/alerts';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope, ProjectTarget } from '#ports/model/projects';
import { Notifiers } from '#ports/notify';
import { Sealer } from '#ports/sealer';
import { Settings } from '#ports/settings';
import { alertOrders } from '#ports/storage/alerts';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { roleOf } from '../permissions.js';
import { madeBy } from '../private-wire/authorship.js';
import { readFilters } from '../private-wire/filters.js';
import { given } from '../private-wire/given.js';
import { readAnyId, readId, readIds } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { reachedIds, reachesRecord, recordRules } from '../private-wire/records.js';
import { readSorting } from '../private-wire/sorting.js';
import { isOfProject, requireTarget } from '../private-wire/targets.js';
import { forgetListening } from './offers.js';
import { payloadFor } from './payloads.js';
import {
  alertFilters,
  checkForm,
  checkLength,
  checkMetadata,
  mostProjects,
  projectIdsOf,
  readTriggers,
  showAlert,
  showFiring,
  type SentAlert,
} from './rules.js';
import { sampleNotice } from './samples.js';
import { sealSecrets } from './sealing.js';
import { alertSettings } from './settings.js';
import { checkAddress, sendTest } from './testing.js';

const alertKind = defineKind(alert, {
  needs: { storage: storageOf('alerts', 'projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places, membersOnly: true }, 'alert', stores.alerts.find),
});

interface Where {
  readonly workspaceId: string;
  readonly id: string;
  readonly projectId: string | undefined;
  /** What is replaced. */
  readonly before?: Alert | undefined;
}

export const alertsArea = area({
  name: 'alerts',
  summary: 'Alerts: what webhooks are told of what happens to traces, prompts and experiments.',
  family: privateFamily,
  table: alertOperations,
  kinds: [alertKind],
  settings: alertSettings,
  needs: {
    storage: storageOf('alertFirings', 'alerts', 'leases', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
    sealer: Sealer,
    notifiers: Notifiers,
    settings: Settings,
  },
  handlers: ({ storage, clock, ids, sealer, notifiers, settings }) => {
    const { alertFirings, alerts, leases, projects } = storage.stores;

    const read = (sent: SentAlert, where: Where, caller: Caller): Alert => {
      const { workspaceId, id, projectId, before } = where;
      const { webhook } = sent;
      checkLength(sent);
      checkForm(sent);
      checkMetadata(sent.metadata);
      const secrets = sealSecrets(sealer, { workspaceId, id }, webhook, before?.webhook);
      return {
        ...{ workspaceId, id, projectId },
        name: sent.name,
        enabled: sent.enabled ?? true,
        type: sent.alert_type ?? 'general',
        metadata: sent.metadata,
        webhook: {
          id: webhook.id === undefined ? ids.next() : readId(webhook.id, 'webhook'),
          url: webhook.url.trim(),
          ...secrets,
        },
        triggers: readTriggers(sent.triggers, projectId, () => ids.next()),
        ...madeBy(clock, caller),
      };
    };

    /** Refuses with `absent` to be told of projects that the caller does not read. */
    const checkScopes = async (
      workspaceId: string,
      triggers: readonly AlertTrigger[],
      caller: Caller,
    ): Promise<void> => {
      const named = triggers.flatMap(({ configs }) =>
        configs.flatMap(({ type, value }) => (type === 'scope:project' ? projectIdsOf(value) : [])),
      );
      const wanted = new Set(named);
      if (wanted.size > mostProjects)
        throw new Failure('invalid', `an alert is about at most ${mostProjects} projects`);
      for (const projectId of wanted) {
        const project = await projects.findById(projectId);
        if (
          project?.workspaceId !== workspaceId ||
          !(await reachesRecord({ projects }, caller, { workspaceId, projectId }))
        )
          throw new Failure('absent', `project ${projectId} not found`);
      }
    };
    const projectIdOf = async (
      body: Pick<SentAlert, 'project_id'>,
      target: ProjectTarget,
      caller: Caller,
    ): Promise<string | undefined> => {
      if (body.project_id !== undefined) readAnyId(body.project_id, 'project_id');
      if (!isOfProject(body, caller)) return undefined;
      return (await requireTarget(storage, { clock, ids }, target, caller)).id;
    };

    const list = async (
      { query }: Pick<Call<(typeof alertOperations)['listAlerts']>, 'query'>,
      { workspace, project }: ProjectScope,
    ) => {
      const page = readPage(query);
      const { total, content } = await alerts.list({
        workspaceId: workspace.id,
        ...given({ projectId: project?.id }),
        filters: readFilters(query.filters, alertFilters),
        orders: readSorting(query.sorting, alertOrders),
        offset: (page.page - 1) * page.size,
        limit: page.size,
      });
      return showPage(page, { total, content: content.map(showAlert) }, alertOrders);
    };

    return {
      listAlerts: (call) => list(call, call.reach),
      async listProjectAlerts(call) {
        const { projectScope, params, caller } = call;
        // Where a webhook leads is not public, though the project be.
        if (roleOf(caller, projectScope.workspace.id) === undefined)
          throw new Failure('absent', `project ${params.projectId.slice(0, 100)} not found`);
        return list(call, projectScope);
      },
      async createAlert({ body, projectTarget, caller }) {
        const { id: workspaceId } = projectTarget.workspace;
        const projectId = await projectIdOf(body, projectTarget, caller);
        const id = body.id === undefined ? ids.next() : readId(body.id, 'alert');
        const made = read(body, { workspaceId, id, projectId }, caller);
        checkAddress({ notifiers }, made.webhook.url);
        await checkScopes(workspaceId, made.triggers, caller);
        await alerts.insert(made);
        forgetListening(alerts, workspaceId);
        return { body: undefined, madeAt: `/v1/private/alerts/${id}` };
      },
      async deleteAlerts({ body, reach }) {
        const wanted = await reachedIds(reach, readIds(body.ids), alerts.findMany);
        await alerts.remove(reach.workspace.id, wanted);
        forgetListening(alerts, reach.workspace.id);
        return undefined;
      },
      async listAlertExamples({ query, reach: { workspace } }) {
        const type = query.alert_type ?? 'general';
        const examples = alertEventTypes.map((eventType) => {
          const notice = sampleNotice(eventType, {
            ...{ id: ids.next(), at: clock.now(), alertId: ids.next(), alertName: 'Sample alert' },
            ...{ workspaceId: workspace.id, workspaceName: workspace.name },
          });
          return [eventType, payloadFor({ type, metadata: undefined }, notice, settings.baseUrl)];
        });
        return { response_examples: Object.fromEntries(examples) as Record<string, object> };
      },
      async testAlert({ body, reach: { workspace, project }, caller, signal }) {
        const id = body.id === undefined ? ids.next() : readId(body.id, 'alert');
        const stored = body.id === undefined ? undefined : await alerts.find(workspace.id, id);
        const before =
          project === undefined || stored?.projectId === project.id ? stored : undefined;
        // What it is narrowed to is nothing to a sample.
        const { project_id: _, ...sent } = body;
        const tested = read(
          { ...sent, name: body.name ?? before?.name ?? 'Test alert' },
          { workspaceId: workspace.id, id, projectId: undefined, before },
          caller,
        );
        return sendTest(
          { clock, ids, leases, notifiers, sealer, settings },
          workspace,
          tested,
          signal,
        );
      },
      showAlert: async (call) => showAlert(call.alert),
      async listAlertFirings({ query, alert: { workspaceId, id } }) {
        const page = readPage(query);
        const { total, content } = await alertFirings.list(
          { workspaceId, id },
          { offset: (page.page - 1) * page.size, limit: page.size },
        );
        return showPage(page, { total, content: content.map(showFiring) });
      },
      async updateAlert({ body, alert: stored, projectTarget, caller }) {
        const { workspaceId, id } = stored;
        if (body.project_id !== undefined && projectTarget.workspace.id !== workspaceId)
          throw new Failure('absent', `project ${body.project_id.slice(0, 100)} not found`);
        const projectId = await projectIdOf(body, projectTarget, caller);
        const replaced = (before: Alert): Alert =>
          read(body, { workspaceId, id, projectId, before }, caller);
        const wished = replaced(stored);
        checkAddress({ notifiers }, wished.webhook.url);
        await checkScopes(workspaceId, wished.triggers, caller);
        if (!(await alerts.replace(workspaceId, id, replaced)))
          throw new Failure('absent', `alert ${id} not found`);
        forgetListening(alerts, workspaceId);
        return undefined;
      },
    };
  },
});
