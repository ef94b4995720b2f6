import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { internalUsageOperations } from '#ports/api/internal-usage';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { Secrets } from '#ports/secrets';
import type { CountedKind } from '#ports/storage/creation-counts';
import { storageOf } from '#ports/storage/storage';
import { newJob } from '../agent-insights/offers.js';
import { checkInternalToken, internalSettings } from '../internal-token.js';
import { touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readAnyId } from '../private-wire/ids.js';
import { previousDay, sumByWorkspace } from './rules.js';

/** By whom jobs are made that nobody asked for. */
const nobody = { userName: 'system' } as const;

interface Asked {
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export const internalUsageArea = area({
  name: 'internal-usage',
  summary: 'Figures over every workspace, for those who run the installation.',
  family: privateFamily,
  table: internalUsageOperations,
  settings: internalSettings,
  needs: {
    storage: storageOf('creationCounts', 'insightsJobs', 'projects'),
    secrets: Secrets,
    settings: internalSettings.port,
    clock: Clock,
    ids: Ids,
  },
  handlers: ({ storage, secrets, settings, clock, ids }) => {
    const { creationCounts, insightsJobs, projects } = storage.stores;
    // Asked again here, for whoever calls rows in this process.
    const check = ({ headers }: Asked): void => {
      checkInternalToken(secrets, settings.ORRERY_INTERNAL_TOKEN, headers['authorization']);
    };
    const count = async (kind: CountedKind) => {
      const { from, before } = previousDay(clock.now());
      return creationCounts.count(kind, from, before);
    };
    const countMade = (kind: CountedKind) => async (call: Asked) => {
      check(call);
      return {
        bi_information: (await count(kind)).map((row) => ({
          workspace_id: row.workspaceId,
          user: row.userName,
          count: row.count,
        })),
      };
    };
    return {
      async enrolInsightsProjects(call) {
        check(call);
        const { enrolled, project_ids } = call.body;
        const wanted = [...new Set(project_ids.map((id) => readAnyId(id, 'project_ids')))];
        if (!enrolled) {
          const ended = await insightsJobs.endEnrolment(wanted, touchedBy(clock, nobody));
          return {
            ...{ enrolled: 0, cleared: ended.changed.length },
            ...{ unknown_project_ids: [], already_run_project_ids: [] },
            reset_project_ids: [...ended.reset],
          };
        }
        const known: string[] = [];
        for (const id of wanted) if ((await projects.findById(id)) !== undefined) known.push(id);
        const made = known.map((projectId) => ({
          ...newJob({ clock, ids }, projectId, nobody),
          enrolled: true,
        }));
        const enrolment = await insightsJobs.enrol(made);
        return {
          ...{ enrolled: enrolment.changed.length, cleared: 0 },
          unknown_project_ids: wanted.filter((id) => !known.includes(id)),
          already_run_project_ids: [...enrolment.alreadyRun],
          reset_project_ids: [],
        };
      },
      async findUsageProjects(call) {
        check(call);
        const { workspace_ids, project_ids = [], name, limit = 100 } = call.body;
        const ids = project_ids.map((id) => readAnyId(id, 'project_ids'));
        const found = await creationCounts.findProjects({
          workspaceIds: [...new Set(workspace_ids.map((id) => id.trim().toLowerCase()))],
          ...given({ projectIds: ids.length === 0 ? undefined : ids, name }),
          limit,
        });
        return {
          projects: found.map(({ workspaceId, id, name: called }) => ({
            ...{ workspace_id: workspaceId, project_id: id, name: called },
          })),
        };
      },
      countMadeDatasets: countMade('dataset'),
      countMadeEvaluations: countMade('evaluation'),
      countMadeSpans: countMade('span'),
      countMadeTraces: countMade('trace'),
      async breakDownSpans(call) {
        check(call);
        const { from, before } = previousDay(clock.now());
        const found = await creationCounts.countSpans(from, before);
        return {
          breakdown: found.map((row) => ({
            ...{ workspace_id: row.workspaceId, project_id: row.projectId },
            ...{ project_name: row.projectName, user: row.userName, count: row.count },
          })),
        };
      },
      async countSpansOfWorkspaces(call) {
        check(call);
        return {
          workspaces_spans_count: sumByWorkspace(await count('span')).map(([workspace, n]) => ({
            ...{ workspace, span_count: n },
          })),
        };
      },
      async countTracesOfWorkspaces(call) {
        check(call);
        return {
          workspaces_traces_count: sumByWorkspace(await count('trace')).map(([workspace, n]) => ({
            ...{ workspace, trace_count: n },
          })),
        };
      },
    };
  },
});
