import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { projectOperations } from '#ports/api/projects';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Project } from '#ports/model/projects';
import { projectFields } from '#ports/storage/projects';
import { storageOf } from '#ports/storage/storage';
import { experimentSettings } from '../experiments/settings.js';
import { mayAddTo } from '../permissions.js';
import { mayRead } from '../places.js';
import { readIds } from '../private-wire/ids.js';
import { showInstant } from '../private-wire/instants.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { readSorting } from '../private-wire/sorting.js';
import {
  asUsual,
  placeIn,
  projectScopeKind,
  projectTargetKind,
  reachKind,
  requireTarget,
} from '../private-wire/targets.js';
import { figuresBeside } from '../traces/offers.js';
import { isUuid } from '../uuid.js';
import { deleteProject } from '../workspaces/offers.js';
import { checkProjectName } from '../workspaces/rules.js';

const show = (project: Project, lastTraceAt: number | undefined) => ({
  id: project.id,
  name: project.name,
  visibility: project.public ? 'public' : 'private',
  description: project.description,
  created_at: showInstant(project.createdAt * 1000),
  created_by: project.ownerUserName,
  last_updated_at: showInstant(project.updatedAt * 1000),
  last_updated_by: project.ownerUserName,
  last_updated_trace_at: lastTraceAt === undefined ? undefined : showInstant(lastTraceAt),
});

const isPublic = (visibility: string | undefined): boolean | undefined =>
  visibility === undefined ? undefined : visibility === 'public';

export const projectsArea = area({
  name: 'projects',
  summary: 'Projects, as SDKs of LLM observability find and make them.',
  family: privateFamily,
  table: projectOperations,
  kinds: [projectTargetKind, projectScopeKind, reachKind],
  needs: {
    storage: storageOf(
      'events',
      'experiments',
      'projects',
      'traces',
      'traceStatistics',
      'workspaces',
    ),
    clock: Clock,
    ids: Ids,
    settings: experimentSettings.port,
  },
  handlers: ({ storage, clock, ids, settings }) => {
    const { projects } = storage.stores;
    const needs = { clock, ids, settings };
    const absentProject = (named: string, where = '') =>
      new Failure('absent', `project ${named.slice(0, 100)} not found${where}`);
    const showWithTrace = async (project: Project) =>
      show(project, (await projects.listTraceTimes([project.id])).get(project.id));
    return {
      async retrieveProject({ body, projectTarget: target, caller }) {
        const usual = mayAddTo(caller, target.workspace.id) ? asUsual(target) : undefined;
        const project =
          usual === undefined
            ? target.project
            : await requireTarget(storage, { clock, ids }, usual, caller);
        if (project === undefined) throw absentProject(target.name);
        return {
          ...(await showWithTrace(project)),
          ...(body.includeStats === false
            ? {}
            : await figuresBeside(storage.stores, project.id, clock.now())),
        };
      },
      async insertProject({ body, workspace, caller }) {
        const name = body.name.trim();
        checkProjectName(name);
        const id = ids.next();
        await projects.insert({
          id,
          workspaceId: workspace.id,
          name,
          description: body.description,
          public: isPublic(body.visibility) ?? false,
          kind: 'em',
          ownerId: caller.userId,
          createdAt: clock.now(),
        });
        return { body: undefined, madeAt: `/v1/private/projects/${id}` };
      },
      async listProjectsByPage({ query, workspace }) {
        const found = await projects.page({
          ...readPage(query),
          workspaceId: workspace.id,
          name: query.name,
          orders: readSorting(query.sorting, projectFields),
        });
        const content = found.content.map((one) => show(one, one.lastTraceAt));
        return showPage(found, { total: found.total, content }, projectFields);
      },
      readProject: ({ project }) => showWithTrace(project),
      async patchProject({ body, project }) {
        const [name, wanted] = [body.name?.trim(), isPublic(body.visibility)];
        if (name !== undefined) checkProjectName(name);
        await projects.update(project.id, {
          updatedAt: clock.now(),
          ...(name === undefined ? {} : { name }),
          ...(body.description === undefined ? {} : { description: body.description }),
          ...(wanted === undefined ? {} : { public: wanted }),
        });
        return undefined;
      },
      async removeProject({ params, reach, caller }) {
        const id = params.id.toLowerCase();
        if (!isUuid(id)) throw absentProject(id);
        const project = await projects.findById(id);
        if (project === undefined) return undefined;
        const isReached =
          project.workspaceId === reach.workspace.id &&
          (reach.project === undefined || reach.project.id === id);
        if (isReached)
          await deleteProject(storage, needs, { project, caller, keepsExperiments: true });
        // Who may read it is told that it stays; to all others it is one that never was.
        else if (await mayRead(caller, placeIn(project.workspaceId, project)))
          throw absentProject(id, ` in workspace ${reach.workspace.name}`);
        return undefined;
      },
      async removeProjects({ body, workspace, caller }) {
        const found = await Promise.all(readIds(body.ids).map((id) => projects.findById(id)));
        for (const project of found)
          if (project?.workspaceId === workspace.id)
            await deleteProject(storage, needs, { project, caller, keepsExperiments: true });
        return undefined;
      },
    };
  },
});
