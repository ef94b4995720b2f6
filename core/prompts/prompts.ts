import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { promptOperations } from '#ports/api/prompts';
import { Blob } from '#ports/blob';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { Workspace } from '#ports/model/workspaces';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { Throttle } from '#ports/throttle';
import { keepJson } from '../assets/offers.js';
import { makeOneExperiment } from '../experiments/offers.js';
import { experimentLink } from '../experiments/rules.js';
import { checkQuota } from '../quota.js';
import { takeAllowance } from '../throttling.js';
import { readRun, refusalOf, type PromptRun } from './rules.js';
import { assetSettings } from '../assets/settings.js';
import { experimentSettings } from '../experiments/settings.js';
import { metricSettings } from '../metrics/settings.js';

const needs = {
  storage: storageOf(
    'assets',
    'events',
    'experiments',
    'metrics',
    'projects',
    'uploads',
    'values',
    'workspaces',
  ),
  blob: Blob,
  clock: Clock,
  ids: Ids,
  settings: metricSettings.port,
  assetSettings: assetSettings.port,
  experimentSettings: experimentSettings.port,
  places: PlaceFinder,
  throttle: Throttle,
};

interface Reach {
  readonly caller: Caller;
  readonly workspaces: readonly Workspace[];
  readonly known: ReadonlyMap<string, Experiment>;
}

export const promptsArea = area({
  name: 'prompts',
  summary: 'Runs of prompts with their values and documents.',
  family: trackingFamily,
  table: promptOperations,
  needs,
  handlers: ({
    storage,
    blob,
    clock,
    ids,
    settings,
    assetSettings,
    experimentSettings,
    places,
    throttle,
  }) => {
    const { stores } = storage;
    const keeping = {
      assets: stores.assets,
      uploads: stores.uploads,
      blob,
      clock,
      ids,
      settings: assetSettings,
    };

    const make = async (
      run: PromptRun,
      { caller, workspaces, known }: Reach,
    ): Promise<Experiment> => {
      const there = known.get(run.key);
      if (there !== undefined) return there;
      const workspace = workspaces.find((one) =>
        run.workspaceName === undefined
          ? one.id === caller.defaultWorkspaceId
          : one.name === run.workspaceName,
      );
      if (workspace === undefined)
        throw new Failure(
          'absent',
          `workspace ${run.workspaceName?.slice(0, 100) ?? 'of the key'} does not exist`,
          { reason: 'workspaceAbsent' },
        );
      // A key that is taken is somebody's: if it is not the caller's to write, it is answered as unknown, so that keys cannot be probed.
      await makeOneExperiment(
        storage,
        { clock, ids, settings: experimentSettings, places },
        {
          workspace,
          caller,
          projectName: run.projectName,
          kind: run.kind,
          key: run.key,
          name: run.name,
        },
      ).catch((thrown: unknown) => {
        if (!isFailure(thrown) || thrown.kind !== 'conflict') throw thrown;
      });
      const made = await stores.experiments.findByKey(run.key);
      if (made === undefined || !workspaces.some((one) => one.id === made.workspaceId))
        throw new Failure('absent', `experiment ${run.key} not found`, { reason: 'runAbsent' });
      return made;
    };
    const log = async (
      run: PromptRun,
      experiment: Experiment,
      digest: string,
      signal: AbortSignal,
    ): Promise<void> => {
      const receivedAt = clock.now();
      const allowed = { experiments: stores.experiments, throttle };
      await checkQuota({ workspaces: stores.workspaces, clock }, experiment);
      await takeAllowance(allowed, experiment, 'parameters', run.parameters.length);
      await takeAllowance(allowed, experiment, 'metrics', run.points.length);
      if (run.parameters.length > 0)
        await stores.values.write({
          experimentId: experiment.id,
          kind: 'parameter',
          values: run.parameters,
          receivedAt,
        });
      if (run.others.length > 0)
        await stores.values.write({
          experimentId: experiment.id,
          kind: 'other',
          values: run.others,
          receivedAt,
        });
      if (Object.keys(run.change).length > 0)
        await stores.experiments.update(experiment.id, run.change);
      if (run.tags.length > 0) await stores.values.addTags(experiment.id, run.tags, receivedAt);
      if (run.document !== undefined) await keepJson(keeping, experiment, run.document, signal);
      // Points last: they alone would be stored twice if a later step failed and the batch came again.
      if (run.points.length > 0)
        await stores.metrics.append({
          experimentId: experiment.id,
          points: run.points,
          digest,
          receivedAt,
          seriesLimit: settings.METRICS_PER_EXPERIMENT_LIMIT,
        });
    };

    return {
      async logPrompts({ body, workspaces, experiments, caller, digest, signal }) {
        const reach = {
          caller,
          workspaces,
          known: new Map(experiments.map((experiment) => [experiment.key, experiment])),
        };
        const replies = new Map<
          string,
          { readonly status: number; readonly content: Readonly<Record<string, unknown>> }
        >();
        for (const sent of body) {
          try {
            const run = readRun(sent, clock.now());
            const experiment = await make(run, reach);
            await log(run, experiment, digest(), signal);
            replies.set(sent.experimentKey, {
              status: 200,
              content: {
                link: experimentLink(
                  settings.baseUrl,
                  experiment.workspaceName,
                  experiment.projectName,
                  experiment.key,
                ),
                msg: 'Saved',
                code: 200,
                data: null,
                sdk_error_code: 0,
              },
            });
          } catch (thrown) {
            if (!isFailure(thrown)) throw thrown;
            replies.set(sent.experimentKey, refusalOf(thrown));
          }
        }
        return Object.fromEntries(replies);
      },
    };
  },
});
