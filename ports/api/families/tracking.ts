// The envelope {msg, code, data, sdk_error_code} of the tracking wire. Its not-found is 400 with a code, because its Java client
// retries 404 and knows only 400 as "there is none".
import type { Failure, FailureKind, FailureReason } from '../../failure.js';
import { plainStatuses, type Family, type FamilyDress } from './family.js';

/** Numbers of `sdk_error_code`, by which public clients know the reason. */
export const reasonNumbers: Readonly<Record<FailureReason, number>> = {
  keyUnknown: 90212,
  workspaceAbsent: 90219,
  workspaceOutOfReach: 90219,
  projectMissing: 98219,
  runNotAccessible: 90210,
  runAbsent: 90211,
  keyMissing: 90998,
  runExists: 90999,
  projectNameTooLong: 1341241,
  projectKind: 34323,
  experimentLimit: 7000020,
  versionTooOld: 7000008,
  viewOnly: 7000011,
  serviceRestricted: 7000023,
  anonymousOff: 7000007,
  imageLimit: 7000001,
  textSampleLimit: 7000012,
  histogramLimit: 7000013,
  modelElementLimit: 7000014,
  curveLimit: 7000015,
  notebookLimit: 7000016,
  embeddingLimit: 7000017,
  videoLimit: 7000018,
  assetStored: 7000005,
  imageStored: 7000006,
  forUser: 7777777,
  storageLimit: 90501,
  artifactAbsent: 624522,
  artifactVersionAbsent: 624523,
  artifactVersionExists: 90399,
  artifactStateFinal: 90401,
  artifactVersionOpen: 90402,
  artifactVersionFailed: 90403,
  artifactStateInvalid: 90410,
  artifactNumberUsed: 7000019,
  versionUnfit: 42001,
  modelVersionAbsent: 42006,
  registryModelAbsent: 42008,
  notInstalled: 7777777,
};

/** The reason where a failure gives none. */
const usualReasons: Partial<Readonly<Record<FailureKind, FailureReason>>> = {
  unauthenticated: 'keyUnknown',
  absent: 'forUser',
  invalid: 'forUser',
  conflict: 'forUser',
  unsupported: 'forUser',
  tooLarge: 'forUser',
  unprocessable: 'forUser',
};

/** The number for a reason, or 0 for none. */
export const numberOf = (reason: FailureReason | undefined): number =>
  reason === undefined ? 0 : reasonNumbers[reason];

const envelope = (status: number, msg: string, code: number) => ({
  msg,
  code: status,
  data: null,
  sdk_error_code: code,
});

const statuses: Readonly<Record<FailureKind, number>> = {
  ...plainStatuses,
  absent: 400,
  conflict: 400,
  unsupported: 400,
  unprocessable: 400,
};

const trackingDress: FamilyDress = {
  failureSchema: {
    type: 'object',
    required: ['msg', 'code', 'data', 'sdk_error_code'],
    properties: {
      msg: { type: 'string', description: 'One sentence that names the thing and the rule.' },
      code: { type: 'integer', description: 'The status again.' },
      data: { type: ['string', 'null'] },
      sdk_error_code: {
        type: 'integer',
        description: 'A number that clients know the reason by; 0 for none.',
      },
      errors: { type: 'array', items: { type: 'string' } },
    },
  },
  statuses,
  failure(failure: Failure, refusal) {
    const status = refusal?.status ?? statuses[failure.kind];
    return {
      status,
      body: {
        ...envelope(
          status,
          failure.message,
          numberOf(refusal?.reason ?? failure.reason ?? usualReasons[failure.kind]),
        ),
        ...(failure.rules === undefined ? {} : { errors: failure.rules }),
      },
    };
  },
  defect: (requestId) => ({
    status: 500,
    body: envelope(500, `the server failed on this request; its id is ${requestId}`, 0),
  }),
  success(body, msg) {
    return msg === undefined
      ? body
      : { msg, code: 200, data: null, sdk_error_code: 0, ...(body as object | undefined) }; // rows with an envelope answer objects
  },
};

export const trackingFamily: Family = {
  name: 'tracking',
  roots: ['/api', '/clientlib'],
  judgesClients: true,
  dress: trackingDress,
};

/** The same, with the sentence a second time: tools for administrators read `message`. */
const administrationDress: FamilyDress = {
  ...trackingDress,
  failureSchema: {
    type: 'object',
    required: ['msg', 'message', 'code', 'data', 'sdk_error_code'],
    properties: {
      msg: { type: 'string' },
      message: { type: 'string' },
      code: { type: 'integer' },
      data: { type: ['string', 'null'] },
      sdk_error_code: { type: 'integer' },
    },
  },
  failure(failure, refusal) {
    const { status, body } = trackingDress.failure(failure, refusal);
    return { status, body: { ...(body as object), message: failure.message } }; // the envelope made above
  },
};

export const administrationFamily: Family = {
  name: 'administration',
  roots: ['/api/admin', '/clientlib/api/admin'],
  dress: administrationDress,
};
