// Reads the one entry of a zip.

/** The bytes of the first entry of a zip; nothing where it is none. */
export const firstEntry = async (zip: ArrayBuffer): Promise<Uint8Array | undefined> => {
  const view = new DataView(zip);
  let end = zip.byteLength - 22;
  while (end >= 0 && view.getUint32(end, true) !== 0x06054b50) end--;
  if (end < 0) return undefined;
  const entry = view.getUint32(end + 16, true);
  const [method, size, at] = [
    view.getUint16(entry + 10, true),
    view.getUint32(entry + 20, true),
    view.getUint32(entry + 42, true),
  ];
  const begin = at + 30 + view.getUint16(at + 26, true) + view.getUint16(at + 28, true);
  const packed = new Uint8Array(zip, begin, size);
  if (method === 0) return packed;
  const plain = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
};
