// Models, versions, history and requests as the tracking wire shows them. Pure.
import type {
  HistoryEntry,
  ModelVersion,
  RegistryModel,
  StatusRequest,
  VersionFile,
} from '#ports/model/registry';
import type { ListedModel } from '#ports/storage/registry';
import { showAsset } from '../assets/offers.js';

const query = (model: Pick<RegistryModel, 'workspaceName' | 'name'>, version: string): string =>
  new URLSearchParams({
    workspaceName: model.workspaceName,
    modelName: model.name,
    version,
  }).toString();

/** Where a version is shown, described and read. */
export const versionLinks = (
  baseUrl: string,
  model: Pick<RegistryModel, 'workspaceName' | 'name'>,
  version: string,
) => ({
  modelUrl: `${baseUrl}/${encodeURIComponent(model.workspaceName)}/model-registry/${encodeURIComponent(model.name)}/${encodeURIComponent(version)}`,
  restApiUrl: `${baseUrl}/api/rest/v2/registry-model/item/details?${query(model, version)}`,
  downloadUrl: `${baseUrl}/api/rest/v2/registry-model/item/download?${query(model, version)}`,
});

export const showModel = (model: RegistryModel) => ({
  registryModelId: model.id,
  modelName: model.name,
  description: model.description ?? null,
  numberOfVersions: model.versions,
  isPublic: model.public,
  imagePath: null,
  userName: model.userName,
  createdAt: model.createdAt,
  lastUpdated: model.updatedAt,
});

/** What every form of a version holds. */
export const showBare = (version: ModelVersion) => ({
  registryModelItemId: version.id,
  experimentModel: {
    experimentModelId: version.experimentModelId,
    experimentModelName: version.experimentModelName,
    modelName: version.experimentModelName,
    experimentKey: version.experimentKey,
  },
  version: version.version,
  comment: version.comment ?? null,
  stages: version.tags,
  userName: version.userName,
  createdAt: version.createdAt,
  lastUpdated: version.updatedAt,
});
const quote = (text: string | undefined): string =>
  text === undefined ? 'null' : JSON.stringify(text);
/** `showModel` with `showBare` and metadata of its highest version as JSON. Written out member by member: a list of a thousand would spend most of its time on the objects. */
export const writeListed = ({ model, latest }: ListedModel): string => {
  const version =
    latest === undefined
      ? 'null'
      : `{"registryModelItemId":"${latest.id}","experimentModel":{"experimentModelId":${quote(latest.experimentModelId)},"experimentModelName":${quote(latest.experimentModelName)},"modelName":${quote(latest.experimentModelName)},"experimentKey":${quote(latest.experimentKey)}},"version":${quote(latest.version)},"comment":${quote(latest.comment)},"stages":${latest.tags},"userName":${quote(latest.userName)},"createdAt":${latest.createdAt},"lastUpdated":${latest.updatedAt},"metadata":${latest.metadata ?? '[]'}}`;
  return `{"registryModelId":"${model.id}","modelName":${quote(model.name)},"description":${quote(model.description)},"numberOfVersions":${model.versions},"isPublic":${model.public},"imagePath":null,"userName":${quote(model.userName)},"createdAt":${model.createdAt},"lastUpdated":${model.updatedAt},"latestVersion":${version}}`;
};

/** A version beside its assets. */
export const showVersion = (version: ModelVersion, model: RegistryModel, baseUrl: string) => ({
  ...showBare(version),
  status: version.status,
  tags: version.tags,
  restApiUrl: versionLinks(baseUrl, model, version.version).restApiUrl,
});

/** A kept file as an asset. One that the experiment no longer has as it was goes by an id of its own, under which only the kept one is found. */
export const showFile = ({ asset, current }: VersionFile, version: ModelVersion, baseUrl: string) =>
  showAsset(current ? asset : { ...asset, id: asset.rowId }, version.experimentKey, baseUrl);

export const showHistory = (entry: HistoryEntry, model: RegistryModel, version: ModelVersion) => ({
  actionType: entry.action,
  comment: entry.comment ?? null,
  newValue: { ...entry.next },
  previousValue: { ...entry.previous },
  registryModelId: model.id,
  registryModelItemActualPathParams: null,
  registryModelItemId: version.id,
  registryModelItemVersion: version.version,
  registryModelName: model.name,
  userAvatarLink: null,
  userName: entry.userName,
});

export const showRequest = (request: StatusRequest) => ({
  requestId: request.id,
  registryModelId: request.modelId,
  registryModelName: request.modelName,
  modelItemId: request.versionId,
  version: request.version,
  status: request.status,
  previousStatus: request.from,
  comment: request.comment ?? null,
  state: request.state,
  userName: request.userName,
  createdAt: request.createdAt,
  approvedBy: request.approvedBy,
  decidedBy: request.decidedBy ?? null,
  decidedAt: request.decidedAt ?? null,
  decisionComment: request.decision ?? null,
});
