// Small frames of a day as larger ones, so that months of events are read in few pieces.
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { frameColumns, idsField } from './frame-reading.js';
import { packColumn, packHead, unpackFrame, type Frame } from './frames.js';
import type { Value } from './items.js';
import { lockModel } from './models.js';
import type { MonitoringNeeds } from './needs.js';
import { dayOf } from './profiles.js';
import { Turns } from './turns.js';
import { removeEvery } from './removing.js';

type Needs = Pick<MonitoringNeeds, 'tables' | 'ids' | 'clock'>;

/** Events of a frame that is made of others, and below how many one is small. */
const [mostEvents, smallEvents] = [20_000, 5_000] as const;
/** So many small ones of a day that is not over are merged before its end. */
const manyFrames = 20;
/** How long one stays after its events went into another: longer than any question takes. */
const staysMs = 10 * 60_000;
const atOnce = 1000;

interface Small {
  readonly day: number;
  readonly frame: string;
  readonly events: number;
}

/** Goes through what frames of a model are told by. */
async function* framesOf(tables: PluginTables, model: string): AsyncIterable<PluginRow> {
  for (let after: PluginRow = { day: -2, frame: '~' }; ;) {
    const rows = await tables.list(
      'frames',
      'key',
      { model_id: model },
      { limit: atOnce, after, columns: frameColumns },
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) return;
    after = { day: last['day'] ?? 0, frame: last['frame'] ?? '' };
  }
}

/** Small frames of one day in groups that become one each. */
const groupsOf = (small: readonly Small[]): readonly (readonly Small[])[] => {
  const groups: Small[][] = [];
  let events = Infinity;
  for (const one of small) {
    if (events + one.events > mostEvents) {
      groups.push([]);
      events = 0;
    }
    groups.at(-1)?.push(one);
    events += one.events;
  }
  return groups.filter(({ length }) => length > 1);
};

const bytesOf = (row: PluginRow | undefined): Uint8Array | undefined =>
  row?.['content'] instanceof Uint8Array ? row['content'] : undefined;

/** A frame that is a part of a larger one. */
interface Part {
  readonly frame: string;
  readonly head: Uint8Array;
  readonly read: Frame;
}

const partsOf = async (
  tables: PluginTables,
  model: string,
  group: readonly Small[],
): Promise<readonly Part[]> => {
  const keys = group.map(({ day, frame }) => ({ model_id: model, day, frame }));
  const heads = await tables.findAll('frames', keys);
  const ids = await tables.findAll(
    'columns',
    keys.map(({ day, frame }) => ({ model_id: model, field: idsField, day, frame })),
  );
  const parts: Part[] = [];
  for (const row of heads) {
    const head = bytesOf(row);
    const own = bytesOf(ids.find(({ frame }) => frame === row['frame']));
    if (head === undefined || own === undefined) continue;
    parts.push({ frame: String(row['frame']), head, read: unpackFrame(head, [], own) });
  }
  return parts;
};

/** Makes one frame of several, column by column. */
const mergeGroup = async (
  { tables, ids, clock }: Needs,
  model: string,
  day: number,
  group: readonly Small[],
  signal: AbortSignal,
): Promise<void> => {
  const turns = new Turns(signal);
  const parts = await partsOf(tables, model, group);
  if (parts.length < 2) return;
  const events = parts
    .flatMap(({ read }, part) =>
      Array.from({ length: read.length }, (_, row) => ({
        ...{ part, row, at: read.at(row) },
        modelVersion: read.version(row),
        predictionId: read.predictionId(row),
      })),
    )
    .sort((one, other) => one.at - other.at);
  await turns.offer();
  const piece = ids.next();
  const of = { model_id: model, day };
  const { head, ids: packedIds } = await packHead(events);
  const columns: PluginRow[] = [{ ...of, frame: piece, field: idsField, content: packedIds }];
  const fields = new Set<string>();
  for (const { frame } of parts)
    for (const { field } of await tables.list(
      'columns',
      'by_frame',
      { ...of, frame },
      { limit: 100_000, columns: ['field'] },
    ))
      fields.add(String(field));
  fields.delete(idsField);
  for (const field of fields) {
    await turns.offer();
    const rows = await tables.findAll(
      'columns',
      parts.map(({ frame }) => ({ model_id: model, field, day, frame })),
    );
    const contents = new Map(rows.map((row) => [String(row['frame']), bytesOf(row)]));
    let name = '';
    const readers = parts.map(({ frame, head: own }) => {
      const content = contents.get(frame);
      if (content === undefined) return undefined;
      const read = unpackFrame(own, [content]);
      name = read.names[0] ?? name;
      return read.column(name);
    });
    const [places, values]: [number[], Value[]] = [[], []];
    for (const [place, { part, row }] of events.entries()) {
      const value = readers[part]?.(row);
      if (value === undefined) continue;
      places.push(place);
      values.push(value);
    }
    const content = await packColumn(name, { rows: places, values }, events.length);
    columns.push({ ...of, frame: piece, field, content });
  }
  await tables.transaction(async (inside) => {
    await lockModel(inside, model);
    const keys = parts.map(({ frame }) => ({ ...of, frame }));
    const there = await inside.findAll('frames', keys);
    // Removed meanwhile, with the model or by a change of what is kept; or merged by somebody else.
    const asBefore = there.filter((row) => typeof row['replaced_at'] !== 'number');
    if (asBefore.length < parts.length) return;
    await inside.insert('frames', {
      ...of,
      frame: piece,
      events: events.length,
      first_at: events[0]?.at ?? 0,
      last_at: events.at(-1)?.at ?? 0,
      content: head,
    });
    await inside.insertAll('columns', columns);
    await inside.upsertAll(
      'frames',
      keys.map((key) => ({ ...key, replaced_at: clock.now() })),
    );
  });
};

/** Removes frames whose events went into others a while ago. */
const removeReplaced = async (
  tables: PluginTables,
  model: string,
  replaced: readonly Omit<Small, 'events'>[],
): Promise<void> => {
  for (const { day, frame } of replaced) {
    const key = { model_id: model, day, frame };
    await removeEvery(tables, 'columns', 'by_frame', key);
    await tables.remove('frames', key);
  }
};

/** Makes larger frames of the small ones of each day that is over, or has many. */
export const mergeFrames = async (
  needs: Needs,
  model: string,
  signal: AbortSignal,
): Promise<void> => {
  const { tables, clock } = needs;
  const days = new Map<number, Small[]>();
  const replaced: Small[] = [];
  for await (const row of framesOf(tables, model)) {
    const one = {
      day: Number(row['day']),
      frame: String(row['frame']),
      events: Number(row['events']),
    };
    const replacedAt = row['replaced_at'];
    if (typeof replacedAt === 'number') {
      if (replacedAt <= clock.now() - staysMs) replaced.push(one);
    } else if (one.events < smallEvents) {
      const held = days.get(one.day);
      if (held === undefined) days.set(one.day, [one]);
      else held.push(one);
    }
  }
  await removeReplaced(tables, model, replaced);
  for (const [day, small] of days) {
    const isOver = day < dayOf(clock.now());
    if (small.length < (isOver ? 2 : manyFrames)) continue;
    for (const group of groupsOf(small)) {
      if (signal.aborted) return;
      await mergeGroup(needs, model, day, group, signal);
    }
  }
};
