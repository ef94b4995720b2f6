// Works through what waits for a channel: queue by queue, each in its order, until it is empty, an attempt fails, or the turn is over.
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import type { Channel, Delivery } from '#ports/model/channels';
import type { OutgoingReply } from '#ports/outgoing';
import { callChannel, openTarget, type CallingNeeds } from './calling.js';
import { tellSwitchedOff, type FanningNeeds } from './fanning.js';
import { decide, mail, maskAddress, patienceOf, type Place } from './rules.js';

export interface DeliveringNeeds extends FanningNeeds, CallingNeeds {
  readonly log: Log;
  readonly meters: Meters;
  /** Who holds queues here. */
  readonly holder: string;
}

const claimMs = 30_000;
const renewMs = 10_000;
const turnMs = 20_000;
const atOnce = 50;
const queuesAtOnce = 4;
const channelsAtOnce = 100;

/** Channels for which something is due. */
export const listDue = ({ storage, clock }: Pick<DeliveringNeeds, 'storage' | 'clock'>): Promise<readonly string[]> => storage.stores.deliveries.listDueChannels(clock.now(), channelsAtOnce);

interface Turn {
  readonly channel: Channel;
  readonly place: () => Place;
  readonly until: number;
  /** Ends the turn; what is under way is brought to its end first, since its receiver has it. */
  readonly signal: AbortSignal;
  readonly quiet: { failures: number; enabled: boolean };
}

const never = new AbortController().signal;

const note = ({ meters }: DeliveringNeeds, { kind }: Channel, outcome: 'delivered' | 'retried' | 'failed', { durationMs }: OutgoingReply): void => {
  meters.counter('orrery_deliveries_total', 'Attempts to deliver to webhooks and channels', ['kind', 'outcome']).add(1, { kind, outcome });
  meters.histogram('orrery_delivery_seconds', 'Time that receivers of webhooks and channels took', [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10], ['kind']).observe(durationMs / 1000, { kind });
};

/** Counts a delivery that was given up, and switches the channel off after too many in a row. */
const giveUp = async (needs: DeliveringNeeds, { channel, place, quiet }: Turn, error: string): Promise<void> => {
  const { storage: { stores: { channels } }, log, clock } = needs;
  quiet.failures = await channels.noteFailure(channel.id);
  if (quiet.failures < patienceOf(channel.kind).failures || !quiet.enabled) return;
  quiet.enabled = false;
  const fault = `switched off after ${quiet.failures} deliveries in a row that did not arrive; the last one because ${error}`;
  await channels.update(channel.id, { enabled: false, fault, updatedAt: clock.now() });
  log.warn('a channel was switched off', { channel: channel.id, kind: channel.kind, failures: quiet.failures });
  if (channel.use !== 'person') await tellSwitchedOff(needs, channel, maskAddress(channel.kind, place().address), fault);
};

/** Calls the receiver with what is first, and notes how it went. Answers when to go on: at once with `undefined`. */
const attempt = async (needs: DeliveringNeeds, turn: Turn, batch: readonly Delivery[]): Promise<number | undefined> => {
  const { channel, place, quiet } = turn;
  const { storage: { stores }, clock } = needs;
  const [first] = batch;
  if (first === undefined) return undefined;
  const triedAt = clock.now();
  const reply = await callChannel(needs, channel, place, batch.map(({ content }) => content), never);
  const attempts = first.attempts + 1;
  const { state, retryAt } = decide(channel.kind, { attempts, createdAt: first.createdAt }, reply, clock.now());
  for (const one of state === 'DELIVERED' ? batch : [first]) await stores.deliveries.record(one, { state, attempts: one.attempts + 1, triedAt, retryAt, status: reply.status, durationMs: reply.durationMs, reply: reply.text, error: reply.error });
  note(needs, channel, state === 'DELIVERED' ? 'delivered' : state === 'WAITING' ? 'retried' : 'failed', reply);
  if (state === 'FAILED') await giveUp(needs, turn, reply.error ?? '');
  if (state === 'DELIVERED' && quiet.failures > 0) { quiet.failures = 0; await stores.channels.update(channel.id, { failures: 0, updatedAt: clock.now() }); }
  return retryAt;
};

/** How many of those that wait go out together, or when to look again: a mailbox that had enough for an hour gets more in one piece. */
const gathered = async ({ storage, clock }: DeliveringNeeds, { channel }: Turn, waiting: readonly Delivery[]): Promise<readonly Delivery[] | number> => {
  const [first] = waiting;
  const now = clock.now();
  if (channel.kind !== 'email' || first === undefined || (await storage.stores.deliveries.countDelivered(channel.id, now - mail.hourMs)) < mail.hourly) return waiting.slice(0, 1);
  return first.createdAt + mail.gatherMs > now ? first.createdAt + mail.gatherMs : waiting;
};

/** Works on one queue while it may. Answers when it is due again; `undefined` when that is for the queue itself to say. */
const workQueue = async (needs: DeliveringNeeds, turn: Turn, subjectId: string): Promise<number | undefined> => {
  const { storage: { stores: { deliveries } }, clock, holder } = needs;
  const { channel, until, signal, quiet } = turn;
  let renewAt = clock.now() + renewMs;
  for (let waiting = await deliveries.listWaiting(channel.id, subjectId, atOnce); waiting.length > 0;) {
    if (signal.aborted || !quiet.enabled || clock.now() >= until) return clock.now();
    if (clock.now() >= renewAt) {
      if (!(await deliveries.claim(channel.id, subjectId, holder, claimMs))) return undefined;
      renewAt = clock.now() + renewMs;
    }
    const batch = await gathered(needs, turn, waiting);
    if (typeof batch === 'number') return batch;
    const retryAt = await attempt(needs, turn, batch);
    if (retryAt !== undefined) return retryAt;
    waiting = waiting.slice(batch.length);
    if (waiting.length === 0) waiting = await deliveries.listWaiting(channel.id, subjectId, atOnce);
  }
  return undefined;
};

const takeQueue = async (needs: DeliveringNeeds, turn: Turn, subjectId: string): Promise<void> => {
  const { storage: { stores: { deliveries } }, clock, holder } = needs;
  if (!(await deliveries.claim(turn.channel.id, subjectId, holder, claimMs))) return;
  let dueAt: number | undefined = clock.now() + renewMs; // where the work itself fails
  try {
    dueAt = await workQueue(needs, turn, subjectId);
  } finally {
    await deliveries.release(turn.channel.id, subjectId, holder, dueAt);
  }
};

/** Delivers what is due to one channel, some of its queues side by side. Ends with its turn, so that others get theirs. */
export const workChannel = async (needs: DeliveringNeeds, channelId: string, signal: AbortSignal): Promise<void> => {
  const { storage: { stores }, clock } = needs;
  const channel = await stores.channels.find(channelId);
  if (channel === undefined || !channel.enabled) return;
  let opened: Place | undefined;
  const turn: Turn = { channel, place: () => (opened ??= openTarget(needs, channel)), until: clock.now() + turnMs, signal, quiet: { failures: channel.failures, enabled: true } };
  const seen = new Set<string>();
  for (;;) {
    const subjects = (await stores.deliveries.listDueQueues(channelId, clock.now(), channelsAtOnce)).filter((subject) => !seen.has(subject));
    if (subjects.length === 0) return;
    for (const subject of subjects) seen.add(subject);
    const rest = [...subjects];
    const work = async (): Promise<void> => { for (let subject = rest.shift(); subject !== undefined && turn.quiet.enabled && !signal.aborted && clock.now() < turn.until; subject = rest.shift()) await takeQueue(needs, turn, subject); };
    await Promise.all(Array.from({ length: queuesAtOnce }, work));
    if (signal.aborted || !turn.quiet.enabled || clock.now() >= turn.until) return;
  }
};
