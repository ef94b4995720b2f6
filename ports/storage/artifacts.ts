import type { Artifact, ArtifactState, ArtifactVersion } from '../model/artifacts.js';
import { once, reads, sets, type Methods } from './methods.js';

export interface NewArtifact {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly experimentKey: string;
  readonly ownerId: string;
  readonly name: string;
  readonly type: string;
  readonly public: boolean;
  readonly createdAt: number;
}

export interface ArtifactChange {
  readonly type?: string;
  readonly description?: string;
  /** null clears it. */
  readonly metadata?: string | null;
  readonly public?: boolean;
  readonly emoji?: string;
  readonly tags?: readonly string[];
}

export interface NewVersion {
  readonly id: string;
  readonly artifact: Pick<Artifact, 'id' | 'workspaceId' | 'name'>;
  readonly version: string;
  /** A text that orders versions as their numbers do, at most 400 ASCII characters. */
  readonly order: string;
  readonly experimentId: string;
  readonly experimentKey: string;
  readonly ownerId: string;
  readonly metadata: string | undefined;
  readonly note: string | undefined;
  readonly tags: readonly string[];
  readonly createdAt: number;
}

export interface VersionChange {
  /** null clears it. */
  readonly metadata?: string | null;
  readonly tags?: readonly string[];
}

export interface ArtifactListing {
  readonly workspaceId: string;
  readonly type?: string;
  /** Only those made after the artifact of this id. */
  readonly afterId?: string;
  readonly limit: number;
}

/** What the versions of an artifact add up to. */
export interface ArtifactFigures {
  readonly versions: number;
  readonly sizeInBytes: number;
}

/** A run that used a version. */
export interface ArtifactUse {
  readonly experimentId: string;
  readonly usedAt: number;
}

/** Deleted artifacts and versions are never found, listed or counted. */
export interface ArtifactStore {
  /** The artifact of that name in the workspace, made from this when there is none. In a transaction it is held to its end, so that versions are numbered one after the other. */
  open(artifact: NewArtifact): Promise<Artifact>;
  find(id: string): Promise<Artifact | undefined>;
  findByName(workspaceId: string, name: string): Promise<Artifact | undefined>;
  /** In the order they were made. */
  list(listing: ArtifactListing): Promise<readonly Artifact[]>;
  /** Of up to 1,000 artifacts, by id. */
  figures(artifactIds: readonly string[]): Promise<ReadonlyMap<string, ArtifactFigures>>;
  /** Only what is given changes. Says whether it was found. */
  update(id: string, change: ArtifactChange): Promise<boolean>;
  /** Gives it under a name to another workspace, with its versions and the numbers that they used. Says whether it was found. Rejects with `conflict` when the name or a number is taken there. */
  moveToWorkspace(
    id: string,
    to: { readonly workspaceId: string; readonly name: string },
  ): Promise<boolean>;
  /** From then on every read misses it, its versions and their files, and its name is free; rows and bytes are removed later. Says whether it was there. */
  markDeleted(id: string, at: number): Promise<boolean>;

  /** Makes an open version. `taken` says that the artifact has one of that number, `used` that it had one that was deleted, also when an artifact of that name was. */
  insertVersion(version: NewVersion): Promise<'made' | 'taken' | 'used'>;
  /** The highest number that an artifact of this name ever had, deleted ones included. */
  findHighestNumber(workspaceId: string, name: string): Promise<string | undefined>;
  findVersion(id: string): Promise<ArtifactVersion | undefined>;
  findVersionByNumber(artifactId: string, version: string): Promise<ArtifactVersion | undefined>;
  /** Whatever the case of the alias. */
  findVersionByAlias(artifactId: string, alias: string): Promise<ArtifactVersion | undefined>;
  /** The highest version, of those in this state where one is given. */
  findHighestVersion(
    artifactId: string,
    state?: ArtifactState,
  ): Promise<ArtifactVersion | undefined>;
  /** In the order of their numbers, those after the version of this id. */
  listVersions(
    artifactId: string,
    afterId: string | undefined,
    limit: number,
  ): Promise<readonly ArtifactVersion[]>;
  /** Those found, by id. */
  listVersionsByIds(ids: readonly string[]): Promise<readonly ArtifactVersion[]>;
  /** Gives an open version its last state. Answers the state that the version has now; `undefined` when there is none. May be repeated. */
  finishVersion(
    id: string,
    state: Exclude<ArtifactState, 'OPEN'>,
  ): Promise<ArtifactState | undefined>;
  /** Only what is given changes. Says whether it was found. */
  updateVersion(id: string, change: VersionChange): Promise<boolean>;
  /** Replaces the aliases of a version; those that other versions of the artifact hold, in whatever case, move here. Says whether the version was found. */
  setAliases(id: string, aliases: readonly string[]): Promise<boolean>;
  /** Adds one alias, which moves here from the version that holds it. Says whether the version was found. */
  addAlias(id: string, alias: string): Promise<boolean>;
  /** From then on every read misses it, its files and its aliases; its number stays used. Says whether it was there. */
  markVersionDeleted(id: string, at: number): Promise<boolean>;

  /** Notes that a run has used a version; the first time counts. */
  noteUse(experimentId: string, versionId: string, at: number): Promise<void>;
  /** Versions that a run made, in the order of making. */
  listMade(experimentId: string, limit: number): Promise<readonly ArtifactVersion[]>;
  /** Versions that a run used, in the order of use. */
  listUsed(experimentId: string, limit: number): Promise<readonly ArtifactVersion[]>;
  /** Runs that used a version, in the order of use. */
  listUses(versionId: string, limit: number): Promise<readonly ArtifactUse[]>;
}

export const artifactMethods: Methods<ArtifactStore> = {
  open: once,
  find: reads,
  findByName: reads,
  list: reads,
  figures: reads,
  update: sets,
  moveToWorkspace: once,
  markDeleted: once,
  insertVersion: once,
  findHighestNumber: reads,
  findVersion: reads,
  findVersionByNumber: reads,
  findVersionByAlias: reads,
  findHighestVersion: reads,
  listVersions: reads,
  listVersionsByIds: reads,
  finishVersion: sets,
  updateVersion: sets,
  setAliases: sets,
  addAlias: once,
  markVersionDeleted: once,
  noteUse: sets,
  listMade: reads,
  listUsed: reads,
  listUses: reads,
};
