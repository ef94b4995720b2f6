// What comes in: read, checked, sorted by model and stored.
import { one, type Operation } from '#ports/api/operation';
import { Failure, isFailure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import { workspace, type Workspace } from '#ports/model/workspaces';
import type { MonitoringNeeds } from './needs.js';
import { storeFaults, type Told } from './faults.js';
import { batchOf, ItemReader, type Fault, type Item } from './items.js';
import { ensureModel, findModel, modelIdOf } from './models.js';
import type { ItemStore, Stored } from './storing.js';
import { Turns } from './turns.js';

export interface Ingesting extends Pick<MonitoringNeeds, 'ids' | 'clock' | 'tables'> {
  readonly dedupDays: number;
  /** The workspace of a name, where who sends may write; `undefined` for an unknown and a foreign one alike. Rejects with `forbidden` for one that may only be read. */
  readonly reach: (workspaceName: string) => Promise<Pick<Workspace, 'id'> | undefined>;
  /** Stores items of one model. */
  readonly store: ItemStore;
  /** Which new fields hold numbers, where that does not follow from their first value. */
  readonly expected?: ReadonlyMap<string, boolean> | undefined;
  /** Throws `throttled` where a workspace sends more than it may. */
  readonly admit?: (workspaceId: string, items: number) => void;
}

export interface Ingested extends Stored {
  readonly rejected: number;
  readonly errors: readonly Fault[];
  readonly warnings: readonly string[];
}

const mostItems = 10_000;
const mostErrors = 100;

/** Asks the gate for a workspace as a row would that writes into it. */
const writing = {
  method: 'POST',
  path: '/mpm',
  summary: 'Send into a workspace',
  access: { needs: 'write', about: one(workspace, 'body.workspaceName') },
  replies: { 200: null },
} satisfies Operation;

/** The workspace of a name, where the caller may write; `undefined` for an unknown and a foreign one alike. Rejects with `forbidden` for one that may only be read. */
export const writableWorkspace = async (
  { gate }: Pick<MonitoringNeeds, 'gate'>,
  caller: Caller,
  workspaceName: string,
): Promise<Workspace | undefined> => {
  const named = { query: {}, params: {}, body: { workspaceName }, part: {}, header: {} };
  try {
    const found = await gate.admit(writing, [writing.access.about], named, caller, {});
    return found['workspace'] as Workspace; // loaded for the only subject
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'absent') return undefined;
    throw thrown;
  }
};

const unknownWorkspace = ({ index, predictionId }: Item): Fault => ({
  index,
  predictionId,
  field: 'workspaceName',
  reason: 'UNKNOWN_WORKSPACE',
  message: 'there is no such workspace',
});

const grouped = <T>(items: readonly T[], by: (item: T) => string): Map<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(by(item));
    if (group === undefined) groups.set(by(item), [item]);
    else group.push(item);
  }
  return groups;
};

const sampleOf = (given: unknown): string => JSON.stringify(given) ?? 'null';

/** The workspace and model that an item names, as far as it does. */
const namesIn = (given: unknown): readonly [string, string] | undefined => {
  const { workspaceName, modelName } = (
    typeof given === 'object' && given !== null ? given : {}
  ) as { readonly workspaceName?: unknown; readonly modelName?: unknown }; // any object may be asked for members
  return typeof workspaceName === 'string' && typeof modelName === 'string'
    ? [workspaceName, modelName]
    : undefined;
};
const placeOf = (given: unknown): string => JSON.stringify(namesIn(given) ?? []);

/**
 * Takes a batch in. With `enforce`, one fault refuses all of it and nothing is stored; otherwise what is right is stored, and faults are kept beside their
 * model. Rejects with `invalid` for what is no batch, with `forbidden` where the caller may write to none of the workspaces,
 * with `throttled` where one of them sends too much. The list in the body is emptied while it is read: what is sent takes several times its bytes, and batches
 * that wait for the store would hold them all the time.
 */
export const ingest = async (
  needs: Ingesting,
  body: unknown,
  {
    onlyLabels,
    enforce,
    mayBeOne = false,
  }: { readonly onlyLabels: boolean; readonly enforce: boolean; readonly mayBeOne?: boolean },
): Promise<Ingested> => {
  const batch = batchOf(body, mayBeOne);
  if (batch === undefined) throw new Failure('invalid', 'data must be a list of items');
  if (batch.length > mostItems)
    throw new Failure('invalid', `a batch holds at most ${mostItems} items`);
  const turns = new Turns();
  const reader = new ItemReader({ onlyLabels, now: needs.clock.now() });
  /** What something is told of, as it was sent. */
  const odd = new Map<number, unknown>();
  for (let index = 0; index < batch.length; index++) {
    if (turns.isOver()) await turns.pass();
    const given = batch[index];
    if (!reader.read(given, index)) odd.set(index, given);
    batch[index] = undefined;
  }
  const { items, faults, doubts, warnings } = reader.result();
  const workspaces = new Map<string, Pick<Workspace, 'id'> | undefined>();
  const faulty = faults.flatMap(({ index }) => namesIn(odd.get(index))?.[0] ?? []);
  for (const name of new Set([...items.map(({ workspaceName }) => workspaceName), ...faulty]))
    workspaces.set(name, await needs.reach(name));
  const isReachable = ({ workspaceName }: Item) => workspaces.get(workspaceName) !== undefined;
  const reachable = items.filter(isReachable);
  if (reachable.length === 0 && items.length > 0)
    throw new Failure('forbidden', 'there is no such workspace, or it is not yours to write to', {
      reason: 'workspaceOutOfReach',
    });
  const refused = [
    ...faults,
    ...items.filter((item) => !isReachable(item)).map(unknownWorkspace),
    ...(enforce ? doubts : []),
  ].sort((left, right) => left.index - right.index);
  const result = {
    rejected: new Set(refused.map(({ index }) => index)).size,
    errors: refused.slice(0, mostErrors),
    warnings,
  };
  if (enforce && refused.length > 0)
    return { ...result, accepted: 0, duplicates: 0, pendingLabels: 0 };
  for (const [name, own] of grouped(reachable, ({ workspaceName }) => workspaceName))
    needs.admit?.(workspaces.get(name)?.id ?? '', own.length);
  const told = grouped([...faults, ...doubts], ({ index }) => placeOf(odd.get(index)));
  const talesOf = (place: string): readonly Told[] =>
    (told.get(place) ?? []).map((fault) => ({ ...fault, sample: sampleOf(odd.get(fault.index)) }));
  const sums = { accepted: 0, duplicates: 0, pendingLabels: 0 };
  const groups = grouped(reachable, ({ workspaceName, modelName }) =>
    JSON.stringify([workspaceName, modelName]),
  );
  for (const [place, group] of groups) {
    groups.delete(place); // as the body above
    const home = workspaces.get(group[0]?.workspaceName ?? '');
    if (home === undefined) continue;
    const model = await ensureModel(needs, home.id, group[0]?.modelName ?? '');
    const tales = talesOf(place);
    told.delete(place);
    const stored = await needs.store(model, group, tales, needs.dedupDays, needs.expected);
    sums.accepted += stored.accepted;
    sums.duplicates += stored.duplicates;
    sums.pendingLabels += stored.pendingLabels;
  }
  // Of models of which nothing right came along; what is wrong makes no model.
  for (const [place, [first]] of told) {
    const [workspaceName = '', modelName = ''] = namesIn(odd.get(first?.index ?? 0)) ?? [];
    const home = workspaces.get(workspaceName);
    const model = home && (await findModel(needs.tables, modelIdOf(needs, home.id, modelName)));
    if (model !== undefined) await storeFaults(needs, needs.tables, model.id, talesOf(place));
  }
  return { ...result, ...sums };
};
