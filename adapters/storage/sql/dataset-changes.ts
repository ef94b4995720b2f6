// How a change of items becomes rows: what was so up to this version is closed, what is so from it on is added.
import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type { DatasetVersion } from '#ports/model/datasets';
import type { ItemChange, ItemDecision, VersionSettings } from '#ports/storage/dataset-items';
import { authorshipRow, touchRow, type Row } from './authorship.js';
import { inTransaction, keyOf, type Connection } from './connection.js';
import { hashOf, readVersion, tagKey } from './dataset-versions.js';
import {
  insertSpans,
  itemColumns,
  saysTheSame,
  still,
  toSpan,
  type ItemSpan,
} from './dataset-item-rows.js';

/** The dataset, which nobody else changes until the transaction ends; `undefined` where it is not there. */
export const lockDataset = async (
  db: Knex,
  workspaceId: string,
  datasetId: string,
): Promise<{ readonly newest: number } | undefined> => {
  const row = (await db('datasets')
    .select('newest')
    .where({ workspace_id: workspaceId, id: datasetId })
    .forUpdate()
    .first()) as Row | undefined; // the column named
  return row === undefined ? undefined : { newest: Number(row['newest']) };
};

type Counters = Readonly<Record<'added' | 'modified' | 'deleted', number>>;

interface Plan {
  /** Ids whose row begins with this version and is replaced or goes. */
  readonly dropped: readonly string[];
  /** Ids whose row began before, and ends here. */
  readonly closed: readonly string[];
  readonly fresh: readonly ItemSpan[];
  readonly counters: Counters;
  /** By the version up to which they hold: how many more items there are from this one on. */
  readonly totals: ReadonlyMap<number, number>;
}

const spanAt = (spans: readonly ItemSpan[], version: number): ItemSpan | undefined =>
  spans.find(({ from, to }) => from <= version && to > version);

/** What an item counts as in a version, compared with the one before. */
const standing = (
  before: ItemSpan | undefined,
  now: Pick<ItemSpan, 'from'> | undefined,
  version: number,
): keyof Counters | undefined => {
  if (before === undefined) return now === undefined ? undefined : 'added';
  if (now === undefined) return 'deleted';
  return now.from === version ? 'modified' : undefined;
};

/** What a change did to an item. */
const done = (current: ItemSpan | undefined, now: ItemSpan | undefined): keyof Counters =>
  now === undefined ? 'deleted' : current === undefined ? 'added' : 'modified';

const planChange = (
  version: number,
  spansOf: (id: string) => readonly ItemSpan[],
  { put, removed }: ItemDecision,
  isInPlace: boolean,
): Plan => {
  const dropped: string[] = [];
  const closed: string[] = [];
  const fresh: ItemSpan[] = [];
  const counters = { added: 0, modified: 0, deleted: 0 };
  const totals = new Map<number, number>();
  const replace = (id: string, now: ItemSpan | undefined): void => {
    const spans = spansOf(id);
    const [before, current] = [spanAt(spans, version - 1), spanAt(spans, version)];
    if (current !== undefined) (current.from === version ? dropped : closed).push(id);
    if (now !== undefined) fresh.push(now);
    if (isInPlace) counters[done(current, now)]++;
    else {
      const [was, is] = [standing(before, current, version), standing(before, now, version)];
      if (was !== undefined) counters[was]--;
      if (is !== undefined) counters[is]++;
    }
    const until = now?.to ?? current?.to;
    const more = (now === undefined ? 0 : 1) - (current === undefined ? 0 : 1);
    if (until !== undefined && more !== 0) totals.set(until, (totals.get(until) ?? 0) + more);
  };
  const last = new Map(put.map((item) => [item.id, item]));
  for (const item of last.values()) {
    const spans = spansOf(item.id);
    const current = spanAt(spans, version);
    if (current !== undefined && saysTheSame(current.item, item)) continue;
    const next = Math.min(still, ...spans.flatMap(({ from }) => (from > version ? [from] : [])));
    replace(item.id, { item, from: version, to: current?.to ?? next });
  }
  for (const id of new Set(removed))
    if (!last.has(id) && spanAt(spansOf(id), version) !== undefined) replace(id, undefined);
  return { dropped, closed, fresh, counters, totals };
};

const inPortions = async (
  ids: readonly string[],
  work: (some: readonly string[]) => Promise<unknown>,
): Promise<void> => {
  for (let from = 0; from < ids.length; from += 1000) await work(ids.slice(from, from + 1000));
};

const carryOut = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  { workspaceId, datasetId }: Pick<ItemChange, 'workspaceId' | 'datasetId'>,
  version: number,
  plan: Plan,
): Promise<void> => {
  const ofDataset = { workspace_id: workspaceId, dataset_id: datasetId };
  await inPortions(plan.dropped, (some) =>
    db('dataset_items')
      .where({ ...ofDataset, from_version: version })
      .modify(dialect.among('id', 'id', some))
      .delete(),
  );
  await inPortions(plan.closed, (some) =>
    db('dataset_items')
      .where(ofDataset)
      .where('from_version', '<', version)
      .where('to_version', '>', version)
      .modify(dialect.among('id', 'id', some))
      .update({ to_version: version }),
  );
  await insertSpans({ db, dialect }, workspaceId, plan.fresh);
};

const previousOf = (db: Knex, workspaceId: string, datasetId: string, number: number) =>
  number === 0 ? undefined : readVersion(db, workspaceId, datasetId, number);

/** The number of the version that a change goes into, and whether it is there already. */
const findTarget = async (
  db: Knex,
  { workspaceId, datasetId, target }: ItemChange,
  newest: number,
): Promise<{ readonly number: number; readonly exists: boolean }> => {
  const fresh = { number: newest + 1, exists: false };
  if (target.into === 'newest') return newest === 0 ? fresh : { number: newest, exists: true };
  if (target.into === 'group') {
    const row = (await db('dataset_versions')
      .select('number')
      .where({
        workspace_id: workspaceId,
        dataset_id: datasetId,
        group_key: keyOf(target.groupId),
      })
      .first()) as Row | undefined; // the column named
    return row === undefined ? fresh : { number: Number(row['number']), exists: true };
  }
  if (target.base !== undefined) {
    const current = await previousOf(db, workspaceId, datasetId, newest);
    if (current?.id !== target.base.id)
      throw new Failure(
        'conflict',
        `Version conflict: the base version is not the latest one of the dataset`,
      );
  }
  return fresh;
};

const chosen = (given: string | null | undefined, before: string | undefined): string | null =>
  given === undefined ? (before ?? null) : given;

/** Makes the row of a new version, with what the one before says of itself. */
export const insertVersion = async (
  db: Knex,
  version: {
    readonly workspaceId: string;
    readonly datasetId: string;
    readonly number: number;
    readonly id: string;
    readonly groupId?: string | undefined;
    readonly settings: VersionSettings;
    readonly before: DatasetVersion | undefined;
    readonly counters: Counters;
    readonly touch: ItemChange['touch'];
  },
): Promise<void> => {
  const { workspaceId, datasetId, number, settings, before, counters, touch } = version;
  await db('dataset_versions').insert({
    workspace_id: workspaceId,
    dataset_id: datasetId,
    number,
    id: version.id,
    hash: hashOf(version.id),
    group_key: version.groupId === undefined ? null : keyOf(version.groupId),
    items_total: (before?.itemsTotal ?? 0) + counters.added - counters.deleted,
    items_added: counters.added,
    items_modified: counters.modified,
    items_deleted: counters.deleted,
    change_description: settings.changeDescription ?? null,
    metadata: settings.metadata ?? null,
    evaluators: chosen(settings.evaluators, before?.evaluators),
    execution_policy: chosen(settings.executionPolicy, before?.executionPolicy),
    ...authorshipRow({
      createdAt: touch.lastUpdatedAt,
      createdBy: touch.lastUpdatedBy,
      ...touch,
    }),
  });
  await db('datasets')
    .where({ workspace_id: workspaceId, id: datasetId })
    .update({ newest: number, ...touchRow(touch) });
};

export const addTags = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  workspaceId: string,
  datasetId: string,
  number: number,
  tags: readonly string[],
): Promise<void> => {
  const keys = { workspace_id: workspaceId, dataset_id: datasetId };
  for (const tag of new Set(tags)) {
    const held = (await db('dataset_version_tags')
      .select('number')
      .where({ ...keys, tag_key: tagKey(tag) })
      .first()) as Row | undefined; // the column named
    if (held !== undefined && Number(held['number']) !== number)
      throw new Failure('conflict', `Tag already exists: '${tag}'`);
    if (held === undefined)
      await db('dataset_version_tags')
        .insert({ ...keys, tag_key: tagKey(tag), tag, number })
        .catch((thrown: unknown) => {
          throw dialect.fault(thrown) === 'conflict'
            ? new Failure('conflict', `Tag already exists: '${tag}'`, { cause: thrown })
            : thrown;
        });
  }
};

/** Adds what changed to a version that is there, and to the totals of those behind it. */
const updateVersions = async (
  db: Knex,
  { workspaceId, datasetId, settings = {}, touch }: ItemChange,
  number: number,
  { counters, totals }: Plan,
): Promise<void> => {
  const ofDataset = { workspace_id: workspaceId, dataset_id: datasetId };
  const more = (column: string, by: number) =>
    by === 0 ? {} : { [column]: db.raw('?? + ?', [column, by]) };
  for (const [until, by] of totals)
    if (by !== 0)
      await db('dataset_versions')
        .where(ofDataset)
        .where('number', '>=', number)
        .where('number', '<', until)
        .update(more('items_total', by));
  await db('dataset_versions')
    .where({ ...ofDataset, number })
    .update({
      ...more('items_added', counters.added),
      ...more('items_modified', counters.modified),
      ...more('items_deleted', counters.deleted),
      ...(settings.changeDescription === undefined
        ? {}
        : { change_description: settings.changeDescription }),
      ...(settings.metadata === undefined ? {} : { metadata: settings.metadata }),
      ...(settings.evaluators === undefined ? {} : { evaluators: settings.evaluators }),
      ...(settings.executionPolicy === undefined
        ? {}
        : { execution_policy: settings.executionPolicy }),
      ...touchRow(touch),
    });
  await db('datasets').where({ workspace_id: workspaceId, id: datasetId }).update(touchRow(touch));
};

const isNothing = ({ dropped, closed, fresh }: Plan, settings: VersionSettings): boolean =>
  dropped.length + closed.length + fresh.length === 0 && Object.keys(settings).length === 0;

const addColumns = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  { workspaceId, datasetId }: ItemChange,
  { columns }: ItemDecision,
): Promise<void> => {
  const distinct = [
    ...new Map(columns.map((one) => [`${one.type} ${one.name}`, one])).values(),
  ].map(({ name, type }) => ({ key: keyOf(name), name, type }));
  if (distinct.length === 0) return;
  distinct.sort((a, b) => (a.key + a.type < b.key + b.type ? -1 : 1)); // in one order for everybody
  await dialect.insertFresh(
    db,
    'dataset_columns',
    ['workspace_id', 'dataset_id', 'name_key', 'type'],
    [
      { name: 'workspace_id', kind: 'id', values: distinct.map(() => workspaceId) },
      { name: 'dataset_id', kind: 'id', values: distinct.map(() => datasetId) },
      { name: 'name_key', kind: 'text', values: distinct.map(({ key }) => key) },
      { name: 'type', kind: 'text', values: distinct.map(({ type }) => type) },
      { name: 'name', kind: 'text', values: distinct.map(({ name }) => name) },
    ],
  );
};

/** Rows of these items that hold in the version before, in this one, or behind it. */
const readSpans = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  { workspaceId, datasetId, ids }: ItemChange,
  version: number,
): Promise<ReadonlyMap<string, readonly ItemSpan[]>> => {
  const byId = new Map<string, ItemSpan[]>();
  await inPortions([...new Set(ids)], async (some) => {
    const rows = (await db('dataset_items')
      .select(...itemColumns, 'from_version', 'to_version')
      .where({ workspace_id: workspaceId, dataset_id: datasetId })
      .where('to_version', '>=', version)
      .modify(dialect.among('id', 'id', some))) as readonly Row[]; // the columns named
    for (const span of rows.map(toSpan))
      byId.set(span.item.id, [...(byId.get(span.item.id) ?? []), span]);
  });
  return byId;
};

/** Carries out a change of items; what the port promises of it. */
export const changeItems = (
  connection: Connection,
  change: ItemChange,
): Promise<DatasetVersion | undefined> =>
  inTransaction(
    connection,
    async (inside) => {
      const { db } = inside;
      const { workspaceId, datasetId, settings = {}, target, touch } = change;
      const locked = await lockDataset(db, workspaceId, datasetId);
      if (locked === undefined) return undefined;
      const { number, exists } = await findTarget(db, change, locked.newest);
      const spans = await readSpans(inside, change, number);
      const spansOf = (id: string) => spans.get(id) ?? [];
      const decision = change.decide(
        new Map(
          [...spans].flatMap(([id, all]) => {
            const current = spanAt(all, number);
            return current === undefined ? [] : [[id, current.item] as const];
          }),
        ),
      );
      const plan = planChange(number, spansOf, decision, target.into === 'newest' && exists);
      if (target.into !== 'fresh' && isNothing(plan, settings))
        return previousOf(db, workspaceId, datasetId, exists ? number : locked.newest);
      await carryOut(inside, change, number, plan);
      if (exists) await updateVersions(db, change, number, plan);
      else
        await insertVersion(db, {
          workspaceId,
          datasetId,
          number,
          id: change.versionId,
          groupId: target.into === 'group' ? target.groupId : undefined,
          settings,
          before: await previousOf(db, workspaceId, datasetId, locked.newest),
          counters: plan.counters,
          touch,
        });
      await addTags(inside, workspaceId, datasetId, number, settings.tags ?? []);
      await addColumns(inside, change, decision);
      return readVersion(db, workspaceId, datasetId, number);
    },
    { overtaken: true },
  );
