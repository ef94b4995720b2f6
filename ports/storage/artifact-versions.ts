import type { Artifact, ArtifactState, ArtifactVersion } from '../model/artifacts.js';
import { once, reads, sets, type Methods } from './methods.js';

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

/** Deleted versions, and versions of deleted artifacts, are never found or listed. */
export interface ArtifactVersionStore {
  /** Makes an open version. `taken` says that the artifact has one of that number, `used` that it had one that was deleted, also when an artifact of that name was. */
  insertVersion(version: NewVersion): Promise<'made' | 'taken' | 'used'>;
  /** The highest number that an artifact of this name ever had, deleted ones included. */
  findHighestNumber(workspaceId: string, name: string): Promise<string | undefined>;
  /** The number of the highest version that an artifact has, and the highest number that one of its name ever had, deleted ones included. */
  findHighest(artifact: Pick<Artifact, 'id' | 'workspaceId' | 'name'>): Promise<{
    readonly present: string | undefined;
    readonly ever: string | undefined;
  }>;
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
}

export const artifactVersionMethods: Methods<ArtifactVersionStore> = {
  insertVersion: once,
  findHighestNumber: reads,
  findHighest: reads,
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
};
