// What the app asks of the server: rows of the operation table, so that one that changes breaks this compilation.
import type { artifactOperations } from '#ports/api/artifacts';
import type { assetOperations } from '#ports/api/assets';
import type { commentOperations } from '#ports/api/comments';
import type { environmentOperations } from '#ports/api/environment';
import type { experimentOperations } from '#ports/api/experiments';
import type { identityOperations } from '#ports/api/identity';
import type { lineageOperations } from '#ports/api/lineage';
import type { metricOperations } from '#ports/api/metrics';
import type { nameSearchOperations } from '#ports/api/name-search';
import type { parameterOperations } from '#ports/api/parameters';
import type { approvalOperations, registryOperations } from '#ports/api/registry';
import type { runActionOperations } from '#ports/api/run-actions';
import type { runDocumentOperations } from '#ports/api/run-documents';
import type { runOutputOperations } from '#ports/api/run-output';
import type { runTableOperations } from '#ports/api/run-table';
import type { savedViewOperations } from '#ports/api/saved-views';
import type { seriesOperations } from '#ports/api/series';
import type { webhookOperations } from '#ports/api/webhooks';
import type { workspaceOperations } from '#ports/api/workspaces';
import type { additionOperations } from '../rows.js';
import { row } from './request.js';

type Runs = typeof runTableOperations;
type Actions = typeof runActionOperations;
type Views = typeof savedViewOperations;
type Experiments = typeof experimentOperations;
type Parameters = typeof parameterOperations;
type Documents = typeof runDocumentOperations;
type Comments = typeof commentOperations;
type Workspaces = typeof workspaceOperations;
type Artifacts = typeof artifactOperations;
type Registry = typeof registryOperations;
type Approval = typeof approvalOperations;
type Webhooks = typeof webhookOperations;
const rest = '/api/rest/v2';
const ui = '/v1/private/ui';
const read = `${rest}/experiment` as const;
const write = `${rest}/write/experiment` as const;
const model = `${rest}/registry-model` as const;
const writeModel = `${rest}/write/registry-model` as const;
const oneView = `${ui}/views/{view}` as const;

export const server = {
  whoAmI: row<(typeof identityOperations)['whoAmI']>('GET', '/api/auth/session'),
  listWorkspaces: row<Workspaces['listWorkspaces']>('GET', `${rest}/workspaces`),
  listProjects: row<Workspaces['listProjects']>('GET', `${rest}/projects`),
  getProject: row<Workspaces['getProject']>('GET', `${rest}/project`),
  searchNames: row<(typeof nameSearchOperations)['searchNames']>('GET', `${ui}/search`),
} as const;

/** What plugins add to the app. */
export const additionsServer = {
  list: row<(typeof additionOperations)['listUiAdditions']>('GET', `${ui}/additions`),
} as const;

/** Many runs: the table, views of it, and what is done to some of them. */
export const runsServer = {
  query: row<Runs['queryRuns']>('POST', `${ui}/runs/query`),
  group: row<Runs['groupRuns']>('POST', `${ui}/runs/groups`),
  columns: row<Runs['listRunColumns']>('GET', `${ui}/runs/columns`),
  values: row<Runs['listRunValues']>('GET', `${ui}/runs/columns/values`),
  compare: row<Runs['compareRuns']>('POST', `${ui}/diff`),
  series: row<(typeof seriesOperations)['querySeriesBinary']>('POST', `${ui}/series/binary`),
  act: row<Actions['applyToRuns']>('POST', `${ui}/actions`),
  getAction: row<Actions['getRunAction']>('GET', `${ui}/actions/{action}`),
  listViews: row<Views['listSavedViews']>('GET', `${ui}/views`),
  getView: row<Views['getSavedView']>('GET', oneView),
  createView: row<Views['createSavedView']>('POST', `${ui}/views`),
  updateView: row<Views['updateSavedView']>('PUT', oneView),
  deleteView: row<Views['deleteSavedView']>('DELETE', oneView),
  setProjectDefault: row<Views['setProjectDefaultView']>('PUT', `${oneView}/project-default`),
  setOwnDefault: row<Views['setOwnDefaultView']>('PUT', `${oneView}/own-default`),
} as const;

/** One run. */
export const runServer = {
  getMetadata: row<Experiments['getMetadata']>('GET', `${read}/metadata`),
  archive: row<Experiments['archiveExperiment']>('GET', `${write}/archive`),
  restore: row<Experiments['restoreExperiment']>('GET', `${write}/restore`),
  stop: row<Experiments['stopExperiment']>('GET', `${write}/stop`),
  delete: row<Experiments['deleteExperiment']>('GET', `${write}/delete`),
  getMetrics: row<(typeof metricOperations)['getMetricsSummary']>('GET', `${read}/metrics/summary`),
  getParameters: row<Parameters['getParameters']>('GET', `${read}/parameters`),
  getOthers: row<Parameters['getOthers']>('GET', `${read}/log-other`),
  logOther: row<Parameters['logOther']>('POST', `${write}/log-other`),
  addTags: row<Parameters['addTags']>('POST', `${write}/tags`),
  deleteTags: row<Parameters['deleteTags']>('POST', `${write}/tags/delete`),
  getTags: row<Parameters['getTags']>('GET', `${read}/tags`),
  listAssets: row<(typeof assetOperations)['listAssets']>('GET', `${read}/asset/list`),
  getNotes: row<Documents['getExperimentNotes']>('GET', `${read}/notes`),
  setNotes: row<Documents['setExperimentNotes']>('POST', `${write}/notes`),
  getCode: row<Documents['getCode']>('GET', `${read}/code`),
  getPatch: row<Documents['getGitPatch']>('GET', `${read}/git/patch`),
  getOutput: row<Documents['getOutput']>('GET', `${read}/output`),
  getHtml: row<Documents['getHtml']>('GET', `${read}/html`),
  getGraph: row<Documents['getGraph']>('GET', `${read}/graph`),
  getSystem: row<(typeof environmentOperations)['getSystemDetails']>(
    'GET',
    `${read}/system-details`,
  ),
  getGit: row<(typeof environmentOperations)['getGitMetadata']>('GET', `${read}/git/metadata`),
  listModels: row<(typeof assetOperations)['listModels']>('GET', `${read}/model`),
  getArtifacts: row<Artifacts['getArtifactLineage']>('GET', `${rest}/get/artifacts`),
  readOutputLines: row<(typeof runOutputOperations)['readOutputLines']>(
    'GET',
    `${ui}/runs/{run}/output`,
  ),
  readLineage: row<(typeof lineageOperations)['readLineage']>('GET', `${ui}/lineage`),
} as const;

export const commentServer = {
  ofRun: row<Comments['listRunComments']>('GET', `${ui}/runs/{run}/comments`),
  onRun: row<Comments['commentOnRun']>('POST', `${ui}/runs/{run}/comments`),
  ofVersion: row<Comments['listVersionComments']>('GET', `${ui}/model-versions/{version}/comments`),
  onVersion: row<Comments['commentOnVersion']>('POST', `${ui}/model-versions/{version}/comments`),
  edit: row<Comments['editComment']>('PUT', `${ui}/comments/{comment}`),
  remove: row<Comments['deleteComment']>('DELETE', `${ui}/comments/{comment}`),
} as const;

export const artifactServer = {
  list: row<Artifacts['listArtifacts']>('GET', `${rest}/artifacts/get-all`),
  get: row<Artifacts['getArtifact']>('GET', `${rest}/artifacts/get`),
  files: row<Artifacts['listArtifactFiles']>('GET', `${rest}/artifacts/version/files`),
  label: row<Artifacts['updateArtifactVersion']>('POST', `${rest}/write/artifacts/version/labels`),
  consumers: row<Artifacts['listArtifactConsumers']>('GET', `${rest}/artifacts/version/consumers`),
  remove: row<Artifacts['deleteArtifact']>('POST', `${rest}/write/artifacts/delete`),
  removeVersion: row<Artifacts['deleteArtifactVersion']>(
    'POST',
    `${rest}/write/artifacts/version/delete`,
  ),
} as const;

export const registryServer = {
  list: row<Registry['listRegistryModels']>('GET', model),
  get: row<Registry['getRegistryModel']>('GET', `${model}/details`),
  getVersion: row<Registry['getModelVersion']>('GET', `${model}/item/details`),
  register: row<Registry['registerByName']>('POST', `${writeModel}/item/create`),
  update: row<Registry['updateRegistryModel']>('POST', `${writeModel}/update`),
  updateVersion: row<Registry['updateModelVersion']>('POST', `${writeModel}/item/update`),
  remove: row<Registry['deleteRegistryModel']>('GET', `${writeModel}/delete`),
  removeVersion: row<Registry['deleteModelVersion']>('GET', `${writeModel}/item/delete`),
  addStage: row<Registry['addStage']>('GET', `${writeModel}/item/stage`),
  deleteStage: row<Registry['deleteStage']>('GET', `${writeModel}/item/stage/delete`),
  moveStage: row<Registry['moveStage']>('POST', `${writeModel}/item/stage/move`),
  getNotes: row<Registry['getModelNotes']>('GET', `${model}/notes`),
  setNotes: row<Registry['setModelNotes']>('POST', `${writeModel}/notes`),
  history: row<Registry['getVersionHistory']>('POST', `${model}/history/item`),
  statuses: row<Approval['listAllowedStatuses']>('GET', `${model}/allowed_status_values`),
  setStatus: row<Approval['setModelStatus']>('POST', `${writeModel}/item/status`),
  request: row<Approval['requestModelStatus']>('POST', `${writeModel}/item/status-request`),
  requests: row<Approval['listStatusRequests']>('GET', `${model}/status-requests`),
  approve: row<Approval['approveStatusRequest']>(
    'POST',
    `${writeModel}/status-request/{requestId}/approve`,
  ),
  reject: row<Approval['rejectStatusRequest']>(
    'POST',
    `${writeModel}/status-request/{requestId}/reject`,
  ),
  cancel: row<Approval['cancelStatusRequest']>(
    'POST',
    `${writeModel}/status-request/{requestId}/cancel`,
  ),
  listWebhooks: row<Webhooks['listWebhooks']>('GET', `${rest}/webhooks/config`),
  addWebhook: row<Webhooks['updateWebhooks']>('POST', `${rest}/webhooks/config`),
  setWebhooks: row<Webhooks['overrideWebhooks']>('PUT', `${rest}/webhooks/config`),
  testWebhook: row<Webhooks['testWebhook']>('POST', `${rest}/webhooks/test`),
  deliveries: row<Webhooks['listDeliveries']>('GET', `${rest}/webhooks/deliveries`),
  redeliver: row<Webhooks['redeliver']>(
    'POST',
    `${rest}/webhooks/deliveries/{deliveryId}/redeliver`,
  ),
} as const;
