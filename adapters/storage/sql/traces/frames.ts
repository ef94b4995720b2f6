// Inputs and outputs of spans lie in frames: what a batch brings is compressed together, since what calls of one program say is much alike. Inputs and
// outputs have frames of their own, under one id, so that either is read without the other.
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { Span } from '#ports/model/traces';
import type { ColumnValues } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { readVarint, type Cursor } from '../metrics/varints.js';
import { gramsIn } from './grams.js';
import { packAll } from './packing.js';

/** Where the bodies of a span lie. */
export interface BodyPlace {
  readonly frameId: string;
  readonly at: number;
}
export type Bodies = Pick<Span, 'input' | 'output'>;
export type BodyPart = keyof Bodies;
export const bodyParts: readonly BodyPart[] = ['input', 'output'];
export const noBodies: Bodies = { input: undefined, output: undefined };

/** Characters of a frame, both parts together: larger ones take fewer bytes, smaller ones are read faster. */
const frameCharacters = 96 * 1024;
/** Frames of one statement. */
const framesAtOnce = 64;
/** Frames that are looked at for a text, of which nearly none is opened. */
const framesSearched = 5000;

const decompress = promisify(brotliDecompress);

/** A frame as it is read: all texts in a row, and where each begins and ends. */
export interface OpenFrame {
  readonly all: string;
  text(at: number): string | undefined;
}

export const openFrame = async (data: Uint8Array): Promise<OpenFrame> => {
  const content = await decompress(data);
  const cursor: Cursor = { at: 0 };
  const count = readVarint(content, cursor);
  const lengths = Array.from({ length: count }, () => readVarint(content, cursor));
  const all = content.toString('utf8', cursor.at);
  let end = 0;
  const ranges = lengths.map((length) => {
    if (length === 0) return undefined;
    const from = end;
    end += length - 1;
    return [from, end] as const;
  });
  return {
    all,
    text(at) {
      const range = ranges[at];
      return range && all.slice(...range);
    },
  };
};

/** Bodies that one frame takes. */
interface Filling {
  readonly id: string;
  readonly bodies: Bodies[];
  characters: number;
}

/** Lays bodies into new frames: where each one goes, and nowhere for those that have neither part. */
export const layOut = (
  all: readonly Bodies[],
  newId: () => string,
): { readonly places: readonly (BodyPlace | undefined)[]; readonly frames: readonly Filling[] } => {
  const frames: Filling[] = [];
  const places = all.map((bodies): BodyPlace | undefined => {
    const characters = (bodies.input?.length ?? 0) + (bodies.output?.length ?? 0);
    if (bodies.input === undefined && bodies.output === undefined) return undefined;
    let frame = frames.at(-1);
    if (frame === undefined || frame.characters + characters > frameCharacters) {
      frame = { id: newId(), bodies: [], characters: 0 };
      frames.push(frame);
    }
    frame.characters += characters;
    frame.bodies.push(bodies);
    return { frameId: frame.id, at: frame.bodies.length - 1 };
  });
  return { places, frames };
};

/** One part of a frame as it is stored. */
export interface FrameRow {
  readonly id: string;
  readonly part: number;
  readonly live: number;
  readonly data: Uint8Array;
  readonly grams: Uint8Array | undefined;
}

/** Frames as rows, in lists of as many bytes as one statement takes each. */
export const packFrames = async (
  frames: readonly Filling[],
  mostBytes: number,
): Promise<readonly (readonly FrameRow[])[]> => {
  const parts = frames.flatMap(({ id, bodies }) =>
    bodyParts
      .map((name, part) => ({
        id,
        part,
        live: bodies.length,
        texts: bodies.map((one) => one[name]),
      }))
      .filter(({ texts }) => texts.some((text) => text !== undefined)),
  );
  const packed = await packAll(parts.map(({ texts }) => texts));
  const lists: FrameRow[][] = [];
  let bytes = 0;
  for (const [i, { data, grams }] of packed.entries()) {
    const of = parts[i];
    if (of === undefined) continue; // never: there is one for each
    const row = { id: of.id, part: of.part, live: of.live, data, grams };
    const list = lists.at(-1);
    if (list === undefined || bytes + data.length > mostBytes) {
      lists.push([row]);
      bytes = data.length;
    } else {
      list.push(row);
      bytes += data.length;
    }
  }
  return lists;
};

/** Stores one such list, in the caller's transaction. */
export const insertFrames = (
  { db, dialect }: Connection,
  projectId: string,
  rows: readonly FrameRow[],
): Promise<void> => {
  const column = (
    name: string,
    kind: ColumnValues['kind'],
    of: (row: FrameRow) => unknown,
  ): ColumnValues => ({ name, kind, values: rows.map(of) });
  return dialect.insertColumns(db, 'span_frames', [
    column('project_id', 'id', () => projectId),
    column('id', 'id', ({ id }) => id),
    column('part', 'whole', ({ part }) => part),
    column('live', 'whole', ({ live }) => live),
    column('data', 'bytes', ({ data }) => data),
    column('grams', 'bytes', ({ grams }) => grams ?? null),
  ]);
};

/** Takes bodies out of their frames, each place once; a frame goes with its last one. In the transaction in which nothing leads to them any more. */
export const leaveFrames = async (
  { db }: Connection,
  projectId: string,
  places: readonly BodyPlace[],
): Promise<void> => {
  const leaving = new Map<string, number>();
  for (const { frameId } of places) leaving.set(frameId, (leaving.get(frameId) ?? 0) + 1);
  const byCount = new Map<number, string[]>();
  for (const [id, count] of leaving) byCount.set(count, [...(byCount.get(count) ?? []), id]);
  // In one order for everybody, so that two who leave the same frames wait for each other.
  const ids = [...leaving.keys()].sort();
  for (let from = 0; from < ids.length; from += framesAtOnce * 8)
    await db('span_frames')
      .select('id')
      .where({ project_id: projectId })
      .whereIn('id', ids.slice(from, from + framesAtOnce * 8))
      .orderBy(['id', 'part'])
      .forUpdate();
  for (const [count, some] of byCount)
    for (let from = 0; from < some.length; from += framesAtOnce * 8) {
      const frames = () =>
        db('span_frames')
          .where({ project_id: projectId })
          .whereIn('id', some.slice(from, from + framesAtOnce * 8));
      await frames().update({ live: db.raw('live - ?', [count]) });
      await frames().where('live', '<=', 0).delete();
    }
};

/** Which parts of frames may hold a text. */
const mayHold = (dialect: Connection['dialect'], text: string): string => {
  const bits = gramsIn(text).map(
    ({ byte, mask }) => `${dialect.byteAt('f.grams', byte)} & ${mask} > 0`,
  );
  return bits.length === 0 ? '1 = 1' : `(f.grams is null or (${bits.join(' and ')}))`;
};

/** Those of these frames of which a part, or this one, may hold a text in any case, without opening them. */
export const framesHolding = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  ids: readonly string[],
  { text, part }: { readonly text: string; readonly part?: BodyPart | undefined },
): Promise<readonly string[]> => {
  if (gramsIn(text).length === 0) return ids;
  const found = new Set<string>();
  for (let from = 0; from < ids.length; from += framesSearched) {
    const rows = (await dialect.run(
      db,
      `select f.id from span_frames f where f.project_id = ? and ${dialect.anyOf('f.id', 'id')} and ${part === undefined ? '1 = 1' : `f.part = ${bodyParts.indexOf(part)}`} and ${mayHold(dialect, text)}`,
      [projectId, ids.slice(from, from + framesSearched)],
    )) as readonly { readonly id: string }[]; // the column named
    for (const { id } of rows) found.add(id);
  }
  return [...found];
};

/** Opens frames of a project a few at a time, only the parts that are wanted, of which it may have none; one that is gone by now is left out. */
export async function* openFrames(
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  ids: readonly string[],
  wanted: readonly BodyPart[] = bodyParts,
): AsyncGenerator<readonly (readonly [string, Partial<Record<BodyPart, OpenFrame>>])[]> {
  const isWanted = `f.part in (${wanted.map((part) => bodyParts.indexOf(part)).join(', ')})`;
  for (let from = 0; from < ids.length; from += framesAtOnce) {
    const rows = (await dialect.run(
      db,
      `select f.id, f.part, case when ${isWanted} then f.data end as data from span_frames f where f.project_id = ? and ${dialect.anyOf('f.id', 'id')}`,
      [projectId, ids.slice(from, from + framesAtOnce)],
    )) as readonly {
      readonly id: string;
      readonly part: number;
      readonly data: Uint8Array | null;
    }[]; // the columns named
    const opened = await Promise.all(
      rows.map(
        async ({ id, part, data }) =>
          [id, part, data === null ? undefined : await openFrame(data)] as const,
      ),
    );
    const frames = new Map<string, Partial<Record<BodyPart, OpenFrame>>>();
    for (const [id, part, frame] of opened)
      frames.set(id, {
        ...frames.get(id),
        ...(frame === undefined ? {} : { [bodyParts[Number(part)] ?? 'input']: frame }),
      });
    yield [...frames];
  }
}

/** The bodies at these places, in their order; `undefined` for one whose frame is gone: its span was changed or removed since it was read. */
export const readBodies = async (
  connection: Connection,
  projectId: string,
  places: readonly (BodyPlace | undefined)[],
  wanted: readonly BodyPart[] = bodyParts,
): Promise<readonly (Bodies | undefined)[]> => {
  const found: (Bodies | undefined)[] = places.map((place) =>
    place === undefined || wanted.length === 0 ? noBodies : undefined,
  );
  if (wanted.length === 0) return found;
  const byFrame = new Map<string, number[]>();
  for (const [i, place] of places.entries()) {
    if (place === undefined) continue;
    const others = byFrame.get(place.frameId);
    if (others === undefined) byFrame.set(place.frameId, [i]);
    else others.push(i);
  }
  for await (const some of openFrames(connection, projectId, [...byFrame.keys()], wanted))
    for (const [id, frame] of some)
      for (const i of byFrame.get(id) ?? []) {
        const at = places[i]?.at ?? 0;
        found[i] = { input: frame.input?.text(at), output: frame.output?.text(at) };
      }
  return found;
};
