import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { assetOperations } from '#ports/api/assets';
import type { JsonText } from '#ports/api/operation';
import { BlobStore } from '#ports/blob-store';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Asset } from '#ports/model/assets';
import type { Experiment } from '#ports/model/experiments';
import { Secrets } from '#ports/secrets';
import { storageOf } from '#ports/storage/storage';
import { Throttle } from '#ports/throttle';
import { Zip } from '#ports/zip';
import { writeList } from '../json-list.js';
import { completeDirect, putPart, startDirect } from './direct.js';
import { everyAsset, toDownload, toZip } from './downloads.js';
import { filteredType } from './types.js';
import { createLinks, redirectFor } from './links.js';
import { keepText } from './offers.js';
import { beginPicture, receivePicturePart } from './pictures.js';
import { noteActivity, receiveAsset, takeUpload } from './receiving.js';
import { keepRemote } from './remote.js';
import { downloadLink, toWire } from './wire.js';
import { assetKind, uploadKind } from './kinds.js';
import { assetSettings } from './settings.js';

const needs = {
  storage: storageOf(
    'artifactVersions',
    'assets',
    'experiments',
    'links',
    'modelVersions',
    'uploads',
    'workspaces',
  ),
  store: BlobStore,
  zip: Zip,
  clock: Clock,
  ids: Ids,
  settings: assetSettings.port,
  throttle: Throttle,
  secrets: Secrets,
};

/** Metadata that a client may have packed into base64. */
const unpacked = (metadata: string | undefined): string | undefined => {
  if (
    metadata === undefined ||
    metadata.trim().startsWith('{') ||
    !/^[A-Za-z0-9+/=\s]+$/.test(metadata)
  )
    return metadata;
  try {
    return new TextDecoder().decode(
      Uint8Array.from(atob(metadata), (letter) => letter.charCodeAt(0)),
    );
  } catch {
    return metadata; // not base64 after all: taken as it is
  }
};

export const assetsArea = area({
  name: 'assets',
  summary: 'Files, images and models of experiments: upload, list, download.',
  family: trackingFamily,
  table: assetOperations,
  kinds: [assetKind, uploadKind],
  settings: assetSettings,
  needs,
  handlers: ({ storage, store, zip, clock, ids, settings, throttle, secrets }) => {
    const {
      assets,
      artifactVersions,
      experiments,
      links: linkSecrets,
      uploads,
      workspaces,
    } = storage.stores;
    const { blob } = store;
    const links = createLinks({ linkSecrets, clock, secrets });
    const keeping = {
      assets,
      uploads,
      experiments,
      workspaces,
      blob,
      store,
      clock,
      ids,
      settings,
      throttle,
      links,
    };
    const reading = { assets, blob, zip, settings };

    const listed = (
      experiment: Experiment,
      filter: string | undefined,
      more: { readonly fileName?: string; readonly groupingName?: string } = {},
    ): JsonText => {
      const type = filteredType(filter);
      const pages =
        type === 'none'
          ? []
          : everyAsset(assets, { experimentId: experiment.id, ...type, ...more });
      return {
        text: writeList({}, 'assets', pages, (asset: Asset) =>
          JSON.stringify(toWire(asset, experiment.key, settings.baseUrl)),
        ),
      };
    };
    const answered = (
      experiment: Experiment,
      id: string,
      facts: Pick<Asset, 'type' | 'remoteLink'>,
    ) => ({
      assetId: id,
      link:
        facts.remoteLink ??
        downloadLink(settings.baseUrl, experiment.key, { id, type: facts.type }),
    });
    const linking = { links, store, settings };

    /** The run that made the first of these artifact versions: files that name no run come from it. */
    const makerOf = async ([version]: readonly ArtifactVersion[]): Promise<Experiment> => {
      const [maker] =
        version === undefined ? [] : await experiments.listByIds([version.experimentId]);
      if (maker === undefined)
        throw new Failure('invalid', 'experimentKey is required', { reason: 'keyMissing' });
      return maker;
    };

    return {
      async uploadAsset({ query, body, experiment, artifactVersion, declaredBytes, signal }) {
        const { id, facts } = await receiveAsset(keeping, {
          experiment,
          artifactVersion,
          fields: query,
          upload: body,
          declaredBytes,
          signal,
        });
        return answered(experiment, id, facts);
      },
      async uploadImage({ query, body, experiment, artifactVersion, declaredBytes, signal }) {
        const { id, facts } = await receiveAsset(keeping, {
          experiment,
          artifactVersion,
          fields: query,
          type: 'image',
          upload: body,
          declaredBytes,
          signal,
        });
        return answered(experiment, id, facts);
      },
      async uploadTextSample({ body: { content, metadata, step, context }, experiment, signal }) {
        await takeUpload(keeping, experiment, { artifactVersionId: undefined });
        const id = await keepText(
          keeping,
          experiment,
          { type: 'text-sample', step, context, metadata: unpacked(metadata) },
          content,
          signal,
        );
        await noteActivity(keeping, experiment);
        return answered(experiment, id, { type: 'text-sample', remoteLink: undefined });
      },
      startAssetUpload: ({ body, experiment, artifactVersion }) =>
        startDirect(keeping, {
          experiment,
          artifactVersion,
          fields: body,
          parts: body.startUploadParams.numOfFileParts,
          seconds: body.startUploadParams.preSignUrlTimeoutSec,
        }),
      startImageUpload: ({ body, experiment, artifactVersion }) =>
        startDirect(keeping, {
          experiment,
          artifactVersion,
          fields: body,
          type: 'image',
          parts: body.startUploadParams.numOfFileParts,
          seconds: body.startUploadParams.preSignUrlTimeoutSec,
        }),
      async completeUpload({ body, upload, signal }) {
        return {
          assetId: await completeDirect(
            keeping,
            upload,
            {
              succeed: body.succeed,
              fileSize: body.fileSize ?? -1,
              sent: body.uploadedFileParts ?? [],
            },
            signal,
          ),
        };
      },
      putPart: ({ params, query, body, signal }) =>
        putPart(keeping, {
          upload: params.uploadId,
          number: params.number,
          permission: query,
          content: body,
          signal,
        }),
      async getSigned({ params, query, signal }) {
        await links.check(`get:${params.rowId}`, query);
        const asset =
          (await assets.findByRow(params.rowId)) ??
          (await storage.stores.modelVersions.findKept('', params.rowId))[0]?.asset;
        const version = asset?.artifactVersionId;
        if (
          asset === undefined ||
          (version !== undefined && (await artifactVersions.findVersion(version)) === undefined)
        )
          throw new Failure('absent', 'the asset was deleted');
        return toDownload(reading, asset, signal);
      },
      async logRemoteModel({ body, experiment }) {
        await keepRemote(
          keeping,
          experiment,
          body.remoteEntities.map(({ remoteUrl, ...entity }) => ({
            ...entity,
            link: remoteUrl,
            type: 'model-element',
            groupingName: body.modelName,
          })),
        );
        return {};
      },
      async logRemoteAssets({ body, experiment, artifactVersions }) {
        await keepRemote(
          keeping,
          experiment ?? (await makerOf(artifactVersions)),
          body.remoteAssets,
        );
        return {};
      },
      async logRemoteAssetBatch({ body, experiment }) {
        await keepRemote(keeping, experiment, body.remoteArtifactAssetRequests);
        return {};
      },
      async get3dLimits() {
        return {
          maxPoints: settings.MAX_3D_VISUALIZATION_POINTS,
          maxPointsFileSizeInBytes: settings.MAX_3D_VISUALIZATION_POINTS_FILE_SIZE,
          maxBoxes: settings.MAX_3D_VISUALIZATION_BOXES,
          maxBoxesFileSizeInBytes: settings.MAX_3D_VISUALIZATION_BOXES_FILE_SIZE,
        };
      },
      async create3d({ body, experiment }) {
        return {
          assetId: await beginPicture(keeping, experiment, {
            fileName: body.userFileName,
            type: body.assetType ?? '3d-image',
            step: body.step,
            epoch: body.epoch,
            context: body.context,
            metadata: body.metadata,
          }),
        };
      },
      async upload3dItem({ body, experiment, asset, signal }) {
        return {
          assetId: await receivePicturePart(keeping, {
            experiment,
            picture: asset,
            content: 'assetItemContent',
            upload: body,
            signal,
          }),
        };
      },
      async upload3dThumbnail({ body, experiment, asset, signal }) {
        return {
          assetId: await receivePicturePart(keeping, {
            experiment,
            picture: asset,
            content: 'thumbnail',
            upload: body,
            signal,
          }),
        };
      },
      async deleteAsset({ experiment, asset }) {
        if (asset.artifactVersionId !== undefined)
          throw new Failure(
            'conflict',
            `asset ${asset.id.slice(0, 80)} is a file of an artifact version, and goes with that version only`,
          );
        if (!(await assets.remove(experiment.id, asset.id)))
          throw new Failure('absent', `asset ${asset.id.slice(0, 80)} not found`);
        return {};
      },
      async addAssetTags({ body, experiment, asset }) {
        await assets.changeTags(experiment.id, asset.id, { add: body.tags, remove: [] });
        return {};
      },
      async deleteAssetTags({ body, experiment, asset }) {
        await assets.changeTags(experiment.id, asset.id, { add: [], remove: body.tags });
        return {};
      },
      listAssets: async ({ query, experiment }) => listed(experiment, query.type),
      listAssetsByName: async ({ query, experiment }) =>
        listed(experiment, query.type, { fileName: query.assetName }),
      async searchAssetNames({ body: { phrase }, experiments: chosen }) {
        const {
          MAX_EXPERIMENTS_IN_ASSET_SEARCH: mostExperiments,
          MIN_ASSET_SEARCH_PHRASE_LEN: shortest,
          MAX_ASSET_NAMES_IN_ASSET_SEARCH: mostNames,
        } = settings;
        if (chosen.length > mostExperiments)
          throw new Failure(
            'invalid',
            `experimentKeys must name at most ${mostExperiments} experiments`,
          );
        if (Array.from(phrase).length < shortest)
          throw new Failure('invalid', `phrase must be at least ${shortest} characters`);
        const found = await assets.listNames({
          experimentIds: chosen.map(({ id }) => id),
          phrase,
          limit: mostNames + 1,
        });
        const keys = new Map(chosen.map(({ id, key }) => [id, key]));
        return {
          assets: found.slice(0, mostNames).map(({ fileName, experimentIds }) => ({
            fileName,
            experimentKeys: experimentIds.map((id) => keys.get(id) ?? ''),
          })),
          complete: found.length <= mostNames,
        };
      },
      async getAsset({ query, asset, signal }) {
        const link = query.allow301 === true ? await redirectFor(linking, asset) : undefined;
        return link !== undefined
          ? { status: 302 as const, body: link }
          : { status: 200 as const, body: await toDownload(reading, asset, signal) };
      },
      downloadAsset: ({ asset, signal }) => toDownload(reading, asset, signal),
      downloadImage: ({ asset, signal }) => toDownload(reading, asset, signal),
      async listModels({ experiment }) {
        const [models, records] = [
          await assets.listModels(experiment.id),
          await storage.stores.modelVersions.listRecords(experiment.id),
        ];
        return {
          models: models.map(({ id, name }) => ({
            experimentModelId: id,
            experimentKey: experiment.key,
            modelName: name,
            registryRecords: records
              .filter((record) => record.experimentModelName === name)
              .map((record) => ({
                registryModelId: record.modelId,
                registryModelItemId: record.versionId,
                registryModelName: record.modelName,
                version: record.version,
                createdAt: record.createdAt,
              })),
          })),
        };
      },
      listModelAssets: async ({ query, experiment }) =>
        listed(experiment, 'model-element', { groupingName: query.modelName }),
      async downloadModel({ query, experiment, signal }) {
        const model = {
          experimentId: experiment.id,
          type: 'model-element',
          groupingName: query.modelName,
        };
        if ((await assets.list({ ...model, limit: 1 })).length === 0)
          throw new Failure('absent', `model ${query.modelName.slice(0, 100)} not found`);
        return toZip(reading, everyAsset(assets, model), `${query.modelName}.zip`, signal);
      },
    };
  },
});
