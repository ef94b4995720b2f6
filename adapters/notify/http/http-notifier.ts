import { createHmac } from 'node:crypto';
import type { Clock } from '#ports/clock';
import type { Notifier, NotifyTarget } from '#ports/notify';
import type { Outgoing } from '#ports/outgoing';

export interface HttpNotifierNeeds {
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  /** Whom the receiver sees: a name and a version. */
  readonly userAgent: string;
}

/** Headers that say how a request is framed or routed: no user's header stands in for them. */
const framing = new Set([
  'host',
  'content-length',
  'content-type',
  'transfer-encoding',
  'connection',
  'keep-alive',
  'upgrade',
  'expect',
  'te',
  'trailer',
]);

const hmac = (secret: string, text: string): string =>
  createHmac('sha256', secret).update(text, 'utf8').digest('hex');

/** What proves that the sender knows the secret: over time and body, and over the body alone as public receivers check it. */
export const signatureHeaders = (
  secret: string,
  body: string,
  atMs: number,
): Readonly<Record<string, string>> => {
  const seconds = Math.floor(atMs / 1000);
  return {
    'X-Webhook-Signature': `t=${seconds},v1=${hmac(secret, `${seconds}.${body}`)}`,
    'X-Hub-Signature-256': `sha256=${hmac(secret, body)}`,
  };
};

/** All headers, each name once however it is written; later ones win. */
export const mergeHeaders = (
  ...lists: readonly Readonly<Record<string, string>>[]
): Readonly<Record<string, string>> => {
  const merged = new Map<string, readonly [string, string]>();
  for (const headers of lists)
    for (const [name, value] of Object.entries(headers))
      merged.set(name.toLowerCase(), [name, value]);
  return Object.fromEntries(merged.values());
};

const secretHeaders = (
  { secret, secretAs }: NotifyTarget,
  body: string,
  now: number,
): Readonly<Record<string, string>> =>
  secret === undefined
    ? {}
    : secretAs === 'authorization'
      ? { Authorization: secret }
      : signatureHeaders(secret, body, now);

/** Posts the record as JSON, signed with the target's secret. */
export const httpNotifier = ({ outgoing, clock, userAgent }: HttpNotifierNeeds): Notifier => ({
  kind: 'http',
  check({ address }) {
    outgoing.check(address);
  },
  send({ record }, target, signal) {
    const own = Object.fromEntries(
      Object.entries(target.headers).filter(([name]) => !framing.has(name.toLowerCase())),
    );
    const headers = mergeHeaders(
      { 'User-Agent': userAgent, Accept: '*/*' },
      target.formHeaders ?? {},
      secretHeaders(target, record, clock.now()),
      own,
      { 'Content-Type': 'application/json' },
    );
    return outgoing.send({ method: 'POST', url: target.address, headers, body: record }, signal);
  },
});
