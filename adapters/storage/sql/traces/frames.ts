// Inputs and outputs of spans lie in frames: what a batch brings is compressed together, since what calls of one program say is much alike. Inputs and
// outputs have frames of their own, under one id, so that either is read without the other.
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, brotliDecompress, constants } from 'node:zlib';
import type { Span } from '#ports/model/traces';
import type { ColumnValues } from '#ports/sql-dialect';
import type { Connection } from '../connection.js';
import { gramsIn, gramsOf } from './grams.js';
import { readVarint, varintBytes, writeVarint, type Cursor } from '../metrics/varints.js';

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
/** As much is compressed at once without another thread, which would cost twice the processor time. */
const promptBytes = 1024 * 1024;
/** Frames of one statement. */
const framesAtOnce = 64;
/** Frames that are looked at for a text, of which nearly none is opened. */
const framesSearched = 512;

const compress = promisify(brotliCompress);
const decompress = promisify(brotliDecompress);

export interface PackedFrame {
  readonly data: Uint8Array;
  /** Tells of most texts that they do not stand in it. */
  readonly grams: Uint8Array | undefined;
}

/** Texts as one frame: how many there are, how long each is, and the texts themselves, all of it compressed. */
export const packFrame = async (texts: readonly (string | undefined)[]): Promise<PackedFrame> => {
  const numbers = [
    texts.length,
    ...texts.map((text) => (text === undefined ? 0 : text.length + 1)),
  ];
  const headerBytes = numbers.reduce((sum, one) => sum + varintBytes(one), 0);
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
  const content = Buffer.allocUnsafe(headerBytes + bytes);
  numbers.reduce((at, one) => writeVarint(content, at, one), 0);
  let at = headerBytes;
  for (const text of texts) if (text !== undefined) at += content.write(text, at);
  const options = {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: 0, // a tenth more bytes than the next one, at two thirds of the time
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
    },
  };
  return {
    data:
      bytes > promptBytes ? await compress(content, options) : brotliCompressSync(content, options),
    grams: gramsOf(texts, content, headerBytes),
  };
};

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
  const lists: FrameRow[][] = [];
  let bytes = 0;
  for (const { id, bodies } of frames)
    for (const [part, name] of bodyParts.entries()) {
      const texts = bodies.map((one) => one[name]);
      if (texts.every((text) => text === undefined)) continue;
      const { data, grams } = await packFrame(texts);
      const row = { id, part, live: bodies.length, data, grams };
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
    ({ byte, mask }) => `${dialect.byteAt('grams', byte)} & ${mask} > 0`,
  );
  return bits.length === 0 ? '1 = 1' : `(grams is null or (${bits.join(' and ')}))`;
};

/** Those of these frames of which any part may hold a text, without reading them. */
const idsHolding = async (
  { db, dialect }: Pick<Connection, 'db' | 'dialect'>,
  projectId: string,
  ids: readonly string[],
  text: string,
): Promise<readonly string[]> => {
  const found = new Set<string>();
  for (let from = 0; from < ids.length; from += framesSearched) {
    const rows = (await db('span_frames')
      .select('id')
      .where({ project_id: projectId })
      .whereIn('id', ids.slice(from, from + framesSearched))
      .whereRaw(mayHold(dialect, text))) as readonly { readonly id: string }[]; // the column named
    for (const { id } of rows) found.add(id);
  }
  return [...found];
};

interface Opening {
  readonly wanted?: readonly BodyPart[];
  /** Parts in which this surely does not stand are left out. */
  readonly holding?: string | undefined;
}

/** Opens frames of a project a few at a time, only the parts that are wanted; one that is gone by now is left out. */
export async function* openFrames(
  { db, dialect }: Connection,
  projectId: string,
  ids: readonly string[],
  { wanted = bodyParts, holding }: Opening = {},
): AsyncGenerator<readonly (readonly [string, Partial<Record<BodyPart, OpenFrame>>])[]> {
  const some =
    holding === undefined ? ids : await idsHolding({ db, dialect }, projectId, ids, holding);
  for (let from = 0; from < some.length; from += framesAtOnce) {
    const rows = (await db('span_frames')
      .select('id', 'part', 'data')
      .where({ project_id: projectId })
      .whereIn('id', some.slice(from, from + framesAtOnce))
      .whereIn(
        'part',
        wanted.map((part) => bodyParts.indexOf(part)),
      )
      .whereRaw(holding === undefined ? '1 = 1' : mayHold(dialect, holding))) as readonly {
      readonly id: string;
      readonly part: number;
      readonly data: Uint8Array;
    }[]; // the columns named
    const opened = await Promise.all(
      rows.map(async ({ id, part, data }) => [id, part, await openFrame(data)] as const),
    );
    const frames = new Map<string, Partial<Record<BodyPart, OpenFrame>>>();
    for (const [id, part, frame] of opened)
      frames.set(id, { ...frames.get(id), [bodyParts[Number(part)] ?? 'input']: frame });
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
  for (const [i, place] of places.entries())
    if (place !== undefined) byFrame.set(place.frameId, [...(byFrame.get(place.frameId) ?? []), i]);
  for await (const some of openFrames(connection, projectId, [...byFrame.keys()], { wanted }))
    for (const [id, frame] of some)
      for (const i of byFrame.get(id) ?? []) {
        const at = places[i]?.at ?? 0;
        found[i] = { input: frame.input?.text(at), output: frame.output?.text(at) };
      }
  return found;
};
