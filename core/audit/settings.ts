import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const auditSettings = areaSettings('audit', {
  ORRERY_AUDIT_DAYS: whole(365, 'Days for which the audit log is kept; 0 is for ever'),
});
export type AuditSettings = InForce<typeof auditSettings>;
