import { areaSettings, text, whole, word, type InForce } from '#ports/area-settings';

const day = 24 * 3600;

export const oauthSettings = areaSettings('oauth', {
  ORRERY_OAUTH: word(
    'on',
    ['on', 'off'],
    'Let programs ask users for access by OAuth. On plain http beyond this machine it is off, and on as a wish stops the start',
  ),
  ORRERY_OAUTH_RESOURCE: text(
    '',
    'Address of what access tokens are for, which programs must name. Empty: the base URL and /api/v1/mcp',
  ),
  ORRERY_OAUTH_CODE_SECONDS: whole(60, 'Life of an authorization code', 1, 600),
  ORRERY_OAUTH_ACCESS_SECONDS: whole(3600, 'Life of an access token', 1, 10 * 365 * day),
  ORRERY_OAUTH_REFRESH_SECONDS: whole(
    30 * day,
    'Life of a refresh token that is not used',
    1,
    10 * 365 * day,
  ),
  ORRERY_OAUTH_FAMILY_SECONDS: whole(
    90 * day,
    'Time after which a program must ask the user again, however often it refreshed',
    1,
    10 * 365 * day,
  ),
  ORRERY_OAUTH_GRACE_SECONDS: whole(
    30,
    'Time in which a refresh token that was just used may be used up to three times more, by a program that asks several times at once',
    0,
    600,
  ),
  ORRERY_OAUTH_REGISTRATIONS_PER_MINUTE: whole(10, 'Programs that one address may register', 1),
  ORRERY_OAUTH_CLIENT_DAYS: whole(
    90,
    'Days after which a program that nobody allowed anything, or that nobody uses any more, is forgotten; 0 is never',
  ),
});
export type OAuthSettings = InForce<typeof oauthSettings>;
