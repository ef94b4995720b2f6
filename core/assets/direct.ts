// Large files in parts: the client sends each to a link of its own, and says in the end that all are there.
import type { ByteStream } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { DirectPart, DirectUpload } from '#ports/model/assets';
import type { BlobStore } from '#ports/blob-store';
import type { Experiment } from '#ports/model/experiments';
import { requireOpen } from '../artifacts/rules.js';
import { completeInBucket, startInBucket } from './bucket.js';
import { alreadyStored, dropBytes, keepBytes, keepRow, putNoted } from './storing.js';
import { sizeLimit } from './types.js';
import type { Links, Permission } from './links.js';
import { takeRoom } from '../quota.js';
import { takeUpload, type ReceivingNeeds } from './receiving.js';
import { isIdGiven, readFacts, withName, type UploadFields } from './requests.js';

export interface DirectNeeds extends ReceivingNeeds {
  readonly links: Links;
  readonly store: BlobStore;
}

const lifeSeconds = 10_800;

export interface DirectStart {
  readonly experiment: Experiment;
  readonly artifactVersion?: ArtifactVersion | undefined;
  readonly fields: UploadFields;
  readonly type?: string;
  readonly parts: number;
  /** How long the client wants the links to work; never longer than three hours. */
  readonly seconds: number | undefined;
}

const named = (upload: string, part: number): string => `put:${upload}:${part}`;

/** Begins an upload: its id and one link for each part, in order. They lead to the bucket where it joins parts, else to this server. */
export const startDirect = async (
  needs: DirectNeeds,
  { experiment, artifactVersion, fields, type, parts, seconds = lifeSeconds }: DirectStart,
) => {
  const { assets, uploads, clock, ids, links, settings } = needs;
  const facts = withName(
    readFacts(fields, experiment, {
      id: ids.key(),
      rowId: ids.next(),
      now: clock.now(),
      ...(type === undefined ? {} : { type }),
    }),
    undefined,
  );
  if (
    fields.overwrite !== true &&
    isIdGiven(fields) &&
    (await assets.find(experiment.id, facts.id)) !== undefined
  )
    throw alreadyStored(facts);
  requireOpen(artifactVersion);
  (await takeRoom(needs, experiment)).release(false);
  await takeUpload(needs, experiment, facts);
  const id = ids.next();
  const life = Math.max(1, Math.min(seconds, lifeSeconds));
  const begun = await startInBucket(needs, facts, { count: parts, seconds: life });
  await uploads.insertDirect({
    id,
    experimentId: experiment.id,
    facts,
    idGiven: isIdGiven(fields),
    replacing: fields.overwrite === true,
    parts,
    bucket: begun?.bucket,
    expiresAt: clock.now() + life * 1000,
    keptAs: undefined,
  });
  if (begun !== undefined) return { requestId: id, preSignUrl: [...begun.links] };
  const urls: string[] = [];
  for (let part = 1; part <= parts; part++)
    urls.push(
      `${settings.baseUrl}/api/asset/parts/${id}/${part}?${await links.permit(named(id, part), life)}`,
    );
  return { requestId: id, preSignUrl: urls };
};

export interface SentPart {
  readonly upload: string;
  readonly number: number;
  readonly permission: Permission;
  readonly content: ByteStream;
  readonly signal: AbortSignal;
}

async function* bounded(source: ByteStream, most: number): ByteStream {
  let size = 0;
  for await (const bytes of source) {
    size += bytes.length;
    if (most > 0 && size > most)
      throw new Failure('tooLarge', `a part must be at most ${most} bytes`);
    yield bytes;
  }
}

/** Stores one part and answers its tag. A part sent again replaces the former. Rejects with `forbidden` for a link that does not hold. */
export const putPart = async (
  needs: DirectNeeds,
  { upload: id, number, permission, content, signal }: SentPart,
): Promise<string> => {
  await needs.links.check(named(id, number), permission);
  const upload = await needs.uploads.findDirect(id);
  if (upload === undefined || upload.keptAs !== undefined || upload.bucket !== undefined)
    throw new Failure('absent', `upload ${id} is not open`);
  const [experiment] = await needs.experiments.listByIds([upload.experimentId]);
  if (experiment === undefined) throw new Failure('absent', `upload ${id} is not open`);
  const room = await takeRoom(needs, experiment);
  try {
    const blobKey = `${upload.facts.workspaceId}/${needs.ids.next()}`;
    const { size, sha256 } = await putNoted(
      needs,
      blobKey,
      room.count(bounded(content, sizeLimit(upload.facts.type, needs.settings))),
      signal,
    );
    if (await needs.uploads.keepPart(id, { number, size, sha256, blobKey })) {
      room.release(true);
      return sha256;
    }
    await dropBytes(needs, blobKey);
    throw new Failure('absent', `upload ${id} is not open`);
  } finally {
    room.release(false);
  }
};

export interface DirectEnd {
  readonly succeed: boolean;
  readonly fileSize: number;
  readonly sent: readonly { readonly ETag: string; readonly PartNumber: number }[];
}

/** Holds what the client says it has sent against what has arrived. */
const checkParts = (
  upload: DirectUpload,
  parts: readonly DirectPart[],
  { fileSize, sent }: DirectEnd,
): void => {
  if (parts.length !== upload.parts || sent.length !== upload.parts)
    throw new Failure(
      'invalid',
      `upload ${upload.id} has ${parts.length} of its ${upload.parts} parts`,
    );
  const tags = new Map(sent.map((part) => [part.PartNumber, part.ETag.replaceAll('"', '')]));
  for (const { number, sha256 } of parts)
    if (tags.get(number) !== sha256)
      throw new Failure(
        'invalid',
        `part ${number} of upload ${upload.id} is not the one that arrived`,
      );
  const size = parts.reduce((sum, part) => sum + part.size, 0);
  if (size !== fileSize)
    throw new Failure('invalid', `upload ${upload.id} has ${size} bytes, not ${fileSize}`);
};

async function* joined(
  needs: DirectNeeds,
  parts: readonly DirectPart[],
  signal: AbortSignal,
): ByteStream {
  for (const { blobKey } of parts) yield* (await needs.blob.open(blobKey, { signal })).stream;
}

/**
 * Ends an upload: its parts become the asset, whose id is answered, or are given up. May be repeated. Rejects with `invalid` when parts
 * are missing or others than said.
 */
export const completeDirect = async (
  needs: DirectNeeds,
  upload: DirectUpload,
  end: DirectEnd,
  signal: AbortSignal,
): Promise<string> => {
  const { uploads, clock, ids } = needs;
  if (upload.keptAs !== undefined) return upload.keptAs;
  if (!end.succeed) {
    await uploads.removeDirect(upload.id, clock.now());
    return upload.facts.id;
  }
  const how = { replacing: upload.replacing, idGiven: upload.idGiven };
  if (upload.bucket !== undefined) {
    const facts = { ...upload.facts, createdAt: clock.now() };
    const id = await keepRow(
      needs,
      facts,
      await completeInBucket(needs, upload, upload.bucket, end),
      how,
    );
    await uploads.finishDirect(upload.id, id, clock.now());
    return id;
  }
  const parts = await uploads.listParts(upload.id);
  checkParts(upload, parts, end);
  // A key of its own for each try: two that run at once must not remove each other's bytes.
  const facts = { ...upload.facts, rowId: ids.next(), createdAt: clock.now() };
  const bytes = await keepBytes(needs, facts, joined(needs, parts, signal), signal);
  const id = await keepRow(needs, facts, bytes, how);
  await uploads.finishDirect(upload.id, id, clock.now());
  return id;
};
