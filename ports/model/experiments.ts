import { kind } from '../api/kind.js';

export const experimentStates = ['running', 'finished', 'crashed'] as const;
export type ExperimentState = (typeof experimentStates)[number];

export interface Experiment {
  readonly id: string;
  /** The public key: 32 to 50 letters and digits, told apart by case. */
  readonly key: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** How many bytes the assets of its workspace may have together. */
  readonly workspaceStorageLimit: number | undefined;
  readonly projectId: string;
  readonly projectName: string;
  readonly userId: string;
  readonly userName: string;
  readonly name: string;
  readonly optimizationId: string | undefined;
  readonly filePath: string | undefined;
  readonly fileName: string | undefined;
  readonly createdAt: number;
  readonly startTimeMillis: number;
  readonly endTimeMillis: number;
  /** Whether a client set the time itself; then activity no longer moves it. */
  readonly startSet: boolean;
  readonly endSet: boolean;
  /** Last sign of life: a beat, a report or data. */
  readonly lastSeenAt: number;
  /** How long after `lastSeenAt` it still counts as running, in ms. */
  readonly beatMs: number;
  /** Said to be running by its last report; it counts as running only while its beats do not lapse. */
  readonly alive: boolean;
  /** Its client says when it ends, so that silence means a crash. */
  readonly reportsEnd: boolean;
  readonly hasCrashed: boolean;
  readonly archived: boolean;
  readonly offline: boolean;
  /** An uploaded offline run is still being replayed. */
  readonly processing: boolean;
  readonly throttle: boolean;
  readonly throttleMessage: string | undefined;
  readonly throttleReasons: readonly string[];
}
export const experiment = kind<Experiment>()('experiment');
