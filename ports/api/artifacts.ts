// Artifacts: named things of a workspace in numbered versions, with files, aliases and tags, and which run made and used them.
import { artifact, artifactVersion } from '../model/artifacts.js';
import { experiment } from '../model/experiments.js';
import { workspace } from '../model/workspaces.js';
import { bytes, maybe, one, operations, streamed } from './operation.js';
import {
  anything,
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  text,
  texts,
  word,
  shape,
} from './schema.js';
import { read, saved, write } from './tracking.js';

const inBody = one(experiment, 'body.experimentKey');
/** The run that reads, which is noted as a user of the version. */
const reader = maybe(experiment, 'query.consumerExperimentKey', 'query.experimentKey');
const named = [
  'query.artifactId',
  'query.artifact_id',
  'query.workspace/query.artifactName',
] as const;
const selecting = [
  reader,
  maybe(artifact, ...named),
  maybe(artifactVersion, 'query.versionId', 'query.artifactVersionId'),
] as const;
const selection = {
  artifactId: optional(text()),
  artifact_id: optional(text()),
  versionId: optional(text()),
  artifactVersionId: optional(text()),
  artifactName: optional(text()),
  workspace: optional(text()),
  version: optional(text()),
  alias: optional(text()),
  versionOrAlias: optional(text()),
  experimentKey: optional(text()),
  consumerExperimentKey: optional(text()),
};

const artifactRecord = shape('Artifact', 'An artifact of a workspace.', {
  artifactId: text(),
  artifactName: text(),
  artifactType: text(),
  workspaceName: text(),
  workspaceId: text(),
  projectId: nullable(text()),
  experimentKey: text(),
  description: nullable(text()),
  version: text(),
  metadata: nullable(text()),
  isPublic: flag(),
  owner: text(),
  s3FileSize: integer(),
  emoji: nullable(text()),
  tags: list(text()),
});
const versionRecord = shape('ArtifactVersion', 'One numbered version of an artifact.', {
  artifactVersionId: text(),
  artifactVersion: text(),
  owner: text(),
  createdFrom: nullable(text()),
  sizeInBytes: integer(),
  metadata: nullable(text()),
  note: nullable(text()),
  added: millis(),
  state: text(),
  tags: list(text()),
  alias: list(text()),
  experimentKey: text(),
  artifact: artifactRecord,
});
const item = {
  artifactId: text(),
  project: nullable(text()),
  type: text(),
  name: text(),
  description: nullable(text()),
  tags: list(text()),
  isPublic: flag(),
  emoji: nullable(text()),
  sizeInBytes: integer(),
};
const listedVersion = shape('ListedArtifactVersion', 'A version as lists of versions show it.', {
  artifactVersionId: text(),
  version: text(),
  owner: text(),
  metadata: nullable(text()),
  createdFrom: nullable(text()),
  sizeInBytes: integer(),
  state: nullable(text()),
  added: millis(),
  alias: list(text()),
  tags: list(text()),
});
const fileRecord = shape('ArtifactFile', 'A file of an artifact version.', {
  artifactId: text(),
  artifactVersionId: text(),
  assetId: text(),
  fileName: text(),
  fileSize: integer(),
  link: nullable(text()),
  dir: nullable(text()),
  type: text(),
  metadata: nullable(text()),
  remote: flag(),
});

export const artifactOperations = operations({
  upsertArtifact: {
    method: 'POST',
    path: write('/artifacts/upsert'),
    access: { needs: 'write', about: inBody, beyondProject: true },
    adds: true,
    summary: 'Make a version of an artifact, and the artifact when there is none of that name',
    body: object({
      artifactName: text({ min: 1, max: 1000 }),
      artifactType: text({ min: 1, max: 190 }),
      experimentKey: text(),
      version: optional(text()),
      alias: optional(texts()),
      versionTags: optional(texts()),
      versionMetadata: optional(anything()),
      isPublic: optional(flag()),
      description: optional(text()),
      metadata: optional(anything()),
      note: optional(text()),
      comment: optional(text()),
      emoji: optional(text({ max: 100 })),
      tags: optional(texts()),
    }),
    replies: {
      200: saved({
        artifactId: text(),
        artifactVersionId: text(),
        currentVersion: text(),
        previousVersion: nullable(text()),
      }),
    },
    fails: ['invalid', 'absent', 'conflict', 'tooLarge'],
  },
  setArtifactState: {
    method: 'POST',
    path: write('/artifacts/state'),
    access: { needs: 'write', about: [inBody, one(artifactVersion, 'body.artifactVersionId')] },
    summary: 'Finish a version of an artifact',
    body: object({
      artifactVersionId: text(),
      experimentKey: text(),
      state: text(),
      isPublic: optional(flag()),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  updateArtifact: {
    method: 'POST',
    path: write('/artifacts/details'),
    access: { needs: 'write', about: one(artifact, 'body.artifactId') },
    summary: 'Change what an artifact says of itself, or the metadata of one version',
    body: object({
      artifactId: text(),
      artifactType: optional(text({ min: 1, max: 190 })),
      versionMetadata: optional(anything()),
      version: optional(text()),
      tags: optional(texts()),
      isPublic: optional(flag()),
      description: optional(text()),
      emoji: optional(text({ max: 100 })),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'tooLarge'],
  },
  updateArtifactVersion: {
    method: 'POST',
    path: write('/artifacts/version/labels'),
    access: { needs: 'write', about: one(artifactVersion, 'body.artifactVersionId') },
    summary: 'Replace the aliases, tags or metadata of a version',
    body: object({
      artifactVersionId: text(),
      alias: optional(texts()),
      versionMetadata: optional(anything()),
      versionTags: optional(texts()),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'tooLarge'],
  },
  deleteArtifact: {
    method: 'POST',
    path: write('/artifacts/delete'),
    access: { needs: 'write', about: one(artifact, 'body.artifactId'), unbounded: false },
    audit: true,
    summary: 'Delete an artifact with all its versions and files',
    body: object({ artifactId: text() }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
  deleteArtifactVersion: {
    method: 'POST',
    path: write('/artifacts/version/delete'),
    access: {
      needs: 'write',
      about: one(artifactVersion, 'body.artifactVersionId'),
      unbounded: false,
    },
    audit: true,
    summary: 'Delete a version of an artifact with its files; its number is never used again',
    body: object({ artifactVersionId: text() }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
  listArtifacts: {
    method: 'GET',
    path: read('/artifacts/get-all'),
    access: { needs: 'read', about: one(workspace, 'query.workspace') },
    summary: 'Artifacts of a workspace, all or of one type, in the order they were made',
    query: object({ workspace: text(), type: optional(text()) }),
    replies: {
      200: streamed(object({ artifacts: list(object({ ...item, versionsCount: integer() })) })),
    },
    fails: ['invalid', 'absent'],
  },
  getArtifact: {
    method: 'GET',
    path: read('/artifacts/get'),
    access: {
      needs: 'read',
      about: one(
        artifact,
        'query.artifact_id',
        'query.artifactId',
        'query.workspace/query.artifactName',
      ),
    },
    summary: 'An artifact with its versions, in the order of their numbers',
    query: object({
      artifact_id: optional(text()),
      artifactId: optional(text()),
      workspace: optional(text()),
      artifactName: optional(text()),
    }),
    replies: {
      200: streamed(
        object({ ...item, latestVersion: nullable(text()), versions: list(listedVersion) }),
      ),
    },
    fails: ['invalid', 'absent'],
  },
  getArtifactVersion: {
    method: 'GET',
    path: read('/artifacts/version'),
    access: { needs: 'read', about: selecting },
    summary: 'A version of an artifact, by its id, number or alias, else the newest',
    query: object(selection),
    replies: { 200: versionRecord },
    fails: ['invalid', 'absent', 'conflict'],
  },
  listArtifactFiles: {
    method: 'GET',
    path: read('/artifacts/version/files'),
    access: { needs: 'read', about: selecting },
    summary: 'Files of a version of an artifact, in the order of storing',
    query: object(selection),
    replies: { 200: streamed(object({ files: list(fileRecord) })) },
    fails: ['invalid', 'absent', 'conflict'],
  },
  downloadArtifactVersion: {
    method: 'GET',
    path: read('/artifacts/version/download'),
    access: {
      needs: 'read',
      about: [
        reader,
        maybe(artifact, ...named),
        maybe(artifactVersion, 'query.versionId', 'query.artifactVersionId', 'query.version'),
      ],
    },
    summary: 'Files of a version of an artifact as one zip',
    query: object(selection),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  listArtifactConsumers: {
    method: 'GET',
    path: read('/artifacts/version/consumers'),
    access: { needs: 'read', about: one(artifactVersion, 'query.versionId') },
    summary:
      'Runs that used a version of an artifact, those that the caller may see, in the order of use',
    query: object({ versionId: text() }),
    replies: {
      200: object({
        consumers: list(
          object({
            experimentKey: text(),
            experimentName: text(),
            projectName: text(),
            workspaceName: text(),
            usedAt: millis(),
          }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  getArtifactLineage: {
    method: 'GET',
    path: read('/get/artifacts'),
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Versions of artifacts that a run used and made',
    query: object({ experimentKey: text(), filter: optional(word('all', 'input', 'output')) }),
    replies: {
      200: object({ inputArtifacts: list(versionRecord), outputArtifacts: list(versionRecord) }),
    },
    fails: ['invalid', 'absent'],
  },
});
