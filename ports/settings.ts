import { port } from './port.js';

/** The settings that every area may read; those of one area stand with it. Names are the specification's where it names them; the values are in force for this process. */
export interface Settings {
  /** How the outside reaches the server: scheme, host and port, and the path below which a proxy has it, if any; no slash at the end. */
  readonly baseUrl: string;
  readonly version: string;
  readonly ORRERY_METRICS_TOKEN: string;
  readonly ANONYMOUS_USERS_VALID_DAYS_TO_CLAIM: number;
  readonly HTTPS_ENABLED: string;
  readonly JWT_SAME_SITE: string;
}
export const Settings = port<Settings>('settings');

/** The path below which the outside finds the server: empty, or a slash and words without one at the end. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');
