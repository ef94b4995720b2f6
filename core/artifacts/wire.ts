// Artifacts, versions and files as the tracking wire shows them. Pure.
import type { Artifact, ArtifactVersion } from '#ports/model/artifacts';
import type { VersionFile } from '#ports/model/assets';
import type { ArtifactFigures } from '#ports/storage/artifacts';

export const toWireVersion = (version: ArtifactVersion) => {
  const { artifact } = version;
  return {
    artifactVersionId: version.id,
    artifactVersion: version.version,
    owner: version.ownerName,
    createdFrom: null,
    sizeInBytes: version.sizeInBytes,
    metadata: version.metadata ?? null,
    note: version.note ?? null,
    added: version.createdAt,
    state: version.state,
    tags: version.tags,
    alias: version.aliases,
    experimentKey: version.experimentKey,
    // One client refuses any other member in here.
    artifact: {
      artifactId: artifact.id,
      artifactName: artifact.name,
      artifactType: artifact.type,
      workspaceName: artifact.workspaceName,
      workspaceId: artifact.workspaceId,
      projectId: artifact.projectId ?? null,
      experimentKey: artifact.experimentKey,
      description: artifact.description ?? null,
      version: version.version,
      metadata: artifact.metadata ?? null,
      isPublic: artifact.public,
      owner: artifact.ownerName,
      s3FileSize: version.sizeInBytes,
      emoji: artifact.emoji ?? null,
      tags: artifact.tags,
    },
  };
};

/** What a list of artifacts and the details of one share. */
export const toWireArtifact = (artifact: Artifact, figures: ArtifactFigures | undefined) => ({
  artifactId: artifact.id,
  project: artifact.projectName ?? null,
  type: artifact.type,
  name: artifact.name,
  description: artifact.description ?? null,
  tags: artifact.tags,
  isPublic: artifact.public,
  emoji: artifact.emoji ?? null,
  sizeInBytes: figures?.sizeInBytes ?? 0,
});

export const toListedVersion = (version: ArtifactVersion) => ({
  artifactVersionId: version.id,
  version: version.version,
  owner: version.ownerName,
  metadata: version.metadata ?? null,
  createdFrom: null,
  sizeInBytes: version.sizeInBytes,
  state: version.state,
  added: version.createdAt,
  alias: version.aliases,
  tags: version.tags,
});

export const toWireFile = (file: VersionFile, version: ArtifactVersion) => ({
  artifactId: version.artifact.id,
  artifactVersionId: version.id,
  assetId: file.id,
  fileName: file.fileName,
  fileSize: file.fileSize,
  link: file.remoteLink ?? null,
  dir: null,
  type: file.type === 'asset' ? 'unknown' : file.type,
  metadata: file.metadata ?? null,
  remote: file.remoteLink !== undefined,
});
