// Baselines that people make: a span of the past, of all events or of one version, which is summed up when it is made; or days that move along.
import { Failure } from '#ports/failure';
import type { PluginTables } from '#ports/plugin-tables';
import {
  baselinesOf,
  mostBaselines,
  toBaseline,
  type Baseline,
  type KeptBaseline,
} from './baselines.js';
import { checkFilter } from './alert-rules.js';
import type { Value } from './items.js';
import { parseFilter, type Node } from './language.js';
import { fieldKey, fieldsOf, lockModel, type MonitoredModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { packProfiles } from './profile-packing.js';
import { eventsField, readProfiles } from './profiles.js';
import { columnsFor, scan } from './queries.js';
import { segmentsOf } from './segments.js';
import { bucketsOf, isoOf } from './series.js';
import { emptySketch, mergeSketches, sketchOf, type Sketch } from './sketches.js';
import { removeEvery } from './removing.js';

/** One of a model's baselines. Rejects with `absent` for an id that it has not. */
export const requireBaseline = async (
  tables: PluginTables,
  modelId: string,
  baselineId: string,
): Promise<Baseline> => {
  const row = await tables.find('baselines', { model_id: modelId, baseline: baselineId });
  if (row === undefined || row['content'] === null)
    throw new Failure('absent', `the model has no baseline ${baselineId.slice(0, 80)}`);
  return toBaseline(modelId, row);
};

export interface AskedBaseline {
  readonly kind: 'window' | 'version' | 'moving' | 'complement';
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly movingDays?: number | undefined;
  readonly gapDays?: number | undefined;
  readonly filter?: string | undefined;
  /** Of a complement: the segment that it leaves out. */
  readonly segmentId?: string | undefined;
  readonly isDefault?: boolean | undefined;
}
type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

const mostDays = 365;
const daysOf = (name: string, given: number, least: number): number => {
  if (given < least || given > mostDays)
    throw new Failure('invalid', `${name} must be from ${least} to ${mostDays}`);
  return given;
};

/** What is asked for, with every rule held. */
const keptOf = (asked: AskedBaseline, by: string, now: number): KeptBaseline => {
  const { kind: of, version } = asked;
  const common = {
    version: version ?? null,
    datasetName: asked.name?.trim().slice(0, 256) ?? null,
    kind: of,
    createdBy: by,
    isDefault: asked.isDefault ?? false,
  };
  if (of === 'version' && version === undefined)
    throw new Failure('invalid', 'version is required for a baseline of a version');
  if (of === 'moving') {
    if (asked.filter !== undefined)
      throw new Failure('invalid', 'a baseline that moves takes no filter');
    return {
      ...common,
      movingDays: daysOf('movingDays', asked.movingDays ?? 7, 1),
      gapDays: daysOf('gapDays', asked.gapDays ?? 0, 0),
    };
  }
  if (of === 'complement' && asked.filter !== undefined)
    throw new Failure('invalid', 'a complement leaves out a segment and takes no filter');
  if (asked.from === undefined || asked.to === undefined)
    throw new Failure('invalid', 'from and to are required for a baseline of the past');
  const span = bucketsOf({ from: asked.from, to: asked.to, intervalType: 'DAILY' }, now);
  return {
    ...common,
    from: isoOf(span.from),
    to: isoOf(span.to),
    ...(asked.filter === undefined ? {} : { filter: checkFilter(asked.filter) }),
  };
};

/** The sums of every column of a span, by column; `eventsField` counts its events. */
const sumsOf = async (
  needs: Needs,
  model: MonitoredModel,
  {
    from,
    to,
    version,
    filter,
  }: {
    readonly from: number;
    readonly to: number;
    readonly version: string | undefined;
    readonly filter: Node | undefined;
  },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Sketch>> => {
  const fields = await fieldsOf(needs.tables, model.id);
  const sums = new Map<string, Sketch>();
  if (filter === undefined) {
    for (const column of [eventsField, ...fields.keys()]) {
      let sum = emptySketch;
      const field = column === eventsField ? column : fieldKey(needs, column);
      for await (const { sketch } of readProfiles(needs.tables, model.id, field, {
        from,
        to,
        version,
      }))
        sum = mergeSketches(sum, sketch);
      sums.set(column, sum);
    }
    return sums;
  }
  const values = new Map<string, Value[]>([...fields.keys()].map((column) => [column, []]));
  let events = 0;
  await scan(
    needs,
    { model, signal },
    {
      buckets: { from, to, widthMs: to - from, starts: [from] },
      version,
      predicates: [{ key: 'all', filter }],
      columns: columnsFor(fields),
      reads: [...fields.keys()],
    },
    (batch) => {
      const readers = [...values].map(([column, held]) => [batch.column(column), held] as const);
      return (_, __, row) => {
        events++;
        for (const [read, held] of readers) {
          const value = read(row);
          if (value !== undefined) held.push(value);
        }
      };
    },
  );
  sums.set(eventsField, { ...emptySketch, events });
  for (const [column, held] of values) sums.set(column, sketchOf(held, events));
  return sums;
};

const sumRows = (needs: Needs, owner: string, sums: ReadonlyMap<string, Sketch>) => {
  const piece = needs.ids.next();
  return [...sums].map(([column, sketch]) => ({
    model_id: owner,
    field: column === eventsField ? column : fieldKey(needs, column),
    day: 0,
    piece,
    content: packProfiles([{ hour: 0, version: '', sketch }]),
  }));
};

/** Takes the mark of the usual one from every other baseline of a model. */
const unmark = async (inside: PluginTables, modelId: string, except: string): Promise<void> => {
  for (const { baselineId, isDefault } of await baselinesOf(inside, modelId)) {
    if (!isDefault || baselineId === except) continue;
    const key = { model_id: modelId, baseline: baselineId };
    const row = await inside.find('baselines', key);
    const kept = JSON.parse(String(row?.['content'])) as KeptBaseline; // as toBaseline reads it
    await inside.upsert('baselines', {
      ...key,
      content: JSON.stringify({ ...kept, isDefault: false }),
    });
  }
};

/** Stores a baseline with the sums of every column, all or nothing. */
export const storeBaseline = (
  needs: Needs,
  model: MonitoredModel,
  kept: KeptBaseline,
  sums: ReadonlyMap<string, Sketch> | undefined,
): Promise<Baseline> => {
  const baselineId = needs.ids.key();
  return needs.tables.transaction(async (inside) => {
    await lockModel(inside, model.id);
    if ((await baselinesOf(inside, model.id)).length >= mostBaselines)
      throw new Failure('invalid', `a model has at most ${mostBaselines} baselines`);
    if (kept.isDefault === true) await unmark(inside, model.id, baselineId);
    const row = {
      model_id: model.id,
      baseline: baselineId,
      made_at: needs.clock.now(),
      events: sums?.get(eventsField)?.events ?? 0,
      content: JSON.stringify(kept),
    };
    await inside.insert('baselines', row);
    if (sums !== undefined) await inside.insertAll('profiles', sumRows(needs, baselineId, sums));
    return toBaseline(model.id, row);
  });
};

/** The filter of the segment that a complement leaves out. */
const leftOut = async (
  { tables }: Needs,
  model: MonitoredModel,
  segmentId: string | undefined,
): Promise<string> => {
  if (segmentId === undefined)
    throw new Failure('invalid', 'segmentId is required for the complement of a segment');
  const found = (await segmentsOf(tables, model.id)).find((one) => one.segmentId === segmentId);
  if (found === undefined)
    throw new Failure('absent', `segment ${segmentId.slice(0, 80)} not found`);
  return found.filter;
};

/** Which events a baseline is made of. Those of which a filter says nothing are outside of it. */
const conditionOf = ({ kind, filter }: KeptBaseline): Node | undefined => {
  if (filter === undefined) return undefined;
  const inside = parseFilter(filter);
  return kind === 'complement'
    ? {
        is: 'case',
        when: [[inside, { is: 'value', value: false }]],
        otherwise: { is: 'value', value: true },
      }
    : inside;
};

export const createBaseline = async (
  needs: Needs,
  model: MonitoredModel,
  asked: AskedBaseline,
  by: string,
  signal: AbortSignal,
): Promise<Baseline> => {
  const said = keptOf(asked, by, needs.clock.now());
  const kept =
    said.kind === 'complement'
      ? { ...said, filter: await leftOut(needs, model, asked.segmentId) }
      : said;
  const { from = '', to = '', version } = kept;
  const span = {
    from: Date.parse(from),
    to: Date.parse(to),
    version: version ?? undefined,
    filter: conditionOf(kept),
  };
  const sums = kept.kind === 'moving' ? undefined : await sumsOf(needs, model, span, signal);
  if (sums !== undefined && (sums.get(eventsField)?.events ?? 0) === 0)
    throw new Failure('invalid', 'there are no events in that span');
  return storeBaseline(needs, model, kept, sums);
};

/** Makes a baseline the usual one of its model, or no longer. */
export const markBaseline = (
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  { modelId, baselineId }: Baseline,
  isDefault: boolean,
): Promise<Baseline> =>
  tables.transaction(async (inside) => {
    await lockModel(inside, modelId);
    const key = { model_id: modelId, baseline: baselineId };
    const row = await inside.find('baselines', key);
    if (row === undefined) throw new Failure('absent', `baseline ${baselineId} not found`);
    if (isDefault) await unmark(inside, modelId, baselineId);
    const kept = JSON.parse(String(row['content'])) as KeptBaseline; // as toBaseline reads it
    const content = JSON.stringify({ ...kept, isDefault });
    await inside.upsert('baselines', { ...key, content });
    return toBaseline(modelId, { ...row, content });
  });

type Named = Pick<Baseline, 'modelId' | 'baselineId'>;

/** Takes a baseline of a model that is gone away with its sums. */
export const clearBaseline = async (
  tables: PluginTables,
  { modelId, baselineId }: Named,
): Promise<void> => {
  await tables.remove('baselines', { model_id: modelId, baseline: baselineId });
  await removeEvery(tables, 'profiles', 'key', { model_id: baselineId });
};

/** Takes a baseline away with its sums. */
export const removeBaseline = async (
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  { modelId, baselineId }: Named,
): Promise<void> => {
  await tables.transaction(async (inside) => {
    await lockModel(inside, modelId); // whoever keeps what was read of the model reads it anew
    await inside.remove('baselines', { model_id: modelId, baseline: baselineId });
  });
  await removeEvery(tables, 'profiles', 'key', { model_id: baselineId });
};
