import type { Knex } from 'knex';
import {
  mostMetadata,
  type AssetMatrixStore,
  type AssetSelection,
  type MatrixPlace,
} from '#ports/storage/asset-matrix';
import { assetColumns, toAsset, type AssetRow } from './assets/asset-rows.js';
import { keyOf, wholeOrNothing, type Connection } from './connection.js';

interface NameRow {
  readonly experiment_id: string;
  readonly type: string;
  readonly file_name: string;
  readonly n: unknown;
  readonly first_step: unknown;
  readonly last_step: unknown;
}

/** An experiment, or one of its file names, with the step that is shown of it. */
interface Cell {
  readonly experiment_id: string;
  readonly name_key?: string;
  readonly step: unknown;
}

/** Cells that are asked for in one statement. */
const together = 500;

/** Leaves out files of artifact versions and parts of other assets. */
const own = (query: Knex.QueryBuilder): Knex.QueryBuilder =>
  query.whereNull('artifact_version_id').whereNull('part_key');

const behind = (query: Knex.QueryBuilder, { step, rowId }: MatrixPlace): void => {
  query.where((either) => {
    if (step === undefined)
      either
        .where((same) => same.whereNull('step').where('row_id', '>', rowId))
        .orWhereNotNull('step');
    else
      either
        .where('step', '>', step)
        .orWhere((same) => same.where({ step }).where('row_id', '>', rowId));
  });
};

const isEmpty = ({ experimentIds, of }: AssetSelection): boolean =>
  experimentIds.length === 0 || ('fileNames' in of && of.fileNames.length === 0);

export const assetMatrixStore = ({ db, dialect }: Connection): AssetMatrixStore => {
  const columns = [
    ...assetColumns.filter((one) => one !== 'metadata'),
    db.raw('case when char_length(metadata) <= ? then metadata end as metadata', [mostMetadata]),
  ];
  /** The files of these names, or those that lie in the folder itself. */
  const chosen = ({ experimentIds, type, of }: AssetSelection): Knex.QueryBuilder => {
    const query = own(db('assets').whereIn('experiment_id', experimentIds).where({ type }));
    if ('fileNames' in of)
      return query.whereIn(
        'name_key',
        of.fileNames.map((name) => keyOf(name)),
      );
    const start = `${of.folder}/`;
    const { sql, bindings } = dialect.holdsText('file_name', 'startsWith', start);
    return query
      .whereRaw(sql, bindings as Knex.RawBinding[]) // texts alone
      .whereRaw("length(file_name) - length(replace(file_name, '/', '')) = ?", [
        start.split('/').length - 1,
      ]);
  };

  /** Cells that have a step, or those that have none. */
  const readCells = async (
    selection: AssetSelection,
    cells: readonly Cell[],
    limit: number,
  ): Promise<readonly AssetRow[]> => {
    const found: AssetRow[] = [];
    for (let at = 0; at < cells.length; at += together) {
      const some = cells.slice(at, at + together);
      const stepped = some[0]?.step !== null;
      const named = ['experiment_id', ...('fileNames' in selection.of ? ['name_key'] : [])];
      const keys = some.map(({ experiment_id, name_key, step }) => [
        experiment_id,
        ...(name_key === undefined ? [] : [name_key]),
        ...(stepped ? [step] : []),
      ]);
      const among = own(db('assets').where({ type: selection.type }));
      const query = ('fileNames' in selection.of ? among : chosen(selection)).whereIn(
        stepped ? [...named, 'step'] : named,
        keys as never, // knex types no rows of mixed columns
      );
      if (!stepped) query.whereNull('step');
      found.push(
        ...((await query
          .select(...columns)
          .orderBy(['experiment_id', 'row_id'])
          .limit(limit)) as readonly AssetRow[]),
      ); // the columns named
    }
    return found;
  };

  return {
    async listNames({ experimentIds, type, perExperiment }) {
      if (experimentIds.length === 0) return [];
      const parts = experimentIds.map((experiment_id) =>
        own(db('assets').where(type === undefined ? { experiment_id } : { experiment_id, type }))
          .select('experiment_id', 'type', 'name_key', 'file_name', 'step')
          .orderBy('row_id')
          .limit(perExperiment),
      );
      const rows = (await db
        .from(db.unionAll(parts, true).as('looked'))
        .groupBy('experiment_id', 'type', 'name_key')
        .select('experiment_id', 'type')
        .min({ file_name: 'file_name', first_step: 'step' })
        .max({ last_step: 'step' })
        .count({ n: '*' })) as unknown as readonly NameRow[]; // the columns named
      return rows.map((row) => ({
        experimentId: row.experiment_id,
        type: row.type,
        fileName: row.file_name,
        count: Number(row.n),
        firstStep: wholeOrNothing(row.first_step),
        lastStep: wholeOrNothing(row.last_step),
      }));
    },
    async listSteps(selection, limit) {
      if (isEmpty(selection)) return [];
      const rows = (await chosen(selection)
        .whereNotNull('step')
        .distinct('step')
        .orderBy('step')
        .limit(limit)) as readonly { readonly step: unknown }[]; // the column named
      return rows.map(({ step }) => Number(step));
    },
    async listAt(selection, at, limit) {
      if (isEmpty(selection)) return [];
      const named = 'fileNames' in selection.of ? ['experiment_id', 'name_key'] : ['experiment_id'];
      const cells = (await chosen(selection)
        .where((one) => one.where('step', '<=', at).orWhereNull('step'))
        .groupBy(named)
        .select(named)
        .max({ step: 'step' })) as readonly Cell[]; // the columns named
      const rows = [
        ...(await readCells(
          selection,
          cells.filter(({ step }) => step !== null),
          limit,
        )),
        ...(await readCells(
          selection,
          cells.filter(({ step }) => step === null),
          limit,
        )),
      ];
      return rows
        .map(toAsset)
        .sort((one, other) =>
          one.experimentId + one.rowId < other.experimentId + other.rowId ? -1 : 1,
        )
        .slice(0, limit);
    },
    async listFrom(selection, after, limit) {
      if (isEmpty(selection)) return [];
      const query = chosen(selection)
        .select(...columns)
        .orderByRaw('(step is not null), step, row_id')
        .limit(limit);
      if (after !== undefined) behind(query, after);
      return ((await query) as readonly AssetRow[]).map(toAsset); // the columns named
    },
  };
};
