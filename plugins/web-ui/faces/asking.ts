// Asks rows of the server as whoever looks would, for a face of a page.
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { OperationInput, Operations } from '#ports/operations';
import { readCurves, type Curves } from '../pure/curves.js';
import { seriesBody, type Axis, type RunGroup } from '../pure/axis.js';

export type From = NonNullable<OperationInput['from']>;

/** What a face is told of the request. */
export interface Faced {
  readonly ask: Ask;
  readonly search: URLSearchParams;
  /** How many charts the form shows at most. */
  readonly charts: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
}

/** Resolves with what a row answers, in the type that the row says it has. Rejects as the row refuses. */
export type Ask = <T>(id: string, input: OperationInput) => Promise<T>;

export const asking = (operations: Pick<Operations, 'call'>, caller: Caller, from: From): Ask => {
  const ask = async (id: string, input: OperationInput) =>
    operations.call(
      id,
      {
        ...input,
        from,
        // As it would come over the wire: without members that are not there.
        ...(input.body === undefined
          ? {}
          : { body: JSON.parse(JSON.stringify(input.body)) as unknown }),
      },
      caller,
    );
  return ask as Ask; // whoever asks says by which row's reply it is typed
};

/** The bytes of a reply at most, that is read whole. */
const mostBytes = 32 * 1024 * 1024;

const tooLong = () =>
  new Failure('tooLarge', 'this is too much for one page; narrow down what is asked for');

/** A JSON document that comes in pieces, read whole. */
export const readWhole = async <T>(reply: { readonly text: AsyncIterable<string> }): Promise<T> => {
  let text = '';
  for await (const piece of reply.text) {
    text += piece;
    if (text.length > mostBytes) throw tooLong();
  }
  return JSON.parse(text) as T; // the row's own shape
};

/** Bytes that come in pieces, read whole. */
export const readBytes = async (pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> => {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of pieces) {
    size += part.length;
    if (size > mostBytes) throw tooLong();
    parts.push(part);
  }
  return Buffer.concat(parts);
};

/** What the row of curves as bytes answers. */
export interface BinaryReply {
  readonly body: { open(): AsyncIterable<Uint8Array> | Promise<AsyncIterable<Uint8Array>> };
}

/** The curves of some metrics of runs, or of groups of them. */
export const askCurves = async (
  ask: Ask,
  of: {
    readonly runs: readonly string[];
    readonly metrics: readonly string[];
    readonly groups?: readonly RunGroup[] | undefined;
  },
  axis: Axis,
): Promise<Curves> => {
  const { body } = await ask<BinaryReply>('querySeriesBinary', { body: seriesBody(of, axis) });
  const bytes = await readBytes(await body.open());
  return readCurves(new Uint8Array(bytes).buffer);
};
