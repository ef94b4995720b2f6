// Who uses the installation, and how much.
import { bytes, operations } from './operation.js';
import { object, optional, text, word, millis } from './schema.js';
import { admin } from './tracking.js';

const forAdmins = { needs: 'organization-admin', about: 'caller' } as const;

export const usageOperations = operations({
  chargebackReport: {
    method: 'GET',
    path: admin('/chargeback/report'),
    access: forAdmins,
    summary:
      'Users and workspaces with what each has stored, deleted experiments included, as JSON or one part of it as CSV',
    toggle: 'usage-chargeback-reports',
    query: object({
      reportMonth: optional(text({ pattern: '^\\d{4}-(0[1-9]|1[0-2])$' })),
      format: optional(word('json', 'csv')),
      part: optional(word('users', 'workspaces')),
    }),
    replies: { 200: bytes('application/json') },
    fails: ['invalid'],
    wire: { refusals: { off: { status: 404 } } },
  },
  licenseReport: {
    method: 'GET',
    path: admin('/generate-license-report'),
    access: forAdmins,
    summary: 'Users of the installation, as older tools ask for them',
    replies: { 200: bytes('application/json') },
  },
  usageReport: {
    method: 'GET',
    path: admin('/usage/report'),
    access: forAdmins,
    summary:
      'Experiments, hours they ran, the same times their GPUs, and megabytes they stored, deleted ones included, by day, week or month, workspace and user',
    toggle: 'usage-chargeback-reports',
    query: object({
      from: optional(millis()),
      to: optional(millis()),
      units: optional(word('day', 'week', 'month')),
      format: optional(word('json', 'csv')),
    }),
    replies: { 200: bytes('application/json') },
    fails: ['invalid'],
    wire: { refusals: { off: { status: 404 } } },
  },
});
