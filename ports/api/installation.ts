import { bytes, operations } from './operation.js';
import { flag, integer, list, millis, nullable, object, optional, text, texts } from './schema.js';
import { admin } from './tracking.js';

const forAdmins = { needs: 'organization-admin', about: 'caller' } as const;

export const installationOperations = operations({
  readSchema: {
    method: 'GET',
    path: admin('/schema'),
    access: forAdmins,
    summary: "Changes of the schema, made and waiting, plugins' too",
    replies: {
      200: object({
        changes: list(
          object({
            owner: text(),
            number: integer(),
            name: text(),
            at: nullable(millis()),
            known: flag(),
          }),
        ),
      }),
    },
  },
  checkInstallation: {
    method: 'GET',
    path: admin('/check'),
    access: forAdmins,
    summary: 'What "orrery check" looks at: database, schema, bucket, data folder, validators',
    replies: {
      200: object({
        ok: flag(),
        checks: list(object({ what: text(), fault: nullable(text()), warning: nullable(text()) })),
      }),
    },
  },
  auditBlobs: {
    method: 'POST',
    path: admin('/audit-blobs'),
    access: { ...forAdmins, unbounded: true },
    summary: 'Hold rows against bytes, and with fix remove what only one side has',
    body: object({ fix: optional(flag()) }),
    audit: true,
    replies: {
      200: object({
        blobs: integer(),
        rows: integer(),
        found: integer(),
        removed: integer(),
        findings: texts(),
      }),
    },
    fails: ['invalid'],
  },
  exportInstallation: {
    method: 'GET',
    path: admin('/export'),
    access: { ...forAdmins, unbounded: true, by: ['session', 'key'] },
    summary: 'Everything as of one moment, as a zip that "orrery import" takes',
    query: object({ withoutBytes: optional(flag()) }),
    audit: true,
    replies: { 200: bytes('application/zip') },
    fails: ['invalid'],
  },
});
