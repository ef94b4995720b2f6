import type { UploadStore } from '#ports/storage/uploads';
import type { BlobRecordStore } from '#ports/storage/blob-records';
import type { LinkStore } from '#ports/storage/links';
import type { Stores } from '#ports/storage/storage';
import type { Knex } from 'knex';
import type {
  Asset,
  AssetFacts,
  BucketUpload,
  DirectUpload,
  VersionFile,
} from '#ports/model/assets';
import type { AssetStore, Keeping, Kept } from '#ports/storage/assets';
import { countFiles, readVersions, stateFor, takesFiles } from './artifact-files.js';
import type { ColumnValues, PipelinedTransaction } from '#ports/sql-dialect';
import { batchByKey } from './batch-by-key.js';
import {
  whereHolds,
  inTransaction,
  keyOf,
  orNothing,
  wholeOrNothing,
  type Connection,
} from './connection.js';
import { inOnePiece } from './one-piece.js';
import { withoutHeld, workThrough } from './queue-faults.js';
import { isId } from './ids.js';

export interface AssetRow {
  readonly experiment_id: string;
  readonly id_key: string;
  readonly row_id: string;
  readonly id: string;
  readonly workspace_id: string;
  readonly file_name: string;
  readonly type: string;
  readonly file_size: unknown;
  readonly run_context: string | null;
  readonly step: unknown;
  readonly epoch: unknown;
  readonly metadata: string | null;
  readonly remote_link: string | null;
  readonly blob_key: string | null;
  readonly sha256: string | null;
  readonly grouping_name: string | null;
  readonly artifact_version_id: string | null;
  readonly extension: string | null;
  readonly tags: string | null;
  readonly width: unknown;
  readonly height: unknown;
  readonly part_of: string | null;
  readonly created_at: unknown;
}

export const assetColumns = [
  'experiment_id',
  'id_key',
  'row_id',
  'id',
  'workspace_id',
  'file_name',
  'type',
  'file_size',
  'run_context',
  'step',
  'epoch',
  'metadata',
  'remote_link',
  'blob_key',
  'sha256',
  'grouping_name',
  'artifact_version_id',
  'extension',
  'tags',
  'width',
  'height',
  'part_of',
  'created_at',
] as const;

export const toAsset = (row: AssetRow): Asset => ({
  id: row.id,
  rowId: row.row_id,
  experimentId: row.experiment_id,
  workspaceId: row.workspace_id,
  fileName: row.file_name,
  type: row.type,
  fileSize: Number(row.file_size),
  runContext: orNothing(row.run_context),
  step: wholeOrNothing(row.step),
  epoch: wholeOrNothing(row.epoch),
  metadata: orNothing(row.metadata),
  remoteLink: orNothing(row.remote_link),
  blobKey: orNothing(row.blob_key),
  sha256: orNothing(row.sha256),
  groupingName: orNothing(row.grouping_name),
  artifactVersionId: orNothing(row.artifact_version_id),
  extension: orNothing(row.extension),
  tags: row.tags === null ? [] : (JSON.parse(row.tags) as string[]), // written below
  width: wholeOrNothing(row.width),
  height: wholeOrNothing(row.height),
  partOf: orNothing(row.part_of),
  createdAt: Number(row.created_at),
});

const fileColumns = [
  'row_id',
  'id',
  'file_name',
  'type',
  'file_size',
  'metadata',
  'remote_link',
  'blob_key',
  'created_at',
] as const;
type FileRow = Pick<AssetRow, (typeof fileColumns)[number]>;
const toFile = (row: FileRow): VersionFile => ({
  id: row.id,
  rowId: row.row_id,
  fileName: row.file_name,
  type: row.type,
  fileSize: Number(row.file_size),
  metadata: orNothing(row.metadata),
  remoteLink: orNothing(row.remote_link),
  blobKey: orNothing(row.blob_key),
  createdAt: Number(row.created_at),
});

const placeOf = (
  asset: Pick<Asset, 'fileName' | 'type' | 'groupingName' | 'artifactVersionId'>,
): string =>
  keyOf(asset.fileName, asset.type, asset.groupingName ?? '', asset.artifactVersionId ?? '');

const toRow = (asset: Asset): Record<string, unknown> => ({
  experiment_id: asset.experimentId,
  id_key: keyOf(asset.id),
  row_id: asset.rowId,
  id: asset.id,
  workspace_id: asset.workspaceId,
  file_name: asset.fileName,
  name_key: keyOf(asset.fileName),
  place_key: placeOf(asset),
  type: asset.type,
  file_size: asset.fileSize,
  run_context: asset.runContext ?? null,
  step: asset.step ?? null,
  epoch: asset.epoch ?? null,
  metadata: asset.metadata ?? null,
  remote_link: asset.remoteLink ?? null,
  blob_key: asset.blobKey ?? null,
  sha256: asset.sha256 ?? null,
  grouping_name: asset.groupingName ?? null,
  grouping_key: asset.groupingName === undefined ? null : keyOf(asset.groupingName),
  artifact_version_id: asset.artifactVersionId ?? null,
  extension: asset.extension ?? null,
  tags: asset.tags.length === 0 ? null : JSON.stringify(asset.tags),
  width: asset.width ?? null,
  height: asset.height ?? null,
  part_of: asset.partOf ?? null,
  part_key: asset.partOf === undefined ? null : keyOf(asset.partOf),
  created_at: asset.createdAt,
});

/** The experiment's row, locked: what two uploads of one experiment must agree on is decided one after the other. */
const lockExperiment = async (db: Knex, id: string): Promise<boolean> =>
  (await db('experiments')
    .select('id')
    .where({ id })
    .whereNull('deleted_at')
    .forUpdate()
    .first()) !== undefined;

export const queueRemovals = async (
  db: Knex,
  keys: readonly (string | null)[],
  at: number,
): Promise<void> => {
  const rows = [...new Set(keys.filter((key) => key !== null))]
    .sort()
    .map((blob_key) => ({ blob_key, at }));
  if (rows.length > 0) await db('blob_removals').insert(rows).onConflict('blob_key').ignore();
};

/** Deletes assets of one experiment and queues their bytes. */
const drop = async (
  db: Knex,
  rows: readonly Pick<AssetRow, 'experiment_id' | 'id_key' | 'blob_key'>[],
  at: number,
): Promise<void> => {
  for (const { experiment_id, id_key } of rows)
    await db('assets').where({ experiment_id, id_key }).delete();
  await queueRemovals(
    db,
    rows.map((row) => row.blob_key),
    at,
  );
};

/** Whether a file of one artifact version may not take the place of this row, which belongs elsewhere. */
const belongsElsewhere = (row: AssetRow, asset: Asset): boolean =>
  row.artifact_version_id !== (asset.artifactVersionId ?? null) && row.artifact_version_id !== null;

/** Counts an asset into its artifact version in place of those it replaces there. */
const countIn = async (db: Knex, asset: Asset, replaced: readonly AssetRow[]): Promise<void> => {
  const gone = replaced.filter((row) => row.artifact_version_id === asset.artifactVersionId);
  if (asset.artifactVersionId !== undefined)
    await countFiles(
      db,
      asset.artifactVersionId,
      1 - gone.length,
      asset.fileSize - gone.reduce((sum, row) => sum + Number(row.file_size), 0),
    );
};

const remoteAtOnce = 200;

/** Those of remote assets whose id is new, each id once; `present` when an id stands for a file of another artifact version. */
const findFresh = async (
  db: Knex,
  experimentId: string,
  assets: readonly Asset[],
): Promise<readonly Asset[] | 'present'> => {
  const fresh = new Map(assets.map((asset) => [keyOf(asset.id), asset] as const).reverse());
  const keys = [...fresh.keys()];
  for (let at = 0; at < keys.length; at += remoteAtOnce) {
    const rows = (await db('assets')
      .select('id_key', 'artifact_version_id')
      .where({ experiment_id: experimentId })
      .whereIn('id_key', keys.slice(at, at + remoteAtOnce))) as readonly Pick<
      AssetRow,
      'id_key' | 'artifact_version_id'
    >[]; // the columns named
    for (const { id_key, artifact_version_id } of rows) {
      if ((fresh.get(id_key)?.artifactVersionId ?? null) !== artifact_version_id) return 'present';
      fresh.delete(id_key);
    }
  }
  return [...fresh.values()].reverse();
};

/** How many of these assets belong to each artifact version, in the order of the versions' ids. */
const countByVersion = (assets: readonly Asset[]): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const { artifactVersionId: id } of assets)
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
};

/** Those that an asset takes the place of: one of its id, and the newest of its name in its place. */
const findReplaced = async (
  db: Knex,
  asset: Asset,
  { idGiven }: Keeping,
): Promise<readonly AssetRow[]> => {
  const named = (await db('assets')
    .select(...assetColumns)
    .where({ experiment_id: asset.experimentId, place_key: placeOf(asset) })
    .orderBy('row_id', 'desc')
    .limit(1)) as readonly AssetRow[]; // the columns named above
  const same = idGiven
    ? ((await db('assets')
        .select(...assetColumns)
        .where({
          experiment_id: asset.experimentId,
          id_key: keyOf(asset.id),
        })) as readonly AssetRow[])
    : [];
  return [...same, ...named.filter((row) => !same.some(({ id_key }) => id_key === row.id_key))];
};

const countOf = async (
  db: Knex,
  experimentId: string,
  types: readonly string[],
): Promise<number> => {
  const [row] = await db('assets')
    .where({ experiment_id: experimentId })
    .whereIn('type', types)
    .whereNull('artifact_version_id')
    .count({ n: '*' });
  return Number(row?.n ?? 0);
};

interface Note {
  readonly blobKey: string;
  readonly at: number;
}

const writeNotes = async (db: Knex, notes: readonly Note[]): Promise<readonly void[]> => {
  const rows = new Map(notes.map(({ blobKey, at }) => [blobKey, { blob_key: blobKey, at }]));
  await db('uploads')
    .insert([...rows.values()].sort((one, other) => (one.blob_key < other.blob_key ? -1 : 1)))
    .onConflict('blob_key')
    .merge(['at']);
  return notes.map(() => undefined);
};

const kindOf = (column: string): ColumnValues['kind'] =>
  ['experiment_id', 'row_id', 'workspace_id', 'artifact_version_id'].includes(column)
    ? 'id'
    : ['file_size', 'step', 'epoch', 'width', 'height', 'created_at'].includes(column)
      ? 'whole'
      : 'text';

/** Rows as columns, for an insert that many of them share. */
const toColumns = (assets: readonly Asset[]): readonly ColumnValues[] => {
  const rows = assets.map(toRow);
  return Object.keys(rows[0] ?? {}).map((name) => ({
    name,
    kind: kindOf(name),
    values: rows.map((row) => row[name]),
  }));
};

interface Found {
  readonly held: boolean;
  readonly taken: Set<string>;
  readonly takes: ReadonlyMap<string, 'open' | 'closed' | 'versionGone'>;
  readonly noted: Set<string>;
}

/** What decides about assets of one experiment, read and locked in the order in which rows are touched everywhere. */
const readTogether = async (
  { db, dialect }: Connection,
  experimentId: string,
  assets: readonly Asset[],
): Promise<Found> => {
  const versions = countByVersion(assets).map(([version]) => version);
  const blobKeys = assets.flatMap(({ blobKey }) => (blobKey === undefined ? [] : [blobKey]));
  const read = (sql: string, bindings: readonly unknown[]) => () =>
    dialect.run(db, sql, bindings) as Promise<readonly Readonly<Record<string, string>>[]>; // texts, whose names stand in the statements
  const nothing = async (): Promise<readonly Readonly<Record<string, string>>[]> => [];
  const [held, taken, found, noted] = await dialect.together(db, [
    read('select id from experiments where id = ? and deleted_at is null for update', [
      experimentId,
    ]),
    read(
      `select id_key from assets where experiment_id = ? and ${dialect.anyOf('id_key', 'text')}`,
      [experimentId, assets.map(({ id }) => keyOf(id))],
    ),
    versions.length === 0 ? nothing : readVersions(db, dialect, versions),
    blobKeys.length === 0
      ? nothing
      : read(
          `select blob_key from uploads where ${dialect.anyOf('blob_key', 'text')} order by blob_key for update`,
          [blobKeys],
        ),
  ]);
  const takes = new Map(
    versions.map((id) => [
      id,
      stateFor(
        found.find((row) => row['id'] === id),
        assets.find((asset) => asset.artifactVersionId === id)?.workspaceId,
      ),
    ]),
  );
  return {
    held: held.length > 0,
    taken: new Set(taken.map((row) => row['id_key'] ?? '')),
    takes,
    noted: new Set(noted.map((row) => row['blob_key'] ?? '')),
  };
};

/** Stores assets of one experiment that take nobody's place, where nothing but their ids, their versions and their bytes decides. */
const insertTogether = async (
  inside: Connection,
  experimentId: string,
  assets: readonly Asset[],
): Promise<readonly Kept[]> => {
  const { db, dialect } = inside;
  const { held, taken, takes, noted } = await readTogether(inside, experimentId, assets);
  if (!held) return assets.map(() => ({ outcome: 'gone' }));
  const judge = (asset: Asset): Kept => {
    const key = keyOf(asset.id);
    if (taken.has(key)) return { outcome: 'present' };
    const state =
      asset.artifactVersionId === undefined
        ? 'open'
        : (takes.get(asset.artifactVersionId) ?? 'versionGone');
    if (state !== 'open') return { outcome: state };
    if (asset.blobKey !== undefined && !noted.delete(asset.blobKey)) return { outcome: 'gone' };
    taken.add(key);
    return { outcome: 'kept', id: asset.id };
  };
  const verdicts = assets.map(judge);
  const kept = assets.filter((_, at) => verdicts[at]?.outcome === 'kept');
  if (kept.length === 0) return verdicts;
  const used = kept.flatMap(({ blobKey }) => (blobKey === undefined ? [] : [blobKey]));
  const sizeIn = (version: string): number =>
    kept.reduce(
      (sum, asset) => sum + (asset.artifactVersionId === version ? asset.fileSize : 0),
      0,
    );
  await dialect.together(db, [
    ...(used.length === 0
      ? []
      : [
          () =>
            dialect.run(db, `delete from uploads where ${dialect.anyOf('blob_key', 'text')}`, [
              used,
            ]),
        ]),
    ...countByVersion(kept).map(
      ([version, files]) =>
        () =>
          dialect.run(
            db,
            'update artifact_versions set files = files + ?, size_in_bytes = size_in_bytes + ? where id = ?',
            [files, sizeIn(version), version],
          ),
    ),
    () => dialect.insertColumns(db, 'assets', toColumns(kept)),
  ]);
  return verdicts;
};

/** Stores assets of any experiments as one message, expecting that nothing stands against any of them. Rejects where something does; nothing is stored then. */
const insertInOnePiece = (
  connection: Connection,
  pipelined: PipelinedTransaction,
  assets: readonly Asset[],
): Promise<void> => {
  const { dialect } = connection;
  const { refuseUnless } = pipelined;
  const experiments = [...new Set(assets.map(({ experimentId }) => experimentId))];
  const used = assets.flatMap(({ blobKey }) => (blobKey === undefined ? [] : [blobKey]));
  const all = refuseUnless('count(*) = ?');
  return inOnePiece(connection, pipelined, (db) => [
    () =>
      dialect.run(
        db,
        `select ${all} from (select id from experiments where ${dialect.anyOf('id', 'id')} and deleted_at is null order by id for update) held`,
        [experiments.length, experiments],
      ),
    ...(used.length === 0
      ? []
      : [
          () =>
            dialect.run(
              db,
              `with gone as (delete from uploads where ${dialect.anyOf('blob_key', 'text')} returning blob_key) select ${all} from gone`,
              [used, used.length],
            ),
        ]),
    () => dialect.insertColumns(db, 'assets', toColumns(assets)),
  ]);
};

interface DirectContent {
  readonly facts: AssetFacts;
  readonly idGiven: boolean;
  readonly replacing: boolean;
  readonly parts: number;
  readonly bucket?: BucketUpload;
  readonly keptAs?: string;
}

/** Assets of one experiment, and notes of uploads, that share a transaction, and that may wait for it. */
const together = 100;
const mostWaiting = 5000;
/** The experiment's id and the first half of the name's key: whose it is can be told without asking. */
const modelIdOf = (experimentId: string, name: string): string =>
  `${experimentId}.${keyOf(name).slice(0, 32)}`;
const modelIdForm = /^([0-9a-f-]{36})\.([0-9a-f]{32})$/;

const modelLimit = 10_000;
const removalsAtOnce = 500;

export const assetStores = (
  connection: Connection,
): Pick<Stores, 'assets' | 'uploads' | 'blobRecords' | 'links'> => {
  const { db, clock, dialect } = connection;
  const note = connection.inTransaction
    ? async (one: Note): Promise<void> => {
        await writeNotes(db, [one]);
      }
    : batchByKey<Note, void>({ keyOf: () => '', together, waiting: mostWaiting }, (notes) =>
        writeNotes(db, notes),
      );
  const insertAll = (assets: readonly Asset[]): Promise<readonly Kept[]> =>
    inTransaction(connection, (inside) =>
      insertTogether(inside, assets[0]?.experimentId ?? '', assets),
    );
  const insertOne = connection.inTransaction
    ? async (asset: Asset): Promise<Kept> => (await insertAll([asset]))[0] ?? { outcome: 'gone' }
    : batchByKey<Asset, Kept>(
        { keyOf: (asset) => asset.experimentId, together, waiting: mostWaiting },
        insertAll,
      );
  const { pipelined } = dialect;
  const joined =
    connection.inTransaction || pipelined === undefined
      ? insertOne
      : batchByKey<Asset, Kept>(
          { keyOf: () => '', together, waiting: mostWaiting },
          async (assets) => {
            const stored = await insertInOnePiece(connection, pipelined, assets).then(
              () => true,
              () => false, // what stands against one of them is found by the careful way
            );
            return stored
              ? assets.map(({ id }) => ({ outcome: 'kept', id }))
              : Promise.all(assets.map(insertOne));
          },
        );
  /** What belongs to an artifact version is counted into it. */
  const insertPlain = (asset: Asset): Promise<Kept> =>
    asset.artifactVersionId === undefined ? joined(asset) : insertOne(asset);
  const select = () => db('assets').select(...assetColumns);
  const found = async (query: Knex.QueryBuilder): Promise<readonly Asset[]> =>
    ((await query) as readonly AssetRow[]).map(toAsset); // the columns named above
  const removeSome = (
    where: Record<string, unknown>,
    limit: number,
    at: number,
    withVersions: boolean,
  ) =>
    inTransaction(connection, async ({ db: inside }) => {
      const query = inside('assets')
        .select('experiment_id', 'id_key', 'blob_key')
        .where(where)
        .orderBy('row_id')
        .limit(Math.min(limit, removalsAtOnce));
      if (!withVersions) query.whereNull('artifact_version_id');
      const rows = (await query) as readonly AssetRow[]; // those three columns
      await drop(inside, rows, at);
      return rows.length;
    });

  const assets: AssetStore = {
    async find(experimentId, assetId) {
      const [asset] = await found(
        select().where({ experiment_id: experimentId, id_key: keyOf(assetId) }),
      );
      return asset;
    },
    async findInVersion(artifactVersionId, assetId) {
      const [asset] = await found(
        select()
          .where({ artifact_version_id: artifactVersionId, id_key: keyOf(assetId) })
          .orderBy('row_id')
          .limit(1),
      );
      return asset;
    },
    async findByRow(rowId) {
      const [asset] = await found(select().where({ row_id: rowId }).limit(1));
      return asset;
    },
    listById: (assetId, limit) =>
      found(
        select()
          .where({ id_key: keyOf(assetId) })
          .orderBy('row_id')
          .limit(limit),
      ),
    list({ experimentId, type, fileName, groupingName, afterRow, limit }) {
      const query = select()
        .where({ experiment_id: experimentId })
        .whereNull('artifact_version_id')
        .whereNull('part_key')
        .orderBy('row_id')
        .limit(limit);
      if (type !== undefined) query.andWhere({ type });
      if (fileName !== undefined) query.andWhere({ name_key: keyOf(fileName) });
      if (groupingName !== undefined) query.andWhere({ grouping_key: keyOf(groupingName) });
      if (afterRow !== undefined) query.andWhere('row_id', '>', afterRow);
      return found(query);
    },
    async listNames({ experimentIds, phrase, limit }) {
      if (experimentIds.length === 0) return [];
      const among = () =>
        db('assets')
          .whereIn('experiment_id', experimentIds)
          .whereNull('artifact_version_id')
          .whereNull('part_key');
      const names = (await among()
        .modify(whereHolds(dialect, phrase, 'file_name'))
        .groupBy('name_key')
        .select('name_key')
        .min({ file_name: 'file_name' })
        .orderByRaw(dialect.byCodePoints('min(file_name)'))
        .limit(limit)) as unknown as readonly {
        readonly name_key: string;
        readonly file_name: string;
      }[]; // the columns named
      const rows =
        names.length === 0
          ? []
          : ((await among()
              .whereIn(
                'name_key',
                names.map(({ name_key }) => name_key),
              )
              .distinct('name_key', 'experiment_id')
              .orderBy('experiment_id')) as readonly {
              readonly name_key: string;
              readonly experiment_id: string;
            }[]); // the columns named
      const holders = new Map<string, string[]>(names.map(({ name_key }) => [name_key, []]));
      for (const { name_key, experiment_id } of rows) holders.get(name_key)?.push(experiment_id);
      return names.map(({ name_key, file_name }) => ({
        fileName: file_name,
        experimentIds: holders.get(name_key) ?? [],
      }));
    },
    async listOfVersion(artifactVersionId, afterRow, limit) {
      const query = db('assets')
        .select(...fileColumns)
        .where({ artifact_version_id: artifactVersionId })
        .orderBy('row_id')
        .limit(limit);
      if (afterRow !== undefined) query.andWhere('row_id', '>', afterRow);
      return ((await query) as readonly FileRow[]).map(toFile); // the columns named above
    },
    listPartsOf: (experimentId, assetId) =>
      found(
        select()
          .where({ experiment_id: experimentId, part_key: keyOf(assetId) })
          .orderBy('row_id')
          .limit(1000),
      ),
    async listModels(experimentId) {
      const rows = (await db('assets')
        .select('grouping_name')
        .where({ experiment_id: experimentId, type: 'model-element' })
        .whereNull('artifact_version_id')
        .whereNotNull('grouping_key')
        .groupBy('grouping_key', 'grouping_name')
        .orderBy('grouping_key')
        .limit(modelLimit)) as readonly { readonly grouping_name: string }[]; // not null, by the condition above
      const names = rows.map((row) => row.grouping_name);
      return names
        .sort((one, other) => (one < other ? -1 : 1))
        .map((name) => ({ id: modelIdOf(experimentId, name), name }));
    },
    async findModel(modelId) {
      const [, experimentId = '', start = ''] = modelIdForm.exec(modelId) ?? [];
      if (!isId(experimentId)) return undefined;
      const row = await db('assets')
        .select('grouping_name')
        .where({ experiment_id: experimentId, type: 'model-element' })
        .whereNull('artifact_version_id')
        .where('grouping_key', 'like', `${start}%`)
        .orderBy('row_id')
        .first<{ readonly grouping_name: string } | undefined>();
      return row === undefined ? undefined : { experimentId, name: row.grouping_name };
    },
    insert: (asset, keeping) =>
      !keeping.replacing && keeping.limit === undefined
        ? insertPlain(asset)
        : inTransaction(connection, async ({ db: inside }) => {
            if (!(await lockExperiment(inside, asset.experimentId))) return { outcome: 'gone' };
            const replaced = keeping.replacing ? await findReplaced(inside, asset, keeping) : [];
            const [first] = replaced;
            const id = keeping.idGiven || first === undefined ? asset.id : first.id;
            const taken = await inside('assets')
              .select('id_key')
              .where({ experiment_id: asset.experimentId, id_key: keyOf(id) })
              .first<{ readonly id_key: string } | undefined>();
            if (taken !== undefined && !replaced.some((row) => row.id_key === taken.id_key))
              return { outcome: 'present' };
            const { limit } = keeping;
            if (replaced.some((row) => belongsElsewhere(row, asset))) return { outcome: 'present' };
            if (
              limit !== undefined &&
              first === undefined &&
              (await countOf(inside, asset.experimentId, limit.types)) >= limit.most
            )
              return { outcome: 'full' };
            const takes =
              asset.artifactVersionId === undefined
                ? 'open'
                : await takesFiles(
                    { db: inside, dialect },
                    asset.workspaceId,
                    asset.artifactVersionId,
                  );
            if (takes !== 'open') return { outcome: takes };
            if (
              asset.blobKey !== undefined &&
              (await inside('uploads').where({ blob_key: asset.blobKey }).delete()) === 0
            )
              return { outcome: 'gone' };
            await drop(inside, replaced, asset.createdAt);
            await countIn(inside, asset, replaced);
            await inside('assets').insert(toRow({ ...asset, id }));
            return { outcome: 'kept', id };
          }),
    insertRemote: (experimentId, assets) =>
      inTransaction(connection, async ({ db: inside }) => {
        if (!(await lockExperiment(inside, experimentId))) return 'gone';
        const fresh = await findFresh(inside, experimentId, assets);
        if (fresh === 'present') return 'present';
        const counts = countByVersion(fresh);
        for (const [version] of counts) {
          const takes = await takesFiles(
            { db: inside, dialect },
            fresh[0]?.workspaceId ?? '',
            version,
          );
          if (takes !== 'open') return takes;
        }
        for (const [version, files] of counts) await countFiles(inside, version, files, 0);
        for (let at = 0; at < fresh.length; at += remoteAtOnce)
          await inside('assets').insert(fresh.slice(at, at + remoteAtOnce).map(toRow));
        return 'kept';
      }),
    remove: (experimentId, assetId) =>
      inTransaction(connection, async ({ db: inside }) => {
        const key = keyOf(assetId);
        const rows = (await inside('assets')
          .select('experiment_id', 'id_key', 'blob_key')
          .where({ experiment_id: experimentId })
          .whereNull('artifact_version_id')
          .andWhere((open) => open.where({ id_key: key }).orWhere({ part_key: key }))
          .orderBy('id_key')
          .forUpdate()) as readonly AssetRow[]; // those three columns
        if (!rows.some((row) => row.id_key === key)) return false;
        await drop(inside, rows, clock.now());
        return true;
      }),
    changeTags: (experimentId, assetId, { add, remove }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const where = { experiment_id: experimentId, id_key: keyOf(assetId) };
        const row = await inside('assets')
          .select('tags')
          .where(where)
          .forUpdate()
          .first<{ readonly tags: string | null } | undefined>();
        if (row === undefined) return false;
        const tags = [
          ...new Set([...(row.tags === null ? [] : (JSON.parse(row.tags) as string[])), ...add]),
        ].filter((tag) => !remove.includes(tag)); // written here and by `toRow`
        await inside('assets')
          .where(where)
          .update({ tags: tags.length === 0 ? null : JSON.stringify(tags) });
        return true;
      }),
  };
  const uploads: UploadStore = {
    noteUpload: (blobKey, at) => note({ blobKey, at }),
    async forgetUpload(blobKey) {
      await db('uploads').where({ blob_key: blobKey }).delete();
    },
    async insertDirect({ id, experimentId, expiresAt, ...content }) {
      await db('direct_uploads').insert({
        id,
        experiment_id: experimentId,
        content: JSON.stringify(content),
        expires_at: expiresAt,
      });
    },
    async findDirect(id) {
      const row = await db('direct_uploads')
        .select('experiment_id', 'content', 'expires_at')
        .where({ id })
        .first<
          | {
              readonly experiment_id: string;
              readonly content: string;
              readonly expires_at: unknown;
            }
          | undefined
        >();
      if (row === undefined) return undefined;
      const content = JSON.parse(row.content) as DirectContent; // written by `insertDirect`
      return {
        id,
        experimentId: row.experiment_id,
        expiresAt: Number(row.expires_at),
        ...content,
        bucket: content.bucket,
        keptAs: content.keptAs,
      } satisfies DirectUpload;
    },
    keepPart: (uploadId, { number, size, sha256, blobKey }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const open = await inside('direct_uploads')
          .select('content')
          .where({ id: uploadId })
          .forUpdate()
          .first<{ readonly content: string } | undefined>();
        if (open === undefined || (JSON.parse(open.content) as DirectContent).keptAs !== undefined)
          return false; // written by `insertDirect` and `finishDirect`
        const before = await inside('direct_parts')
          .select('blob_key')
          .where({ upload_id: uploadId, number })
          .first<{ readonly blob_key: string } | undefined>();
        await inside('direct_parts')
          .insert({ upload_id: uploadId, number, size, sha256, blob_key: blobKey })
          .onConflict(['upload_id', 'number'])
          .merge(['size', 'sha256', 'blob_key']);
        await inside('uploads').where({ blob_key: blobKey }).delete();
        if (before !== undefined && before.blob_key !== blobKey)
          await queueRemovals(inside, [before.blob_key], clock.now());
        return true;
      }),
    async listParts(uploadId) {
      const rows = (await db('direct_parts')
        .select('number', 'size', 'sha256', 'blob_key')
        .where({ upload_id: uploadId })
        .orderBy('number')) as readonly {
        readonly number: unknown;
        readonly size: unknown;
        readonly sha256: string;
        readonly blob_key: string;
      }[]; // the columns named
      return rows.map((row) => ({
        number: Number(row.number),
        size: Number(row.size),
        sha256: row.sha256,
        blobKey: row.blob_key,
      }));
    },
    finishDirect: (id, keptAs, at) =>
      inTransaction(connection, async ({ db: inside }) => {
        const row = await inside('direct_uploads')
          .select('content')
          .where({ id })
          .forUpdate()
          .first<{ readonly content: string } | undefined>();
        if (row === undefined) return false;
        const content = JSON.parse(row.content) as DirectContent; // written by `insertDirect`, and here
        if (content.keptAs !== undefined) return false;
        await inside('direct_uploads')
          .where({ id })
          .update({ content: JSON.stringify({ ...content, keptAs }) });
        await dropParts(inside, id, at);
        return true;
      }),
    removeDirect: (id, at) =>
      inTransaction(connection, ({ db: inside }) => forgetDirect(inside, id, at)),
    async expireUploads(before, at, limit) {
      const stale = (await db('uploads')
        .select('blob_key')
        .where('at', '<', before.uploads)
        .orderBy('at')
        .limit(limit)) as readonly { readonly blob_key: string }[]; // the column named
      for (const { blob_key } of stale)
        await inTransaction(connection, async ({ db: inside }) => {
          if ((await inside('uploads').where({ blob_key }).delete()) > 0)
            await queueRemovals(inside, [blob_key], at);
        });
      const expired = (await db('direct_uploads')
        .select('id')
        .where('expires_at', '<', before.direct)
        .modify(
          withoutHeld(
            connection,
            'upload-expiry',
            dialect.idAsText('direct_uploads.id'),
            clock.now(),
          ),
        )
        .orderBy('expires_at')
        .limit(limit)) as readonly { readonly id: string }[]; // the column named
      await workThrough(connection, {
        queue: 'upload-expiry',
        items: expired,
        idOf: ({ id }) => id,
        work: async ({ id }) => {
          await inTransaction(connection, ({ db: inside }) => forgetDirect(inside, id, at));
        },
        signal: new AbortController().signal,
      });
      return stale.length + expired.length;
    },
    async listAborts(limit) {
      const rows = (await db('blob_aborts')
        .select('blob_key', 'upload')
        .modify(withoutHeld(connection, 'blob-abort', 'blob_aborts.blob_key', clock.now()))
        .orderBy(['at', 'blob_key'])
        .limit(limit)) as readonly { readonly blob_key: string; readonly upload: string }[]; // the columns named
      return rows.map((row) => ({ blobKey: row.blob_key, upload: row.upload }));
    },
    async forgetAborts(keys) {
      for (let at = 0; at < keys.length; at += removalsAtOnce)
        await db('blob_aborts')
          .whereIn('blob_key', keys.slice(at, at + removalsAtOnce))
          .delete();
    },
  };
  const blobRecords: BlobRecordStore = {
    purge: (experimentId, limit, at) =>
      removeSome({ experiment_id: experimentId }, limit, at, false),
    purgeVersion: (artifactVersionId, limit, at) =>
      removeSome({ artifact_version_id: artifactVersionId }, limit, at, true),
    async listRemovals(limit) {
      // Bytes that a registered version keeps wait until it is gone.
      const held = db('registry_files')
        .select('registry_files.blob_key')
        .whereRaw('registry_files.blob_key = blob_removals.blob_key');
      const rows = (await db('blob_removals')
        .select('blob_key')
        .whereNotExists(held)
        .modify(withoutHeld(connection, 'blob-removal', 'blob_removals.blob_key', clock.now()))
        .orderBy(['at', 'blob_key'])
        .limit(limit)) as readonly { readonly blob_key: string }[]; // the column named
      return rows.map((row) => row.blob_key);
    },
    async forgetRemovals(keys) {
      for (let at = 0; at < keys.length; at += removalsAtOnce)
        await db('blob_removals')
          .whereIn('blob_key', keys.slice(at, at + removalsAtOnce))
          .delete();
    },
    async listKnown(blobKeys) {
      const known = new Set<string>();
      // In the order in which a key passes from one to the next, so that one that passes meanwhile is seen where it arrives.
      for (const table of [
        'uploads',
        'direct_parts',
        'assets',
        'registry_files',
        'trace_attachments',
        'blob_removals',
      ] as const) {
        const rows = (await db(table)
          .distinct('blob_key')
          .modify(dialect.among('blob_key', 'text', blobKeys))) as readonly {
          readonly blob_key: string;
        }[]; // the column named
        for (const { blob_key } of rows) known.add(blob_key);
      }
      return blobKeys.filter((key) => known.has(key));
    },
    async listKept(afterRow, limit) {
      const query = db('assets')
        .select('row_id', 'blob_key', 'experiment_id', 'id', 'file_size')
        .whereNotNull('blob_key')
        .orderBy('row_id')
        .limit(limit);
      if (afterRow !== undefined) query.where('row_id', '>', afterRow);
      const rows = (await query) as readonly {
        readonly row_id: string;
        readonly blob_key: string;
        readonly experiment_id: string;
        readonly id: string;
        readonly file_size: unknown;
      }[]; // the columns named
      return rows.map((row) => ({
        rowId: row.row_id,
        blobKey: row.blob_key,
        experimentId: row.experiment_id,
        assetId: row.id,
        size: Number(row.file_size),
      }));
    },
    async listRegistered(afterRow, limit) {
      const query = db('registry_files')
        .select('row_id', 'blob_key', 'source_id')
        .min({ content: 'content' })
        .whereNotNull('blob_key')
        .groupBy('row_id', 'blob_key', 'source_id')
        .orderBy('row_id')
        .limit(limit);
      if (afterRow !== undefined) query.where('row_id', '>', afterRow);
      const rows = (await query) as unknown as readonly {
        readonly row_id: string;
        readonly blob_key: string;
        readonly source_id: string;
        readonly content: string;
      }[]; // the columns named
      return rows.map((row) => {
        const asset = JSON.parse(row.content) as Asset; // written by the registry as a copy of the asset
        return {
          rowId: row.row_id,
          blobKey: row.blob_key,
          experimentId: row.source_id,
          assetId: asset.id,
          size: asset.fileSize,
        };
      });
    },
  };
  const links: LinkStore = {
    async keepLinkSecret(offered, at) {
      const kept = () =>
        db('link_secrets')
          .select('secret')
          .where({ name: 'links' })
          .first<{ readonly secret: string } | undefined>();
      const before = await kept();
      if (before !== undefined) return before.secret;
      await db('link_secrets')
        .insert({ name: 'links', secret: offered, created_at: at })
        .onConflict('name')
        .ignore();
      return (await kept())?.secret ?? offered;
    },
  };
  return { assets, uploads, blobRecords, links };
};

const dropParts = async (db: Knex, uploadId: string, at: number): Promise<void> => {
  const parts = (await db('direct_parts')
    .select('blob_key')
    .where({ upload_id: uploadId })) as readonly { readonly blob_key: string }[]; // the column named
  await db('direct_parts').where({ upload_id: uploadId }).delete();
  await queueRemovals(
    db,
    parts.map((part) => part.blob_key),
    at,
  );
};

/** What the bucket gathered for an upload that became no asset; where its note is gone, an asset may have taken the bytes. */
const queueAbort = async (
  db: Knex,
  { bucket, keptAs }: DirectContent,
  at: number,
): Promise<void> => {
  if (bucket === undefined || keptAs !== undefined) return;
  await db('blob_aborts')
    .insert({ blob_key: bucket.blobKey, upload: bucket.upload, at })
    .onConflict('blob_key')
    .ignore();
  if ((await db('uploads').where({ blob_key: bucket.blobKey }).delete()) > 0)
    await queueRemovals(db, [bucket.blobKey], at);
};

const forgetDirect = async (db: Knex, id: string, at: number): Promise<boolean> => {
  const row = await db('direct_uploads')
    .select('content')
    .where({ id })
    .forUpdate()
    .first<{ readonly content: string } | undefined>();
  if (row !== undefined) await queueAbort(db, JSON.parse(row.content) as DirectContent, at); // written by `insertDirect`
  await db('direct_uploads').where({ id }).delete();
  await dropParts(db, id, at);
  return row !== undefined;
};
