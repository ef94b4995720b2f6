import type { Artifact } from '../model/artifacts.js';
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
};
