// Bytes gathered into the parts that a bucket takes: each must be whole before it is sent, since its length and hash go first.

const mebibyte = 1024 * 1024;
const smallest = 64 * 1024;

/** Bytes of a part: 8 MiB, doubled after every 2,500 parts, so that 10,000 of them hold 290 GiB. */
export const sizeOfPart = (number: number): number => 8 * mebibyte * 2 ** Math.floor((number - 1) / 2500);

/** Gives the parts of a source one by one; a part that is not full is the last. Two buffers serve in turns: a part lasts until the one after the next is asked for. */
export const gatherParts = (source: AsyncGenerator<Uint8Array>) => {
  let buffers: [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  let left: Uint8Array = new Uint8Array(0);
  let number = 0;

  const makeRoom = (held: Buffer, needed: number, most: number): Buffer => {
    if (needed <= held.length) return held;
    const larger = Buffer.allocUnsafeSlow(Math.min(most, Math.max(needed, held.length * 2, smallest)));
    held.copy(larger);
    return larger;
  };
  return async (): Promise<Buffer> => {
    const most = sizeOfPart(++number);
    let buffer = buffers[0];
    let size = 0;
    while (size < most) {
      if (left.length === 0) {
        const next = await source.next();
        if (next.done === true) break;
        left = next.value;
        continue;
      }
      const some = left.subarray(0, most - size);
      buffer = makeRoom(buffer, size + some.length, most);
      buffer.set(some, size);
      size += some.length;
      left = left.subarray(some.length);
    }
    buffers = [buffers[1], buffer];
    return buffer.subarray(0, size);
  };
};
