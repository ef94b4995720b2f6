import { area } from '#ports/api/area';
import { liveOperations } from '#ports/api/live';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Experiment } from '#ports/model/experiments';
import { Settings } from '#ports/settings';
import { Storage } from '#ports/storage/storage';
import { Toggles } from '#ports/toggles';
import { codes } from '../codes.js';
import { makeExperiment } from '../experiments/offers.js';
import { beats, experimentLink, liveBeatMs, offlineBeatMs, projectLink } from '../experiments/rules.js';
import { hasWaitingCalls } from '../rpc/offers.js';
import { copyRun } from './copying.js';
import { checkClientVersion } from './rules.js';
import { isCounted } from './events.js';

const needs = { storage: Storage, clock: Clock, ids: Ids, settings: Settings, toggles: Toggles };
const parameterIntervalMs = 60_000;
const fileSizeLimitMb = (settings: Settings) => Math.min(settings.ORRERY_ASSET_SIZE_LIMIT_MB, 2 ** 31);

export const liveArea = area({
  name: 'live', family: 'tracking', table: liveOperations, needs,
  handlers: ({ storage, clock, ids, settings, toggles }) => {
    const { experiments } = storage.stores;
    const making = { clock, ids, settings };

    const welcome = async (experiment: Experiment) => ({
      runId: ids.key(), project_id: experiment.projectId, githubEnabled: false, focusUrl: projectLink(settings.baseUrl, experiment.workspaceName, experiment.projectName), lastOffset: await lastOffset(experiment), name: experiment.name, msg: null,
      upload_file_size_limit_in_mb: fileSizeLimitMb(settings), asset_upload_file_size_limit_in_mb: fileSizeLimitMb(settings), uploadVideoMaxSizeMB: settings.ORRERY_VIDEO_SIZE_LIMIT_MB,
      featureToggles: toggles.list().map(({ name, enabled }) => ({ name, enabled })), cometWebAssetUrl: `${settings.baseUrl}/api/asset/download`, cometWebImageUrl: `${settings.baseUrl}/api/image/download`,
      cometRestApiAssetUrl: `${settings.baseUrl}/api/rest/v2/experiment/asset/get-asset`, cometRestApiImageUrl: `${settings.baseUrl}/api/rest/v2/experiment/asset/get-asset`, s3DirectAccessEnabled: settings.ALLOW_S3_DIRECT_DOWNLOAD,
    });
    const lastOffset = async (experiment: Experiment): Promise<number> => (await storage.stores.texts.findLastOffset(experiment.id)) ?? 0;
    const requireExperiment = async (key: string): Promise<Experiment> => {
      const found = await experiments.findByKey(key);
      if (found === undefined) throw new Failure('absent', `experiment ${key} not found`, { code: codes.runAbsent });
      return found;
    };
    const reopen = async (experiment: Experiment, offline: boolean): Promise<void> => {
      await experiments.update(experiment.id, { hasCrashed: false, alive: true, reportsEnd: true, beatMs: offline ? offlineBeatMs : liveBeatMs });
      await experiments.touch(experiment.id, clock.now());
    };
    const exists = (key: string) => new Failure('invalid', `experiment ${key} exists already`, { code: codes.runExists });

    return {
      async openRun({ body, workspace, caller, existing }) {
        checkClientVersion(body.libVersion, settings.MIN_SDK_VERSION_PYTHON);
        if (existing !== undefined && body.getOrCreateEnabled !== true) throw exists(body.experimentKey);
        if (existing !== undefined) {
          await reopen(existing, body.offline === true);
          return welcome(await requireExperiment(body.experimentKey));
        }
        const make = () => storage.transaction((stores) => makeExperiment(stores, making, { workspace, caller, projectName: body.projectName, kind: 'em', key: body.experimentKey, offline: body.offline === true, alive: true, reportsEnd: true }));
        try {
          // Two that make the same new project at once: the second finds it when it tries again.
          await make().catch((thrown: unknown) => { if (isFailure(thrown) && thrown.kind === 'conflict') return make(); throw thrown; });
        } catch (thrown) {
          throw isFailure(thrown) && thrown.kind === 'conflict' ? exists(body.experimentKey) : thrown;
        }
        if (body.offline === true) await experiments.update((await requireExperiment(body.experimentKey)).id, { processing: true });
        return welcome(await requireExperiment(body.experimentKey));
      },
      async resumeRun({ body, experiment }) {
        checkClientVersion(body.libVersion, settings.MIN_SDK_VERSION_PYTHON);
        await reopen(experiment, false);
        return welcome(await requireExperiment(experiment.key));
      },
      async copyRun({ body, experiment, existing, caller }) {
        checkClientVersion(body.libVersion, settings.MIN_SDK_VERSION_PYTHON);
        if (existing !== undefined) throw exists(body.newExperimentKey);
        const workspace = await storage.stores.workspaces.findById(experiment.workspaceId);
        if (workspace === undefined) throw new Failure('absent', 'the workspace no longer exists', { code: codes.workspaceAbsent });
        try {
          await storage.transaction(async (stores) => {
            const made = await makeExperiment(stores, making, { workspace, caller, projectName: experiment.projectName, kind: 'em', key: body.newExperimentKey, alive: true, reportsEnd: true });
            await copyRun(stores, experiment.id, made.id, body.stepToCopyTo, clock.now());
          });
        } catch (thrown) {
          throw isFailure(thrown) && thrown.kind === 'conflict' ? exists(body.newExperimentKey) : thrown;
        }
        return welcome(await requireExperiment(body.newExperimentKey));
      },
      async reportStatus({ body, experiment }) {
        const offline = body.offline === true;
        await experiments.update(experiment.id, { alive: body.is_alive, beatMs: offline ? offlineBeatMs : liveBeatMs, ...(offline ? { processing: body.is_alive } : {}) });
        await experiments.touch(experiment.id, clock.now());
        if (!body.is_alive) await storage.stores.metrics.settle(experiment.id);
        return {
          is_alive_beat_duration_millis: beats.isAliveBeatDurationMillis, gpu_monitor_interval_millis: beats.gpuMonitorIntervalMillis, cpu_monitor_interval_millis: beats.cpuMonitorIntervalMillis,
          parameter_update_interval_millis: parameterIntervalMs, pending_rpcs: body.is_alive && await hasWaitingCalls(storage.stores, experiment.id),
        };
      },
      async setOfflineTimes({ body, experiment }) {
        await experiments.update(experiment.id, {
          processing: false, ...(body.startTimestamp === undefined ? {} : { startTimeMillis: body.startTimestamp, startSet: true }), ...(body.endTimestamp === undefined ? {} : { endTimeMillis: body.endTimestamp, endSet: true }),
        });
        return {};
      },
      async linkRun({ query, experiment }) {
        const project = await storage.stores.projects.findByName(experiment.workspaceId, query.projectName);
        if (project === undefined) throw new Failure('invalid', `project ${query.projectName.slice(0, 100)} not found in the workspace`);
        await experiments.link(experiment.id, project.id);
        return { link: experimentLink(settings.baseUrl, experiment.workspaceName, project.name, experiment.key) };
      },
      notifyEnd: async () => ({}),
      async notifyEvent({ body, caller }) {
        if (isCounted(body.event_name)) await storage.stores.usage.count(caller.userId, 'sdk', clock.now());
        return {};
      },
      addLog: async () => ({}),
    };
  },
});
