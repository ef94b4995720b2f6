// Tells what alerts have to tell: gathers events that are ripe, sends what waits, tries again what failed.
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Ids } from '#ports/ids';
import type { Log } from '#ports/log';
import type { Alert, AlertEvent, AlertFiring } from '#ports/model/alerts';
import type { Notifiers } from '#ports/notify';
import type { OutgoingReply } from '#ports/outgoing';
import type { Sealer } from '#ports/sealer';
import type { AlertBucket, FiringOutcome } from '#ports/storage/alert-firings';
import type { StorageOf } from '#ports/storage/storage';
import { parseJson } from '../json-text.js';
import { messageFor, type AlertNotice } from './payloads.js';
import { receiverOf } from './receivers.js';
import { openTarget } from './sealing.js';

export interface FiringNeeds {
  readonly storage: StorageOf<
    'alertFirings' | 'alerts' | 'projects' | 'traceFigures' | 'workspaces'
  >;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly notifiers: Notifiers;
  readonly sealer: Sealer;
  readonly baseUrl: string;
}

/** What is kept of a notice until it is sent. */
export type KeptNotice = Pick<AlertNotice, 'eventIds' | 'userNames' | 'metadata'>;

/** A firing that waits to be sent. */
export const newFiring = (
  of: Pick<AlertFiring, 'workspaceId' | 'alertId' | 'eventType' | 'id' | 'at'>,
  notice: KeptNotice,
  measured: Partial<Pick<AlertFiring, 'value' | 'threshold'>> = {},
): AlertFiring => ({
  workspaceId: of.workspaceId,
  alertId: of.alertId,
  eventType: of.eventType,
  id: of.id,
  at: of.at,
  eventCount: notice.eventIds.length,
  value: measured.value,
  threshold: measured.threshold,
  notice: JSON.stringify(notice),
  state: 'waiting',
  attempts: 0,
  retryAt: of.at,
  status: undefined,
  error: undefined,
});

/** Buckets of one run, events of one notice, and characters of what is told of them. */
const [bucketsAtOnce, mostEvents, mostCharacters] = [200, 1000, 500_000];

const noticeOf = (events: readonly AlertEvent[]): KeptNotice => {
  let room = mostCharacters;
  return {
    eventIds: events.map(({ id }) => id),
    userNames: [...new Set(events.map(({ userName }) => userName))],
    metadata: events
      .filter(({ record }) => (room -= record.length) >= 0)
      .map(({ record }) => parseJson(record) as KeptNotice['metadata'][number]), // as it was written
  };
};

/** Makes one firing of each bucket that is ripe. Answers how many events were taken. */
export const gatherRipe = async (
  { storage: { stores }, clock, ids }: FiringNeeds,
  signal: AbortSignal,
): Promise<number> => {
  const at = clock.now();
  let taken = 0;
  for (const bucket of await stores.alertFirings.listRipe(at, bucketsAtOnce)) {
    if (signal.aborted) break;
    const firing = (events: readonly AlertEvent[]) =>
      newFiring({ ...bucket, id: ids.next(), at }, noticeOf(events));
    taken += await takeBucket(stores.alertFirings, bucket, firing);
  }
  return taken;
};
const takeBucket = (
  firings: FiringNeeds['storage']['stores']['alertFirings'],
  bucket: AlertBucket,
  make: (events: readonly AlertEvent[]) => AlertFiring,
): Promise<number> => firings.take(bucket, mostEvents, make);

/** Pauses after the first attempt, the second and the third, in ms, each longer by up to a quarter; after the fourth nothing more is sent. */
const pausesMs = [1000, 5000, 30_000] as const;
/** The longest that a receiver may ask to be left alone, and how long an attempt that nobody ended keeps others off. */
const [longestMs, claimMs] = [3_600_000, 60_000];

/** A part of one that differs from firing to firing, so that many do not come back at once. */
const spread = (id: string): number => Number.parseInt(id.slice(-2), 16) / 256 || 0;

/** What becomes of a firing after an attempt. */
export const outcomeOf = (
  { id, attempts: before }: Pick<AlertFiring, 'id' | 'attempts'>,
  {
    error,
    retry,
    retryAfter = 0,
    status,
  }: Pick<OutgoingReply, 'error' | 'retry' | 'retryAfter' | 'status'>,
  now: number,
): FiringOutcome => {
  const attempts = before + 1;
  const told = { attempts, status, error: error?.slice(0, 500) };
  if (error === undefined) return { ...told, state: 'delivered', retryAt: undefined };
  const pause = pausesMs[before];
  if (!retry || pause === undefined) return { ...told, state: 'failed', retryAt: undefined };
  const wait = Math.max(pause * (1 + spread(id) / 4), Math.min(longestMs, retryAfter * 1000));
  return { ...told, state: 'waiting', retryAt: now + Math.round(wait) };
};

const send = async (
  needs: FiringNeeds,
  alert: Alert,
  workspaceName: string,
  firing: AlertFiring,
  signal: AbortSignal,
): Promise<Pick<OutgoingReply, 'error' | 'retry' | 'retryAfter' | 'status'>> => {
  const { notifiers, sealer, baseUrl } = needs;
  const { id, at, workspaceId, eventType } = firing;
  const notice: AlertNotice = {
    ...(parseJson(firing.notice ?? '') as KeptNotice), // as it was written
    ...{ id, at, eventType, workspaceId, workspaceName },
    ...{ alertId: alert.id, alertName: alert.name },
  };
  const notifier = notifiers.find(receiverOf(alert));
  if (notifier === undefined) return { error: 'nothing here sends webhooks', retry: true };
  try {
    const target = openTarget(sealer, alert, alert.webhook);
    return await notifier.send(messageFor(alert, notice, baseUrl), target, signal);
  } catch (refusal) {
    if (!isFailure(refusal)) throw refusal;
    return { error: refusal.message, retry: false }; // its secrets were sealed under another key
  }
};

/** Sends one firing once, unless somebody else does. */
const attempt = async (
  needs: FiringNeeds,
  firing: AlertFiring,
  workspaceName: string,
  signal: AbortSignal,
): Promise<void> => {
  const { storage, clock, log } = needs;
  const { alertFirings, alerts } = storage.stores;
  if (!(await alertFirings.claim(firing, clock.now() + claimMs))) return;
  const about = { alert: firing.alertId, firing: firing.id, event: firing.eventType };
  const alert = await alerts.find(firing.workspaceId, firing.alertId);
  if (alert === undefined || !alert.enabled || alert.webhook.url === '') {
    const { attempts, status, error } = firing;
    await alertFirings.settle(firing, {
      ...{ state: 'dropped', retryAt: undefined, attempts, status, error },
    });
    log.info('an alert is not told, because it was disabled or deleted', about);
    return;
  }
  const reply = await send(needs, alert, workspaceName, firing, signal);
  if (signal.aborted && reply.error !== undefined) return; // tried again once the claim is over
  const outcome = outcomeOf(firing, reply, clock.now());
  await alertFirings.settle(firing, outcome);
  if (outcome.state === 'failed')
    log.warn('an alert could not be delivered', { ...about, fault: outcome.error });
};

/** Workspaces served side by side, firings of one workspace in a run, and after how long a run begins no more of them. */
const [workspacesAtOnce, firingsAtOnce, beginsMs] = [16, 50, 10_000];

/** Sends what is due: of workspaces side by side, so that a slow receiver holds up its own workspace alone. Answers how much was tried. */
export const deliverFirings = async (needs: FiringNeeds, signal: AbortSignal): Promise<number> => {
  const { storage, clock, log } = needs;
  const { alertFirings, workspaces } = storage.stores;
  const began = clock.now();
  let tried = 0;
  const serve = async (workspaceId: string): Promise<void> => {
    const due = await alertFirings.listDue(workspaceId, began, firingsAtOnce);
    const name = (await workspaces.findById(workspaceId))?.name ?? '';
    for (const firing of due) {
      if (signal.aborted || clock.now() - began >= beginsMs) return;
      tried += 1;
      await attempt(needs, firing, name, signal);
    }
  };
  const due = [...(await alertFirings.listDueWorkspaces(began, 1000))];
  const work = async (): Promise<void> => {
    for (let next = due.shift(); next !== undefined; next = due.shift()) {
      if (signal.aborted || clock.now() - began >= beginsMs) return;
      try {
        await serve(next);
      } catch (error) {
        // What fails for one workspace does not keep the others' alerts; the next run takes it up again.
        log.warn('alerts of a workspace could not be sent and will be tried again', {
          workspace: next,
          error,
        });
      }
    }
  };
  await Promise.all(Array.from({ length: workspacesAtOnce }, work));
  return tried;
};
