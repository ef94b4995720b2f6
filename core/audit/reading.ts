import { administrationFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { auditOperations } from '#ports/api/audit';
import { Failure } from '#ports/failure';
import type { AuditEntry } from '#ports/model/audit';
import type { AuditChoice } from '#ports/storage/audit';
import { storageOf, type Stores } from '#ports/storage/storage';
import { csvRow } from '../csv.js';
import { auditSettings } from './settings.js';

const pageSize = 100;
const exportSize = 1000;

interface Asked {
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly actor?: string | undefined;
  readonly workspaceName?: string | undefined;
  readonly action?: string | undefined;
  readonly thing?: string | undefined;
  readonly thingKind?: string | undefined;
}

/** Names become ids, so that entries of before a change of name are found too. */
const choiceOf = async (
  stores: Pick<Stores, 'users' | 'workspaces'>,
  { from, to, actor, workspaceName, action, thing, thingKind }: Asked,
): Promise<AuditChoice> => {
  const who = actor === undefined ? undefined : await stores.users.findUser({ name: actor });
  if (actor !== undefined && who === undefined)
    throw new Failure('absent', `user ${actor.slice(0, 100)} not found`);
  const where =
    workspaceName === undefined ? undefined : await stores.workspaces.findByName(workspaceName);
  if (workspaceName !== undefined && where === undefined)
    throw new Failure('absent', `workspace ${workspaceName.slice(0, 100)} does not exist`);
  return {
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { before: to }),
    ...(who === undefined ? {} : { actorId: who.id }),
    ...(where === undefined ? {} : { workspaceId: where.id }),
    ...(action === undefined ? {} : { action }),
    ...(thing === undefined
      ? {}
      : { thing: { id: thing, ...(thingKind === undefined ? {} : { kind: thingKind }) } }),
  };
};

const toRow = ({
  at,
  actorName,
  via,
  keyId,
  address,
  action,
  thing,
  workspaceId,
  outcome,
  detail,
}: AuditEntry) => ({
  at,
  actor: actorName ?? null,
  via,
  keyId: keyId ?? null,
  address: address ?? null,
  action,
  thing: thing === undefined ? null : { ...thing, name: thing.name ?? null },
  workspaceId: workspaceId ?? null,
  outcome,
  detail,
});

/** Where the next page begins. */
const markOf = (entry: AuditEntry): string => `${entry.at}.${entry.id}`;
const fromMark = (text: string): { readonly at: number; readonly id: string } => {
  const [, at = '', id = ''] = /^(\d{1,15})\.([0-9a-f-]{36})$/.exec(text) ?? [];
  if (id === '') throw new Failure('invalid', 'after must be the "next" of the page before');
  return { at: Number(at), id };
};

async function* lines(
  stores: Pick<Stores, 'audit'>,
  choice: AuditChoice,
): AsyncGenerator<Uint8Array> {
  const text = new TextEncoder();
  yield text.encode(
    csvRow([
      'at',
      'actor',
      'via',
      'keyId',
      'address',
      'action',
      'thingKind',
      'thingId',
      'thingName',
      'workspaceId',
      'outcome',
      'detail',
    ]),
  );
  let after: AuditEntry | undefined;
  for (;;) {
    const some = await stores.audit.list(choice, exportSize, after);
    if (some.length > 0)
      yield text.encode(
        some
          .map((one) =>
            csvRow([
              new Date(one.at).toISOString(),
              one.actorName,
              one.via,
              one.keyId,
              one.address,
              one.action,
              one.thing?.kind,
              one.thing?.id,
              one.thing?.name,
              one.workspaceId,
              one.outcome,
              JSON.stringify(one.detail),
            ]),
          )
          .join(''),
      );
    after = some.at(-1);
    if (some.length < exportSize) return;
  }
}

export const auditArea = area({
  name: 'audit',
  summary: 'The audit log: who did what, when and from where.',
  family: administrationFamily,
  table: auditOperations,
  settings: auditSettings,
  needs: { storage: storageOf('audit', 'users', 'workspaces') },
  handlers: ({ storage: { stores } }) => ({
    async listAudit({ query }) {
      const size = query.size ?? pageSize;
      const found = await stores.audit.list(
        await choiceOf(stores, query),
        size + 1,
        query.after === undefined ? undefined : fromMark(query.after),
      );
      const shown = found.slice(0, size);
      const last = shown.at(-1);
      return {
        entries: shown.map(toRow),
        next: found.length > size && last !== undefined ? markOf(last) : null,
      };
    },
    async exportAudit({ query }) {
      const choice = await choiceOf(stores, query);
      return {
        type: 'text/csv; charset=utf-8',
        fileName: 'audit.csv',
        open: () => lines(stores, choice),
      };
    },
  }),
});
