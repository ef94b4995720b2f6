/** Bytes that are there already, as a stream of one piece. */
export async function* once(bytes: Uint8Array): AsyncIterable<Uint8Array> {
  yield await Promise.resolve(bytes);
}
