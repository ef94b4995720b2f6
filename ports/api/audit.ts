import { carriers } from '../model/identity.js';
import { outcomes } from '../model/audit.js';
import { bytes, operations } from './operation.js';
import {
  anything,
  integer,
  list,
  map,
  millis,
  nullable,
  object,
  optional,
  text,
  word,
  shape,
} from './schema.js';
import { admin } from './tracking.js';

const choice = {
  from: optional(millis()),
  to: optional(millis()),
  actor: optional(text()),
  workspaceName: optional(text()),
  action: optional(text()),
  thing: optional(text()),
  thingKind: optional(text()),
};
const entry = shape('AuditEntry', 'One entry of the audit log.', {
  at: millis(),
  actor: nullable(text()),
  via: word(...carriers, 'system', 'nobody'),
  keyId: nullable(text()),
  address: nullable(text()),
  action: text(),
  thing: nullable(object({ kind: text(), id: text(), name: nullable(text()) })),
  workspaceId: nullable(text()),
  outcome: word(...outcomes),
  detail: map(anything()),
});

export const auditOperations = operations({
  listAudit: {
    method: 'GET',
    path: admin('/audit'),
    access: { needs: 'organization-admin', about: 'caller' },
    summary:
      'Who did what to which thing, newest first: by time, actor, workspace, action and thing',
    query: object({
      ...choice,
      after: optional(text()),
      size: optional(integer({ minimum: 1, maximum: 1000 })),
    }),
    replies: { 200: object({ entries: list(entry), next: nullable(text()) }) },
    fails: ['invalid', 'absent'],
  },
  exportAudit: {
    method: 'GET',
    path: admin('/audit/export'),
    access: { needs: 'organization-admin', about: 'caller' },
    summary: 'The same as CSV, all of it',
    query: object(choice),
    replies: { 200: bytes('text/csv') },
    fails: ['invalid', 'absent'],
  },
});
