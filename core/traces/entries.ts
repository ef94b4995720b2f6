// Writing traces and spans: the same for both.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Caller } from '#ports/model/identity';
import type { ProjectScope, ProjectTarget } from '#ports/model/projects';
import type { TraceEntry } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';
import type { Decide } from '#ports/storage/traces';
import { awaitRules } from '../automations/offers.js';
import { namingOf, requireTarget, type NamedProject } from '../private-wire/targets.js';
import { mergeCreated, mergeUpdated, readBatch, type Change } from './merging.js';
import type { PriceList } from './prices.js';
import { readTags, retag, retags, type Retagging, type Writing } from './reading.js';

export interface EntryNeeds {
  readonly storage: StorageOf<
    'automationRuns' | 'feedback' | 'projects' | 'threads' | 'traces' | 'workspaces'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly prices: PriceList;
}

export const groupBy = <T>(
  all: readonly T[],
  keyOf: (one: T) => string,
): ReadonlyMap<string, T[]> => {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const key = keyOf(one);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  return groups;
};

/** Gives moments in microseconds, no two alike: of two writes that do not say when they were made, the later one must win. */
const momentsBy = (clock: Clock) => {
  let last = 0;
  return (): number => (last = Math.max(last + 1, clock.now() * 1000));
};

/** What a kind of entry has of its own. */
export interface EntryKind<T extends TraceEntry> {
  readonly kind: 'trace' | 'span';
  readonly noun: 'Trace' | 'Span';
  change(
    projectId: string,
    ids: readonly string[],
    decide: Decide<T>,
    ready: Promise<void>,
  ): Promise<void>;
  /** What stands for one of which only an update has come. */
  partial(id: string, projectId: string, writing: Writing): T;
}

type SentBatchItem = NamedProject & { readonly last_updated_at?: string | undefined };
type Tagging = Retagging & { readonly tags?: readonly string[] | undefined };

export const entryWriter = <T extends TraceEntry>(
  { storage, clock, ids, prices }: EntryNeeds,
  { kind, noun, change, partial }: EntryKind<T>,
) => {
  const { traces } = storage.stores;
  const nextMoment = momentsBy(clock);
  const writingOf = ({ userName }: Caller): Writing => ({
    now: nextMoment(),
    by: userName,
    newId: () => ids.next(),
    prices,
  });

  /** Where an entry is written: where it stands, if no project is named, else in the one that is. Rejects with `conflict` where it stands in another. */
  const projectFor = async (id: string, target: ProjectTarget, caller: Caller): Promise<string> => {
    const narrowed = caller.scope?.projectId;
    const places = await traces.findPlaces(kind, target.workspace.id, [id], narrowed);
    const [found] = places;
    if (!target.named && found !== undefined) return found.projectId;
    const project = await requireTarget(storage, { clock, ids }, target, caller);
    if (found !== undefined && !places.some(({ projectId }) => projectId === project.id))
      throw new Failure(
        'conflict',
        `${kind} ${id} is in another project than the one that is named`,
      );
    return project.id;
  };

  return {
    writingOf,
    projectFor,
    /** Stores a batch, project by project; nothing is stored before all of it was read. */
    async storeBatch<S extends SentBatchItem>(
      sent: readonly S[],
      read: (one: S, projectId: string, writing: Writing) => T,
      targets: readonly ProjectTarget[],
      caller: Caller,
    ): Promise<void> {
      const byNaming = groupBy(
        sent.map((item) => ({ item, entry: read(item, '', writingOf(caller)) })),
        ({ item }) => namingOf(item),
      );
      for (const target of targets) {
        const items = byNaming.get(target.naming);
        if (items === undefined) continue;
        const { id: projectId } = await requireTarget(storage, { clock, ids }, target, caller);
        const batch = readBatch(
          items.map(({ item, entry }) => ({
            id: entry.id,
            stamped: item.last_updated_at !== undefined,
            entry: { ...entry, projectId },
          })),
        );
        const entries = groupBy(batch, ({ id }) => id);
        const entryIds = [...entries.keys()];
        await change(
          projectId,
          entryIds,
          (id, stored) =>
            (entries.get(id) ?? []).reduce<T | undefined>(
              (before, { entry }) => mergeCreated(before, entry),
              stored,
            ),
          awaitRules(storage.stores, projectId, kind, entryIds),
        );
      }
    },
    /** Stores one that is not there yet as a whole. Rejects with `conflict` for one that is. */
    async storeFresh(read: T, target: ProjectTarget, caller: Caller): Promise<void> {
      const project = await requireTarget(storage, { clock, ids }, target, caller);
      const places = await traces.findPlaces(
        kind,
        target.workspace.id,
        [read.id],
        caller.scope?.projectId,
      );
      if (places.length > 0 && !places.some(({ projectId }) => projectId === project.id))
        throw new Failure(
          'conflict',
          `${kind} ${read.id} is in another project than the one that is named`,
        );
      const entry = { ...read, projectId: project.id };
      await change(
        project.id,
        [entry.id],
        (_, stored) => {
          if (stored !== undefined && !stored.partial)
            throw new Failure('conflict', `${noun} already exists`);
          return mergeCreated(stored, entry);
        },
        awaitRules(storage.stores, project.id, kind, [entry.id]),
      );
    },
    /** What an update makes of what is stored. */
    updated(
      id: string,
      projectId: string,
      stored: T | undefined,
      { change: changed, sent, writing }: EntryChange<T>,
    ): T {
      const entry = mergeUpdated(stored ?? partial(id, projectId, writing), changed);
      // What is added and removed stands in place of tags that are given as a whole.
      return retags(sent) ? { ...entry, tags: retag({ tags: stored?.tags }, sent) } : entry;
    },
    /** Where each of these stands in a scope, by project; those that stand nowhere are left out. */
    async placesIn(
      wanted: readonly string[],
      { workspace, project }: ProjectScope,
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const places = await traces.findPlaces(kind, workspace.id, wanted, project?.id);
      const first = new Map<string, string>();
      for (const { id, projectId } of places) if (!first.has(id)) first.set(id, projectId);
      return new Map(
        [...groupBy([...first], ([, projectId]) => projectId)].map(([projectId, of]) => [
          projectId,
          of.map(([id]) => id),
        ]),
      );
    },
  };
};

interface EntryChange<T extends TraceEntry> {
  readonly change: Change<T>;
  readonly sent: Retagging;
  readonly writing: Writing;
}

/** Tags of a batch update: those that are there with what is added and removed, else those given, beside them or in their place. Rejects with `unprocessable` beyond their number. */
export const mergeTags = (
  before: readonly string[] | undefined,
  { tags, ...sent }: Tagging,
  unite: boolean,
): readonly string[] | undefined => {
  if (retags(sent)) return retag({ tags: before }, sent);
  const replaced = tags === undefined ? before : unite ? [...(before ?? []), ...tags] : tags;
  return replaced === undefined ? undefined : readTags(replaced);
};
