import { areaSettings, text, whole, type InForce } from '#ports/area-settings';

export const insightsSettings = areaSettings('agent-insights', {
  ORRERY_INSIGHTS_MODEL: text(
    '',
    'Model that explains what agent insights find, asked through the provider keys of each workspace; empty: nothing is asked',
  ),
  ORRERY_INSIGHTS_HOUR: whole(
    1,
    'Hour in UTC from which on the traces of the day before are looked through, so that late ones are among them',
    0,
    23,
  ),
  ORRERY_INSIGHTS_SECONDS: whole(
    30,
    'How often it is looked whether a run of agent insights is due',
    1,
    3600,
  ),
});
export type InsightsSettings = InForce<typeof insightsSettings>;
