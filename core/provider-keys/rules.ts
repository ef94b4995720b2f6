// What of a provider's key is shown, and what may stay when it changes. Pure.
import { Failure } from '#ports/failure';
import type { Provider, ProviderKey } from '#ports/model/provider-keys';

/** Stands for a secret that is not shown. Neither a key nor a header holds this sign, so that a mask that is sent back is known. */
export const mask = '…';
const shownSigns = 4;
/** A key that is shorter is not shown in any part. */
const longEnough = 16;

/** What is shown in place of a key: its end, by which people tell keys apart. */
export const maskKey = (key: string): string =>
  key.length < longEnough ? mask : `${mask}${key.slice(-shownSigns)}`;

/** Providers of which a workspace may have several, told apart by a name. */
const several: readonly Provider[] = ['custom-llm', 'ollama', 'bedrock'];

/** The name that tells keys of one provider apart; `undefined` where there is only one. */
export const distinguishingName = (
  provider: Provider,
  name: string | undefined,
): string | undefined => (several.includes(provider) ? name?.trim() : undefined);

/** Refuses with `unprocessable` what is no address of http without a password. */
export const checkBaseUrl = (address: string | undefined): void => {
  if (address === undefined) return;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new Failure('unprocessable', 'base_url must begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw new Failure('unprocessable', 'base_url must not hold a user name or a password');
};

const mostEntries = 50;
const longestValue = 10_000;
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,200}$/;
const headerValue = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

type Entries = Readonly<Record<string, string>>;

/** Refuses with `unprocessable` more entries, or longer ones, than are kept. */
export const checkEntries = (member: string, entries: Entries | undefined): void => {
  const all = Object.entries(entries ?? {});
  if (all.length > mostEntries)
    throw new Failure('unprocessable', `${member} size must be at most ${mostEntries}`);
  if (all.some(([name, value]) => name.length > longestValue || value.length > longestValue))
    throw new Failure('unprocessable', `values of ${member} must be at most ${longestValue} long`);
};

/** Refuses with `unprocessable` what cannot be sent as a header; a masked value may stay. */
export const checkHeaders = (headers: Entries | undefined): void => {
  checkEntries('headers', headers);
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (!headerName.test(name))
      throw new Failure('unprocessable', `${JSON.stringify(name.slice(0, 40))} is no header name`);
    if (value !== mask && !headerValue.test(value))
      throw new Failure('unprocessable', `the value of header ${name} cannot be sent`);
  }
};

/** Refuses with `unprocessable` what tells how tokens are fetched: it would be kept and never used. */
export const checkAuthConfig = (config: Readonly<Record<string, unknown>> = {}): void => {
  if (Object.keys(config).length > 0)
    throw new Failure(
      'unprocessable',
      'auth_config is not offered: providers are called with an api_key or with headers',
    );
};

const originOf = (address: string | undefined): string | undefined =>
  address === undefined ? undefined : new URL(address).origin;

interface Secrets {
  readonly base_url?: string | undefined;
  /** Whether a new key is given. */
  readonly newKey: boolean;
  readonly headers?: Entries | undefined;
}

/** Refuses with `unprocessable` to keep a secret for another host, since whoever names the host would learn it. */
export const checkKept = (before: ProviderKey, { base_url, newKey, headers }: Secrets): void => {
  if (base_url === undefined || originOf(base_url) === originOf(before.baseUrl)) return;
  if (before.sealedKey !== undefined && !newKey)
    throw new Failure(
      'unprocessable',
      'api_key must be given again, because base_url changes host',
    );
  const keepsHeaders =
    headers === undefined
      ? Object.keys(before.sealedHeaders ?? {}).length > 0
      : Object.values(headers).includes(mask);
  if (keepsHeaders)
    throw new Failure(
      'unprocessable',
      'headers must be given again, because base_url changes host',
    );
};
