// What was refused or doubted of what came in: the newest of each model, with a reason each, and how often each reason was given in every hour.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs, weekMs, type MonitoringNeeds } from './needs.js';
import { reasons, type Fault } from './items.js';
import { removeEvery } from './removing.js';

/** A fault with the item that it is about. */
export interface Told extends Omit<Fault, 'index'> {
  readonly sample: string;
}
export interface KeptFault extends Told {
  readonly id: string;
  readonly timestamp: number;
  /** How many of the same reason and field came in that second. */
  readonly times: number;
  /** The first of the predictions that those were about. */
  readonly predictionIds: readonly string[];
}

export const mostFaults = 1000;
const longestSample = 1024;
/** The same reason and field are kept once in this time; the newest so many are looked through for it. */
const [sameMs, newestLooked] = [1000, 100] as const;
const mostIds = 100;

/** What is counted by hour beside faults: events that came again, and those that came more than an hour late, or are more than an hour ahead. */
export const oddities = ['RESENT', 'LATE_EVENT', 'FUTURE_EVENT'] as const;
export type Oddity = (typeof oddities)[number];
export const countedWords = [...reasons, ...oddities] as const;
type Counted = (typeof countedWords)[number];
/** How long the counts of hours are kept. */
const countedDays = 90;

const idsOf = (row: PluginRow): readonly string[] =>
  typeof row['others'] === 'string'
    ? (JSON.parse(row['others']) as readonly string[]) // written by storeFaults
    : row['prediction_id'] === null
      ? []
      : [String(row['prediction_id'])];

/** Faults of one reason and field, as one row. */
interface Same {
  readonly row: PluginRow;
  times: number;
  readonly ids: Set<string>;
}

/** Adds to the counts of this hour. */
export const countHour = async (
  { clock }: Pick<MonitoringNeeds, 'clock'>,
  tables: PluginTables,
  model: string,
  counts: ReadonlyMap<Counted, number>,
): Promise<void> => {
  const hour = Math.floor(clock.now() / hourMs);
  for (const [reason, n] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1)))
    if (n > 0) await tables.increment('fault_hours', { model_id: model, hour, reason }, 'times', n);
};

/** Keeps the newest of them, the same reason and field of one second once, and counts them all. */
export const storeFaults = async (
  { ids, clock }: Pick<MonitoringNeeds, 'ids' | 'clock'>,
  tables: PluginTables,
  model: string,
  faults: readonly Told[],
): Promise<void> => {
  if (faults.length === 0) return;
  const at = clock.now();
  const same = new Map<string, Same>();
  const newest = await tables.list(
    'faults',
    'key',
    { model_id: model },
    { limit: newestLooked, descending: true },
  );
  for (const row of newest) {
    const named = JSON.stringify([row['reason'], row['field']]);
    if (Number(row['at']) > at - sameMs && !same.has(named))
      same.set(named, { row, times: Number(row['times'] ?? 1), ids: new Set(idsOf(row)) });
  }
  const counts = new Map<Counted, number>();
  const touched = new Set<Same>();
  for (const { predictionId, field, reason, message, sample } of faults) {
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
    const named = JSON.stringify([reason, field]);
    let one = same.get(named);
    if (one === undefined) {
      const row = {
        ...{ model_id: model, fault: ids.next(), at, prediction_id: predictionId },
        ...{ field, reason, message, sample: sample.slice(0, longestSample) },
      };
      one = { row, times: 0, ids: new Set() };
      same.set(named, one);
    }
    one.times++;
    if (predictionId !== null && one.ids.size < mostIds) one.ids.add(predictionId);
    touched.add(one);
  }
  await tables.upsertAll(
    'faults',
    [...touched]
      .slice(-mostFaults)
      .map(({ row, times, ids: about }) => ({ ...row, times, others: JSON.stringify([...about]) })),
  );
  await countHour({ clock }, tables, model, counts);
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
      predictionIds: idsOf(row),
      field: row['field'] === null ? null : String(row['field']),
      reason: String(row['reason']) as Fault['reason'], // stored by storeFaults
      message: String(row['message']),
      sample: String(row['sample']),
      times: Number(row['times'] ?? 1),
    }))
    .filter(({ timestamp }) => timestamp > clock.now() - weekMs);

/** How often each word was counted in an hour. */
export interface CountedHour {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly counts: Readonly<Record<string, number>>;
}

const pageSize = 1000;
/** The counts of the hours that touch a span of time, in order; hours without any are left out. */
export const countedHours = async (
  tables: PluginTables,
  model: string,
  from: number,
  to: number,
): Promise<readonly CountedHour[]> => {
  const hours = new Map<number, Record<string, number>>();
  const until = { hour: Math.floor((to - 1) / hourMs) };
  let after: PluginRow = { hour: Math.floor(from / hourMs) - 1, reason: '~' };
  for (;;) {
    const rows = await tables.list(
      'fault_hours',
      'key',
      { model_id: model },
      { limit: pageSize, after, until },
    );
    for (const row of rows) {
      const counts = hours.get(Number(row['hour'])) ?? {};
      hours.set(Number(row['hour']), counts);
      counts[String(row['reason'])] = Number(row['times']);
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < pageSize)
      return [...hours].map(([hour, counts]) => ({ hour, counts }));
    after = { hour: last['hour'] ?? 0, reason: last['reason'] ?? '' };
  }
};

/** How many items were refused or doubted in a span of whole hours. */
export const countFaults = async (
  tables: PluginTables,
  model: string,
  from: number,
  to: number,
): Promise<number> => {
  let sum = 0;
  for (const { counts } of await countedHours(tables, model, from, to))
    for (const reason of reasons) sum += counts[reason] ?? 0;
  return sum;
};

/** Removes the faults that are about one of these predictions alone, and its id from the others. */
export const forgetFaultsOf = async (
  tables: PluginTables,
  model: string,
  predictionIds: ReadonlySet<string>,
): Promise<void> => {
  const rows = await tables.list(
    'faults',
    'key',
    { model_id: model },
    { limit: 2 * mostFaults, descending: true },
  );
  for (const row of rows) {
    const about = idsOf(row);
    const left = about.filter((id) => !predictionIds.has(id));
    if (left.length === about.length) continue;
    const key = { model_id: model, fault: row['fault'] ?? '' };
    if (left.length === 0) await tables.remove('faults', key);
    // The sample is of the first one.
    else
      await tables.upsert('faults', {
        ...key,
        prediction_id: left[0] ?? null,
        others: JSON.stringify(left),
        ...(left[0] === about[0] ? {} : { sample: '{}' }),
      });
  }
};

/** Removes what is beyond the newest of a model, and what is too old. */
export const trimFaults = async (
  { clock }: Pick<MonitoringNeeds, 'clock'>,
  tables: PluginTables,
  model: string,
): Promise<void> => {
  const until = { hour: Math.floor((clock.now() - countedDays * dayMs) / hourMs) - 1 };
  await removeEvery(tables, 'fault_hours', 'key', { model_id: model }, until);
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
  await removeEvery(tables, 'faults', 'key', { model_id: model }, { fault: String(old['fault']) });
};
