import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const experimentSettings = areaSettings('experiments', {
  EXPERIMENTS_IN_EM_PROJECT_LIMIT: whole(
    25_000,
    'Experiments a project may hold, archived ones included, however they come into it; 0 is no limit',
  ),
  EXPERIMENTS_IN_LLM_PROJECT_LIMIT: whole(
    250_000,
    'Runs an LLM project may hold, counted alike; 0 is no limit',
  ),
});
export type ExperimentSettings = InForce<typeof experimentSettings>;
