// What is added to lines and how texts become replies. Pure.
import type { JsonText } from '#ports/api/operation';
import type { OutputLine } from '#ports/storage/texts';

export interface LoggedLine {
  readonly output: string;
  readonly stderr?: boolean | undefined;
  readonly offset?: number | undefined;
}

/**
 * The Java client sends each line without its newline and reads it back with one; the others send the newline where they want it.
 * It is the only client that carries its key in this header.
 */
export const endsLines = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  headers['comet-sdk-api'] !== undefined;

export const toLine = ({ output, stderr, offset }: LoggedLine, ended: boolean): OutputLine => ({
  text: ended && !output.endsWith('\n') ? `${output}\n` : output,
  stderr: stderr === true,
  offset,
});

/** A text whose pieces may be cut within a character. */
export const decodeText = (pieces: readonly Uint8Array[]): string => {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return pieces.map((piece) => decoder.decode(piece, { stream: true })).join('') + decoder.decode();
};

/** The JSON object with this one text, written piece by piece; null for no text at all. */
export const writeText = (
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined,
): JsonText => ({ text: write(name, pieces) });

async function* write(
  name: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined,
): AsyncIterable<string> {
  if (pieces === undefined) {
    yield `{"${name}":null}`;
    return;
  }
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  yield `{"${name}":"`;
  for await (const piece of pieces)
    yield JSON.stringify(decoder.decode(piece, { stream: true })).slice(1, -1);
  yield `${JSON.stringify(decoder.decode()).slice(1, -1)}"}`;
}
