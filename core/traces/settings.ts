import { areaSettings, text, type InForce } from '#ports/area-settings';

export const traceSettings = areaSettings('traces', {
  ORRERY_MODEL_PRICES: text(
    '',
    'Prices of models beside those that ship, as JSON: {"provider/model": {"input": 1, "output": 2, "cachedInput": 0.5}} in US dollars for a million tokens; a name stands for all that begin with it',
  ),
});
export type TraceSettings = InForce<typeof traceSettings>;
