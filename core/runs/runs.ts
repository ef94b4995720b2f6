import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import type { Call } from '#ports/api/operation';
import { runOperations } from '#ports/api/runs';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { Log } from '#ports/log';
import type { Experiment } from '#ports/model/experiments';
import { Notifiers } from '#ports/notify';
import { Secrets } from '#ports/secrets';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Toggles } from '#ports/toggles';
import {
  checkLink,
  makeExperiment,
  makeOneExperiment,
  replaceError,
  requireOneKind,
} from '../experiments/offers.js';
import {
  beats,
  experimentLink,
  liveBeatMs,
  offlineBeatMs,
  offlineSilenceMs,
  projectLink,
} from '../experiments/rules.js';
import { tellUser } from '../identity/offers.js';
import { hasWaitingCalls } from '../rpc/offers.js';
import { finishCopy } from './copying.js';
import { checkClientVersion, endLetter } from './rules.js';
import { isCounted } from './events.js';
import { assetSettings, type AssetSettings } from '../assets/settings.js';
import { experimentSettings } from '../experiments/settings.js';
import { runSettings } from './settings.js';

const needs = {
  storage: storageOf(
    'apiKeys',
    'attempts',
    'credentials',
    'events',
    'experiments',
    'members',
    'metrics',
    'oauth',
    'projects',
    'rpc',
    'runCopies',
    'sessions',
    'texts',
    'tickets',
    'usage',
    'users',
    'values',
    'workspaces',
  ),
  clock: Clock,
  ids: Ids,
  log: Log,
  notifiers: Notifiers,
  secrets: Secrets,
  settings: runSettings.port,
  places: PlaceFinder,
  assetSettings: assetSettings.port,
  experimentSettings: experimentSettings.port,
  toggles: Toggles,
};
const parameterIntervalMs = 60_000;
const fileSizeLimitMb = (settings: AssetSettings) =>
  Math.min(settings.ORRERY_ASSET_SIZE_LIMIT_MB, 2 ** 31);

export const runsArea = area({
  name: 'runs',
  summary: 'The live channel of the Python client: open a run, keep it alive, end it.',
  family: trackingFamily,
  table: runOperations,
  settings: runSettings,
  needs,
  handlers: ({
    storage,
    clock,
    ids,
    log,
    notifiers,
    secrets,
    settings,
    assetSettings: bytes,
    experimentSettings,
    places,
    toggles,
  }) => {
    const { experiments } = storage.stores;
    const making = { clock, ids, settings: experimentSettings };

    const welcome = async (experiment: Experiment) => ({
      runId: ids.key(),
      project_id: experiment.projectId,
      githubEnabled: false,
      focusUrl: projectLink(settings.baseUrl, experiment.workspaceName, experiment.projectName),
      lastOffset: await lastOffset(experiment),
      name: experiment.name,
      msg: null,
      upload_file_size_limit_in_mb: fileSizeLimitMb(bytes),
      asset_upload_file_size_limit_in_mb: fileSizeLimitMb(bytes),
      uploadVideoMaxSizeMB: bytes.ORRERY_VIDEO_SIZE_LIMIT_MB,
      featureToggles: toggles.list().map(({ name, enabled }) => ({ name, enabled })),
      cometWebAssetUrl: `${settings.baseUrl}/api/asset/download`,
      cometWebImageUrl: `${settings.baseUrl}/api/image/download`,
      cometRestApiAssetUrl: `${settings.baseUrl}/api/rest/v2/experiment/asset/get-asset`,
      cometRestApiImageUrl: `${settings.baseUrl}/api/rest/v2/experiment/asset/get-asset`,
      s3DirectAccessEnabled: bytes.ALLOW_S3_DIRECT_DOWNLOAD,
    });
    const lastOffset = async (experiment: Experiment): Promise<number> =>
      (await storage.stores.texts.findLastOffset(experiment.id)) ?? 0;
    const requireExperiment = async (key: string): Promise<Experiment> => {
      const found = await experiments.findByKey(key);
      if (found === undefined)
        throw new Failure('absent', `experiment ${key} not found`, { reason: 'runAbsent' });
      return found;
    };
    const reopen = async (experiment: Experiment, offline: boolean): Promise<void> => {
      await experiments.update(experiment.id, {
        hasCrashed: false,
        alive: true,
        reportsEnd: true,
        beatMs: offline ? offlineSilenceMs : liveBeatMs,
      });
      await experiments.touch(experiment.id, clock.now());
      await replaceError(storage.stores, experiment.id, '');
    };
    const exists = (key: string) =>
      new Failure('invalid', `experiment ${key} exists already`, { reason: 'runExists' });

    const beginCopy = async ({
      body,
      experiment,
      caller,
    }: Pick<Call<typeof runOperations.copyRun>, 'body' | 'experiment' | 'caller'>) => {
      const workspace = await storage.stores.workspaces.findById(experiment.workspaceId);
      if (workspace === undefined)
        throw new Failure('absent', 'the workspace no longer exists', {
          reason: 'workspaceAbsent',
        });
      try {
        return await storage.transaction(async (stores) => {
          const { id } = await makeExperiment(stores, making, {
            workspace,
            caller,
            projectName: experiment.projectName,
            kind: await requireOneKind(stores, [experiment]),
            key: body.newExperimentKey,
            alive: true,
            reportsEnd: true,
          });
          await stores.runCopies.insert({
            toId: id,
            fromId: experiment.id,
            lastStep: body.stepToCopyTo,
            at: clock.now(),
          });
          return id;
        });
      } catch (thrown) {
        throw isFailure(thrown) && thrown.kind === 'conflict'
          ? exists(body.newExperimentKey)
          : thrown;
      }
    };

    return {
      async openRun({ body, workspace, caller, existing }) {
        checkClientVersion(body.libVersion, settings.MIN_SDK_VERSION_PYTHON);
        if (existing !== undefined && body.getOrCreateEnabled !== true)
          throw exists(body.experimentKey);
        if (existing !== undefined) {
          await reopen(existing, body.offline === true);
          return welcome(await requireExperiment(body.experimentKey));
        }
        const offline = body.offline === true;
        try {
          await makeOneExperiment(
            storage,
            { ...making, places },
            {
              workspace,
              caller,
              projectName: body.projectName,
              kind: 'em',
              key: body.experimentKey,
              offline,
              alive: true,
              reportsEnd: true,
            },
          );
        } catch (thrown) {
          if (!isFailure(thrown) || thrown.kind !== 'conflict') throw thrown;
          // Made by another request since the gate looked: one of this workspace, and of this project where the key reaches no other, is reopened.
          const there =
            body.getOrCreateEnabled === true
              ? await experiments.findByKey(body.experimentKey)
              : undefined;
          if (
            there?.workspaceId !== workspace.id ||
            (caller.scope?.projectId !== undefined && caller.scope.projectId !== there.projectId)
          )
            throw exists(body.experimentKey);
          await reopen(there, offline);
          return welcome(await requireExperiment(body.experimentKey));
        }
        if (body.offline === true)
          await experiments.update((await requireExperiment(body.experimentKey)).id, {
            processing: true,
          });
        return welcome(await requireExperiment(body.experimentKey));
      },
      async resumeRun({ body, experiment }) {
        checkClientVersion(body.libVersion, settings.MIN_SDK_VERSION_PYTHON);
        await reopen(experiment, false);
        return welcome(await requireExperiment(experiment.key));
      },
      async copyRun({ body, experiment, existing, caller }) {
        checkClientVersion(body.libVersion, settings.MIN_SDK_VERSION_PYTHON);
        const under = existing && (await storage.stores.runCopies.find(existing.id));
        const isSame = under?.fromId === experiment.id && under.lastStep === body.stepToCopyTo;
        if (existing !== undefined && !isSame) throw exists(body.newExperimentKey);
        const id = existing?.id ?? (await beginCopy({ body, experiment, caller }));
        await finishCopy({ storage, clock }, id);
        return welcome(await requireExperiment(body.newExperimentKey));
      },
      async reportStatus({ body, experiment }) {
        const offline = body.offline === true;
        await experiments.update(experiment.id, {
          alive: body.is_alive,
          beatMs: offline ? offlineSilenceMs : liveBeatMs,
          ...(offline ? { processing: body.is_alive } : {}),
        });
        await experiments.touch(experiment.id, clock.now());
        if (!body.is_alive) {
          await storage.stores.metrics.queueCompaction([experiment.id]);
          await storage.stores.texts.queuePacking([experiment.id]);
        }
        return {
          is_alive_beat_duration_millis: offline ? offlineBeatMs : beats.isAliveBeatDurationMillis,
          gpu_monitor_interval_millis: beats.gpuMonitorIntervalMillis,
          cpu_monitor_interval_millis: beats.cpuMonitorIntervalMillis,
          parameter_update_interval_millis: parameterIntervalMs,
          pending_rpcs: body.is_alive && (await hasWaitingCalls(storage.stores, experiment.id)),
        };
      },
      async setOfflineTimes({ body, experiment }) {
        await experiments.update(experiment.id, {
          processing: false,
          ...(body.startTimestamp === undefined
            ? {}
            : { startTimeMillis: body.startTimestamp, startSet: true }),
          ...(body.endTimestamp === undefined
            ? {}
            : { endTimeMillis: body.endTimestamp, endSet: true }),
        });
        return {};
      },
      async linkRun({ query, experiment }) {
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
      async notifyEnd({ body, experiment, caller }) {
        tellUser(
          { storage, notifiers, clock, ids, log, secrets },
          caller.userId,
          endLetter(body, experiment, settings.baseUrl),
        );
        return {};
      },
      async notifyEvent({ body, caller, experiments: [experiment] }) {
        if (isCounted(body.event_name))
          await storage.stores.usage.count({
            userId: caller.userId,
            workspaceId: experiment?.workspaceId ?? caller.defaultWorkspaceId,
            kind: 'sdk',
            at: clock.now(),
          });
        return {};
      },
      addLog: async () => ({}),
    };
  },
});
