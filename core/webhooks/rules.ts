// When a delivery is tried again, what webhooks are told of, and what of them is shown. Pure.
import { Failure } from '#ports/failure';
import type { Delivery, DeliveryState } from '#ports/model/channels';
import type { NotifyTarget } from '#ports/notify';
import type { OutgoingReply } from '#ports/outgoing';

export const triggers = [
  'MODEL_VERSION_CREATED',
  'MODEL_VERSION_DELETED',
  'MODEL_VERSION_TAG_CHANGED',
  'MODEL_VERSION_STAGE_CHANGED',
  'MODEL_VERSION_STATUS_CHANGED',
  'MODEL_VERSION_STATUS_REQUEST_CHANGE',
  'MODEL_VERSION_STATUS_REQUEST_APPROVED',
  'MODEL_VERSION_STATUS_REQUEST_REJECTED',
  'MODEL_UPDATED',
  'MODEL_DELETED',
] as const;
/** What one is told of that names no triggers. */
const usual: readonly string[] = [
  'MODEL_VERSION_TAG_CHANGED',
  'MODEL_VERSION_STAGE_CHANGED',
  'MODEL_VERSION_STATUS_CHANGED',
];

/** The trigger under which one is told of an event that stands for several; `undefined` when it is not told. */
export const chooseTrigger = (
  asked: readonly string[] | undefined,
  event: readonly string[],
): string | undefined => event.find((trigger) => (asked ?? usual).includes(trigger));

/** Each trigger once; none is the usual. Refuses with `invalid` one that there is not. */
export const checkTriggers = (given: readonly string[]): readonly string[] | undefined => {
  const unknown = given.find((one) => !(triggers as readonly string[]).includes(one)); // a closed list as one of texts
  if (unknown !== undefined)
    throw new Failure(
      'invalid',
      `trigger ${unknown.slice(0, 80)} is not known; known are ${triggers.join(', ')}`,
    );
  return given.length === 0 ? undefined : [...new Set(given)];
};

const seconds = 1000;
const hours = 3600 * seconds;

interface Patience {
  /** Pauses after the first attempt, the second, and so on; one attempt more than there are pauses. */
  readonly pausesMs: readonly number[];
  /** Age after which a delivery that fails is given up. */
  readonly overMs: number;
  /** Deliveries given up in a row after which the channel is switched off. */
  readonly failures: number;
}
const ofWebhooks: Patience = {
  pausesMs: [1, 10, 60, 600, 3600, 18_000, 63_729].map((pause) => pause * seconds),
  overMs: 24 * hours,
  failures: 50,
};
const ofMail: Patience = {
  pausesMs: [60, 600, 3600, 10_140].map((pause) => pause * seconds),
  overMs: 4 * hours,
  failures: 5,
};
export const patienceOf = (kind: string): Patience => (kind === 'email' ? ofMail : ofWebhooks);

/** The longest that a receiver may ask to be left alone. */
const longestMs = 24 * hours;

export interface Decision {
  readonly state: DeliveryState;
  readonly retryAt: number | undefined;
}

/**
 * What becomes of a delivery after an attempt. A receiver's wish to wait is respected, never shortened into a faster attempt. What has
 * stood behind others for so long that its time is over is still tried once.
 */
export const decide = (
  kind: string,
  { attempts, createdAt }: Pick<Delivery, 'attempts' | 'createdAt'>,
  reply: Pick<OutgoingReply, 'error' | 'retry' | 'retryAfter'>,
  now: number,
): Decision => {
  if (reply.error === undefined) return { state: 'DELIVERED', retryAt: undefined };
  const { pausesMs, overMs } = patienceOf(kind);
  const pause = pausesMs[attempts - 1];
  if (!reply.retry || pause === undefined || now >= createdAt + overMs)
    return { state: 'FAILED', retryAt: undefined };
  return {
    state: 'WAITING',
    retryAt: now + Math.min(longestMs, Math.max(pause, (reply.retryAfter ?? 0) * seconds)),
  };
};

/** How many messages one mailbox gets within an hour, and for how long more are gathered into one. */
export const mail = { hourly: 60, hourMs: hours, gatherMs: 600 * seconds } as const;

/** Stands for a secret that is not shown. No header can hold this sign, so that a value sent back is known. */
export const mask = '…';

const secretName = /auth|token|secret|key|cookie|pass|credential|signature|session|bearer|webhook/i;
/** Long, or with a long run of signs in which letters and digits are mixed. */
const looksSecret = (value: string): boolean =>
  value.length > 60 ||
  (value.match(/[\w+=~.-]{16,}/g) ?? []).some(
    (run) => run.length >= 24 || (/\d/.test(run) && /[A-Za-z]/.test(run)),
  );

/** Headers whose values are shown only where neither name nor value looks like a secret. */
export const maskHeaders = (
  headers: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      secretName.test(name) || looksSecret(value) ? mask : value,
    ]),
  );

/** An address of a room, whose path is its secret. */
export const maskAddress = (kind: string, address: string): string =>
  kind === 'email' || !URL.canParse(address) ? address : `${new URL(address).origin}/${mask}`;

const headersAtMost = 50;
const isToken = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/.test(name);

/** Refuses with `invalid` what cannot be sent as headers. */
export const checkHeaders = (headers: Readonly<Record<string, string>>): void => {
  const entries = Object.entries(headers);
  if (entries.length > headersAtMost)
    throw new Failure('invalid', `there must be at most ${headersAtMost} headers`);
  for (const [name, value] of entries) {
    if (!isToken(name))
      throw new Failure(
        'invalid',
        `${JSON.stringify(name.slice(0, 40))} is not the name of a header`,
      );
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new Failure('invalid', `header ${name} holds a character that headers cannot hold`);
  }
};

/** A target as it is sealed. */
export type Place = Pick<NotifyTarget, 'address' | 'headers' | 'secret' | 'secretAs'>;

const originOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : address;

export interface SecretsAsked {
  readonly address: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Empty takes it away. */
  readonly secret?: string | undefined;
  readonly secretAs?: NotifyTarget['secretAs'] | undefined;
}

/**
 * A target as asked for, over the one that was there: a mask stands for the value that is kept, and so does what is left out when `keeps`.
 * Refuses with `invalid` to keep a secret for another host, since whoever names the host would learn it.
 */
export const resolveTarget = (
  asked: SecretsAsked,
  before: Place | undefined,
  keeps: boolean,
): Place => {
  const moved = before !== undefined && originOf(before.address) !== originOf(asked.address);
  const kept = (what: string, value: string | undefined): string => {
    if (value === undefined)
      throw new Failure('invalid', `${what} is masked, and there is none that could be kept`);
    if (moved)
      throw new Failure('invalid', `${what} must be given again, because its host has changed`);
    return value;
  };
  const known = new Map(
    Object.entries(before?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const given =
    asked.headers ??
    (keeps
      ? Object.fromEntries(Object.keys(before?.headers ?? {}).map((name) => [name, mask]))
      : {});
  const headers = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      value === mask ? kept(`header ${name}`, known.get(name.toLowerCase())) : value.trim(),
    ]),
  );
  checkHeaders(headers);
  const wished = asked.secret ?? (keeps && before?.secret !== undefined ? mask : '');
  const secret = wished === mask ? kept('secret', before?.secret) : wished;
  const secretAs = asked.secretAs ?? (keeps ? before?.secretAs : undefined) ?? 'signature';
  if (secret !== '' && secretAs === 'authorization') checkHeaders({ Authorization: secret });
  return { address: asked.address, headers, ...(secret === '' ? {} : { secret, secretAs }) };
};
