// Baselines of files that the product keeps: a CSV file of a version of an artifact, read as whoever asks for it may read it.
import type { Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { storeBaseline } from './baseline-making.js';
import type { Baseline, KeptBaseline } from './baselines.js';
import { readItems, type Item, type Value } from './items.js';
import { fieldsOf, type Field, type MonitoredModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { eventsField } from './profiles.js';
import { emptySketch, mergeSketches, sketchOf, type Sketch } from './sketches.js';
import { defaultMissing, itemMaker, portionsOf, trainingRows, typesOf } from './uploading.js';

export interface AskedArtifact {
  readonly artifactVersionId?: string | undefined;
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

const fileOf = async (
  { operations }: MonitoringNeeds,
  { artifactVersionId, fileName }: AskedArtifact,
  caller: Caller,
): Promise<File> => {
  if (artifactVersionId === undefined)
    throw new Failure('invalid', 'artifactVersionId is required for a baseline of an artifact');
  const query = { artifactVersionId };
  const { files } = (await operations.call('listArtifactFiles', { query }, caller)) as {
    readonly files: readonly File[];
  }; // that row's reply
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
        ? 'the version of the artifact has no CSV file'
        : `the version of the artifact has no file ${fileName.slice(0, 80)}`,
    );
  if (meant.length > 1)
    throw new Failure(
      'invalid',
      'the version of the artifact has several CSV files: fileName says which one is meant',
    );
  return file;
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
  const { assetId, fileName } = await fileOf(needs, asked, caller);
  const file = (await needs.operations.call(
    'downloadAsset',
    { query: { assetId } },
    caller,
  )) as Download; // that row's reply
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
    artifactVersionId: asked.artifactVersionId ?? '',
    createdBy: caller.userName,
    isDefault: asked.isDefault ?? false,
  };
  return storeBaseline(needs, model, kept, sums);
};
