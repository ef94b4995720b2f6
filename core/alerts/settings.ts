import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const alertSettings = areaSettings('alerts', {
  ORRERY_ALERT_EVENTS_SECONDS: whole(
    5,
    'How often events that alerts wait for are looked at, and what alerts have to tell is sent',
    1,
    3600,
  ),
  ORRERY_ALERT_WINDOW_SECONDS: whole(
    60,
    'How long events of one type are gathered for an alert from the first one on, to be told as one',
    0,
    86_400,
  ),
  ORRERY_ALERT_METRICS_SECONDS: whole(
    300,
    'How often thresholds of alerts are compared with what is stored; a trigger fires at most once in that time',
    1,
    86_400,
  ),
});
export type AlertSettings = InForce<typeof alertSettings>;
