// The thread beside: packs what it is given, one order after the other.
import { serveBeside } from '../beside.js';
import { packContent, type Content, type Packed } from './pack-content.js';

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

serveBeside((contents: readonly Content[]) => {
  const packed = inOnePiece(contents.map(packContent));
  return {
    made: packed,
    memory: packed.slice(0, 1).map(({ data }) => data.buffer as ArrayBuffer), // made above
  };
});
