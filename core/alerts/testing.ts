// Sends a sample, so that who sets an alert up sees at once whether its webhook takes it.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Alert } from '#ports/model/alerts';
import type { Workspace } from '#ports/model/workspaces';
import type { Notifiers } from '#ports/notify';
import type { Sealer } from '#ports/sealer';
import type { LeaseStore } from '#ports/storage/leases';
import { messageFor } from './payloads.js';
import { mailboxOf, receiverOf } from './receivers.js';
import { sampleNotice } from './samples.js';
import { openTarget } from './sealing.js';

export interface TestingNeeds {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly leases: LeaseStore;
  readonly notifiers: Notifiers;
  readonly sealer: Sealer;
  readonly settings: { readonly baseUrl: string };
}

const perMinute = 10;
const minuteMs = 60_000;

/** Lets ten tests a minute through for a workspace, whichever process is asked: each takes one of ten places for a minute. */
const requireRoom = async ({ leases, ids }: TestingNeeds, workspaceId: string): Promise<void> => {
  const holder = ids.next();
  for (let place = 0; place < perMinute; place++)
    if (await leases.take(`alert-test:${workspaceId}:${place}`, holder, minuteMs)) return;
  throw new Failure('throttled', `a workspace may send ${perMinute} tests a minute`, {
    retryAfter: 60,
  });
};

/** Refuses with `invalid` an address that is never called, and a mailbox where no mail is sent. */
export const checkAddress = (
  { notifiers }: Pick<TestingNeeds, 'notifiers'>,
  address: string,
): void => {
  const mailbox = mailboxOf(address);
  const notifier = notifiers.find(mailbox === undefined ? 'http' : 'email');
  if (notifier === undefined && mailbox !== undefined)
    throw new Failure('invalid', 'this server sends no mail: that needs ORRERY_SMTP_HOST');
  notifier?.check({ address: mailbox ?? address });
};

/** Calls the webhook, once more where that may go better, and tells what came of it. Rejects with `throttled` after ten tests in a minute. */
export const sendTest = async (
  needs: TestingNeeds,
  { id: workspaceId, name: workspaceName }: Pick<Workspace, 'id' | 'name'>,
  alert: Alert,
  signal: AbortSignal,
) => {
  const { clock, ids, notifiers, sealer, settings } = needs;
  // Of an address of the web its own notifier tells what is wrong with it.
  if (mailboxOf(alert.webhook.url) !== undefined) checkAddress(needs, alert.webhook.url);
  const notifier = notifiers.find(receiverOf(alert));
  if (notifier === undefined) throw new Failure('unavailable', 'nothing here sends webhooks');
  await requireRoom(needs, workspaceId);
  const [id, at, title] = [ids.next(), clock.now(), alert.name];
  const notice = sampleNotice(alert.triggers[0]?.eventType ?? 'trace:errors', {
    ...{ id, at, workspaceId, workspaceName },
    ...{ alertId: alert.id, alertName: title },
  });
  const message = messageFor(alert, notice, settings.baseUrl);
  const send = () => notifier.send(message, openTarget(sealer, alert, alert.webhook), signal);
  const first = await send();
  const { status = 0, error } = first.retry && !signal.aborted ? await send() : first;
  return error === undefined
    ? { status: 'success' as const, status_code: 200, request_body: message.record }
    : {
        ...{ status: 'failure' as const, status_code: status },
        ...{ request_body: message.record, error_message: error },
      };
};
