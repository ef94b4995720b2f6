// The registered models of a workspace, and the versions of one.
import { Failure } from '#ports/failure';
import { pathOf } from '../pure/address.js';
import { formatBytes, formatCount } from '../pure/format.js';
import { cellOf, formatInstant, plainColumns, sheetOf, type Sheet } from '../pure/sheet.js';
import { readWhole, type Faced } from './asking.js';

type Streamed = { readonly text: AsyncIterable<string> };

interface Version {
  readonly version: string;
  readonly comment: string | null;
  readonly stages: readonly string[];
  readonly status?: string;
  readonly tags?: readonly string[];
  readonly userName: string;
  readonly createdAt: number;
  readonly experimentModel: {
    readonly experimentKey: string;
    readonly experimentModelName: string;
  };
  readonly assets?: readonly { readonly fileName: string; readonly fileSize: number }[];
}
interface Model {
  readonly modelName: string;
  readonly description: string | null;
  readonly numberOfVersions: number;
  readonly userName: string;
  readonly createdAt: number;
  readonly lastUpdated: number;
}

const when = (name: string) => ({ name, form: 'time' }) as const;

export const modelsSheet = async ({ ask }: Faced, workspace: string): Promise<Sheet> => {
  const { registryModels } = await readWhole<{
    readonly registryModels: readonly (Model & { readonly latestVersion: Version | null })[];
  }>(await ask<Streamed>('listRegistryModels', { query: { workspaceName: workspace } }));
  return sheetOf({
    title: `Models of ${workspace}`,
    path: pathOf('w', workspace, 'models'),
    says: [`${formatCount(registryModels.length)} models.`],
    tables: [
      {
        title: '',
        columns: [
          ...plainColumns('model', 'versions', 'newest', 'stages', 'by'),
          when('changed'),
          ...plainColumns('description'),
        ],
        rows: registryModels.map((one) => [
          one.modelName,
          one.numberOfVersions,
          one.latestVersion?.version ?? null,
          one.latestVersion?.stages.join(', ') ?? null,
          one.userName,
          one.lastUpdated,
          one.description,
        ]),
      },
    ],
    data: { workspace, models: registryModels },
  });
};

/** A model with its versions, or with the one of them that is named. */
export const modelSheet = async (
  { ask }: Faced,
  {
    workspace,
    name,
    version,
  }: { readonly workspace: string; readonly name: string; readonly version?: string | undefined },
): Promise<Sheet> => {
  const { versions, ...model } = await readWhole<Model & { readonly versions: readonly Version[] }>(
    await ask<Streamed>('getRegistryModel', {
      query: { workspaceName: workspace, modelName: name },
    }),
  );
  const shown =
    version === undefined ? versions : versions.filter((one) => one.version === version);
  if (version !== undefined && shown.length === 0)
    throw new Failure('absent', `the model has no version ${version.slice(0, 100)}`);
  return sheetOf({
    title: version === undefined ? name : `${name} ${version}`,
    path: pathOf('w', workspace, 'model', name, ...(version === undefined ? [] : [version])),
    says: [
      version === undefined
        ? `${formatCount(versions.length)} versions, the highest first.`
        : `One of ${formatCount(versions.length)} versions.`,
    ],
    facts: [
      ['by', model.userName],
      ['registered', formatInstant(model.createdAt)],
      ...(model.description === null || model.description === ''
        ? []
        : [['description', model.description] as const]),
    ],
    tables: [
      {
        title: 'Versions',
        columns: [
          ...plainColumns('version', 'status', 'stages', 'tags', 'by'),
          when('registered'),
          ...plainColumns('run', 'comment'),
        ],
        rows: shown.map((one) => [
          one.version,
          cellOf(one.status),
          one.stages.join(', '),
          (one.tags ?? []).join(', '),
          one.userName,
          one.createdAt,
          one.experimentModel.experimentKey,
          one.comment,
        ]),
      },
      ...(version === undefined
        ? []
        : [
            {
              title: 'Files',
              columns: plainColumns('file', 'size'),
              rows: (shown[0]?.assets ?? []).map(({ fileName, fileSize }) => [
                fileName,
                formatBytes(fileSize),
              ]),
            },
          ]),
    ],
    data: { workspace, model, versions: shown },
  });
};
