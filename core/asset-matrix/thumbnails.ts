// Small pictures, kept while there is room: they are asked for again by every page that shows the run.
import { thumbnailSizes } from '#ports/api/asset-matrix';
import type { Blob } from '#ports/blob';
import type { Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import { imageBounds, type Images } from '#ports/images';
import type { Asset } from '#ports/model/assets';
import { contentTypeOf } from '../assets/offers.js';

interface Kept {
  readonly bytes: Uint8Array;
  readonly type: string;
}

/** Bytes of all that is kept. */
const mostKept = 32 * 1024 * 1024;

const unfit = (why: string) => new Failure('unprocessable', `the asset has no thumbnail: ${why}`);

/** Refuses what is no picture, or too large a one, before anything is read. */
export const requireThumbnail = (asset: Asset, size: number): void => {
  if (!thumbnailSizes.includes(size))
    throw new Failure('invalid', `size must be one of ${thumbnailSizes.join(', ')}`);
  if (asset.blobKey === undefined) throw unfit('its bytes are not kept here');
  const type = contentTypeOf(asset);
  if (!type.startsWith('image/') || type === 'image/svg+xml')
    throw unfit('it is no picture of a kind that is read');
  if (asset.fileSize > imageBounds.bytes)
    throw unfit(`it has more than ${imageBounds.bytes / 1024 / 1024} MiB`);
  if ((asset.width ?? 0) * (asset.height ?? 0) > imageBounds.pixels)
    throw unfit(`it has more than ${imageBounds.pixels} pixels`);
};

/** Makes thumbnails; those who ask for the same one at once get the same. */
export const createThumbnails = (images: Images, blob: Blob) => {
  const kept = new Map<string, Kept>();
  const making = new Map<string, Promise<Kept>>();
  let size = 0;

  const keep = (key: string, picture: Kept): void => {
    kept.set(key, picture);
    size += picture.bytes.length;
    for (const [oldest, { bytes }] of kept) {
      if (size <= mostKept) return;
      kept.delete(oldest);
      size -= bytes.length;
    }
  };

  return async ({ rowId, blobKey = '' }: Asset, edge: number): Promise<Download> => {
    const key = `${rowId} ${edge}`;
    const known = kept.get(key);
    if (known !== undefined) {
      kept.delete(key); // and behind the others again
      kept.set(key, known);
    }
    const made =
      known ??
      (await (making.get(key) ??
        (() => {
          const begun = images
            .shrink(async () => (await blob.open(blobKey)).stream, edge)
            .then((picture) => {
              keep(key, picture);
              return picture;
            })
            .finally(() => making.delete(key));
          making.set(key, begun);
          return begun;
        })()));
    return {
      type: made.type,
      open: async function* () {
        yield made.bytes;
      },
    };
  };
};
