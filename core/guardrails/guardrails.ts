import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { guardrailOperations } from '#ports/api/guardrails';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { storageOf } from '#ports/storage/storage';
import type { GuardrailResult } from '#ports/model/feedback-definitions';
import type { ExecutionMode, Guard, GuardrailPolicy } from '#ports/model/guardrail-policies';
import type { Project } from '#ports/model/projects';
import type { AlertEvent } from '#ports/model/alerts';
import { alertListeners, type Happened } from '../alerts/offers.js';
import { alertSettings } from '../alerts/settings.js';
import { parseJson } from '../json-text.js';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { readId, readIds, requireSome } from '../private-wire/ids.js';
import { namingOf, requireTarget } from '../private-wire/targets.js';
import { policiesFor, readGuards } from './policies.js';

const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : JSON.stringify(value);

interface SentPolicy {
  readonly name: string;
  readonly execution_mode?: ExecutionMode | undefined;
  readonly guards: readonly Guard[];
}
const readPolicy = ({ name, execution_mode: executionMode = 'ON_REQUEST', guards }: SentPolicy) => {
  if (name.trim() === '') throw new Failure('unprocessable', 'name must not be blank');
  return { name, executionMode, guards: readGuards(guards) };
};
const showPolicy = ({ id, name, executionMode, guards }: GuardrailPolicy) => ({
  ...{ id, name, execution_mode: executionMode },
  guards: [...guards],
});

/** What alerts tell of a guardrail that failed. */
const toHappened = (
  result: GuardrailResult & { readonly project: Pick<Project, 'name'> },
): Happened => ({
  projectId: result.projectId,
  guardrail: result.name,
  record: {
    id: result.id,
    entity_id: result.traceId,
    project_id: result.projectId,
    project_name: result.project.name,
    name: result.name,
    result: 'failed',
    details: result.details === undefined ? undefined : parseJson(result.details),
  },
});

export const guardrailsArea = area({
  name: 'guardrails',
  summary: 'What guardrails check, and what they found in traces.',
  family: privateFamily,
  table: guardrailOperations,
  needs: {
    storage: storageOf('alertFirings', 'alerts', 'guardrails', 'projects', 'workspaces'),
    clock: Clock,
    ids: Ids,
    settings: alertSettings.port,
  },
  handlers: ({ storage, clock, ids, settings }) => {
    const listenersOf = alertListeners({ alerts: storage.stores.alerts, clock, ids, settings });
    return {
      async putGuardrails({ body, projectTargets, caller }) {
        requireSome('guardrails', body.guardrails);
        const { createdAt, createdBy } = madeBy(clock, caller);
        const read = body.guardrails.map((sent) => ({
          naming: namingOf(sent),
          result: {
            id: sent.id === undefined ? ids.next() : readId(sent.id, 'guardrail'),
            traceId: readId(sent.entity_id, 'entity'),
            spanId: readId(sent.secondary_id, 'secondary'),
            name: sent.name,
            passed: sent.result === 'passed',
            config: textOf(sent.config),
            details: textOf(sent.details),
            createdAt,
            createdBy,
          },
        }));
        const projects = new Map<string, Pick<Project, 'id' | 'name' | 'workspaceId'>>();
        for (const target of projectTargets)
          projects.set(target.naming, await requireTarget(storage, { clock, ids }, target, caller));
        const results = read.flatMap(({ naming, result }) => {
          const project = projects.get(naming);
          return project === undefined ? [] : [{ ...result, project, projectId: project.id }];
        });
        const failed = results.filter(({ passed }) => !passed);
        const events: AlertEvent[] = [];
        for (const workspaceId of new Set(failed.map(({ project }) => project.workspaceId)))
          events.push(
            ...(await listenersOf(workspaceId)).eventsOf({
              eventType: 'trace:guardrails_triggered',
              userName: caller.userName,
              together: true,
              happened: failed
                .filter(({ project }) => project.workspaceId === workspaceId)
                .map(toHappened),
            }),
          );
        if (events.length === 0) await storage.stores.guardrails.put(results);
        else
          await storage.transaction(async (stores) => {
            await stores.guardrails.put(results);
            await stores.alertFirings.record(events);
          });
        return undefined;
      },
      async listGuardrailPolicies({ workspace }) {
        const found = await storage.stores.guardrails.listPolicies(workspace.id);
        return {
          policies: found.map((one) => ({ ...showPolicy(one), ...showAuthorship(one) })),
        };
      },
      async createGuardrailPolicy({ body, workspace, caller }) {
        const id = ids.next();
        await storage.stores.guardrails.insertPolicy({
          ...{ workspaceId: workspace.id, id, ...readPolicy(body) },
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/guardrails/policies/${id}` };
      },
      async replaceGuardrailPolicy({ params: { id }, body, workspace, caller }) {
        const change = { ...readPolicy(body), ...touchedBy(clock, caller) };
        if (!(await storage.stores.guardrails.updatePolicy(workspace.id, id, change)))
          throw new Failure('absent', `guardrail policy ${id.slice(0, 100)} not found`);
        return undefined;
      },
      async deleteGuardrailPolicies({ body, workspace }) {
        await storage.stores.guardrails.removePolicies(workspace.id, readIds(body.ids));
        return undefined;
      },
      async retrieveGuardrailPolicies({ body: { names = [] }, workspace }) {
        const stored = await storage.stores.guardrails.listPolicies(workspace.id);
        return {
          policies: policiesFor(stored, names).map(showPolicy),
        };
      },
    };
  },
});
