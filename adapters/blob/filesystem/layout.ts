// Where a key's bytes lie: `blobs/<workspace>/<first two characters of the asset id>/<asset id>`. Sorting folders and names gives the order of keys.
import { join } from 'node:path';

export interface Layout {
  readonly blobs: string;
  /** Files being written, on the same file system, so that a rename moves them. */
  readonly incoming: string;
}

export const layOut = (folder: string): Layout => ({
  blobs: join(folder, 'blobs'),
  incoming: join(folder, 'incoming'),
});

/** The folders between `blobs` and the file, outermost first, and the file. The key has been checked. */
export const locate = (
  layout: Layout,
  key: string,
): { readonly folders: readonly [string, string]; readonly file: string } => {
  const slash = key.indexOf('/');
  const workspace = join(layout.blobs, toName(key.slice(0, slash)));
  const asset = key.slice(slash + 1);
  const shard = join(workspace, toName(shardOf(asset)));
  return { folders: [workspace, shard], file: join(shard, toName(asset)) };
};

export const shardOf = (asset: string): string => asset.slice(0, 2);

/** A segment as a file name: capitals become `_` and the small letter, since some file systems take both for one. The order of names stays. */
export const toName = (segment: string): string =>
  segment.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The segment of a file name; `undefined` for a name that is not ours. */
export const fromName = (name: string): string | undefined => {
  const segment = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return /^[A-Za-z0-9-]+$/.test(segment) && toName(segment) === name ? segment : undefined;
};
