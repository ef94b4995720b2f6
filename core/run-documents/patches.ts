// Uploaded git patches: one client sends plain text, the other a zip. Pure.
import type { ByteStream } from '#ports/bytes';
import { Failure } from '#ports/failure';

export const patchEntry = 'git_diff.patch';
const mostBytes = 100 * 1024 * 1024;

/** Everything of a part. Rejects with `tooLarge` above 100 MiB. */
export const readPatch = async (content: ByteStream): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of content) {
    size += piece.length;
    if (size > mostBytes)
      throw new Failure('tooLarge', `a git patch must be at most ${mostBytes} bytes`);
    pieces.push(piece);
  }
  return join(pieces, size);
};

export const join = (
  pieces: readonly Uint8Array[],
  size = pieces.reduce((sum, piece) => sum + piece.length, 0),
): Uint8Array => {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

const startsWith = (bytes: Uint8Array, at: number, signature: readonly number[]): boolean =>
  signature.every((byte, i) => bytes[at + i] === byte);
const localFile = [0x50, 0x4b, 3, 4];
const directoryEnd = [0x50, 0x4b, 5, 6];
const directoryEntry = [0x50, 0x4b, 1, 2];
const endBytes = 22;
const mostComment = 65_535;

export const isZip = (bytes: Uint8Array): boolean => startsWith(bytes, 0, localFile);

/** Names of the entries by the archive's directory; `undefined` when it has none that can be read. */
const listEntries = (bytes: Uint8Array): readonly string[] | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (
    let end = bytes.length - endBytes;
    end >= Math.max(0, bytes.length - endBytes - mostComment);
    end--
  ) {
    if (!startsWith(bytes, end, directoryEnd)) continue;
    const [count, start] = [view.getUint16(end + 10, true), view.getUint32(end + 16, true)];
    const names: string[] = [];
    let at = start;
    for (let i = 0; i < count; i++) {
      if (at + 46 > end || !startsWith(bytes, at, directoryEntry)) return undefined;
      const length = view.getUint16(at + 28, true);
      names.push(new TextDecoder().decode(bytes.subarray(at + 46, at + 46 + length)));
      at += 46 + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
    }
    return names;
  }
  return undefined;
};

/** Rejects with `invalid` an archive that is not readable or holds anything beside the patch. */
export const checkPatchZip = (bytes: Uint8Array): void => {
  const names = listEntries(bytes);
  if (names === undefined) throw new Failure('invalid', 'the zip of a git patch cannot be read');
  if (names.length !== 1 || names[0] !== patchEntry)
    throw new Failure('invalid', `the zip of a git patch must hold ${patchEntry} alone`);
};
