// The provider as it describes itself.
import * as client from 'openid-client';
import { Failure } from '#ports/failure';

export interface ProviderSettings {
  /** Address of the provider, as it calls itself. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty for a public client. */
  readonly clientSecret: string;
}

export const timeoutSeconds = 10;

/** Whether plain http is no danger: the provider is on this machine. */
const isLoopback = (issuer: URL): boolean =>
  issuer.protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(issuer.hostname);

/** The provider's own description, asked for when it is first needed, and again after a failure. Rejects with `unavailable`. */
export const discoverOnce = ({
  issuer: address,
  clientId,
  clientSecret,
}: ProviderSettings): (() => Promise<client.Configuration>) => {
  let discovered: Promise<client.Configuration> | undefined;
  const discover = () => {
    const issuer = new URL(address);
    return client.discovery(
      issuer,
      clientId,
      undefined,
      clientSecret === '' ? client.None() : client.ClientSecretPost(clientSecret),
      {
        timeout: timeoutSeconds,
        ...(isLoopback(issuer) ? { execute: [client.allowInsecureRequests] } : {}),
      },
    );
  };
  return () =>
    (discovered ??= discover().catch((cause: unknown) => {
      discovered = undefined;
      throw new Failure('unavailable', 'the provider of single sign-on does not answer', {
        cause,
        retryAfter: 10,
      });
    }));
};
