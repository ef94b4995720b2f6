// Links that carry their own permission: to one asset's bytes, and for one part of an upload.
import type { BlobStore } from '#ports/blob-store';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Asset } from '#ports/model/assets';
import type { Secrets } from '#ports/secrets';
import type { Stores } from '#ports/storage/storage';
import { contentTypeOf } from './content-types.js';
import { isImageType } from './types.js';
import type { AssetSettings } from './settings.js';

export interface LinkNeeds {
  readonly linkSecrets: Stores['links'];
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** What a request says of its link's permission. */
export interface Permission {
  readonly expires: number;
  readonly signature: string;
}

/** Signs and checks links. The secret is made on first use and shared by all processes over one database. */
export const createLinks = ({ linkSecrets, clock, secrets }: LinkNeeds) => {
  let kept: string | undefined;
  const secret = async (): Promise<string> =>
    (kept ??= await linkSecrets.keepLinkSecret(secrets.code(64), clock.now()));
  return {
    /** Query words that permit what `said` names for this many seconds. */
    async permit(said: string, seconds: number): Promise<string> {
      const expires = clock.now() + seconds * 1000;
      return `expires=${expires}&signature=${secrets.sign(await secret(), `${said}:${expires}`)}`;
    },
    /** Lets a permission pass that was made here and has not run out; else rejects with `forbidden`. */
    async check(said: string, { expires, signature }: Permission): Promise<void> {
      const genuine = secrets.verify(await secret(), `${said}:${expires}`, signature);
      if (!genuine || expires < clock.now())
        throw new Failure('forbidden', 'the link is not valid, or no longer');
    },
  };
};
export type Links = ReturnType<typeof createLinks>;

export interface LinkingNeeds {
  readonly links: Links;
  readonly store: BlobStore;
  readonly settings: AssetSettings;
}

const otherSeconds = 10_800;
const secondsOf = (asset: Pick<Asset, 'type'>, settings: AssetSettings): number =>
  isImageType(asset.type)
    ? settings.IMAGE_PRE_SIGNED_URL_EXP_SECONDS
    : asset.type === 'video'
      ? settings.VIDEO_PRE_SIGNED_URL_EXP_SECONDS
      : otherSeconds;

/** The bytes' name in a file system, whatever folders stood before it. */
export const baseName = (asset: Pick<Asset, 'fileName'>): string =>
  asset.fileName.split(/[/\\]/).at(-1) ?? '';

/** Where a client reads the bytes of an asset straight from the bucket; `undefined` where it may not, or the bucket signs no links. */
export const bucketLink = async (
  { store, settings }: Pick<LinkingNeeds, 'store' | 'settings'>,
  asset: Asset,
): Promise<string | undefined> =>
  asset.blobKey === undefined || !settings.ALLOW_S3_DIRECT_DOWNLOAD
    ? undefined
    : store.links?.signGet(asset.blobKey, {
        seconds: secondsOf(asset, settings),
        fileName: baseName(asset),
        contentType: contentTypeOf(asset),
      });

/**
 * Where a client that follows redirects reads the bytes without its key; `undefined` where it is better answered here. Large ones are read
 * from the bucket where it signs links, else by a link of ours; with direct access every one that lies in such a bucket is.
 */
export const redirectFor = async (
  { links, store, settings }: LinkingNeeds,
  asset: Asset,
): Promise<string | undefined> => {
  const { blobKey } = asset;
  // A bucket refuses a range of nothing, which is how clients read there.
  if (blobKey === undefined || asset.fileSize === 0) return undefined;
  const large = asset.fileSize > settings.ASSET_REDIRECT_SIZE_LIMIT;
  const seconds = secondsOf(asset, settings);
  if (store.links !== undefined && (large || settings.ALLOW_S3_DIRECT_DOWNLOAD))
    return store.links.signGet(blobKey, {
      seconds,
      fileName: baseName(asset),
      contentType: contentTypeOf(asset),
    });
  return large
    ? `${settings.baseUrl}/api/asset/signed/${asset.rowId}?${await links.permit(`get:${asset.rowId}`, seconds)}`
    : undefined;
};
