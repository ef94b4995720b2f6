import { kind } from '../api/kind.js';

/** A version takes files while it is open; closed and failed ones never change their files again. */
export const artifactStates = ['OPEN', 'CLOSED', 'ERROR'] as const;
export type ArtifactState = (typeof artifactStates)[number];

/** A named thing of a workspace, whose content is in its versions. */
export interface Artifact {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** Any text but NUL; unique in its workspace. */
  readonly name: string;
  readonly type: string;
  readonly description: string | undefined;
  /** JSON text of an object, as sent. */
  readonly metadata: string | undefined;
  /** Readable by anyone with a key. */
  readonly public: boolean;
  readonly emoji: string | undefined;
  readonly tags: readonly string[];
  /** Project of the run that made it first; absent once that project is gone. */
  readonly projectId: string | undefined;
  readonly projectName: string | undefined;
  /** The run that made it first. */
  readonly experimentKey: string;
  readonly ownerName: string;
  readonly createdAt: number;
}
export const artifact = kind<Artifact>()('artifact');

export interface ArtifactVersion {
  readonly id: string;
  readonly artifact: Artifact;
  /** A semantic version. */
  readonly version: string;
  readonly state: ArtifactState;
  /** The run that made it, which may be gone. */
  readonly experimentId: string;
  readonly experimentKey: string;
  readonly ownerName: string;
  /** JSON text of an object, as sent. */
  readonly metadata: string | undefined;
  readonly note: string | undefined;
  readonly tags: readonly string[];
  /** In the order they were given. */
  readonly aliases: readonly string[];
  readonly sizeInBytes: number;
  readonly createdAt: number;
}
export const artifactVersion = kind<ArtifactVersion>()('artifactVersion');
