import { asset, upload } from '#ports/model/assets';
import { kindIn, type AreaFixtures } from '#test/api/fixtures';
import { freshKey, unknownId } from '#test/api/fresh';
import { assets, downloadLink, partLink } from './things.js';

export const fixtures: AreaFixtures = {
  areas: ['assets', 'weblinks'],
  kinds: [
    kindIn(asset, assets, { name: ({ assetId }) => assetId, unknown: freshKey }),
    kindIn(upload, assets, { name: ({ requestId }) => requestId, unknown: () => unknownId }),
  ],
  settings: { ASSET_REDIRECT_SIZE_LIMIT: '1' },
  rows: {
    uploadAsset: {
      notOurs: {
        'query.projectId': 'not read',
        'query.assetId': "the new asset's id",
        'query.imageId': "the new asset's id",
      },
    },
    uploadImage: {
      notOurs: {
        'query.projectId': 'not read',
        'query.assetId': "the new asset's id",
        'query.imageId': "the new asset's id",
      },
    },
    startAssetUpload: {
      notOurs: {
        'body.projectId': 'not read',
        'body.assetId': "the new asset's id",
        'body.imageId': "the new asset's id",
      },
    },
    startImageUpload: {
      notOurs: {
        'body.projectId': 'not read',
        'body.assetId': "the new asset's id",
        'body.imageId': "the new asset's id",
      },
    },
    completeUpload: { with: () => ({ 'body.succeed': false }), consumes: true },
    putPart: {
      open: 'links are handed out one for each part',
      link: partLink,
      notOurs: { 'params.uploadId': 'the link carries the permission' },
    },
    getSigned: {
      open: 'the client follows it without its key',
      link: downloadLink,
      notOurs: { 'params.rowId': 'the link carries the permission' },
    },
    logRemoteModel: {
      ownNames: ['body.modelName'],
      notOurs: { 'body.remoteEntities.*.assetId': "the new asset's id" },
    },
    logRemoteAssets: {
      notOurs: {
        'body.remoteAssets.*.assetId': "the new asset's id",
        'body.remoteAssets.*.artifactId': 'not read: the version says it',
      },
    },
    logRemoteAssetBatch: {
      notOurs: {
        'body.remoteArtifactAssetRequests.*.assetId': "the new asset's id",
        'body.remoteArtifactAssetRequests.*.artifactId': 'not read: the version says it',
      },
    },
    upload3dItem: {
      with: (world) => ({ 'part.requestParams.assetId': world.of(assets).pictureId }),
      parts: () => [{ name: 'assetItemContent', fileName: 'points', content: '{}' }],
      foreign: (world) => ({ 'part.requestParams.assetId': world.of(assets).pictureId }),
    },
    upload3dThumbnail: {
      with: (world) => ({ 'params.assetId': world.of(assets).pictureId }),
      parts: () => [{ name: 'thumbnail', fileName: 'small.png', content: 'png' }],
      foreign: (world) => ({ 'params.assetId': world.of(assets).pictureId }),
    },
    deleteAsset: { consumes: true },
    deleteAssetTags: { consumes: true },
    listAssetsByName: { ownNames: ['query.assetName'] },
    searchAssetNames: { with: () => ({ 'body.phrase': 'weights' }) },
    getAsset: { with: () => ({ 'query.artifactVersionId': undefined }) },
    listModelAssets: { ownNames: ['query.modelName'] },
    downloadModel: { with: () => ({ 'query.modelName': 'net' }), ownNames: ['query.modelName'] },
    showSettings: { open: 'leads to the own account' },
    redirectToExperiment: { open: 'repeats the address' },
    redirectToProject: { open: 'repeats the address' },
    showRegistryVersion: { with: () => ({ 'params.version': '1.0.0' }) },
    showArtifactVersion: { with: () => ({ 'params.version': '1.0.0' }) },
  },
};
