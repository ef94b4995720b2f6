import { area } from '#ports/api/area';
import { agentInsightsOperations } from '#ports/api/agent-insights';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { Log } from '#ports/log';
import { insightsProject, type InsightsJob } from '#ports/model/agent-insights';
import { insightsIssueOrders, type InsightsIssueListing } from '#ports/storage/agent-insights';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Toggles } from '#ports/toggles';
import { madeBy, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readPage } from '../private-wire/pages.js';
import { readSorting } from '../private-wire/sorting.js';
import { findProjectById, placeIn } from '../private-wire/targets.js';
import { isUuid } from '../uuid.js';
import { newJob } from './offers.js';
import { markOf, storeReport } from './reporting.js';
import {
  readDay,
  readGuidance,
  readIssues,
  readNote,
  readWindow,
  showDays,
  showJob,
  showSums,
} from './rules.js';
import { recentRun } from './runs.js';
import { insightsSettings } from './settings.js';

const inPath = (path: string): boolean => path.startsWith('params.');

const insightsProjectKind = defineKind(insightsProject, {
  needs: { storage: storageOf('projects', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) => ({
    async find({ path, text }, asking) {
      if (!inPath(path) && !isUuid(text.trim()))
        throw new Failure('invalid', 'project_id must be a UUID');
      return findProjectById({ stores, places }, text.trim(), asking);
    },
    idOf: ({ project }) => project.id,
    // What goes wrong in a public project is for members all the same.
    placeOf: ({ workspace, project }) => ({ ...placeIn(workspace.id, project), public: false }),
    absent: (text) => new Failure('absent', `project ${text.slice(0, 100)} not found`),
    missing: () => new Failure('invalid', 'project_id is required'),
    forProjectKeys: true,
  }),
});

const mostSize = 100;
const readIssuePage = (query: { readonly page?: number; readonly size?: number }) => {
  const page = readPage(query);
  if (page.size > mostSize)
    throw new Failure('invalid', `query param size must be less than or equal to ${mostSize}`);
  return page;
};

const readOrders = (sorting: string | undefined): InsightsIssueListing['orders'] =>
  readSorting(sorting, insightsIssueOrders).flatMap(({ field, descending }) => {
    const name = insightsIssueOrders.find((one) => one === field);
    return name === undefined ? [] : [{ field: name, descending }];
  });

export const agentInsightsArea = area({
  name: 'agent-insights',
  summary: 'What goes wrong in the traces of a project, found day by day.',
  family: privateFamily,
  table: agentInsightsOperations,
  kinds: [insightsProjectKind],
  settings: insightsSettings,
  toggles: {
    'agent-insights': {
      default: true,
      says: 'Agent insights, whose rows answer 404 without it; and analytic queries, which answer 501',
    },
    'agent-insights-guidance': {
      default: true,
      says: 'What people tell runs of agent insights; without it its row answers 404',
    },
  },
  needs: {
    storage: storageOf('insightsIssues', 'insightsJobs'),
    toggles: Toggles,
    clock: Clock,
    ids: Ids,
    log: Log,
  },
  handlers: ({ storage, toggles, clock, ids, log }) => {
    const { insightsIssues, insightsJobs } = storage.stores;
    const needs = { clock, ids };
    const absentJob = (projectId: string) =>
      new Failure('absent', `project ${projectId} has no job of agent insights`);
    const absentIssue = (id: string) =>
      new Failure('absent', `issue ${id.slice(0, 100)} not found`);
    const requireJob = async (projectId: string): Promise<InsightsJob> => {
      const job = await insightsJobs.find(projectId);
      if (job === undefined) throw absentJob(projectId);
      return job;
    };

    return {
      showInsightsJob: async ({ insightsProject: { project } }) =>
        showJob(await requireJob(project.id)),
      async createInsightsJob({ insightsProject: { project }, caller }) {
        const made = newJob(needs, project.id, caller);
        await insightsJobs.insert(made);
        return { body: showJob(made), madeAt: `/v1/private/agent-insights/jobs/${project.id}` };
      },
      async updateInsightsJob({ body: { status }, insightsProject: { project }, caller }) {
        if (status === undefined)
          throw new Failure('unprocessable', 'the body must name something to change: status');
        const changed = await insightsJobs.setStatus(project.id, status, touchedBy(clock, caller));
        if (changed === undefined) throw absentJob(project.id);
        return showJob(changed);
      },
      async triggerInsightsJob({ insightsProject: { project } }) {
        const job = await requireJob(project.id);
        try {
          await insightsJobs.addRun(recentRun(job, 'triggered', ids.next(), clock.now()));
        } catch (error) {
          log.warn('a run of agent insights could not be asked for', {
            ...{ project: project.id, error },
          });
          const detail = 'the run could not be asked for';
          const at = clock.now() * 1000;
          await insightsJobs.noteFailure(
            project.id,
            { reason: 'did_not_start', detail, at },
            false,
          );
        }
        return undefined;
      },
      async setInsightsGuidance({ body, insightsProject: { project }, caller }) {
        if (!toggles.isOn('agent-insights-guidance'))
          throw new Failure(
            'absent',
            'guidance is switched off here (toggle agent-insights-guidance)',
          );
        const made = { ...newJob(needs, project.id, caller), ...madeBy(clock, caller) };
        return showJob(await insightsJobs.setGuidance(made, readGuidance(body.guidance)));
      },
      async listInsightsIssues({ query, insightsProject: { project } }) {
        const { page, size } = readIssuePage(given({ page: query.page, size: query.size }));
        const { total, content } = await insightsIssues.list({
          projectId: project.id,
          ...readWindow(query, clock.now()),
          ...given({ status: query.status, severity: query.severity }),
          orders: readOrders(query.sorting),
          offset: (page - 1) * size,
          limit: size,
        });
        return { page, size, total, content: content.map(showSums) };
      },
      async reportInsightsIssues({ body, insightsProject: { project }, caller }) {
        const day = readDay(body.report_day, 'report_day');
        const issues = readIssues(body.issues, () => ids.next());
        await storage.transaction(async (stores) => {
          const job = await stores.insightsJobs.find(project.id);
          const guidanceVersion = markOf(job?.guidanceVersion ?? 0);
          const report = { projectId: project.id, day, issues, guidanceVersion };
          await storeReport(stores, report, touchedBy(clock, caller));
        });
        return undefined;
      },
      async showInsightsIssue({ params, query, insightsProject: { project } }) {
        const window = readWindow(query, clock.now());
        const id = params.issue_id.toLowerCase();
        const issue = await insightsIssues.find(project.id, id);
        if (issue === undefined) throw absentIssue(params.issue_id);
        return showDays(issue, await insightsIssues.listDays(project.id, id, window));
      },
      async setInsightsIssueStatus({ params, body, insightsProject: named, caller }) {
        // The shape of the body has told so before.
        if (named === undefined) throw new Failure('unprocessable', 'project_id is required');
        const { project } = named;
        const verdict = { status: body.status, closeNote: readNote(body.status, body.close_note) };
        const id = params.issue_id.toLowerCase();
        if (!(await insightsIssues.decide(project.id, id, verdict, touchedBy(clock, caller))))
          throw absentIssue(params.issue_id);
        return undefined;
      },
    };
  },
});
