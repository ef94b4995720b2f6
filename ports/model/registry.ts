import { kind } from '../api/kind.js';
import type { Asset } from './assets.js';
import type { Experiment } from './experiments.js';

/** A model of an experiment: its `model-element` assets of one grouping name. */
export interface ExperimentModel {
  /** Stays the same for as long as the experiment is there. */
  readonly id: string;
  readonly name: string;
  readonly experiment: Experiment;
}
/** A model of an experiment, before it is registered. */
export const experimentModel = kind<ExperimentModel>()('experimentModel');

export interface RegistryModel {
  readonly id: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** As first given, or as last renamed. */
  readonly name: string;
  readonly description: string | undefined;
  readonly public: boolean;
  /** Who registered its first version. */
  readonly userName: string;
  /** How many versions it has. */
  readonly versions: number;
  /** Id of its highest version; `undefined` for a model that has none. */
  readonly latestId: string | undefined;
  readonly createdAt: number;
  readonly updatedAt: number;
}
export const registryModel = kind<RegistryModel>()('registryModel');

export interface ModelVersion {
  readonly id: string;
  readonly modelId: string;
  /** What it was registered from. The experiment may be gone since. */
  readonly experimentId: string;
  readonly experimentKey: string;
  readonly experimentModelId: string;
  readonly experimentModelName: string;
  /** A semantic version, unique in its model. */
  readonly version: string;
  readonly comment: string | undefined;
  /** In the order they were added, each once. Stages are the older name of tags. */
  readonly tags: readonly string[];
  readonly status: string;
  /** How many files it keeps. */
  readonly files: number;
  readonly userName: string;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A version with the model that it belongs to. */
export interface RegisteredVersion extends ModelVersion {
  readonly model: RegistryModel;
}
/** A version of a registered model, with its model. */
export const modelVersion = kind<RegisteredVersion>()('modelVersion');

/** A file as it was when its version was registered; it stays when the experiment's own asset is changed or deleted. */
export interface VersionFile {
  readonly versionId: string;
  readonly asset: Asset;
  /** Whether the experiment still has this very file under the asset's id. */
  readonly current: boolean;
}

export const historyActions = [
  'MODEL_VERSION_CREATED',
  'MODEL_VERSION_DOWNLOADED',
  'MODEL_VERSION_STATUS_CHANGED',
  'MODEL_VERSION_STATUS_REQUEST_CHANGE',
  'MODEL_VERSION_STATUS_REQUEST_APPROVED',
  'MODEL_VERSION_STATUS_REQUEST_REJECTED',
] as const;
export type HistoryAction = (typeof historyActions)[number];

/** A status before or after a change. */
export interface StatusValue {
  readonly registryModelStatus?: string;
  readonly changedBy?: string;
}

export interface HistoryEntry {
  readonly id: string;
  readonly modelId: string;
  readonly versionId: string;
  readonly action: HistoryAction;
  readonly comment: string | undefined;
  readonly previous: StatusValue;
  readonly next: StatusValue;
  readonly userName: string;
  readonly at: number;
}

/** A status that versions may have, the same for the whole installation. */
export interface ModelStatus {
  readonly name: string;
  /** For pages; a CSS colour. */
  readonly colour: string;
  /** A member's change to it must be approved by an administrator of the workspace. */
  readonly requiresApproval: boolean;
  /** Only one version of a model has it at a time. */
  readonly exclusive: boolean;
}

export const requestStates = [
  'PENDING',
  'APPROVED',
  'REJECTED',
  'CANCELLED',
  'SUPERSEDED',
  'EXPIRED',
] as const;
export type RequestState = (typeof requestStates)[number];

/** A change of a version's status that waits for approval, or was decided. */
export interface StatusRequest {
  readonly id: string;
  readonly workspaceId: string;
  readonly modelId: string;
  readonly modelName: string;
  readonly versionId: string;
  readonly version: string;
  readonly status: string;
  /** The version's status when it was filed. */
  readonly from: string;
  readonly comment: string | undefined;
  readonly state: RequestState;
  readonly userId: string;
  readonly userName: string;
  readonly createdAt: number;
  /** Names of those who have approved it so far. */
  readonly approvedBy: readonly string[];
  readonly decidedBy: string | undefined;
  readonly decidedAt: number | undefined;
  readonly decision: string | undefined;
}
export const statusRequest = kind<StatusRequest>()('statusRequest');
