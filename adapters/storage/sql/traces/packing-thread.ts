// The thread beside: packs what it is given, one order after the other.
import { parentPort } from 'node:worker_threads';
import { packContent } from './pack-content.js';
import type { Done, Order } from './packing.js';

parentPort?.on('message', ({ id, contents }: Order) => {
  const packed = contents.map((content) => {
    const { data, grams } = packContent(content);
    return { data: new Uint8Array(data), grams }; // memory of its own, which can be handed over
  });
  const done: Done = { id, packed };
  parentPort?.postMessage(
    done,
    packed.flatMap(({ data, grams }) =>
      grams === undefined ? [data.buffer] : [data.buffer, grams.buffer],
    ),
  );
});
