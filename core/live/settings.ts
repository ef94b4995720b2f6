import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const liveSettings = areaSettings('live', {
  ORRERY_LISTENERS_PER_PROCESS: whole(
    2000,
    'Pages and programs that listen for changes at one process; more are refused with 429',
    1,
  ),
  ORRERY_LISTENERS_PER_USER: whole(
    50,
    'Those of one user among them; browsers share one among their tabs',
    1,
  ),
});
export type LiveSettings = InForce<typeof liveSettings>;
