// How versions come to be and are finished.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { ArtifactChange } from '#ports/storage/artifacts';
import type { StorageOf, Stores } from '#ports/storage/storage';
import { absentVersion, finished } from './rules.js';
import { nextVersion, orderOf } from '../versions.js';

export interface MakingNeeds {
  readonly storage: StorageOf<'artifactVersions' | 'artifacts'>;
  readonly clock: Clock;
  readonly ids: Ids;
}

export interface VersionRequest {
  readonly experiment: Experiment;
  readonly caller: Caller;
  readonly name: string;
  readonly type: string;
  /** The next whole number when left out. */
  readonly version: string | undefined;
  readonly aliases: readonly string[];
  readonly tags: readonly string[];
  readonly metadata: string | undefined;
  readonly note: string | undefined;
  readonly public: boolean;
  /** What else it says of the artifact. */
  readonly change: ArtifactChange;
}

export interface MadeVersion {
  readonly artifactId: string;
  readonly artifactVersionId: string;
  readonly currentVersion: string;
  readonly previousVersion: string | null;
}

const insert = async (
  stores: Pick<Stores, 'artifactVersions' | 'artifacts'>,
  { clock, ids }: MakingNeeds,
  request: VersionRequest,
): Promise<MadeVersion> => {
  const { experiment, caller, name, type, public: isPublic } = request;
  const now = clock.now();
  const artifact = await stores.artifacts.open({
    id: ids.next(),
    workspaceId: experiment.workspaceId,
    projectId: experiment.projectId,
    experimentKey: experiment.key,
    ownerId: caller.userId,
    name,
    type,
    public: isPublic,
    createdAt: now,
  });
  const highest = await stores.artifactVersions.findHighest(artifact);
  const version = request.version ?? nextVersion(highest.ever);
  const id = ids.next();
  const outcome = await stores.artifactVersions.insertVersion({
    id,
    artifact,
    version,
    order: orderOf(version),
    experimentId: experiment.id,
    experimentKey: experiment.key,
    ownerId: caller.userId,
    metadata: request.metadata,
    note: request.note,
    tags: request.tags,
    createdAt: now,
  });
  if (outcome === 'taken')
    throw new Failure(
      'conflict',
      `version ${version} of artifact ${name.slice(0, 100)} exists already`,
      { reason: 'artifactVersionExists' },
    );
  if (outcome === 'used')
    throw new Failure(
      'conflict',
      `version ${version} of artifact ${name.slice(0, 100)} was deleted, and its number is not used again`,
      { reason: 'artifactNumberUsed' },
    );
  // One client says `isPublic: false` with every version, so that only the first decides; afterwards a version may open the artifact, not close it.
  const change = {
    ...request.change,
    ...(type === artifact.type ? {} : { type }),
    ...(isPublic && !artifact.public ? { public: true } : {}),
  };
  if (Object.keys(change).length > 0) await stores.artifacts.update(artifact.id, change);
  if (request.aliases.length > 0) await stores.artifactVersions.setAliases(id, request.aliases);
  return {
    artifactId: artifact.id,
    artifactVersionId: id,
    currentVersion: version,
    previousVersion: highest.present ?? null,
  };
};

/** Makes an open version, and its artifact when there is none. Rejects with `conflict` for a number that is or was taken, with `invalid` for a malformed one. */
export const makeVersion = (needs: MakingNeeds, request: VersionRequest): Promise<MadeVersion> => {
  if (request.version !== undefined) orderOf(request.version);
  return needs.storage.transaction((stores) => insert(stores, needs, request));
};

/** The alias that the version closed last holds. */
export const latest = 'Latest';

const isFinal = (state: string): state is 'CLOSED' | 'ERROR' =>
  state === 'CLOSED' || state === 'ERROR';

/**
 * Gives a version a state, and its artifact a say on who may read it; the state that it has already is no change. A version that closes becomes
 * the latest. Rejects with `invalid` for what is no state, with `conflict` for a finished version.
 */
export const setState = (
  { storage }: Pick<MakingNeeds, 'storage'>,
  version: ArtifactVersion,
  wanted: string,
  isPublic: boolean | undefined,
): Promise<void> =>
  storage.transaction(async ({ artifacts, artifactVersions }) => {
    if (wanted !== 'OPEN' && !isFinal(wanted))
      throw new Failure(
        'invalid',
        `state must be OPEN, CLOSED or ERROR, not ${wanted.slice(0, 40)}`,
        { reason: 'artifactStateInvalid' },
      );
    if (wanted !== version.state) {
      const state = isFinal(wanted)
        ? await artifactVersions.finishVersion(version.id, wanted)
        : version.state;
      if (state === undefined) throw absentVersion(version.id);
      if (state !== wanted) throw finished(version.version);
      if (state === 'CLOSED') await artifactVersions.addAlias(version.id, latest);
    }
    if (isPublic !== undefined) await artifacts.update(version.artifact.id, { public: isPublic });
  });

/** Deletes a version; when it was the latest, the highest closed one that is left is. Rejects with `absent` when it is gone already. */
export const deleteVersion = (
  { storage, clock }: Pick<MakingNeeds, 'storage' | 'clock'>,
  version: ArtifactVersion,
): Promise<void> =>
  storage.transaction(async ({ artifactVersions }) => {
    const held = await artifactVersions.findVersionByAlias(version.artifact.id, latest);
    if (!(await artifactVersions.markVersionDeleted(version.id, clock.now())))
      throw absentVersion(version.id);
    const heir =
      held?.id === version.id
        ? await artifactVersions.findHighestVersion(version.artifact.id, 'CLOSED')
        : undefined;
    if (heir !== undefined) await artifactVersions.addAlias(heir.id, latest);
  });
