// What other areas ask of artifacts. Pure.
import type { WorkspacePlace } from '#ports/api/kind-definition';
import { Failure, type FailureReason } from '#ports/failure';
import type { Artifact, ArtifactVersion } from '#ports/model/artifacts';

export const absentArtifact = (name: string, reason: FailureReason = 'artifactAbsent'): Failure =>
  new Failure('absent', `artifact ${name.slice(0, 100)} not found`, { reason });
export const absentVersion = (name: string): Failure =>
  new Failure('absent', `artifact version ${name.slice(0, 100)} not found`, {
    reason: 'artifactVersionAbsent',
  });
export const finished = (version: string): Failure =>
  new Failure(
    'conflict',
    `artifact version ${version.slice(0, 100)} is finished and does not change any more`,
    { reason: 'artifactStateFinal' },
  );

/** Rejects with `conflict` for a version that takes no more files. */
export const requireOpen = (version: ArtifactVersion | undefined): void => {
  if (version !== undefined && version.state !== 'OPEN') throw finished(version.version);
};

/** A name as it came, and decoded once more: one client encodes names twice. */
export const spellingsOf = (name: string): readonly string[] => {
  try {
    return [...new Set([name, decodeURIComponent(name)])];
  } catch {
    return [name]; // a percent sign that is no escape: the name was not encoded
  }
};

/** An artifact is its workspace's; a public one may be read by anybody with a key. */
export const artifactPlace = ({ workspaceId, public: isPublic }: Artifact): WorkspacePlace => ({
  workspaceId,
  public: isPublic,
});
