// The token of those who run the installation, for rows that reach every workspace.
import { areaSettings, secret } from '#ports/area-settings';
import { Failure } from '#ports/failure';
import type { Secrets } from '#ports/secrets';

export const internalSettings = areaSettings('internal-usage', {
  ORRERY_INTERNAL_TOKEN: secret(
    'Token that whoever asks for figures over every workspace, or enrols projects in agent insights, must bring as Authorization: Bearer; empty refuses everybody',
  ),
});

/** Refuses, with `unauthenticated`, a request that does not bring the token, and every request where there is none. */
export const checkInternalToken = (
  secrets: Pick<Secrets, 'same'>,
  token: string,
  authorization: string | undefined,
): void => {
  const brought = (authorization ?? '').trim().replace(/^Bearer +/i, '');
  if (token === '' || !secrets.same(brought, token))
    throw new Failure('unauthenticated', 'this is for who brings the internal token');
};
