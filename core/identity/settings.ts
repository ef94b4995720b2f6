import { areaSettings, flag, whole, type InForce } from '#ports/area-settings';

export const identitySettings = areaSettings('identity', {
  SMART_API_KEY_ENABLED: flag(true, "New keys carry the server's address"),
  ORRERY_SIGN_UP: flag(false, 'Let anybody make an account without being invited'),
  ORRERY_SESSION_IDLE_HOURS: whole(
    336,
    'Hours after which a session that is not used ends',
    1,
    87_600,
  ),
  ORRERY_SESSION_MOST_HOURS: whole(
    2160,
    'Hours after which a session ends, used or not',
    1,
    87_600,
  ),
  ORRERY_RESET_MINUTES: whole(60, 'Minutes for which a link to set a password works', 1, 10_080),
  ORRERY_INVITATION_DAYS: whole(7, 'Days for which an invitation works', 1, 90),
  PASSWORD_MIN_LENGTH: whole(12, 'Shortest password', 8, 128),
  PASSWORD_MAX_SEQUENCE: whole(
    3,
    'Most characters of a password that follow each other in the alphabet or on a keyboard',
    2,
    128,
  ),
  PASSWORD_MAX_REPEAT: whole(3, 'Most equal characters in a row in a password', 1, 128),
  USER_NAME_MIN_LENGTH: whole(3, 'Shortest user name', 1, 100),
});
export type IdentitySettings = InForce<typeof identitySettings>;
