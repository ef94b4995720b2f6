import type { ArtifactVersion } from '../model/artifacts.js';
import { reads, sets, type Methods } from './methods.js';

/** A run that used a version. */
export interface ArtifactUse {
  readonly experimentId: string;
  readonly usedAt: number;
}

/** Which runs made and used which versions. Deleted versions are never listed. */
export interface ArtifactUseStore {
  /** Notes that a run has used a version; the first time counts. */
  noteUse(experimentId: string, versionId: string, at: number): Promise<void>;
  /** Versions that a run made, in the order of making. */
  listMade(experimentId: string, limit: number): Promise<readonly ArtifactVersion[]>;
  /** Versions that a run used, in the order of use. */
  listUsed(experimentId: string, limit: number): Promise<readonly ArtifactVersion[]>;
  /** Runs that used a version, in the order of use. */
  listUses(versionId: string, limit: number): Promise<readonly ArtifactUse[]>;
}

export const artifactUseMethods: Methods<ArtifactUseStore> = {
  noteUse: sets,
  listMade: reads,
  listUsed: reads,
  listUses: reads,
};
