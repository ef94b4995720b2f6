// Baselines of files that the product keeps: a CSV file of a version of an artifact or of a registered model, read as whoever asks for it may read it.
import type { Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { storeBaseline } from './baseline-making.js';
import type { Baseline, KeptBaseline } from './baselines.js';
import { readItems, type Item, type Value } from './items.js';
import { registeredNameOf } from './lineage.js';
import { fieldsOf, type Field, type MonitoredModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { eventsField } from './profiles.js';
import { replyOf } from './replies.js';
import { emptySketch, mergeSketches, sketchOf, type Sketch } from './sketches.js';
import { defaultMissing, itemMaker, portionsOf, trainingRows, typesOf } from './uploading.js';

export interface AskedArtifact {
  readonly artifactVersionId?: string | undefined;
  /** In place of the version of an artifact: that of the registered model which the monitored one stands for. */
  readonly registryVersion?: string | undefined;
  /** Which of its files, where there is more than one CSV file. */
  readonly fileName?: string | undefined;
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly isDefault?: boolean | undefined;
}

interface File {
  readonly assetId: string;
  readonly fileName: string;
}
/** Files of one version, and how one of them is read. */
interface Files {
  /** What the version is called. */
  readonly what: string;
  readonly files: readonly File[];
  read(assetId: string): Promise<unknown>;
}

const registeredFiles = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  wanted: string,
  caller: Caller,
): Promise<Files> => {
  const workspaceName = await needs.announcements.workspaceName(model.workspaceId);
  const modelName = registeredNameOf(model);
  const query = { workspaceName, modelName };
  const { versions } = (await replyOf(needs, 'getRegistryModel', query, caller)) as {
    readonly versions: readonly {
      readonly version: string;
      readonly experimentModel: { readonly experimentKey: string };
      readonly assets: readonly File[];
    }[];
  }; // that row's reply
  const found = versions.find(({ version }) => version === wanted);
  if (found === undefined)
    throw new Failure(
      'absent',
      `the registered model ${modelName.slice(0, 80)} has no version ${wanted.slice(0, 80)}`,
    );
  const { experimentKey } = found.experimentModel;
  return {
    what: 'the registered version',
    files: found.assets,
    read: (assetId) => replyOf(needs, 'downloadAsset', { experimentKey, assetId }, caller),
  };
};

const artifactFiles = async (
  needs: MonitoringNeeds,
  artifactVersionId: string,
  caller: Caller,
): Promise<Files> => {
  const { files } = (await replyOf(needs, 'listArtifactFiles', { artifactVersionId }, caller)) as {
    readonly files: readonly File[];
  }; // that row's reply
  return {
    what: 'the version of the artifact',
    files,
    read: (assetId) => replyOf(needs, 'getAsset', { artifactVersionId, assetId }, caller),
  };
};

/** The files of the version that is meant. */
const filesOf = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  { artifactVersionId, registryVersion }: AskedArtifact,
  caller: Caller,
): Promise<Files> => {
  if (artifactVersionId !== undefined && registryVersion !== undefined)
    throw new Failure('invalid', 'artifactVersionId and registryVersion do not go together');
  if (registryVersion !== undefined) return registeredFiles(needs, model, registryVersion, caller);
  if (artifactVersionId === undefined)
    throw new Failure(
      'invalid',
      'artifactVersionId or registryVersion is required for a baseline of an artifact',
    );
  return artifactFiles(needs, artifactVersionId, caller);
};

const isDownload = (reply: unknown): reply is Download =>
  typeof reply === 'object' && reply !== null && 'open' in reply;

/** The bytes of a file: a row that may also lead elsewhere answers them with their status. */
const downloadIn = (reply: unknown): Download => {
  const body = isDownload(reply) ? reply : (reply as { readonly body?: unknown }).body;
  if (!isDownload(body))
    throw new Failure('invalid', 'the file is kept elsewhere and cannot be read here');
  return body;
};

const fileOf = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  asked: AskedArtifact,
  caller: Caller,
): Promise<{ readonly fileName: string; readonly file: Download }> => {
  const { fileName } = asked;
  const { what, files, read } = await filesOf(needs, model, asked, caller);
  const meant = files.filter((file) =>
    fileName === undefined
      ? file.fileName.toLowerCase().endsWith('.csv')
      : file.fileName === fileName,
  );
  const [file] = meant;
  if (file === undefined)
    throw new Failure(
      'invalid',
      fileName === undefined
        ? `${what} has no CSV file`
        : `${what} has no file ${fileName.slice(0, 80)}`,
    );
  if (meant.length > 1)
    throw new Failure('invalid', `${what} has several CSV files: fileName says which one is meant`);
  return { fileName: file.fileName, file: downloadIn(await read(file.assetId)) };
};

const ownNames = /^(?:timestamp|predictionId|feature_.+|prediction_.+|label_.+)$/;
/** Columns of a data set are features where they do not say what else they are. */
const columnNamed = (name: string): string => (ownNames.test(name) ? name : `feature_${name}`);

/** Adds a portion of events to the sums, each value as the model has its field. */
const addPortion = (
  sums: Map<string, Sketch>,
  items: readonly Item[],
  fields: ReadonlyMap<string, Field>,
): void => {
  const values = new Map<string, Value[]>();
  for (const item of items)
    for (const [column, value] of item.values) {
      const held = values.get(column) ?? [];
      values.set(column, held);
      held.push(fields.get(column)?.numeric === false ? String(value) : value);
    }
  const add = (column: string, sketch: Sketch) =>
    sums.set(column, mergeSketches(sums.get(column) ?? emptySketch, sketch));
  add(eventsField, { ...emptySketch, events: items.length });
  for (const [column, held] of values) add(column, sketchOf(held, items.length));
};

/** Makes a baseline of a file. Rejects as reading the file would, and with `invalid` for a file without rows. */
export const createArtifactBaseline = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  asked: AskedArtifact,
  caller: Caller,
  signal: AbortSignal,
): Promise<Baseline> => {
  const { fileName, file } = await fileOf(needs, model, asked, caller);
  const fields = await fieldsOf(needs.tables, model.id);
  const missing = new Set(defaultMissing);
  const names = { workspaceName: 'w', modelName: model.name, modelVersion: asked.version ?? '-' };
  const sums = new Map<string, Sketch>();
  const now = needs.clock.now();
  let types: Awaited<ReturnType<typeof typesOf>> | undefined;
  for await (const { header, rows, numeric } of portionsOf(
    await file.open(),
    missing,
    trainingRows,
  )) {
    signal.throwIfAborted();
    const columns = header.map(columnNamed);
    types ??= await typesOf(needs, model.id, { header: columns, numeric });
    // When a row of a data set was does not matter.
    const untimed = columns.map((name) => (name === 'timestamp' ? '' : name));
    const maker = itemMaker(
      untimed,
      types.numeric,
      { ...names, datasetName: undefined, missing },
      () => needs.ids.next(),
    );
    addPortion(sums, readItems(rows.map(maker), { onlyLabels: false, now }).items, fields);
  }
  if ((sums.get(eventsField)?.events ?? 0) === 0)
    throw new Failure('invalid', 'the file has no row that can be read');
  const kept: KeptBaseline = {
    kind: 'artifact',
    version: asked.version ?? null,
    datasetName: asked.name?.trim().slice(0, 256) ?? fileName.slice(0, 256),
    ...(asked.artifactVersionId === undefined
      ? {}
      : { artifactVersionId: asked.artifactVersionId }),
    ...(asked.registryVersion === undefined ? {} : { registryVersion: asked.registryVersion }),
    createdBy: caller.userName,
    isDefault: asked.isDefault ?? false,
  };
  return storeBaseline(needs, model, kept, sums);
};
