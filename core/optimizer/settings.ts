import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const optimizerSettings = areaSettings('optimizer', {
  ORRERY_OPTIMIZER_DAYS: whole(
    365,
    'Days after which a search for parameters is removed with its trials when nothing was heard of it since; the runs stay. 0 is never',
  ),
});
export type OptimizerSettings = InForce<typeof optimizerSettings>;
