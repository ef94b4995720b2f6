// The thread beside: packs what it is given, one order after the other.
import { parentPort } from 'node:worker_threads';
import { packContent, type Packed } from './pack-content.js';
import type { Done, Order } from './packing.js';

/** The same in one piece of memory, which is handed over at once. */
const inOnePiece = (packed: readonly Packed[]): readonly Packed[] => {
  const all = new Uint8Array(
    packed.reduce((sum, { data, grams }) => sum + data.length + (grams?.length ?? 0), 0),
  );
  let at = 0;
  const move = (bytes: Uint8Array) => {
    all.set(bytes, at);
    at += bytes.length;
    return all.subarray(at - bytes.length, at);
  };
  return packed.map(({ data, grams }) => ({ data: move(data), grams: grams && move(grams) }));
};

parentPort?.on('message', ({ id, contents }: Order) => {
  const packed = inOnePiece(contents.map(packContent));
  const done: Done = { id, packed };
  parentPort?.postMessage(
    done,
    packed.slice(0, 1).map(({ data }) => data.buffer as ArrayBuffer), // made above
  );
});
