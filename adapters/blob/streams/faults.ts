// What any bucket may do to a request.

/** It answered that it does not, or cannot now. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    readonly code: string | undefined,
  ) {
    super(`status ${status}${code === undefined ? '' : `, ${code}`}`);
  }
}

/** It kept silent for too long. */
export class Silent extends Error {
  constructor() {
    super('no answer in time');
  }
}

/** What was being done, as a sentence names it: the key "may not <verb>" there. */
export type Doing = 'write' | 'read' | 'remove' | 'list';

/** The code of an error of the system or of a library. */
export const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : '';

const unreachable = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPROTO',
  'ERR_STREAM_PREMATURE_CLOSE',
]);

/** A sentence for what keeps a place from being reached; `undefined` for any other error. */
export const sayUnreachable = (
  thrown: unknown,
  place: string,
  setting: string,
): string | undefined => {
  if (thrown instanceof Silent) return `${place} gave no answer in time`;
  const code = codeOf(thrown);
  if (unreachable.has(code)) return `${place} cannot be reached (${code}); see ${setting}`;
  return /CERT|SELF_SIGNED|TLS|SSL/.test(code)
    ? `the certificate of ${place} is not trusted (${code}); see ${setting}`
    : undefined;
};

/** Whether a connection was let go, so that another one may do. A silence has taken its time already. */
export const wasCutOff = (thrown: unknown): boolean =>
  ['ECONNRESET', 'EPIPE', 'ECONNABORTED', 'EAI_AGAIN'].includes(codeOf(thrown));
