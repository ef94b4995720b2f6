// What is settled of a monitored model, and its removal with everything that is kept of it.
import { Failure, isFailure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { alertsOf, removeAlert } from './alerts.js';
import { baselinesOf } from './baselines.js';
import { clearBaseline } from './baseline-making.js';
import { lockModel, modelsOf, type LabelPolicy, type MonitoredModel } from './models.js';
import { removeSegment, segmentsOf } from './segments.js';
import { rawDays as mostRawDays, sumDays as mostSumDays } from './needs.js';
import { removeEvery } from './removing.js';

export interface AskedSettings {
  readonly rawDays?: number | undefined;
  readonly sumDays?: number | undefined;
  readonly profileOnly?: boolean | undefined;
  /** Empty for the registered model of the same name. */
  readonly registryModelName?: string | undefined;
  /** How much each feature counts, by its name; none for no feature. */
  readonly importances?: Readonly<Record<string, number>> | undefined;
  readonly labelPolicy?: LabelPolicy | undefined;
  /** Where numbers of a feature are out of range, by its name; of a feature that is left out the baseline says so. */
  readonly bounds?: Readonly<Record<string, AskedBounds>> | undefined;
}
interface AskedBounds {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

const daysOf = (name: string, given: number, most: number): number => {
  if (given < 1 || given > most) throw new Failure('invalid', `${name} must be from 1 to ${most}`);
  return given;
};

const mostImportances = 20_000;
/** Importances as they are kept. */
const importancesFrom = (given: Readonly<Record<string, number>>): string | null => {
  const all = Object.entries(given);
  if (all.length > mostImportances)
    throw new Failure('invalid', `importances has at most ${mostImportances} features`);
  for (const [name, weight] of all)
    if (!Number.isFinite(weight) || weight < 0)
      throw new Failure(
        'invalid',
        `the importance of ${name.slice(0, 80)} must be a number from 0 on`,
      );
  return all.length === 0 ? null : JSON.stringify(given);
};

const mostBounds = 20_000;
/** Bounds as they are kept. */
const boundsFrom = (given: Readonly<Record<string, AskedBounds>>): string | null => {
  const all = Object.entries(given);
  if (all.length > mostBounds)
    throw new Failure('invalid', `bounds has at most ${mostBounds} features`);
  for (const [name, { min = -Infinity, max = Infinity }] of all)
    if (min > max)
      throw new Failure('invalid', `the bounds of ${name.slice(0, 80)} must have min below max`);
  return all.length === 0 ? null : JSON.stringify(given);
};

/** Changes what is kept of a model. What is kept already and no longer is to be goes with the next upkeep. */
export const settleModel = (
  tables: PluginTables,
  { id }: MonitoredModel,
  asked: AskedSettings,
): Promise<MonitoredModel> =>
  tables.transaction(async (inside) => {
    const before = await lockModel(inside, id);
    const after = {
      ...before,
      rawDays: daysOf('rawDays', asked.rawDays ?? before.rawDays, mostRawDays),
      sumDays: daysOf('sumDays', asked.sumDays ?? before.sumDays, mostSumDays),
      profileOnly: asked.profileOnly ?? before.profileOnly,
      registryModelName:
        asked.registryModelName === undefined
          ? before.registryModelName
          : asked.registryModelName.trim() || null,
      importances:
        asked.importances === undefined ? before.importances : importancesFrom(asked.importances),
      labelPolicy: asked.labelPolicy ?? before.labelPolicy,
      bounds: asked.bounds === undefined ? before.bounds : boundsFrom(asked.bounds),
    };
    if (after.profileOnly && after.labelPolicy === 'latest')
      throw new Failure(
        'invalid',
        'labelPolicy latest takes raw events, which a model with profileOnly has not',
      );
    await inside.upsert('models', {
      model_id: id,
      // What a model does not say itself its workspace may.
      ...(asked.rawDays === undefined ? {} : { raw_days: after.rawDays }),
      ...(asked.sumDays === undefined ? {} : { sum_days: after.sumDays }),
      profile_only: after.profileOnly,
      registry_model: after.registryModelName,
      importances: after.importances,
      label_policy: after.labelPolicy,
      bounds: after.bounds,
    });
    return after;
  });

const ofModel = [
  'frames',
  'columns',
  'events',
  'additions',
  'label_changes',
  'profiles',
  'fields',
  'faults',
  'fault_hours',
  'firings',
  'unsummed',
  'sent_profiles',
] as const;

/** Removes a model with everything that is kept of it. What comes in later makes it anew. */
export const removeModel = async (tables: PluginTables, id: string): Promise<void> => {
  await tables.remove('models', { model_id: id });
  const gone = { tables };
  for (const alert of await alertsOf(tables, id)) await removeAlert(gone, alert);
  for (const baseline of await baselinesOf(tables, id)) await clearBaseline(tables, baseline);
  for (const segment of await segmentsOf(tables, id)) await removeSegment(gone, segment);
  for (const table of ofModel) await removeEvery(tables, table, 'key', { model_id: id });
};

/** How long models of a workspace keep raw events and sums, where they do not say it themselves. */
export interface Retention {
  readonly rawDays: number;
  readonly sumDays: number;
}

export const retentionOf = async (
  tables: PluginTables,
  workspaceId: string,
): Promise<Retention> => {
  const row = await tables.find('workspaces', { workspace_id: workspaceId });
  return {
    rawDays: Number(row?.['raw_days'] ?? mostRawDays),
    sumDays: Number(row?.['sum_days'] ?? mostSumDays),
  };
};

/** Notes beside what a model says itself what its workspace says. One that was removed meanwhile stays so. */
const tellModel = async (
  inside: PluginTables,
  id: string,
  { rawDays, sumDays }: Retention,
): Promise<void> => {
  try {
    await lockModel(inside, id);
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'absent') return;
    throw thrown;
  }
  const kept = { workspace_raw_days: rawDays, workspace_sum_days: sumDays };
  await inside.upsert('models', { model_id: id, ...kept });
};

/** Changes how long models of a workspace keep what they have. What is not to be kept any longer goes with the next upkeep. */
export const settleWorkspace = (
  tables: PluginTables,
  workspaceId: string,
  asked: Partial<Record<keyof Retention, number | undefined>>,
): Promise<Retention> =>
  tables.transaction(async (inside) => {
    const row = { workspace_id: workspaceId };
    await inside.upsert('workspaces', row);
    const before = await retentionOf(inside, workspaceId);
    const after = {
      rawDays: daysOf('rawDays', asked.rawDays ?? before.rawDays, mostRawDays),
      sumDays: daysOf('sumDays', asked.sumDays ?? before.sumDays, mostSumDays),
    };
    await inside.upsert('workspaces', { ...row, raw_days: after.rawDays, sum_days: after.sumDays });
    for (const { id } of await modelsOf(inside, workspaceId)) await tellModel(inside, id, after);
    return after;
  });

/** Tells a model what its workspace says, where it was made while that changed. */
export const tellRetention = async (
  tables: PluginTables,
  { model_id: id, ...row }: PluginRow,
): Promise<void> => {
  const kept = await tables.find('workspaces', { workspace_id: row['workspace_id'] ?? '' });
  if (kept === undefined) return;
  const told = [row['workspace_raw_days'], row['workspace_sum_days']];
  if (told[0] === kept['raw_days'] && told[1] === kept['sum_days']) return;
  await tables.transaction(async (inside) => {
    const retention = await retentionOf(inside, String(row['workspace_id']));
    await tellModel(inside, String(id), retention);
  });
};

/** Removes every model of a workspace that is gone. */
export const removeModelsOf = async (tables: PluginTables, workspaceId: string): Promise<void> => {
  await tables.remove('workspaces', { workspace_id: workspaceId });
  for (const { id } of await modelsOf(tables, workspaceId)) await removeModel(tables, id);
};
