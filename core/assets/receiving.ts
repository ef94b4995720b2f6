// A multipart upload, part by part as it arrives: the file goes straight to its place, whatever stands before or behind it.
import type { Part, Upload } from '#ports/bytes';
import { Failure } from '#ports/failure';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { AssetFacts } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import type { WorkspaceStore } from '#ports/storage/workspaces';
import type { ExperimentStore } from '#ports/storage/experiments';
import type { Throttle } from '#ports/throttle';
import { requireOpen } from '../artifacts/rules.js';
import { takeRoom, type Room } from '../quota.js';
import { takeAllowance } from '../throttling.js';
import {
  alreadyStored,
  dropBytes,
  keepBytes,
  keepRow,
  noBytes,
  type KeepingNeeds,
} from './storing.js';
import { sizeLimit } from './types.js';
import {
  isIdGiven,
  linkLimit,
  metadataLimit,
  readFacts,
  readLink,
  readAssetMetadata,
  withName,
  type UploadFields,
} from './requests.js';

export interface ReceivingNeeds extends KeepingNeeds {
  readonly experiments: ExperimentStore;
  readonly throttle: Throttle;
  readonly workspaces: WorkspaceStore;
}

export interface Receiving {
  readonly experiment: Experiment;
  /** The artifact version that it joins. */
  readonly artifactVersion?: ArtifactVersion | undefined;
  readonly fields: UploadFields;
  /** The type, of calls that say it by their path. */
  readonly type?: string;
  readonly upload: Upload;
  /** `Content-Length`, where the client told it. */
  readonly declaredBytes: number | undefined;
  readonly signal: AbortSignal;
}

const isFile = (part: Part): boolean => part.name === 'file' || part.fileName !== undefined;
/** Beside the file, a body holds boundaries, metadata and headers. */
const overheadBytes = 2 * metadataLimit;

/** Takes one upload from an experiment's allowance; files of artifact versions are never throttled. */
export const takeUpload = async (
  needs: ReceivingNeeds,
  experiment: Experiment,
  facts: Pick<AssetFacts, 'artifactVersionId'>,
): Promise<void> => {
  if (facts.artifactVersionId === undefined) await takeAllowance(needs, experiment, 'assets', 1);
};

const activityMs = 5000;
/** An upload is a sign of life; written at most every five seconds. */
export const noteActivity = async (
  { experiments, clock }: ReceivingNeeds,
  experiment: Experiment,
): Promise<void> => {
  const now = clock.now();
  if (
    now - experiment.lastSeenAt > activityMs ||
    (!experiment.endSet && now - experiment.endTimeMillis > activityMs)
  )
    await experiments.touch(experiment.id, now);
};

const smallBody = 1024 * 1024;

/** What can be refused before a byte is written. */
const checkEarly = async (
  needs: ReceivingNeeds,
  { experiment, artifactVersion, fields, declaredBytes }: Receiving,
  facts: AssetFacts,
): Promise<void> => {
  // A small body is read sooner than the question is answered; the row decides in either case.
  const small = (declaredBytes ?? Infinity) < smallBody;
  if (
    !small &&
    fields.overwrite !== true &&
    isIdGiven(fields) &&
    (await needs.assets.find(experiment.id, facts.id)) !== undefined
  )
    throw alreadyStored(facts);
  requireOpen(artifactVersion);
  const most = sizeLimit(facts.type, needs.settings);
  if (most > 0 && (declaredBytes ?? 0) > most + overheadBytes)
    throw new Failure('tooLarge', `an asset of this type must be at most ${most} bytes`);
  await takeUpload(needs, experiment, facts);
};

interface Gathered {
  metadata?: string;
  link?: string;
  facts?: AssetFacts;
  bytes?: Awaited<ReturnType<typeof keepBytes>>;
}

const takePart = async (
  needs: ReceivingNeeds,
  { signal }: Receiving,
  room: Room,
  facts: AssetFacts,
  part: Part,
  gathered: Gathered,
): Promise<void> => {
  if (part.name === 'metadata') {
    const metadata = readAssetMetadata(await part.text(metadataLimit), false);
    if (metadata !== undefined) gathered.metadata = metadata;
  } else if (part.name === 'link') {
    gathered.link = readLink(await part.text(linkLimit));
  } else if (isFile(part)) {
    if (gathered.bytes !== undefined) throw new Failure('invalid', 'an upload must hold one file');
    gathered.facts = withName(facts, part.fileName);
    gathered.bytes = await keepBytes(needs, gathered.facts, room.count(part.content), signal);
  } else {
    for await (const _ of part.content); // a part must be read before the next one comes
  }
};

/** The asset that the parts make together. */
const assemble = (
  facts: AssetFacts,
  fields: UploadFields,
  { metadata, link, facts: named, bytes }: Gathered,
) => {
  if ((bytes === undefined) === (link === undefined))
    throw new Failure('invalid', 'an upload must hold either a file or a link');
  if (fields.isRemote === true && link === undefined)
    throw new Failure('invalid', 'a remote asset must hold a link');
  return {
    facts: {
      ...(named ?? withName(facts, undefined)),
      ...(metadata === undefined ? {} : { metadata }),
      remoteLink: link,
    },
    bytes: bytes ?? noBytes,
  };
};

/**
 * Receives one asset and answers its id. Rejects with `conflict` for an id that is stored already or a finished artifact version, `invalid` for a full kind or an unusable
 * field, `throttled` and `tooLarge`; an upload that fails or ends early leaves neither a row nor bytes.
 */
export const receiveAsset = async (
  needs: ReceivingNeeds,
  request: Receiving,
): Promise<{ readonly id: string; readonly facts: AssetFacts }> => {
  const { experiment, fields, type } = request;
  const facts = readFacts(fields, experiment, {
    id: needs.ids.key(),
    rowId: needs.ids.next(),
    now: needs.clock.now(),
    ...(type === undefined ? {} : { type }),
  });
  await checkEarly(needs, request, facts);
  const room = await takeRoom(needs, experiment);
  try {
    const { id, whole } = await receiveInto(needs, request, room, facts);
    room.release(true);
    await noteActivity(needs, experiment);
    return { id, facts: whole.facts };
  } finally {
    room.release(false);
  }
};

const receiveInto = async (
  needs: ReceivingNeeds,
  request: Receiving,
  room: Room,
  facts: AssetFacts,
) => {
  const { fields } = request;
  const gathered: Gathered = {};
  let whole: ReturnType<typeof assemble>;
  try {
    for await (const part of request.upload)
      await takePart(needs, request, room, facts, part, gathered);
    if (request.signal.aborted) throw new Failure('invalid', 'the request ended before its body');
    whole = assemble(facts, fields, gathered);
  } catch (thrown) {
    if (gathered.bytes?.blobKey !== undefined) await dropBytes(needs, gathered.bytes.blobKey);
    throw thrown;
  }
  const id = await keepRow(needs, whole.facts, whole.bytes, {
    replacing: fields.overwrite === true,
    idGiven: isIdGiven(fields),
  });
  return { id, whole };
};
