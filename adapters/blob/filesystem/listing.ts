import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobEntry, BlobPage } from '#ports/blob';
import { codeOf, onDisk } from './faults.js';
import { fromName, locate, toName, type Layout } from './layout.js';

interface Span {
  readonly prefix: string;
  readonly after: string;
}

/** One page of blobs in the order of their keys; folders that cannot hold one of them are not opened. */
export const listBlobs = async (layout: Layout, span: Span, limit: number): Promise<BlobPage> => {
  const entries: BlobEntry[] = [];
  for await (const key of walk(layout, span)) {
    if (entries.length === limit) return { entries, next: entries.at(-1)?.key };
    const size = await measure(locate(layout, key).file);
    if (size !== undefined) entries.push({ key, size });
  }
  return { entries, next: undefined };
};

async function* walk(layout: Layout, span: Span): AsyncGenerator<string> {
  for (const workspace of await readSegments(layout.blobs, '/')) {
    if (!mayHold(`${workspace}/`, span)) continue;
    const folder = join(layout.blobs, toName(workspace));
    for (const shard of await readSegments(folder)) {
      if (!mayHold(`${workspace}/${shard}`, span)) continue;
      for (const asset of await readSegments(join(folder, toName(shard)))) {
        const key = `${workspace}/${asset}`;
        if (key.startsWith(span.prefix) && key > span.after) yield key;
      }
    }
  }
}

// Whether a key that starts with `stem` can be in the span; `~` sorts after all characters of a key.
const mayHold = (stem: string, span: Span): boolean =>
  (stem.startsWith(span.prefix) || span.prefix.startsWith(stem)) && `${stem}~` > span.after;

/** Names in a folder, ordered as keys are: by what follows them in the key too, since `-` sorts before `/`. */
const readSegments = async (folder: string, ending = ''): Promise<string[]> => {
  const names = await onDisk(readdir(folder)).catch(absentAs<string[]>([]));
  const segments = names.map(fromName).filter((segment) => segment !== undefined);
  return segments.sort((one, other) => (one + ending < other + ending ? -1 : 1));
};

const measure = (file: string): Promise<number | undefined> =>
  onDisk(stat(file))
    .then((found) => found.size)
    .catch(absentAs(undefined));

const absentAs =
  <T>(value: T) =>
  (error: unknown): T => {
    if (codeOf(error) === 'ENOENT') return value;
    throw error;
  };
