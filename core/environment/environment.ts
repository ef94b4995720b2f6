import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { environmentOperations } from '#ports/api/environment';
import { Clock } from '#ports/clock';
import { storageOf } from '#ports/storage/storage';
import {
  checkGpus,
  fileNameOf,
  mergeDetails,
  note,
  readCloud,
  readDependencies,
  readDetails,
  toFacts,
  toGitMetadata,
  type GitMetadata,
} from './rules.js';

const needs = { storage: storageOf('documents', 'experiments', 'metrics', 'values'), clock: Clock };

export const environmentArea = area({
  name: 'environment',
  summary: 'Where an experiment runs: machine, cloud, packages, git.',
  family: trackingFamily,
  table: environmentOperations,
  needs,
  handlers: ({ storage, clock }) => {
    const { documents, experiments, metrics } = storage.stores;
    return {
      async setGitMetadata({ body, experiment }) {
        const now = clock.now();
        await storage.transaction(async (stores) => {
          await stores.documents.change(experiment.id, 'git', () =>
            JSON.stringify(toGitMetadata(body)),
          );
          await stores.values.write({
            experimentId: experiment.id,
            kind: 'noted',
            values: note('codeSHA', body.parent, now),
            receivedAt: now,
          });
        });
        return {};
      },
      async setFilePath({ body, experiment }) {
        await experiments.update(experiment.id, {
          filePath: body.filePath,
          fileName: fileNameOf(body.filePath),
        });
        return {};
      },
      async setCloudDetails({ body, experiment }) {
        await documents.change(experiment.id, 'cloud', () =>
          JSON.stringify({ provider: body.provider, metadata: body.metadata ?? null }),
        );
        return {};
      },
      async logDependencies({ body, experiment }) {
        await documents.change(experiment.id, 'dependencies', () =>
          JSON.stringify(body.logDependencies.map(({ name, version }) => ({ name, version }))),
        );
        return {};
      },
      async getCloudDetails({ experiment }) {
        return readCloud(await documents.read(experiment.id, 'cloud'));
      },
      async getDependencies({ experiment }) {
        return {
          dependencies: readDependencies(await documents.read(experiment.id, 'dependencies')),
        };
      },
      async setSystemDetails({ body, experiment }) {
        checkGpus(body.gpuStaticInfoList);
        const now = clock.now();
        await storage.transaction(async (stores) => {
          await stores.documents.change(experiment.id, 'system', (before) =>
            mergeDetails(before, body),
          );
          if (body.gpuStaticInfoList !== undefined)
            await stores.experiments.update(experiment.id, { gpus: body.gpuStaticInfoList.length });
          await stores.values.write({
            experimentId: experiment.id,
            kind: 'environment',
            values: toFacts(body, now),
            receivedAt: now,
          });
          await stores.values.write({
            experimentId: experiment.id,
            kind: 'noted',
            values: note('installed_packages', body.installedPackages?.join('\n'), now),
            receivedAt: now,
          });
        });
        return {};
      },
      async getSystemDetails({ experiment }) {
        const [stored, series] = await Promise.all([
          documents.read(experiment.id, 'system'),
          metrics.listSeries(experiment.id, { startsWith: 'sys.' }),
        ]);
        const systemMetricNames = [...new Set(series.map((one) => one.name))];
        return { experimentKey: experiment.key, ...readDetails(stored), systemMetricNames };
      },
      async getGitMetadata({ experiment }) {
        const stored = await documents.read(experiment.id, 'git');
        return toGitMetadata(stored === undefined ? {} : (JSON.parse(stored) as GitMetadata)); // written by `setGitMetadata`
      },
    };
  },
});
