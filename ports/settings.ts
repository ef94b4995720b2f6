import { port } from './port.js';

/** The settings that rules read. Names are the specification's where it names them; the values are in force for this process. */
export interface Settings {
  /** How the outside reaches the server: scheme, host and port, no path, no slash at the end. */
  readonly baseUrl: string;
  readonly version: string;
  readonly EXPERIMENTS_IN_EM_PROJECT_LIMIT: number;
  readonly EXPERIMENTS_IN_LLM_PROJECT_LIMIT: number;
  readonly MAX_METRICS_TO_RETURN_FOR_EXPERIMENT: number;
  readonly METRICS_PER_EXPERIMENT_LIMIT: number;
  readonly OUTPUT_PER_EXPERIMENT_LIMIT_MB: number;
  readonly HTML_PER_EXPERIMENT_LIMIT_MB: number;
  readonly ASSET_REDIRECT_SIZE_LIMIT: number;
  readonly IMAGE_PRE_SIGNED_URL_EXP_SECONDS: number;
  readonly VIDEO_PRE_SIGNED_URL_EXP_SECONDS: number;
  readonly MAX_3D_VISUALIZATION_BOXES: number;
  readonly MAX_3D_VISUALIZATION_POINTS: number;
  readonly MAX_3D_VISUALIZATION_BOXES_FILE_SIZE: number;
  readonly MAX_3D_VISUALIZATION_POINTS_FILE_SIZE: number;
  readonly MAX_ASSET_NAMES_IN_ASSET_SEARCH: number;
  readonly MAX_EXPERIMENTS_IN_ASSET_SEARCH: number;
  readonly MIN_ASSET_SEARCH_PHRASE_LEN: number;
  readonly ADD_IMAGE_DIMENSIONS: boolean;
  readonly FILTER_REMOTE_ASSET_ON_DOWNLOAD: boolean;
  readonly ALLOW_S3_DIRECT_DOWNLOAD: boolean;
  readonly MIN_SDK_VERSION_PYTHON: string;
  readonly MIN_SDK_VERSION_JAVA: string;
  readonly MIN_SDK_VERSION_R: string;
  readonly USER_NAME_MIN_LENGTH: number;
  readonly SMART_API_KEY_ENABLED: boolean;
  readonly MODEL_VERSION_THROTTLER_ENABLED: boolean;
  readonly ORRERY_AUDIT_DAYS: number;
  readonly ORRERY_REGISTRY_APPROVALS: number;
  readonly ORRERY_REGISTRY_SELF_APPROVAL: boolean;
  readonly ORRERY_REGISTRY_REQUEST_DAYS: number;
  readonly ORRERY_ASSET_SIZE_LIMIT_MB: number;
  readonly ORRERY_VIDEO_SIZE_LIMIT_MB: number;
  readonly ORRERY_IMAGES_PER_EXPERIMENT_LIMIT: number;
  readonly ORRERY_ASSETS_PER_KIND_LIMIT: number;
  readonly ORRERY_THROTTLE_METRICS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_SYSTEM_METRICS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_PARAMETERS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_OUTPUT_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_ASSETS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_ORGANIZATION_METRICS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_ORGANIZATION_SYSTEM_METRICS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_ORGANIZATION_PARAMETERS_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_ORGANIZATION_OUTPUT_PER_MINUTE: number;
  readonly ORRERY_THROTTLE_ORGANIZATION_ASSETS_PER_MINUTE: number;
}
export const Settings = port<Settings>('settings');
