// What the pages of experiments, datasets and prompts ask, and the playground: rows that SDKs of LLM observability ask too.
import type { automationOperations } from '#ports/api/automations';
import type { datasetFileOperations } from '#ports/api/dataset-files';
import type { datasetItemOperations } from '#ports/api/dataset-items';
import type { datasetOperations } from '#ports/api/datasets';
import type { environmentOperations } from '#ports/api/environments';
import type { evaluationOperations } from '#ports/api/evaluations';
import type { languageModelOperations } from '#ports/api/language-models';
import type { optimizationOperations } from '#ports/api/optimizations';
import type { libraryPromptOperations } from '#ports/api/library-prompts';
import type { playgroundOperations } from '#ports/api/playground';
import type { providerKeyOperations } from '#ports/api/provider-keys';
import { row } from './request.js';

type Experiments = typeof evaluationOperations;
type Datasets = typeof datasetOperations;
type Files = typeof datasetFileOperations;
type Items = typeof datasetItemOperations;
type Prompts = typeof libraryPromptOperations;
type Keys = typeof providerKeyOperations;
type Optimizations = typeof optimizationOperations;
const experiments = '/v1/private/experiments';
const optimizations = '/v1/private/optimizations';
const datasets = '/v1/private/datasets';
const ofDataset = `${datasets}/{id}` as const;
const compared = `${ofDataset}/items/experiments/items` as const;
const prompts = '/v1/private/prompts';
const keys = '/v1/private/llm-provider-key';

export const experimentsServer = {
  list: row<Experiments['listEvaluations']>('GET', experiments),
  show: row<Experiments['showEvaluation']>('GET', `${experiments}/{id}`),
  update: row<Experiments['updateEvaluation']>('PATCH', `${experiments}/{id}`),
  remove: row<Experiments['deleteEvaluations']>('POST', `${experiments}/delete`),
  scoreNames: row<Experiments['listEvaluationScoreNames']>(
    'GET',
    `${experiments}/feedback-scores/names`,
  ),
  compare: row<Experiments['compareEvaluations']>('GET', compared),
  statistics: row<Experiments['summarizeComparedItems']>('GET', `${compared}/stats`),
} as const;

export const optimizationsServer = {
  list: row<Optimizations['listOptimizations']>('GET', optimizations),
  show: row<Optimizations['showOptimization']>('GET', `${optimizations}/{id}`),
  update: row<Optimizations['updateOptimization']>('PUT', `${optimizations}/{id}`),
  remove: row<Optimizations['deleteOptimizations']>('POST', `${optimizations}/delete`),
} as const;

export const datasetsServer = {
  list: row<Datasets['listDatasets']>('GET', datasets),
  show: row<Datasets['showDataset']>('GET', ofDataset),
  create: row<Datasets['createDataset']>('POST', datasets),
  update: row<Datasets['updateDataset']>('PUT', ofDataset),
  remove: row<Datasets['deleteDataset']>('DELETE', ofDataset),
  versions: row<Datasets['listDatasetVersions']>('GET', `${ofDataset}/versions`),
  difference: row<Datasets['compareDatasetVersions']>('GET', `${ofDataset}/versions/diff`),
  restore: row<Datasets['restoreDatasetVersion']>('POST', `${ofDataset}/versions/restore`),
  tagVersion: row<Datasets['tagDatasetVersion']>(
    'POST',
    `${ofDataset}/versions/hash/{versionHash}/tags`,
  ),
  untagVersion: row<Datasets['untagDatasetVersion']>(
    'DELETE',
    `${ofDataset}/versions/{versionHash}/tags/{tag}`,
  ),
  find: row<Datasets['retrieveDataset']>('POST', `${datasets}/retrieve`),
  copyTraces: row<Items['copyTracesIntoDataset']>(
    'POST',
    `${datasets}/{dataset_id}/items/from-traces`,
  ),
  items: row<Items['listDatasetItems']>('GET', `${ofDataset}/items`),
  item: row<Items['showDatasetItem']>('GET', `${datasets}/items/{itemId}`),
  exportFile: row<Files['exportDataset']>('POST', `${ofDataset}/export`),
  download: row<Files['downloadDatasetExport']>('GET', `${datasets}/export-jobs/{jobId}/download`),
  change: row<Items['applyDatasetChanges']>('POST', `${ofDataset}/items/changes`),
} as const;
/** Where a CSV file is sent that becomes items. */
export const csvPath = `${datasets}/items/from-csv`;

export const promptsServer = {
  list: row<Prompts['listLibraryPrompts']>('GET', prompts),
  show: row<Prompts['showLibraryPrompt']>('GET', `${prompts}/{id}`),
  create: row<Prompts['createLibraryPrompt']>('POST', prompts),
  update: row<Prompts['updateLibraryPrompt']>('PUT', `${prompts}/{id}`),
  remove: row<Prompts['deleteLibraryPrompt']>('DELETE', `${prompts}/{id}`),
  versions: row<Prompts['listPromptVersions']>('GET', `${prompts}/{id}/versions`),
  addVersion: row<Prompts['createPromptVersion']>('POST', `${prompts}/versions`),
  restore: row<Prompts['restorePromptVersion']>(
    'POST',
    `${prompts}/{id}/versions/{versionId}/restore`,
  ),
  setEnvironments: row<Prompts['setPromptEnvironments']>(
    'PATCH',
    `${prompts}/versions/{versionId}/environments`,
  ),
  addEnvironment: row<(typeof environmentOperations)['createEnvironment']>(
    'POST',
    '/v1/private/environments',
  ),
  removeEnvironments: row<(typeof environmentOperations)['deleteEnvironments']>(
    'POST',
    '/v1/private/environments/delete',
  ),
  environments: row<(typeof environmentOperations)['listEnvironments']>(
    'GET',
    '/v1/private/environments',
  ),
} as const;

export const providersServer = {
  models: row<(typeof languageModelOperations)['listLanguageModels']>(
    'GET',
    '/v1/private/llm/models',
  ),
  list: row<Keys['listProviderKeys']>('GET', keys),
  create: row<Keys['createProviderKey']>('POST', keys),
  update: row<Keys['updateProviderKey']>('PATCH', `${keys}/{id}`),
  remove: row<Keys['deleteProviderKeys']>('POST', `${keys}/delete`),
} as const;

/** Where a model is asked for one answer. */
export const chatPath = '/v1/private/chat/completions';
export const playgroundServer = {
  run: row<(typeof playgroundOperations)['runPrompts']>('POST', `${experiments}/execute`),
  rules: row<(typeof automationOperations)['listAutomationRules']>(
    'GET',
    '/v1/private/automations/evaluators',
  ),
} as const;

export type Optimization = Awaited<ReturnType<typeof optimizationsServer.show>>;
export type Experiment = Awaited<ReturnType<typeof experimentsServer.show>>;
export type ComparedItem = Awaited<ReturnType<typeof experimentsServer.compare>>['content'][number];
export type Dataset = Awaited<ReturnType<typeof datasetsServer.show>>;
export type DatasetVersion = Awaited<ReturnType<typeof datasetsServer.versions>>['content'][number];
export type DatasetItem = Awaited<ReturnType<typeof datasetsServer.items>>['content'][number];
export type Prompt = Awaited<ReturnType<typeof promptsServer.show>>;
export type PromptVersion = Awaited<ReturnType<typeof promptsServer.versions>>['content'][number];
export type ProviderKey = Awaited<ReturnType<typeof providersServer.list>>['content'][number];
