import { areaSettings, whole, type InForce } from '#ports/area-settings';

export const runDocumentSettings = areaSettings('run-documents', {
  OUTPUT_PER_EXPERIMENT_LIMIT_MB: whole(150, 'Stored output of an experiment'),
  HTML_PER_EXPERIMENT_LIMIT_MB: whole(50, 'HTML logged to an experiment'),
});
export type RunDocumentSettings = InForce<typeof runDocumentSettings>;
