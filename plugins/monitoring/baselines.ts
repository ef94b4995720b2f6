// What current events are compared with: a training set that was uploaded, a span of the past, days that move along, or the first week with enough events.
import { Failure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { fieldKey, type MonitoredModel } from './models.js';
import { eventsField, readPieces, readProfiles } from './profiles.js';
import { mergeAll, type Sketch } from './sketches.js';
import { byHour, SlidingSum } from './sliding.js';

export interface Baseline {
  readonly baselineId: string;
  readonly modelId: string;
  readonly version: string | null;
  readonly kind: BaselineKind;
  readonly datasetName: string | null;
  readonly from: string | null;
  readonly to: string | null;
  /** Of one that moves: how many days it has, and how many lie between it and the window. */
  readonly movingDays: number | null;
  readonly gapDays: number | null;
  /** Which events it is made of; of a complement, which ones it leaves out. */
  readonly filter: string | null;
  /** Of an artifact: the version that its file belongs to. */
  readonly artifactVersionId: string | null;
  /** Of a registered model: the number of the version that its file belongs to. */
  readonly registryVersion: string | null;
  readonly sampleCount: number;
  readonly createdAt: number;
  /** The user who made it; null for one that came with events. */
  readonly createdBy: string | null;
  readonly isDefault: boolean;
}
/** `version` is a span of the past of one version, `complement` one without the events of a segment, `artifact` a file of a version of an artifact or of a registered model. */
export const baselineKinds = [
  'training',
  'window',
  'version',
  'moving',
  'artifact',
  'complement',
] as const;
export type BaselineKind = (typeof baselineKinds)[number];

/** What is written of one beside its columns. */
export interface KeptBaseline {
  readonly version: string | null;
  readonly datasetName: string | null;
  readonly kind?: BaselineKind;
  readonly from?: string;
  readonly to?: string;
  readonly movingDays?: number;
  readonly gapDays?: number;
  readonly filter?: string;
  readonly artifactVersionId?: string;
  readonly registryVersion?: string;
  readonly createdBy?: string;
  readonly isDefault?: boolean;
}
type Kept = KeptBaseline;

/** Under which the sums of a training set are kept, as those of a model. */
export const ownerOf = (
  { ids }: Pick<MonitoringNeeds, 'ids'>,
  model: string,
  dataset: string,
): string => ids.digest(JSON.stringify(['training set', model, dataset])).slice(0, 32);

export const toBaseline = (modelId: string, row: PluginRow): Baseline => {
  const kept = JSON.parse(String(row['content'])) as Kept; // written by whatever made it
  return {
    baselineId: String(row['baseline']),
    modelId,
    version: kept.version,
    kind: kept.kind ?? 'training',
    datasetName: kept.datasetName,
    from: kept.from ?? null,
    to: kept.to ?? null,
    movingDays: kept.movingDays ?? null,
    gapDays: kept.gapDays ?? null,
    filter: kept.filter ?? null,
    artifactVersionId: kept.artifactVersionId ?? null,
    registryVersion: kept.registryVersion ?? null,
    sampleCount: Number(row['events']),
    createdAt: Number(row['made_at']),
    createdBy: kept.createdBy ?? null,
    isDefault: kept.isDefault ?? false,
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

export const mostBaselines = 1000;
/** Every baseline of a model that was made or uploaded, the newest first. */
export const baselinesOf = async (
  tables: PluginTables,
  modelId: string,
): Promise<readonly Baseline[]> =>
  (await tables.list('baselines', 'key', { model_id: modelId }, { limit: mostBaselines }))
    .map((row) => toBaseline(modelId, row))
    .sort((one, other) => other.createdAt - one.createdAt);

const [windowDays, leastEvents] = [7, 1000] as const;

export interface FirstWindow {
  readonly from: number;
  readonly to: number;
  readonly events: number;
}

/** The first seven days in which there are enough events. */
export const firstWindow = async (
  tables: PluginTables,
  model: string,
  now: number,
): Promise<FirstWindow | undefined> => {
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

export const firstWindowId = 'first-window';

/** Reads something of a model that stays as it is while nothing of the model changes. */
export type ReadOnce = <T>(
  model: MonitoredModel,
  what: string,
  read: () => Promise<T>,
) => Promise<T>;
const readAnew: ReadOnce = (_, __, read) => read();

const firstWindowOf = async (
  { tables, clock }: Pick<MonitoringNeeds, 'tables' | 'clock'>,
  model: MonitoredModel,
  once: ReadOnce,
): Promise<Baseline | undefined> => {
  const window = await once(model, 'first window', () =>
    firstWindow(tables, model.id, clock.now()),
  );
  return window === undefined
    ? undefined
    : {
        baselineId: firstWindowId,
        modelId: model.id,
        version: null,
        kind: 'window',
        datasetName: null,
        from: new Date(window.from).toISOString(),
        to: new Date(window.to).toISOString(),
        movingDays: null,
        gapDays: null,
        filter: null,
        artifactVersionId: null,
        registryVersion: null,
        sampleCount: window.events,
        createdAt: model.createdAt,
        createdBy: null,
        isDefault: false,
      };
};

const listOf = (
  { tables }: Pick<MonitoringNeeds, 'tables'>,
  model: MonitoredModel,
  once: ReadOnce,
): Promise<readonly Baseline[]> => once(model, 'baselines', () => baselinesOf(tables, model.id));

/** What a model's events are compared with by default: what was chosen, the training set of the version, that of the model, or its first week with 1,000 events. */
export const defaultBaseline = async (
  needs: Pick<MonitoringNeeds, 'tables' | 'clock'>,
  model: MonitoredModel,
  version: string | undefined,
  once = readAnew,
): Promise<Baseline | undefined> => {
  const all = await listOf(needs, model, once);
  const sets = all.filter(({ kind }) => kind === 'training');
  return (
    all.find(({ isDefault }) => isDefault) ??
    sets.find((set) => set.version === version) ??
    sets[0] ??
    (await firstWindowOf(needs, model, once))
  );
};

/** The baseline of an id, or the usual one without. Rejects with `absent` for an id that the model has not. */
export const findBaseline = async (
  needs: Pick<MonitoringNeeds, 'tables' | 'clock'>,
  model: MonitoredModel,
  id: string | undefined,
  version: string | undefined,
  once = readAnew,
): Promise<Baseline | undefined> => {
  if (id === undefined) return defaultBaseline(needs, model, version, once);
  const found =
    id === firstWindowId
      ? await firstWindowOf(needs, model, once)
      : (await listOf(needs, model, once)).find(({ baselineId }) => baselineId === id);
  if (found === undefined)
    throw new Failure('absent', `the model has no baseline ${id.slice(0, 80)}`);
  return found;
};

/** Whether a baseline will not change any more for windows that end then: the first week does until it is over. */
export const isSettled = ({ baselineId, to }: Baseline, windowTo: number): boolean =>
  baselineId !== firstWindowId || windowTo > Date.parse(to ?? '');

/** Whose sums a baseline reads, and of which span; those that were summed up when they were made have theirs under their own id. */
const placeOf = (baseline: Baseline, windowFrom: number) => {
  if (baseline.kind === 'moving') {
    const to = windowFrom - (baseline.gapDays ?? 0) * dayMs;
    const from = to - (baseline.movingDays ?? 1) * dayMs;
    return { owner: baseline.modelId, from, to, version: baseline.version ?? undefined };
  }
  return baseline.baselineId === firstWindowId
    ? {
        owner: baseline.modelId,
        from: Date.parse(baseline.from ?? ''),
        to: Date.parse(baseline.to ?? ''),
      }
    : { owner: baseline.baselineId, from: 0, to: dayMs };
};

/** The sums of one field in a baseline, as a window that begins then is compared with it. */
export const baselineSketch = async (
  needs: Pick<MonitoringNeeds, 'ids' | 'tables'>,
  baseline: Baseline,
  column: string,
  windowFrom: number,
): Promise<Sketch> => {
  const { owner, ...span } = placeOf(baseline, windowFrom);
  const sketches: Sketch[] = [];
  for await (const piece of readPieces(needs.tables, owner, fieldKey(needs, column), span))
    sketches.push(mergeAll(piece.map(({ sketch }) => sketch)));
  return mergeAll(sketches);
};

/** The sums of one field in a baseline that moves, as each window sees it that begins at these times, which ascend. Reads every sum once, however many windows there are. */
export async function* movingSketches(
  needs: Pick<MonitoringNeeds, 'ids' | 'tables'>,
  baseline: Baseline,
  column: string,
  starts: readonly number[],
): AsyncIterable<Sketch> {
  const [first = 0, last = 0] = [starts[0], starts.at(-1)];
  const { owner, from, version } = placeOf(baseline, first);
  const { to } = placeOf(baseline, last);
  const pieces = readPieces(needs.tables, owner, fieldKey(needs, column), { from, to, version });
  const hours = byHour(pieces)[Symbol.asyncIterator]();
  const sum = new SlidingSum();
  let next = await hours.next();
  for (const start of starts) {
    const window = placeOf(baseline, start);
    for (; next.done !== true && next.value.hour * hourMs < window.to; next = await hours.next())
      sum.push(next.value);
    sum.dropUpTo(window.from);
    yield sum.sum();
  }
}
