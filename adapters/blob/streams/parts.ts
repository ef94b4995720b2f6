// Bytes gathered into the parts that a bucket takes: each must be whole before it is sent, since its length and hash go first.

const smallest = 64 * 1024;
const growth = 16;

export interface GatheredPart {
  /** Lasts until the part after the next is asked for. */
  readonly bytes: Buffer;
  /** Whether the source ends with it. */
  readonly last: boolean;
}

/** Gives the parts of a source one by one, each but the last of the size that is said for its number (from 1). Two buffers serve in turns. */
export const gatherParts = (
  source: AsyncGenerator<Uint8Array>,
  sizeOf: (number: number) => number,
) => {
  let buffers: readonly [Buffer, Buffer] = [Buffer.alloc(0), Buffer.alloc(0)];
  let left: Uint8Array = new Uint8Array(0);
  let number = 0;

  /** Whether there is more to come; asked for beforehand, so that a full part knows whether it is the last. */
  const hasMore = async (): Promise<boolean> => {
    while (left.length === 0) {
      const next = await source.next();
      if (next.done === true) return false;
      left = next.value;
    }
    return true;
  };
  return async (): Promise<GatheredPart> => {
    const most = sizeOf(++number);
    let [buffer, size, more] = [buffers[0], 0, true];
    while ((more = await hasMore()) && size < most) {
      const some = left.subarray(0, most - size);
      buffer = makeRoom(buffer, size + some.length, most);
      buffer.set(some, size);
      size += some.length;
      left = left.subarray(some.length);
    }
    buffers = [buffers[1], buffer];
    return { bytes: buffer.subarray(0, size), last: !more };
  };
};

/** Small blobs must not cost the memory of a large part, and a large one leaves little behind while it grows. */
const makeRoom = (held: Buffer, needed: number, most: number): Buffer => {
  if (needed <= held.length) return held;
  const larger = Buffer.allocUnsafeSlow(
    Math.min(most, Math.max(needed, held.length * growth, smallest)),
  );
  held.copy(larger);
  return larger;
};
