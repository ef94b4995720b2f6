// Assets: uploads in every form that clients send, lists, contents, downloads by link, and the models they make up.
import { artifactVersion } from '../model/artifacts.js';
import { asset, upload } from '../model/assets.js';
import { experiment } from '../model/experiments.js';
import {
  bytes,
  each,
  eachNamed,
  maybe,
  multipart,
  one,
  operations,
  raw,
  redirect,
  streamed,
  tag,
  within,
} from './operation.js';
import {
  anything,
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  replacing,
  text,
  texts,
  shape,
  titled,
} from './schema.js';
import { live, read, saved, write } from './tracking.js';

const inQuery = one(experiment, 'query.experimentKey', 'query.experimentId');
const inBody = one(experiment, 'body.experimentKey');
const inPart = one(experiment, 'part.requestParams.experimentKey');
/** The artifact version that a file joins, which is of the workspace of its run. */
const joins = (where: 'query' | 'body') => maybe(artifactVersion, `${where}.artifactVersionId`);
const keyed = object({ experimentKey: text() });

export const assetRecord = shape(
  'Asset',
  'A file of an experiment, or the address of a remote one.',
  {
    assetId: text(),
    fileName: text(),
    fileSize: integer(),
    runContext: nullable(text()),
    step: nullable(integer()),
    remote: flag(),
    link: text(),
    compressedAssetLink: nullable(text()),
    s3Link: nullable(text()),
    createdAt: millis(),
    dir: nullable(text()),
    canView: flag(),
    audio: flag(),
    video: flag(),
    histogram: flag(),
    image: flag(),
    type: text(),
    metadata: nullable(text()),
    tags: nullable(texts()),
    curlDownload: text(),
    experimentKey: text(),
    width: nullable(integer()),
    height: nullable(integer()),
  },
);
const assetList = streamed(object({ assets: list(assetRecord) }));

const fields = {
  experimentKey: optional(text()),
  experimentId: optional(text()),
  projectId: optional(text()),
  assetId: optional(text()),
  imageId: optional(text()),
  fileName: optional(text()),
  figName: optional(text()),
  figCounter: optional(text()),
  extension: optional(text()),
  type: optional(text()),
  step: optional(integer()),
  epoch: optional(integer()),
  overwrite: optional(replacing()),
  runId: optional(text()),
  context: optional(text()),
  groupingName: optional(text()),
  artifactVersionId: optional(text()),
  isRemote: optional(flag()),
  source: optional(text()),
  sampleRate: optional(text()),
  metadata: optional(text()),
};
const parts = multipart({
  file: 'the bytes',
  metadata: 'JSON text',
  link: 'where a remote asset is kept, in place of the file',
});
const stored = titled('StoredAsset', saved({ assetId: text(), link: text() }));
const uploadFails = ['invalid', 'absent', 'conflict', 'throttled', 'tooLarge'] as const;

const directStart = shape('DirectUpload', 'How a client sends parts straight to the bucket.', {
  ...fields,
  startUploadParams: object({
    cloudType: optional(text()),
    preSignUrlTimeoutSec: optional(integer()),
    numOfFileParts: integer({ minimum: 1, maximum: 10_000 }),
  }),
});
const started = titled('StartedUpload', saved({ requestId: text(), preSignUrl: texts() }));
const anyKey = object({ experimentKey: optional(text()), experimentId: optional(text()) });
const inStart = one(
  experiment,
  'body.experimentId',
  'body.experimentKey',
  'query.experimentKey',
  'query.experimentId',
);

const permission = { expires: integer({ minimum: 0 }), signature: text() };

const remoteItem = shape('RemoteAsset', 'A file that is kept elsewhere.', {
  artifactId: optional(text()),
  artifactVersionId: optional(text()),
  assetId: optional(text()),
  type: optional(text()),
  fileName: optional(text()),
  metadata: optional(anything()),
  link: text(),
  isRemote: optional(flag()),
  overwrite: optional(replacing()),
  step: optional(integer()),
  context: optional(text()),
  runId: optional(text()),
});
const inExperimentAsset = [
  one(experiment, 'query.experimentKey'),
  within(experiment, asset, 'query.assetId'),
] as const;

export const assetOperations = operations({
  uploadAsset: {
    method: 'POST',
    path: [...write('/experiment/upload-asset'), live('/asset/upload')],
    access: { needs: 'write', about: [inQuery, joins('query')] },
    summary: 'Upload an asset, or log a remote one',
    wire: { retryableWith429: true },
    query: object(fields),
    body: parts,
    replies: { 200: stored },
    fails: uploadFails,
  },
  uploadImage: {
    method: 'POST',
    path: live('/visualizations/upload'),
    access: { needs: 'write', about: [inQuery, joins('query')] },
    summary: 'Upload an image or a figure',
    wire: { retryableWith429: true },
    query: object(fields),
    body: parts,
    replies: { 200: stored },
    fails: uploadFails,
  },
  uploadTextSample: {
    method: 'POST',
    path: write('/experiment/text-sample'),
    access: { needs: 'write', about: inBody },
    summary: 'Log a sample of text',
    wire: { credential: 'body.apiKey' },
    body: object({
      experimentKey: text(),
      step: optional(integer()),
      context: optional(text()),
      metadata: optional(text()),
      content: text(),
    }),
    replies: { 200: stored },
    fails: uploadFails,
  },
  startAssetUpload: {
    method: 'POST',
    path: [live('/asset/upload-start'), ...write('/experiment/upload-asset-start')],
    access: { needs: 'write', about: [inStart, joins('body')] },
    summary: 'Begin an upload in parts',
    wire: { retryableWith429: true, credential: 'body.apiKey' },
    query: anyKey,
    body: directStart,
    replies: { 200: started },
    fails: uploadFails,
  },
  startImageUpload: {
    method: 'POST',
    path: live('/visualizations/upload-start'),
    access: { needs: 'write', about: [inStart, joins('body')] },
    summary: 'Begin an upload of an image in parts',
    wire: { retryableWith429: true, credential: 'body.apiKey' },
    query: anyKey,
    body: directStart,
    replies: { 200: started },
    fails: uploadFails,
  },
  completeUpload: {
    method: 'POST',
    path: [
      live('/asset/upload-complete'),
      live('/visualizations/upload-complete'),
      ...write('/experiment/upload-asset-complete'),
    ],
    access: { needs: 'write', about: one(upload, 'body.requestId') },
    summary: 'End an upload in parts, or give it up',
    wire: { retryableWith429: true, credential: 'body.apiKey' },
    body: object({
      requestId: text(),
      succeed: flag(),
      fileSize: optional(integer()),
      uploadedFileParts: optional(
        list(object({ ETag: text(), PartNumber: integer({ minimum: 1 }) })),
      ),
    }),
    replies: { 200: saved({ assetId: text() }) },
    fails: uploadFails,
  },
  putPart: {
    method: 'PUT',
    path: '/api/asset/parts/{uploadId}/{number}',
    access: { needs: 'signed' },
    summary: 'Send one part of an upload, by a link that carries its permission',
    params: object({ uploadId: text(), number: integer({ minimum: 1 }) }),
    query: object(permission),
    body: raw(),
    replies: { 200: tag },
    fails: ['invalid', 'absent', 'forbidden', 'tooLarge'],
  },
  getSigned: {
    method: 'GET',
    path: '/api/asset/signed/{rowId}',
    access: { needs: 'signed' },
    summary: 'The bytes of an asset, by a link that carries its permission',
    params: object({ rowId: text() }),
    query: object(permission),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  logRemoteModel: {
    method: 'POST',
    path: live('/asset/log-remote-model'),
    access: { needs: 'write', about: inBody },
    summary: 'Log the files of a model that is kept elsewhere',
    wire: { retryableWith429: true, credential: 'body.apiKey' },
    body: object({
      experimentKey: text(),
      modelName: text({ min: 1 }),
      remoteEntities: list(
        object({
          assetId: optional(text()),
          remoteUrl: text({ min: 1 }),
          fileName: optional(text()),
          metadata: optional(anything()),
        }),
        { maxItems: 10_000 },
      ),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  logRemoteAssets: {
    method: 'POST',
    path: '/api/rest/v2/write/artifact/assets/remote',
    access: {
      needs: 'write',
      about: [
        maybe(experiment, 'body.experimentKey', 'query.experimentKey'),
        eachNamed(artifactVersion, 'body.remoteAssets.*.artifactVersionId'),
      ],
    },
    summary: 'Log remote files of an artifact version',
    wire: { retryableWith429: true },
    query: object({ experimentKey: optional(text()) }),
    body: object({
      experimentKey: optional(text()),
      remoteAssets: list(remoteItem, { maxItems: 10_000 }),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  logRemoteAssetBatch: {
    method: 'POST',
    path: write('/artifact/assets/remote/batch'),
    access: {
      needs: 'write',
      about: [
        one(experiment, 'query.experimentKey'),
        eachNamed(artifactVersion, 'body.remoteArtifactAssetRequests.*.artifactVersionId'),
      ],
    },
    summary: 'Log a batch of remote files of artifact versions',
    wire: { retryableWith429: true },
    query: keyed,
    body: object({ remoteArtifactAssetRequests: list(remoteItem, { maxItems: 10_000 }) }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  get3dLimits: {
    method: 'POST',
    path: live('/asset/3d-limits'),
    access: { needs: 'read', about: maybe(experiment, 'body.experimentKey') },
    summary: 'How much a 3D picture may hold',
    wire: { credential: 'body.apiKey' },
    body: object({ experimentKey: optional(text()) }),
    replies: {
      200: object({
        maxPoints: integer(),
        maxPointsFileSizeInBytes: integer(),
        maxBoxes: integer(),
        maxBoxesFileSizeInBytes: integer(),
      }),
    },
    fails: ['invalid'],
  },
  create3d: {
    method: 'POST',
    path: live('/asset'),
    access: { needs: 'write', about: inBody },
    summary: 'Begin a 3D picture, whose items follow',
    wire: { retryableWith429: true, credential: 'body.apiKey' },
    body: object({
      experimentKey: text(),
      userFileName: optional(text()),
      assetType: optional(text()),
      step: optional(integer()),
      epoch: optional(integer()),
      context: optional(text()),
      metadata: optional(text()),
    }),
    replies: { 200: saved({ assetId: text() }) },
    fails: uploadFails,
  },
  upload3dItem: {
    method: 'POST',
    path: live('/asset/asset-item'),
    access: {
      needs: 'write',
      about: [inPart, within(experiment, asset, 'part.requestParams.assetId')],
    },
    summary: 'Upload points or boxes of a 3D picture',
    wire: { retryableWith429: true, credential: 'part.requestParams.apiKey' },
    body: multipart({ requestParams: 'JSON', assetItemContent: 'the bytes' }),
    replies: { 200: saved({ assetId: text() }) },
    fails: uploadFails,
  },
  upload3dThumbnail: {
    method: 'PUT',
    path: live('/asset/{assetId}/thumbnail'),
    access: { needs: 'write', about: [inPart, within(experiment, asset, 'params.assetId')] },
    summary: 'Upload the small picture of a 3D picture',
    wire: { retryableWith429: true, credential: 'part.requestParams.apiKey' },
    params: object({ assetId: text() }),
    body: multipart({ requestParams: 'JSON', thumbnail: 'the bytes' }),
    replies: { 200: saved({ assetId: text() }) },
    fails: uploadFails,
  },
  deleteAsset: {
    method: 'GET',
    path: write('/experiment/asset/delete'),
    access: { needs: 'write', about: inExperimentAsset, unbounded: false },
    audit: true,
    summary: 'Delete an asset',
    query: object({ experimentKey: text(), assetId: text() }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent', 'conflict'],
  },
  addAssetTags: {
    method: 'POST',
    path: write('/experiment/asset/tags'),
    access: { needs: 'write', about: [inBody, within(experiment, asset, 'body.assetId')] },
    summary: 'Add tags to an asset',
    body: object({ experimentKey: text(), assetId: text(), tags: texts() }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
  deleteAssetTags: {
    method: 'POST',
    path: write('/experiment/asset/tags/delete'),
    access: {
      needs: 'write',
      about: [inBody, within(experiment, asset, 'body.assetId')],
      unbounded: false,
    },
    audit: true,
    summary: 'Take tags away from an asset',
    body: object({ experimentKey: text(), assetId: text(), tags: texts() }),
    replies: { 200: saved() },
    fails: ['invalid', 'absent'],
  },
  listAssets: {
    method: 'GET',
    path: read('/experiment/asset/list'),
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Assets of an experiment, all or of one type, in the order of storing',
    query: object({ experimentKey: text(), type: optional(text()) }),
    replies: { 200: assetList },
    fails: ['invalid'],
  },
  listAssetsByName: {
    method: 'GET',
    path: read('/experiment/asset/get-by-name'),
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Assets of a file name',
    query: object({ experimentKey: text(), assetName: text(), type: optional(text()) }),
    replies: { 200: assetList },
    fails: ['invalid'],
  },
  searchAssetNames: {
    method: 'POST',
    path: read('/experiments/assets/search'),
    access: { needs: 'read', about: each(experiment, 'body.experimentKeys') },
    summary:
      'File names of assets that contain a phrase in any case, and which of the experiments have them; not complete when there are more names than one search lists',
    body: object({ experimentKeys: texts(), phrase: text({ max: 1000 }) }),
    replies: {
      200: object({
        assets: list(object({ fileName: text(), experimentKeys: list(text()) })),
        complete: flag(),
      }),
    },
    fails: ['invalid'],
  },
  getAsset: {
    method: 'GET',
    path: read('/experiment/asset/get-asset'),
    access: {
      needs: 'read',
      about: [
        maybe(experiment, 'query.experimentKey'),
        maybe(artifactVersion, 'query.artifactVersionId'),
        one(asset, 'query.assetId', 'query.imageId'),
      ],
      fallBackToRegistryCopy: true,
    },
    summary:
      'The bytes of an asset, named as an asset or, as the handshake of a run tells clients, as an image; a large one, where the client allows it, by a signed link',
    query: object({
      experimentKey: optional(text()),
      assetId: optional(text()),
      imageId: optional(text()),
      artifactVersionId: optional(text()),
      allow301: optional(flag()),
    }),
    replies: { 200: bytes(), 302: redirect },
    fails: ['invalid', 'absent'],
  },
  downloadAsset: {
    method: 'GET',
    path: '/api/asset/download',
    access: {
      needs: 'read',
      about: [
        maybe(experiment, 'query.experimentKey', 'query.experimentId'),
        one(asset, 'query.assetId'),
      ],
      fallBackToRegistryCopy: true,
    },
    summary: 'The bytes of an asset, by its stable link',
    query: object({
      experimentKey: optional(text()),
      experimentId: optional(text()),
      assetId: text(),
    }),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent'],
  },
  downloadImage: {
    method: 'GET',
    path: '/api/image/download',
    access: {
      needs: 'read',
      about: [
        maybe(experiment, 'query.experimentKey', 'query.experimentId'),
        one(asset, 'query.imageId', 'query.assetId'),
      ],
    },
    summary: 'The bytes of an image, by its stable link',
    query: object({
      experimentKey: optional(text()),
      experimentId: optional(text()),
      imageId: optional(text()),
      assetId: optional(text()),
    }),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent'],
  },
  listModels: {
    method: 'GET',
    path: read('/experiment/model'),
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Models that an experiment has logged',
    query: keyed,
    replies: {
      200: object({
        models: list(
          object({
            experimentModelId: text(),
            experimentKey: text(),
            modelName: text(),
            registryRecords: list(
              object({
                registryModelId: text(),
                registryModelItemId: text(),
                registryModelName: text(),
                version: text(),
                createdAt: millis(),
              }),
            ),
          }),
        ),
      }),
    },
    fails: ['invalid'],
  },
  listModelAssets: {
    method: 'GET',
    path: read('/experiment/model/asset/list'),
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Files of a model',
    query: object({ experimentKey: text(), modelName: text() }),
    replies: { 200: assetList },
    fails: ['invalid'],
  },
  downloadModel: {
    method: 'GET',
    path: read('/experiment/model/download'),
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Files of a model as one zip',
    query: object({ experimentKey: text(), modelName: text() }),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent'],
  },
});
