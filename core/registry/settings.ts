import { areaSettings, flag, whole, type InForce } from '#ports/area-settings';

export const registrySettings = areaSettings('registry', {
  MODEL_VERSION_THROTTLER_ENABLED: flag(
    false,
    'One download of a registered version in 60 s for each user',
  ),
  ORRERY_REGISTRY_APPROVALS: whole(
    1,
    'Administrators who must approve a requested status of a model version',
    1,
    2,
  ),
  ORRERY_REGISTRY_SELF_APPROVAL: flag(false, 'Let administrators approve their own requests'),
  ORRERY_REGISTRY_REQUEST_DAYS: whole(
    0,
    'Days after which a request for a status expires; 0 is never',
  ),
});
export type RegistrySettings = InForce<typeof registrySettings>;
