// Bytes first, then the row: what a reader finds has its bytes, and what fails leaves none behind that the sweep does not know of.
import type { Blob } from '#ports/blob';
import type { ByteStream } from '#ports/bytes';
import type { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Asset, AssetFacts } from '#ports/model/assets';
import type { Stores } from '#ports/storage/storage';
import type { Keeping } from '#ports/storage/assets';
import { absentVersion, finished } from '../artifacts/rules.js';
import { headBytes, readDimensions } from './dimensions.js';
import { countLimit, isImageType, sizeLimit } from './types.js';
import type { AssetSettings } from './settings.js';

export interface KeepingNeeds {
  readonly assets: Stores['assets'];
  readonly uploads: Stores['uploads'];
  readonly blob: Blob;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly settings: AssetSettings;
}

export type KeptBytes = Pick<Asset, 'blobKey' | 'fileSize' | 'sha256' | 'width' | 'height'>;

/** The same bytes, counted against a limit in bytes (0 is none), and the first of them kept. */
const watch = (source: ByteStream, limit: number, wanted: number) => {
  const seen: Uint8Array[] = [];
  let [size, kept] = [0, 0];
  const stream = async function* (): ByteStream {
    for await (const bytes of source) {
      size += bytes.length;
      if (limit > 0 && size > limit)
        throw new Failure('tooLarge', `an asset of this type must be at most ${limit} bytes`);
      if (kept < wanted) {
        seen.push(bytes.subarray(0, wanted - kept));
        kept += bytes.length;
      }
      yield bytes;
    }
  };
  const head = (): Uint8Array => {
    const joined = new Uint8Array(seen.reduce((sum, piece) => sum + piece.length, 0));
    let at = 0;
    for (const piece of seen) {
      joined.set(piece, at);
      at += piece.length;
    }
    return joined;
  };
  return { stream: stream(), head };
};

/** Removes bytes that no row will need. When that fails too, their key stays noted, and the sweep removes them. */
export const dropBytes = async (
  { uploads, blob }: Pick<KeepingNeeds, 'uploads' | 'blob'>,
  blobKey: string,
): Promise<void> => {
  await blob
    .remove([blobKey])
    .then(() => uploads.forgetUpload(blobKey))
    .catch(() => undefined);
};

const cutOff = (thrown: unknown, signal: AbortSignal): unknown =>
  signal.aborted && !isFailure(thrown)
    ? new Failure('invalid', 'the request ended before its body', { cause: thrown })
    : thrown;

/** Writes bytes under a key of ours that is noted first. Rejects with `tooLarge`, `unavailable`, and `invalid` for a body that ends early; nothing is left then. */
export const putNoted = async (
  { uploads, blob, clock }: Pick<KeepingNeeds, 'uploads' | 'blob' | 'clock'>,
  blobKey: string,
  source: ByteStream,
  signal: AbortSignal,
) => {
  await uploads.noteUpload(blobKey, clock.now());
  try {
    return await blob.put(blobKey, source, { signal });
  } catch (thrown) {
    await dropBytes({ uploads, blob }, blobKey);
    throw cutOff(thrown, signal);
  }
};

/** Whether the first bytes of an asset are looked at for its dimensions. */
export const wantsDimensions = (
  { settings }: Pick<KeepingNeeds, 'settings'>,
  facts: Pick<AssetFacts, 'type' | 'fileName'>,
): boolean =>
  settings.ADD_IMAGE_DIMENSIONS &&
  (isImageType(facts.type) || /\.(png|jpe?g|gif|webp)$/i.test(facts.fileName));

/** Stores the bytes of an asset before its row is there. */
export const keepBytes = async (
  needs: KeepingNeeds,
  facts: AssetFacts,
  source: ByteStream,
  signal: AbortSignal,
): Promise<KeptBytes> => {
  const wantsHead = wantsDimensions(needs, facts);
  const watched = watch(source, sizeLimit(facts.type, needs.settings), wantsHead ? headBytes : 0);
  const blobKey = `${facts.workspaceId}/${facts.rowId}`;
  const { size, sha256 } = await putNoted(needs, blobKey, watched.stream, signal);
  const dimensions = wantsHead ? readDimensions(watched.head()) : undefined;
  return { blobKey, fileSize: size, sha256, width: dimensions?.width, height: dimensions?.height };
};

export const noBytes: KeptBytes = {
  blobKey: undefined,
  fileSize: 0,
  sha256: undefined,
  width: undefined,
  height: undefined,
};

export const alreadyStored = (facts: Pick<AssetFacts, 'id' | 'type'>): Failure =>
  new Failure('conflict', `asset ${facts.id.slice(0, 80)} is stored already`, {
    reason: isImageType(facts.type) ? 'imageStored' : 'assetStored',
  });

/** Why the artifact version of an asset does not take it. */
export const refusedBy = {
  closed: ({ artifactVersionId = '' }: Pick<AssetFacts, 'artifactVersionId'>) =>
    finished(artifactVersionId),
  versionGone: ({ artifactVersionId = '' }: Pick<AssetFacts, 'artifactVersionId'>) =>
    absentVersion(artifactVersionId),
} as const;

const refusals = {
  ...refusedBy,
  present: (facts: AssetFacts) => alreadyStored(facts),
  full: (facts: AssetFacts, { settings }: KeepingNeeds) => {
    const limit = countLimit(facts.type, settings);
    return new Failure(
      'invalid',
      `the experiment holds ${limit?.most ?? 0} ${limit?.word ?? 'assets'} already, which is the limit`,
      { reason: limit?.reason ?? 'forUser' },
    );
  },
  gone: () =>
    new Failure(
      'absent',
      'the experiment was deleted, or the upload given up, before the asset was complete',
      { reason: 'runAbsent' },
    ),
} as const;

/**
 * Stores the row of an asset, whose bytes are there, and answers its id. Rejects with `conflict` when the id is taken, with `invalid` when
 * the experiment holds as many of its kind as it may, with `absent` when the experiment or artifact version is gone; the bytes are gone then too. On a fault
 * of the database they stay, since the row may have been stored; the sweep knows which.
 */
export const keepRow = async (
  needs: KeepingNeeds,
  facts: AssetFacts,
  bytes: KeptBytes,
  how: Omit<Keeping, 'limit'>,
): Promise<string> => {
  const limit =
    facts.artifactVersionId === undefined && facts.partOf === undefined
      ? countLimit(facts.type, needs.settings)
      : undefined;
  const kept = await needs.assets.insert(
    { ...facts, ...bytes },
    { ...how, ...(limit === undefined ? {} : { limit }) },
  );
  if (kept.outcome === 'kept') return kept.id;
  // Another try of the same upload may have been faster: then the bytes are its row's.
  const stored =
    bytes.blobKey === undefined ? undefined : await needs.assets.findByRow(facts.rowId);
  if (stored !== undefined && stored.blobKey === bytes.blobKey) return stored.id;
  if (bytes.blobKey !== undefined) await dropBytes(needs, bytes.blobKey);
  throw refusals[kept.outcome](facts, needs);
};
