import type { Blob } from '#ports/blob';
import type { ByteStream, Download } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { Asset } from '#ports/model/assets';
import type { Stores } from '#ports/storage/storage';
import type { Zip, ZipEntry } from '#ports/zip';
import { contentTypeOf } from './content-types.js';
import { baseName } from './links.js';
import { pathMaker } from './paths.js';
import type { AssetSettings } from './settings.js';

export interface DownloadNeeds {
  readonly assets: Stores['assets'];
  readonly blob: Blob;
  readonly zip: Zip;
  readonly settings: Pick<AssetSettings, 'FILTER_REMOTE_ASSET_ON_DOWNLOAD'>;
}

async function* textBytes(text: string): ByteStream {
  yield new TextEncoder().encode(text);
}

/** What holds only parts, as a small document that names them. */
const describe = async ({ assets }: DownloadNeeds, asset: Asset): Promise<Download> => {
  const parts = await assets.listPartsOf(asset.experimentId, asset.id);
  const text = JSON.stringify({
    assetId: asset.id,
    items: parts.map(({ id, type, fileName, fileSize }) => ({
      assetId: id,
      type,
      fileName,
      fileSize,
    })),
  });
  return { type: 'application/json', open: () => textBytes(text) };
};

/** The bytes of an asset, whole or a range of them. Rejects with `invalid` for one that is kept elsewhere. */
export const toDownload = async (
  needs: DownloadNeeds,
  asset: Asset,
  signal: AbortSignal,
): Promise<Download> => {
  if (asset.remoteLink !== undefined)
    throw new Failure(
      'invalid',
      `asset ${asset.id.slice(0, 80)} is remote: only its link is kept here`,
    );
  const { blobKey } = asset;
  if (blobKey === undefined) return describe(needs, asset);
  return {
    type: contentTypeOf(asset),
    size: asset.fileSize,
    fileName: baseName(asset),
    async open(range) {
      return (await needs.blob.open(blobKey, { signal, ...(range === undefined ? {} : { range }) }))
        .stream;
    },
  };
};

const pageSize = 1000;

/** Every asset of a listing, page by page. */
export async function* everyAsset(
  assets: Stores['assets'],
  listing: {
    readonly experimentId: string;
    readonly type?: string;
    readonly fileName?: string;
    readonly groupingName?: string;
  },
): AsyncIterable<readonly Asset[]> {
  for (let afterRow: string | undefined; ;) {
    const page = await assets.list({
      ...listing,
      limit: pageSize,
      ...(afterRow === undefined ? {} : { afterRow }),
    });
    if (page.length > 0) yield page;
    if (page.length < pageSize) return;
    afterRow = page.at(-1)?.rowId;
  }
}

type Packed = Pick<Asset, 'fileName' | 'remoteLink' | 'blobKey' | 'createdAt'>;

async function* entriesOf(
  needs: DownloadNeeds,
  pages: AsyncIterable<readonly Packed[]>,
  signal: AbortSignal,
): AsyncIterable<ZipEntry> {
  const toPath = pathMaker();
  for await (const page of pages)
    for (const asset of page) {
      const { remoteLink, blobKey } = asset;
      if (remoteLink !== undefined && !needs.settings.FILTER_REMOTE_ASSET_ON_DOWNLOAD)
        yield {
          name: toPath(`${asset.fileName}.link`),
          changedAt: asset.createdAt,
          open: async () => textBytes(remoteLink),
        };
      if (blobKey !== undefined)
        yield {
          name: toPath(asset.fileName),
          changedAt: asset.createdAt,
          open: async () => (await needs.blob.open(blobKey, { signal })).stream,
        };
    }
}

/** Assets as one zip, each under its own relative path, made while it is read; remote ones are left out unless the setting keeps them as links. */
export const toZip = (
  needs: DownloadNeeds,
  pages: AsyncIterable<readonly Packed[]>,
  fileName: string,
  signal: AbortSignal,
): Download => ({
  type: 'application/octet-stream',
  fileName,
  open: () => needs.zip.pack(entriesOf(needs, pages, signal)),
});
