import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { experimentOperations } from '#ports/api/experiments';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Toggles } from '#ports/toggles';
import { queueCall } from '../rpc/offers.js';
import {
  checkLink,
  checkMoves,
  linkAllInto,
  makeOneExperiment,
  moveAllInto,
  readError,
  replaceError,
  requireOneKind,
} from './offers.js';
import { beats, experimentLink, isRunning, liveBeatMs, setTimes, toMetadata } from './rules.js';
import { experimentKind } from './kinds.js';
import { experimentSettings } from './settings.js';

const needs = {
  storage: storageOf('events', 'experiments', 'projects', 'rpc', 'texts', 'values', 'workspaces'),
  clock: Clock,
  ids: Ids,
  settings: experimentSettings.port,
  places: PlaceFinder,
  toggles: Toggles,
};

export const experimentsArea = area({
  name: 'experiments',
  summary: 'The life of experiments: create, list, archive, move, delete.',
  family: trackingFamily,
  table: experimentOperations,
  kinds: [experimentKind],
  toggles: {
    'move-experiments-to-ws': {
      default: true,
      says: 'Moving experiments to another workspace',
      since: 'December 2023',
    },
  },
  settings: experimentSettings,
  needs,
  handlers: ({ storage, clock, ids, settings, places, toggles }) => {
    const { experiments } = storage.stores;
    const making = { clock, ids, settings };
    return {
      async createExperiment({ body, workspace, caller }) {
        const kind = body.type?.toUpperCase() === 'LLM' ? 'llm' : 'em';
        const made = await makeOneExperiment(
          storage,
          { ...making, places },
          {
            workspace,
            caller,
            projectName: body.projectName,
            kind,
            name: body.experimentName,
            alive: body.disableHeartBeat !== true,
          },
        );
        return {
          experimentKey: made.key,
          workspaceName: workspace.name,
          projectName: made.project.name,
          link: experimentLink(settings.baseUrl, workspace.name, made.project.name, made.key),
          name: made.name,
        };
      },
      async stopExperiment({ experiment, caller }) {
        if (isRunning(experiment, clock.now()))
          await queueCall(
            storage.stores,
            { clock, ids },
            {
              experimentId: experiment.id,
              functionName: 'stop',
              builtIn: true,
              arguments: [],
              userName: caller.userName,
            },
          );
        await experiments.update(experiment.id, { alive: false });
        return {};
      },
      async archiveExperiment({ experiment }) {
        await experiments.update(experiment.id, { archived: true });
        return {};
      },
      async restoreExperiment({ experiment }) {
        await experiments.update(experiment.id, { archived: false });
        return {};
      },
      async deleteExperiment({ experiment }) {
        await experiments.markDeleted(experiment.id, clock.now());
        return {};
      },
      async moveExperiments({ body, workspace, experiments: chosen, caller }) {
        if (body.symlink !== true) checkMoves(toggles, workspace, chosen);
        const request = {
          workspace,
          caller,
          projectName: body.targetProjectName,
          kind: await requireOneKind(storage.stores, chosen),
          experiments: chosen,
        };
        if (body.symlink === true) await linkAllInto(storage, making, request);
        else await moveAllInto(storage, making, request);
        return {};
      },
      async linkExperiment({ query, experiment }) {
        const project = await storage.stores.projects.findByName(
          experiment.workspaceId,
          query.projectName,
        );
        if (project === undefined)
          throw new Failure(
            'invalid',
            `project ${query.projectName.slice(0, 100)} not found in the workspace`,
          );
        await checkLink(storage.stores, experiment, project);
        await experiments.link(experiment.id, project.id);
        return {
          link: experimentLink(
            settings.baseUrl,
            experiment.workspaceName,
            project.name,
            experiment.key,
          ),
        };
      },
      async unlinkExperiment({ experiment, project }) {
        return { removed: await experiments.unlink(experiment.id, project.id) };
      },
      async keepAlive({ experiment }) {
        const now = clock.now();
        await experiments.update(experiment.id, { alive: true, beatMs: liveBeatMs });
        await experiments.touch(experiment.id, now);
        return beats;
      },
      async setState({ body, experiment }) {
        const now = clock.now();
        await storage.transaction(async (stores) => {
          await stores.experiments.update(experiment.id, {
            alive: body.isAlive,
            hasCrashed: body.hasCrashed,
          });
          await stores.experiments.touch(experiment.id, now);
          await replaceError(stores, experiment.id, body.error ?? '');
        });
        return {};
      },
      async setStartEndTime({ body, experiment }) {
        if (body.startTimeMillis === undefined && body.endTimeMillis === undefined) return {};
        await storage.transaction(async (stores) => {
          const now = await stores.experiments.lock(experiment.id);
          if (now !== undefined)
            await stores.experiments.update(
              now.id,
              setTimes(now, body.startTimeMillis, body.endTimeMillis),
            );
        });
        return {};
      },
      async markNotThrottled({ experiment }) {
        await experiments.update(experiment.id, {
          throttle: false,
          throttleMessage: undefined,
          throttleReasons: [],
        });
        return {};
      },
      async listExperiments({ query, project }) {
        const size = query.size ?? (query.page === undefined ? undefined : 100);
        const found = await experiments.list({
          projectId: project.id,
          archived: query.archived ?? false,
          sortBy: query.sortBy ?? 'startTime',
          descending: query.sortOrder !== 'asc',
          ...(size === undefined ? {} : { limit: size, offset: ((query.page ?? 1) - 1) * size }),
        });
        const now = clock.now();
        return { experiments: found.map((experiment) => toMetadata(experiment, now)) };
      },
      async getMetadata({ experiment }) {
        return {
          ...toMetadata(experiment, clock.now()),
          error: experiment.hasCrashed
            ? ((await readError(storage.stores, experiment.id)) ?? null)
            : null,
        };
      },
      async getError({ experiment }) {
        return { error: (await readError(storage.stores, experiment.id)) ?? null };
      },
      async getProcessingStatus({ experiment }) {
        return { processing: experiment.processing };
      },
    };
  },
});
