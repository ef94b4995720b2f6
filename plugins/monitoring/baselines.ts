// What current events are compared with: a training set that was uploaded, or the first week with enough events.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { fieldKey, type MonitoredModel } from './models.js';
import { eventsField, readProfiles } from './profiles.js';
import { emptySketch, mergeSketches, type Sketch } from './sketches.js';

export interface Baseline {
  readonly baselineId: string;
  readonly modelId: string;
  readonly version: string | null;
  readonly kind: 'training' | 'window';
  readonly datasetName: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly sampleCount: number;
  readonly createdAt: number;
}

interface Kept {
  readonly version: string;
  readonly datasetName: string;
}

/** Under which the sums of a training set are kept, as those of a model. */
export const ownerOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  model: string,
  dataset: string,
): string => ids.digest(JSON.stringify(['training set', model, dataset])).slice(0, 32);

const toBaseline = (model: MonitoredModel, row: PluginRow): Baseline => {
  const { version, datasetName } = JSON.parse(String(row['content'])) as Kept; // written by countTraining
  return {
    baselineId: String(row['baseline']),
    modelId: model.id,
    version,
    kind: 'training',
    datasetName,
    from: null,
    to: null,
    sampleCount: Number(row['events']),
    createdAt: Number(row['made_at']),
  };
};

/** Counts events that were added to a training set, which is made where there is none. */
export const countTraining = async (
  { clock }: Pick<MonitoringNeeds, 'clock'>,
  tables: PluginTables,
  {
    model,
    owner,
    events,
    ...kept
  }: Kept & { readonly model: string; readonly owner: string; readonly events: number },
): Promise<void> => {
  const key = { model_id: model, baseline: owner };
  await tables.increment('baselines', key, 'events', events);
  const row = await tables.find('baselines', key);
  if (row?.['content'] === null)
    await tables.upsert('baselines', {
      ...key,
      made_at: clock.now(),
      content: JSON.stringify(kept),
    });
};

const mostBaselines = 1000;
/** The training sets of a model, the newest first. */
export const trainingSets = async (
  tables: PluginTables,
  model: MonitoredModel,
): Promise<readonly Baseline[]> =>
  (await tables.list('baselines', 'key', { model_id: model.id }, { limit: mostBaselines }))
    .map((row) => toBaseline(model, row))
    .sort((one, other) => other.createdAt - one.createdAt);

const [windowDays, leastEvents] = [7, 1000] as const;

/** The first seven days in which there are enough events. */
const firstWindow = async (
  tables: PluginTables,
  model: string,
  now: number,
): Promise<{ readonly from: number; readonly to: number; readonly events: number } | undefined> => {
  const days: { day: number; events: number }[] = [];
  for await (const { hour, sketch } of readProfiles(tables, model, eventsField, {
    from: 0,
    to: now + dayMs,
  })) {
    const day = Math.floor((hour * hourMs) / dayMs);
    const last = days.at(-1);
    if (last?.day === day) last.events += sketch.events;
    else days.push({ day, events: sketch.events });
    const window = days.filter((one) => one.day > day - windowDays);
    const events = window.reduce((sum, one) => sum + one.events, 0);
    const first = window[0];
    if (events >= leastEvents && first !== undefined)
      return {
        from: first.day * dayMs,
        to: (first.day + windowDays) * dayMs,
        events,
      };
  }
  return undefined;
};

/** What a model's events are compared with by default: the training set of the version, that of the model, or its first week with 1,000 events. */
export const defaultBaseline = async (
  { tables, clock }: Pick<MonitoringNeeds, 'tables' | 'clock'>,
  model: MonitoredModel,
  version: string | undefined,
): Promise<Baseline | undefined> => {
  const sets = await trainingSets(tables, model);
  const training = sets.find((set) => set.version === version) ?? sets[0];
  if (training !== undefined) return training;
  const window = await firstWindow(tables, model.id, clock.now());
  return window === undefined
    ? undefined
    : {
        baselineId: 'first-window',
        modelId: model.id,
        version: null,
        kind: 'window',
        datasetName: null,
        from: new Date(window.from).toISOString(),
        to: new Date(window.to).toISOString(),
        sampleCount: window.events,
        createdAt: model.createdAt,
      };
};

/** The sums of one field in a baseline. */
export const baselineSketch = async (
  needs: Pick<MonitoringNeeds, 'ids' | 'tables'>,
  model: MonitoredModel,
  baseline: Baseline,
  column: string,
): Promise<Sketch> => {
  const isWindow = baseline.kind === 'window';
  let sketch = emptySketch;
  for await (const profile of readProfiles(
    needs.tables,
    isWindow ? model.id : baseline.baselineId,
    fieldKey(needs, column),
    isWindow
      ? { from: Date.parse(baseline.from ?? ''), to: Date.parse(baseline.to ?? '') }
      : { from: 0, to: dayMs },
  ))
    sketch = mergeSketches(sketch, profile.sketch);
  return sketch;
};
