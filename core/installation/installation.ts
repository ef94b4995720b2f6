import { administrationFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { installationOperations } from '#ports/api/installation';
import { Clock } from '#ports/clock';
import { Installation } from '#ports/installation';

export const installationArea = area({
  name: 'installation',
  summary: 'The schema, the checks and the export of the installation.',
  family: administrationFamily,
  table: installationOperations,
  needs: { installation: Installation, clock: Clock },
  handlers: ({ installation, clock }) => ({
    readSchema: async () => ({
      changes: (await installation.schema()).map((one) => ({ ...one, at: one.at ?? null })),
    }),
    async checkInstallation() {
      const checks = await installation.check();
      return {
        ok: checks.every(({ fault }) => fault === undefined),
        checks: checks.map(({ what, fault, warning }) => ({
          what,
          fault: fault ?? null,
          warning: warning ?? null,
        })),
      };
    },
    auditBlobs: ({ body }) => installation.auditBlobs(body.fix === true),
    exportInstallation: async ({ query }) => ({
      type: 'application/zip',
      fileName: `orrery-${new Date(clock.now()).toISOString().slice(0, 10)}.zip`,
      open: () => installation.exportAll(query.withoutBytes !== true),
    }),
  }),
});
