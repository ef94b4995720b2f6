// Assets that take nobody's place, of which many that come at once share a transaction.
import type { ColumnValues, PipelinedTransaction } from '#ports/sql-dialect';
import type { Asset } from '#ports/model/assets';
import type { Kept } from '#ports/storage/assets';
import { readVersions, stateFor } from '../artifact-files.js';
import { batchByKey } from '../batch-by-key.js';
import { inTransaction, keyOf, type Connection } from '../connection.js';
import { inOnePiece } from '../one-piece.js';
import { isOfModel, joinVersions } from '../registry-files.js';
import { toRow } from './asset-rows.js';
import { mostWaiting, together } from './sharing.js';
import { countByVersion } from './versions.js';

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
  await joinVersions(inside, kept.filter(isOfModel));
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

/** Stores an asset together with what others bring meanwhile. */
export const assetInserter = (connection: Connection): ((asset: Asset) => Promise<Kept>) => {
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
  const { pipelined } = connection.dialect;
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
  // What belongs to an artifact version is counted into it, and a file of a model may join versions that were registered from it.
  return (asset) =>
    asset.artifactVersionId === undefined && !isOfModel(asset) ? joined(asset) : insertOne(asset);
};
