/** What a caller can act on. Everything else that is thrown is a defect: logged once, and answered without detail. */
export type FailureKind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'absent'
  | 'conflict'
  | 'unprocessable'
  | 'throttled'
  | 'unsupported'
  | 'tooLarge'
  | 'unavailable';

/** Why, in a word, where clients act on more than the kind. A wire that has numbers for reasons maps them in its family. */
export type FailureReason =
  | 'keyUnknown'
  | 'workspaceAbsent'
  | 'workspaceOutOfReach'
  | 'projectMissing'
  | 'runNotAccessible'
  | 'runAbsent'
  | 'keyMissing'
  | 'runExists'
  | 'projectNameTooLong'
  | 'projectKind'
  | 'experimentLimit'
  | 'versionTooOld'
  | 'viewOnly'
  | 'serviceRestricted'
  | 'anonymousOff'
  | 'imageLimit'
  | 'textSampleLimit'
  | 'histogramLimit'
  | 'modelElementLimit'
  | 'curveLimit'
  | 'notebookLimit'
  | 'embeddingLimit'
  | 'videoLimit'
  | 'assetStored'
  | 'imageStored'
  | 'forUser'
  | 'storageLimit'
  | 'artifactAbsent'
  | 'artifactVersionAbsent'
  | 'artifactVersionExists'
  | 'artifactStateFinal'
  | 'artifactVersionOpen'
  | 'artifactVersionFailed'
  | 'artifactStateInvalid'
  | 'artifactNumberUsed'
  | 'versionUnfit'
  | 'modelVersionAbsent'
  | 'registryModelAbsent'
  | 'notInstalled';

export interface FailureDetail {
  readonly reason?: FailureReason;
  /** The wire's own word for this failure, where its family has one (`error` of OAuth). */
  readonly word?: string;
  /** Every rule that was broken, where the wire lists them. */
  readonly rules?: readonly string[];
  /** Seconds after which repeating makes sense; `throttled` and `unavailable` only. */
  readonly retryAfter?: number;
  readonly cause?: unknown;
}

const brand = Symbol.for('orrery.failure');

/** Rejection with a kind and one sentence that names the thing and the rule; the sentence may be shown to the caller. */
export class Failure extends Error {
  readonly [brand] = true;
  readonly reason: FailureReason | undefined;
  readonly word: string | undefined;
  readonly rules: readonly string[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(
    readonly kind: FailureKind,
    message: string,
    detail: FailureDetail = {},
  ) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = 'Failure';
    this.reason = detail.reason;
    this.word = detail.word;
    this.rules = detail.rules;
    this.retryAfter = detail.retryAfter;
  }
}

/** Whether something thrown is a `Failure`, also one made by another copy of this package. */
export const isFailure = (thrown: unknown): thrown is Failure =>
  typeof thrown === 'object' && thrown !== null && brand in thrown;
