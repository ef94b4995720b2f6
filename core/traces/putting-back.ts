// Files that a client cut out of large members are put back where they stood, character for character.
import type { Blob } from '#ports/blob';
import type { TraceEntry } from '#ports/model/traces';
import type { StorageOf } from '#ports/storage/storage';

/** What stands in the place of a file: `[input-attachment-1-1700000000000-sdk.png]`. */
const placeholder = /\[((?:input|output|metadata|context)-attachment-[\w.-]{1,200})\]/g;
/** Files of one reply together; what is beyond stays cut out. */
const mostBytes = 64 * 1024 * 1024;

interface Needs {
  readonly storage: StorageOf<'attachments'>;
  readonly blob: Blob;
}
type Members = Pick<TraceEntry, 'input' | 'output' | 'metadata'>;

const noNames: ReadonlySet<string> = new Set();
const namesIn = ({ input = '', output = '', metadata = '' }: Members): ReadonlySet<string> => {
  const texts = [input, output, metadata].filter((text) => text.includes('-attachment-'));
  return texts.length === 0
    ? noNames
    : new Set(
        texts.flatMap((text) => [...text.matchAll(placeholder)].map(([, name = '']) => name)),
      );
};

const base64Of = async (blob: Blob, key: string): Promise<string> => {
  const pieces: Uint8Array[] = [];
  const { stream } = await blob.open(key);
  for await (const piece of stream) pieces.push(piece);
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  const all = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  // In parts of whole groups of three bytes, which a function takes as its arguments.
  const part = 3 * 8192;
  let text = '';
  for (let from = 0; from < size; from += part)
    text += btoa(String.fromCharCode(...all.subarray(from, from + part)));
  return text;
};

/** A client cuts out the whole data URL, the server its base64 alone. */
const isWholeUrl = (name: string): boolean => /-sdk(?:\.[\w-]+)?$/.test(name);

/** Entries with the files that their members name; one that is not there yet stays cut out. */
export const putBack = async <T extends TraceEntry>(
  { storage: { stores }, blob }: Needs,
  kind: 'trace' | 'span',
  entries: readonly T[],
): Promise<readonly T[]> => {
  let left = mostBytes;
  const filled: T[] = [];
  for (const entry of entries) {
    const texts = new Map<string, string>();
    for (const name of namesIn(entry)) {
      const about = { projectId: entry.projectId, entityKind: kind, entityId: entry.id };
      const found = await stores.attachments.find(about, name);
      if (found === undefined || found.fileSize > left) continue;
      left -= found.fileSize;
      const text = await base64Of(blob, found.blobKey);
      texts.set(name, isWholeUrl(name) ? `data:${found.mimeType};base64,${text}` : text);
    }
    filled.push(texts.size === 0 ? entry : { ...entry, ...fill(entry, texts) });
  }
  return filled;
};

const fill = (entry: Members, texts: ReadonlyMap<string, string>): Members => {
  const within = (json: string | undefined): string | undefined =>
    json?.replaceAll(placeholder, (whole: string, name: string, at: number) => {
      const text = texts.get(name);
      if (text === undefined) return whole;
      const start = text.indexOf(';base64,');
      const isThere = start !== -1 && json.slice(0, at).endsWith(text.slice(0, start + 8));
      return isThere ? text.slice(start + 8) : text;
    });
  return {
    input: within(entry.input),
    output: within(entry.output),
    metadata: within(entry.metadata),
  };
};
