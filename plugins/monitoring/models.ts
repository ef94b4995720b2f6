// Monitored models, and the fields that their events have had.
import { defineKind } from '#ports/api/kind-definition';
import { kind } from '#ports/api/kind';
import { Failure, isFailure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { keyText, rawDays, sumDays, type MonitoringNeeds } from './needs.js';
import type { Source } from './items.js';

/** The first label stays, or a later one takes its place. */
export const labelPolicies = ['first', 'latest'] as const;
export type LabelPolicy = (typeof labelPolicies)[number];

export interface MonitoredModel {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly createdAt: number;
  /** How long its raw events and its sums are kept, in days. */
  readonly rawDays: number;
  readonly sumDays: number;
  /** Nothing but sums is kept of its events. */
  readonly profileOnly: boolean;
  /** The registered model whose versions its versions are; null where that is one of its own name. */
  readonly registryModelName: string | null;
  /** How much each feature counts, as JSON by its name; null where nobody said. */
  readonly importances: string | null;
  /** Which label counts where a prediction gets one twice. */
  readonly labelPolicy: LabelPolicy;
  /** Where numbers of features are out of range, as JSON by the name of the feature; null where nobody said. */
  readonly bounds: string | null;
  /** How many changes its events and sums have had: while it stays the same, so do they. */
  readonly changes: number;
}
/** A model whose events are monitored. */
export const monitoredModel = kind<MonitoredModel>()('monitoredModel');

export interface Field {
  /** `feature_age`: its source and its name. */
  readonly column: string;
  readonly name: string;
  readonly source: Source;
  /** Decided by its first value, for good. */
  readonly numeric: boolean;
  readonly firstSeen: number;
  readonly lastSeen: number;
}

/** The source and name of a column such as `feature_age`. */
export const partsOf = (column: string): Pick<Field, 'source' | 'name'> => {
  const [source = '', ...rest] = column.split('_');
  return { source: source as Source, name: rest.join('_') }; // columns are made of a source and a name
};

const toModel = (row: PluginRow): MonitoredModel => ({
  id: String(row['model_id']),
  workspaceId: String(row['workspace_id']),
  name: String(row['name']),
  createdAt: Number(row['made_at']),
  rawDays: Number(row['raw_days'] ?? row['workspace_raw_days'] ?? rawDays),
  sumDays: Number(row['sum_days'] ?? row['workspace_sum_days'] ?? sumDays),
  profileOnly: row['profile_only'] === true,
  registryModelName: typeof row['registry_model'] === 'string' ? row['registry_model'] : null,
  importances: typeof row['importances'] === 'string' ? row['importances'] : null,
  labelPolicy: row['label_policy'] === 'latest' ? 'latest' : 'first',
  bounds: typeof row['bounds'] === 'string' ? row['bounds'] : null,
  changes: Number(row['batches'] ?? 0),
});

/** How much each feature counts, by its column. */
export const importancesOf = ({
  importances,
}: Pick<MonitoredModel, 'importances'>): ReadonlyMap<string, number> =>
  new Map(
    Object.entries(
      (importances === null ? {} : JSON.parse(importances)) as Readonly<Record<string, number>>, // written by settleModel
    ).map(([name, weight]) => [`feature_${name}`, weight]),
  );

/** The least and the greatest number that are in range; null where there is no bound. */
export interface Bounds {
  readonly min: number | null;
  readonly max: number | null;
}
/** The bounds that somebody set, by the column of the feature. */
export const boundsOf = ({ bounds }: Pick<MonitoredModel, 'bounds'>): ReadonlyMap<string, Bounds> =>
  new Map(
    Object.entries(
      (bounds === null ? {} : JSON.parse(bounds)) as Readonly<
        Record<string, { readonly min?: number; readonly max?: number }>
      >, // written by settleModel
    ).map(([name, { min = null, max = null }]) => [`feature_${name}`, { min, max }]),
  );

export const findModel = async (
  tables: PluginTables,
  id: string,
): Promise<MonitoredModel | undefined> => {
  if (!/^[0-9a-f]{32}$/.test(id)) return undefined;
  const row = await tables.find('models', { model_id: id });
  return row === undefined || row['workspace_id'] === null ? undefined : toModel(row);
};

/** Locks a model until the transaction ends, so that those who change it take turns, and reads it. Rejects with `absent` where it is gone. */
export const lockModel = async (inside: PluginTables, id: string): Promise<MonitoredModel> => {
  await inside.increment('models', { model_id: id }, 'batches', 1);
  const found = await findModel(inside, id);
  if (found !== undefined) return found;
  await inside.remove('models', { model_id: id }); // locking made a row of one that is gone
  throw new Failure('absent', `monitored model ${id} not found`);
};

/** One published client sends the id behind a dollar sign. */
export const plainId = (text: string): string => (text.startsWith('$') ? text.slice(1) : text);

export const modelKind = (tables: PluginTables) =>
  defineKind(monitoredModel, {
    needs: {},
    rules: () => ({
      find: ({ text }) => findModel(tables, plainId(text)),
      idOf: ({ id }) => id,
      placeOf: ({ workspaceId }) => ({ workspaceId }),
      absent: (text) =>
        new Failure('absent', `monitored model ${plainId(text).slice(0, 80)} not found`),
      missing: () => new Failure('invalid', 'modelId is required'),
    }),
  });

export const modelIdOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  workspaceId: string,
  name: string,
): string => ids.digest(JSON.stringify(['monitored model', workspaceId, name])).slice(0, 32);

/** The model of that name, made where there is none. */
export const ensureModel = async (
  { ids, tables, clock }: Pick<MonitoringNeeds, 'ids' | 'tables' | 'clock'>,
  workspaceId: string,
  name: string,
): Promise<MonitoredModel> => {
  const id = modelIdOf({ ids }, workspaceId, name);
  const known = await findModel(tables, id);
  if (known !== undefined) return known;
  const kept = await tables.find('workspaces', { workspace_id: workspaceId });
  const [ownRaw, ownSum] = [kept?.['raw_days'] ?? null, kept?.['sum_days'] ?? null];
  const made = {
    ...{ id, workspaceId, name, createdAt: clock.now() },
    ...{ rawDays: Number(ownRaw ?? rawDays), sumDays: Number(ownSum ?? sumDays) },
    ...{ profileOnly: false, registryModelName: null },
    ...{ importances: null, labelPolicy: 'first' as const },
    ...{ bounds: null, changes: 0 },
  };
  try {
    await tables.insert('models', {
      model_id: id,
      workspace_id: workspaceId,
      name,
      made_at: made.createdAt,
      batches: 0,
      workspace_raw_days: ownRaw,
      workspace_sum_days: ownSum,
    });
    return made;
  } catch (thrown) {
    if (!isFailure(thrown) || thrown.kind !== 'conflict') throw thrown;
    return (await findModel(tables, id)) ?? made; // another request made it first
  }
};

const mostModels = 1000;
export const modelsOf = async (
  tables: PluginTables,
  workspaceId: string,
): Promise<readonly MonitoredModel[]> => {
  const found: MonitoredModel[] = [];
  for (let after = ''; ;) {
    const rows = await tables.list(
      'models',
      'by_workspace',
      { workspace_id: workspaceId },
      { limit: mostModels, after: { model_id: after } },
    );
    found.push(...rows.map(toModel));
    if (rows.length < mostModels)
      return found.sort((one, other) => (one.name < other.name ? -1 : 1));
    after = String(rows.at(-1)?.['model_id']);
  }
};

const toField = (row: PluginRow): Field => {
  const [source, name] = [String(row['source']) as Source, String(row['name'])]; // stored by storeFields
  return {
    column: `${source}_${name}`,
    source,
    name,
    numeric: row['numeric'] === true,
    firstSeen: Number(row['first_seen']),
    lastSeen: Number(row['last_seen']),
  };
};

const pageSize = 1000;
/** Every field that events of a model have had, by column. */
export const fieldsOf = async (
  tables: PluginTables,
  model: string,
): Promise<ReadonlyMap<string, Field>> => {
  const fields = new Map<string, Field>();
  for (let after = ''; ;) {
    const rows = await tables.list(
      'fields',
      'key',
      { model_id: model },
      { limit: pageSize, after: { field: after } },
    );
    for (const row of rows) {
      const field = toField(row);
      fields.set(field.column, field);
    }
    if (rows.length < pageSize) return fields;
    after = String(rows.at(-1)?.['field']);
  }
};

/** The key of a field's rows. */
export const fieldKey = ({ ids }: Pick<MonitoringNeeds, 'ids'>, column: string): string =>
  keyText(ids, column);

/** Those of these columns that events of a model have had. */
export const fieldsAmong = async (
  { ids, tables }: Pick<MonitoringNeeds, 'ids' | 'tables'>,
  model: string,
  columns: readonly string[],
): Promise<ReadonlyMap<string, Field>> => {
  const keys = columns.map((column) => ({ model_id: model, field: fieldKey({ ids }, column) }));
  const rows = await tables.findAll('fields', keys);
  return new Map(rows.map((row) => [toField(row).column, toField(row)]));
};

export const storeFields = (
  needs: Pick<MonitoringNeeds, 'ids'>,
  tables: PluginTables,
  model: string,
  fields: readonly Field[],
): Promise<void> =>
  tables.upsertAll(
    'fields',
    fields.map(({ column, name, source, numeric, firstSeen, lastSeen }) => ({
      model_id: model,
      field: fieldKey(needs, column),
      source,
      name,
      numeric,
      first_seen: firstSeen,
      last_seen: lastSeen,
    })),
  );
