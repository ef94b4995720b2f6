// Lists and details of a registry with many models of many versions.
import type { Knex } from 'knex';
import { atMost, quantile, round, type Line } from './line.js';
import { timeEach } from './store.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

const hash = (...parts: readonly string[]): string =>
  `encode(sha256(convert_to(${parts.map((part) => `length(${part}) || ':' || ${part}`).join(' || ')}, 'UTF8')), 'hex')`;
const id = (salt: string, from: string): string => `md5('${salt}' || ${from})::uuid`;

/** Registers a model of an experiment. */
const register = async (server: BenchServer, key: string): Promise<string> => {
  const form = new FormData();
  form.append('file', new Blob(['weights']), 'weights.bin');
  const uploaded = await fetch(
    `${server.url}/api/rest/v2/write/experiment/upload-asset?experimentKey=${key}&fileName=weights.bin&type=model-element&groupingName=net`,
    { method: 'POST', headers: { Authorization: server.apiKey }, body: form },
  );
  if (uploaded.status !== 200) throw new Error(`the model was answered with ${uploaded.status}`);
  const { registryModelId } = (await server.call(
    'POST',
    '/api/rest/v2/write/registry-model/item/create',
    {
      experimentKey: key,
      experimentModelName: 'net',
      registryModelName: 'first',
      version: '1.0.0',
      status: 'Production',
      tags: ['good', 'fast'],
    },
  )) as { readonly registryModelId: string }; // the row's reply
  return registryModelId;
};

/** Copies the one model with its one version until there are so many, each version with two files. */
const fill = async (db: Knex, modelId: string, models: number, versions: number): Promise<void> => {
  const model = id('m', 'i');
  const version = id('v', "i || '-' || j");
  await db.raw(
    `insert into registry_models (id, workspace_id, name, name_key, description, public, notes, user_id, versions, latest_id, created_at, updated_at)
    select ${model}, workspace_id, 'model-' || i, ${hash('workspace_id::text', "('model-' || i)")}, description, public, notes, user_id, ${versions}, md5('v' || i || '-' || ${versions})::uuid, created_at, updated_at
    from registry_models, generate_series(2, ${models}) i where id = ?`,
    [modelId],
  );
  await db.raw(
    `insert into registry_versions (model_id, id, source_id, source_key, source_model_id, source_model, version, version_key, comment, tags, status, metadata, status_configuration, files, user_id, created_at, updated_at)
    select ${model}, ${version}, source_id, source_key, source_model_id, source_model, j || '.0.0', ${hash(`${model}::text`, "(j || '.0.0')")}, comment, tags, status, metadata, status_configuration, 2, user_id, created_at, updated_at
    from registry_versions, generate_series(2, ${models}) i, generate_series(1, ${versions}) j where model_id = ?`,
    [modelId],
  );
  await db.raw(
    `insert into registry_files (model_id, version_id, row_id, source_id, id_key, file_key, blob_key, content)
    select ${model}, ${version}, ${id('f', "i || '-' || j || '-' || k")}, source_id, id_key, file_key, blob_key, content
    from registry_files, generate_series(2, ${models}) i, generate_series(1, ${versions}) j, generate_series(1, 2) k where model_id = ?`,
    [modelId],
  );
  for (const table of ['registry_models', 'registry_versions', 'registry_files'])
    await db.raw(`vacuum analyze ${table}`);
};

export const registryLine: Line = {
  name: 'registry',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [models, versions] = quick ? [200, 50] : [1000, 50];
      const [key = ''] = await makeExperiments(server, 1);
      const modelId = await register(server, key);
      const db = await server.openDatabase();
      await fill(db, modelId, models, versions);
      await db.destroy();
      const root = '/api/rest/v2/registry-model';
      const listed = (await server.call('GET', `${root}?workspaceName=${server.workspace}`)) as {
        readonly registryModels: readonly {
          readonly latestVersion: { readonly version: string } | null;
        }[];
      }; // the row's reply
      if (
        listed.registryModels.length !== models ||
        listed.registryModels.filter((one) => one.latestVersion?.version === `${versions}.0.0`)
          .length <
          models - 1
      )
        throw new Error(`${listed.registryModels.length} of ${models} models are listed`);
      const detailed = (await server.call(
        'GET',
        `${root}/details?workspaceName=${server.workspace}&modelName=model-7`,
      )) as { readonly versions: readonly { readonly assets: readonly unknown[] }[] }; // the row's reply
      if (
        detailed.versions.length !== versions ||
        detailed.versions.some(({ assets }) => assets.length !== 2)
      )
        throw new Error(`${detailed.versions.length} of ${versions} versions are shown`);
      const times = quick ? 20 : 60;
      const list = quantile(
        await timeEach(times, () =>
          server.call('GET', `${root}?workspaceName=${server.workspace}`),
        ),
        0.95,
      );
      const details = quantile(
        await timeEach(times, (i) =>
          server.call(
            'GET',
            `${root}/details?workspaceName=${server.workspace}&modelName=model-${i + 2}`,
          ),
        ),
        0.95,
      );
      const what = `${models.toLocaleString('en')} models of ${versions} versions`;
      return [
        {
          what: `${what} listed, p95 ms`,
          value: round(list, 1),
          sides: `${times} times`,
          held: atMost(50, list),
        },
        {
          what: `${what}: details of one, p95 ms`,
          value: round(details, 1),
          sides: `${times} models`,
          held: atMost(50, details),
        },
      ];
    }),
};
