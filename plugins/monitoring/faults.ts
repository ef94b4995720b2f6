// What was refused or doubted of what came in: the newest of each model, with a reason each.
import type { PluginTables } from '#ports/plugin-tables';
import { weekMs, type MonitoringNeeds } from './needs.js';
import type { Fault } from './items.js';

/** A fault with the item that it is about. */
export interface Told extends Omit<Fault, 'index'> {
  readonly sample: string;
}
export interface KeptFault extends Told {
  readonly id: string;
  readonly timestamp: number;
}

export const mostFaults = 1000;
const longestSample = 1024;

/** Keeps the newest of them; the same reason, field and sentence of one batch once. */
export const storeFaults = async (
  { ids, clock }: Pick<MonitoringNeeds, 'ids' | 'clock'>,
  tables: PluginTables,
  model: string,
  faults: readonly Told[],
): Promise<void> => {
  const at = clock.now();
  const newest = faults.slice(-mostFaults);
  await tables.insertAll(
    'faults',
    newest.map(({ predictionId, field, reason, message, sample }) => ({
      model_id: model,
      fault: ids.next(),
      at,
      prediction_id: predictionId,
      field,
      reason,
      message,
      sample: sample.slice(0, longestSample),
    })),
  );
};

/** All that are kept and not older than a week, the newest first. */
export const listFaults = async (
  { clock }: Pick<MonitoringNeeds, 'clock'>,
  tables: PluginTables,
  model: string,
): Promise<readonly KeptFault[]> =>
  (await tables.list('faults', 'key', { model_id: model }, { limit: mostFaults, descending: true }))
    .map((row) => ({
      id: String(row['fault']),
      timestamp: Number(row['at']),
      predictionId: row['prediction_id'] === null ? null : String(row['prediction_id']),
      field: row['field'] === null ? null : String(row['field']),
      reason: String(row['reason']) as Fault['reason'], // stored by storeFaults
      message: String(row['message']),
      sample: String(row['sample']),
    }))
    .filter(({ timestamp }) => timestamp > clock.now() - weekMs);

/** How many of those that are kept came in a span of time. */
export const countFaults = async (
  tables: PluginTables,
  model: string,
  from: number,
  to: number,
): Promise<number> =>
  (
    await tables.list('faults', 'key', { model_id: model }, { limit: mostFaults, descending: true })
  ).filter(({ at }) => Number(at) >= from && Number(at) < to).length;

/** Removes what is beyond the newest of a model, and what is too old. */
export const trimFaults = async (
  { clock }: Pick<MonitoringNeeds, 'clock'>,
  tables: PluginTables,
  model: string,
): Promise<void> => {
  const page = await tables.list(
    'faults',
    'key',
    { model_id: model },
    { limit: mostFaults + 1, descending: true },
  );
  const old = page.find(
    ({ at }, place) => place >= mostFaults || Number(at) <= clock.now() - weekMs,
  );
  if (old === undefined) return;
  while (
    (await tables.removeAll(
      'faults',
      'key',
      { model_id: model },
      { limit: mostFaults, until: { fault: String(old['fault']) } },
    )) === mostFaults
  );
};
