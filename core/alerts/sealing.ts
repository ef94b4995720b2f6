// The secrets of an alert's webhook: sealed as they come, opened only to send.
import { Failure } from '#ports/failure';
import type { Alert, AlertWebhook } from '#ports/model/alerts';
import type { NotifyTarget } from '#ports/notify';
import type { Sealer } from '#ports/sealer';
import { mask, maskKey } from '../provider-keys/rules.js';
import { mailboxOf } from './receivers.js';
import { checkKept, checkWebhook, type SentWebhook } from './rules.js';

type Place = Pick<Alert, 'workspaceId' | 'id'>;
/** A sealed value belongs to one alert of one workspace: it opens nowhere else. */
const aboutOf = ({ workspaceId, id }: Place): string => `alert ${workspaceId} ${id}`;

type Secrets = Pick<AlertWebhook, 'sealedToken' | 'maskedToken' | 'sealedHeaders'>;

/**
 * The secrets that were sent, sealed; a mask stands for what is stored. Rejects with `unprocessable` for what cannot be sent, a mask of what is not
 * stored, and one that would be kept for another host.
 */
export const sealSecrets = (
  sealer: Sealer,
  place: Place,
  sent: SentWebhook,
  before: AlertWebhook | undefined,
): Secrets => {
  checkWebhook(sent, before?.maskedToken);
  if (before !== undefined) checkKept(before, sent);
  const seal = (text: string): string => sealer.seal(text, aboutOf(place));
  const { secret_token: token = '', headers } = sent;
  const secret =
    token.trim() === ''
      ? { sealedToken: undefined, maskedToken: undefined }
      : token === before?.maskedToken
        ? { sealedToken: before.sealedToken, maskedToken: before.maskedToken }
        : { sealedToken: seal(token), maskedToken: maskKey(token) };
  const kept = new Map(Object.entries(before?.sealedHeaders ?? {}));
  const sealHeader = (name: string, value: string): string => {
    if (value !== mask) return seal(value);
    const stored = kept.get(name);
    if (stored === undefined)
      throw new Failure('unprocessable', `header ${name} is masked, and none is stored`);
    return stored;
  };
  return {
    ...secret,
    sealedHeaders:
      headers &&
      Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, sealHeader(name, value)]),
      ),
  };
};

/** Headers that are the product's own, and the one that carries the token where there is one. */
const ownHeaders = ['user-agent', 'accept', 'content-type'];

/** Where an alert is sent to. Rejects with `unavailable` what was sealed under another key. */
export const openTarget = (
  sealer: Sealer,
  place: Place,
  { url, sealedToken, sealedHeaders = {} }: AlertWebhook,
): NotifyTarget => {
  const open = (sealed: string): string => sealer.open(sealed, aboutOf(place));
  const refused = sealedToken === undefined ? ownHeaders : [...ownHeaders, 'authorization'];
  return {
    address: mailboxOf(url) ?? url,
    headers: Object.fromEntries(
      Object.entries(sealedHeaders)
        .filter(([name]) => !refused.includes(name.toLowerCase()))
        .map(([name, sealed]) => [name, open(sealed)]),
    ),
    formHeaders: { Accept: 'application/json' },
    ...(sealedToken === undefined
      ? {}
      : { secret: `Bearer ${open(sealedToken)}`, secretAs: 'authorization' as const }),
  };
};
