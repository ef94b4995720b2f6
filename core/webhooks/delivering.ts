// Works through what waits for a channel: queue by queue, each in its order, until it is empty, an attempt fails, or the turn is over.
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import type { Channel, Delivery } from '#ports/model/channels';
import type { OutgoingReply } from '#ports/outgoing';
import type { Attempt } from '#ports/storage/deliveries';
import type { Stores } from '#ports/storage/storage';
import { callChannel, openTarget, type CallingNeeds } from './calling.js';
import { tellSwitchedOff, type FanningNeeds } from './fanning.js';
import { decide, mail, maskAddress, patienceOf, type Place } from './rules.js';

export interface DeliveringNeeds extends FanningNeeds, CallingNeeds {
  readonly log: Log;
  readonly meters: Meters;
  /** Who holds queues here. */
  readonly holder: string;
}

/** Longer than a turn with the last call of it. */
const claimMs = 45_000;
const turnMs = 20_000;
const atOnce = 50;
const lanes = 4;
const channelsAtOnce = 100;
/** How many results, and for how long, are gathered before they are stored together: a process that dies sends them again. */
const [gatherAtMost, gatherMs] = [25, 500];

/** Channels for which something is due. */
export const listDue = ({ storage, clock }: Pick<DeliveringNeeds, 'storage' | 'clock'>): Promise<readonly string[]> => storage.stores.deliveries.listDueChannels(clock.now(), channelsAtOnce);

interface Turn {
  readonly channel: Channel;
  readonly place: () => Place;
  readonly until: number;
  /** Ends the turn; what is under way is brought to its end first, since its receiver has it. */
  readonly signal: AbortSignal;
  readonly state: { failures: number; enabled: boolean; results: Attempt[]; since: number };
}
const isOver = ({ clock }: DeliveringNeeds, { until, signal, state }: Turn): boolean => signal.aborted || !state.enabled || clock.now() >= until;

const never = new AbortController().signal;

const note = ({ meters }: DeliveringNeeds, { kind }: Channel, outcome: 'delivered' | 'retried' | 'failed', { durationMs }: OutgoingReply): void => {
  meters.counter('orrery_deliveries_total', 'Attempts to deliver to webhooks and channels', ['kind', 'outcome']).add(1, { kind, outcome });
  meters.histogram('orrery_delivery_seconds', 'Time that receivers of webhooks and channels took', [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10], ['kind']).observe(durationMs / 1000, { kind });
};

/** Counts a delivery that was given up, and switches the channel off after too many in a row. */
const giveUp = async (needs: DeliveringNeeds, { channel, place, state }: Turn, error: string): Promise<void> => {
  const { storage: { stores: { channels } }, log, clock } = needs;
  state.failures = await channels.noteFailure(channel.id);
  if (state.failures < patienceOf(channel.kind).failures || !state.enabled) return;
  state.enabled = false;
  const fault = `switched off after ${state.failures} deliveries in a row that did not arrive; the last one because ${error}`;
  await channels.update(channel.id, { enabled: false, fault, updatedAt: clock.now() });
  log.warn('a channel was switched off', { channel: channel.id, kind: channel.kind, failures: state.failures });
  if (channel.use !== 'person') await tellSwitchedOff(needs, channel, maskAddress(channel.kind, place().address), fault);
};

/** Stores what was gathered, and gives queues back. */
const flush = async ({ storage, holder }: DeliveringNeeds, { channel, state }: Turn, given: Parameters<Stores['deliveries']['settle']>[3] = []): Promise<void> => {
  const results = state.results.splice(0);
  if (results.length + given.length > 0) await storage.stores.deliveries.settle(channel.id, holder, results, given);
};
const gather = async (needs: DeliveringNeeds, turn: Turn, results: readonly Attempt[]): Promise<void> => {
  const { state, channel } = turn;
  const now = needs.clock.now();
  if (state.results.length === 0) state.since = now;
  state.results.push(...results);
  // How much a mailbox got is read from what is stored.
  if (channel.kind === 'email' || state.results.length >= gatherAtMost || now >= state.since + gatherMs) await flush(needs, turn);
};

/** Calls the receiver with these, as one message, and notes how it went. Answers when to try again; `undefined` when they are done with. */
const attempt = async (needs: DeliveringNeeds, turn: Turn, batch: readonly [Delivery, ...Delivery[]]): Promise<number | undefined> => {
  const { channel, place, state: shared } = turn;
  const { storage: { stores }, clock } = needs;
  const [first] = batch;
  const triedAt = clock.now();
  const reply = await callChannel(needs, channel, place, batch.map(({ content }) => content), never);
  const { state, retryAt } = decide(channel.kind, { attempts: first.attempts + 1, createdAt: first.createdAt }, reply, clock.now());
  const told = state === 'DELIVERED' ? batch : [first];
  await gather(needs, turn, told.map(({ subjectId, number, attempts }) => ({ subjectId, number, state, attempts: attempts + 1, triedAt, retryAt, status: reply.status, durationMs: reply.durationMs, reply: reply.text, error: reply.error })));
  note(needs, channel, state === 'DELIVERED' ? 'delivered' : state === 'WAITING' ? 'retried' : 'failed', reply);
  if (state === 'FAILED') await giveUp(needs, turn, reply.error ?? '');
  if (state === 'DELIVERED' && shared.failures > 0) { shared.failures = 0; await stores.channels.update(channel.id, { failures: 0, updatedAt: clock.now() }); }
  return retryAt;
};

/** How many of those that wait go out together, or when to look again: a mailbox that had enough for an hour gets more in one piece. */
const together = async ({ storage, clock }: DeliveringNeeds, { channel }: Turn, waiting: readonly Delivery[], first: Delivery): Promise<readonly [Delivery, ...Delivery[]] | number> => {
  const now = clock.now();
  if (channel.kind !== 'email' || (await storage.stores.deliveries.countDelivered(channel.id, now - mail.hourMs)) < mail.hourly) return [first];
  return first.createdAt + mail.gatherMs > now ? first.createdAt + mail.gatherMs : [first, ...waiting.slice(1)];
};

/** Works on one queue, from its first delivery on, while it may. Answers when it is due again; `undefined` when that is for the queue itself to say. */
const workQueue = async (needs: DeliveringNeeds, turn: Turn, head: Delivery): Promise<number | undefined> => {
  const { deliveries } = needs.storage.stores;
  const next = (after: number) => deliveries.listWaiting(head.channelId, head.subjectId, after, atOnce);
  for (let waiting: readonly Delivery[] = turn.channel.kind === 'email' ? await next(head.number - 1) : [head]; ;) {
    const [first] = waiting;
    if (first === undefined || isOver(needs, turn)) return undefined;
    const batch = await together(needs, turn, waiting, first);
    if (typeof batch === 'number') return batch;
    const retryAt = await attempt(needs, turn, batch);
    if (retryAt !== undefined) return retryAt;
    waiting = waiting.slice(batch.length);
    if (waiting.length === 0 && !isOver(needs, turn)) waiting = await next(batch.at(-1)?.number ?? first.number);
  }
};

/** Works on what is due, some queues side by side. Says whether anything was. */
const workSome = async (needs: DeliveringNeeds, turn: Turn): Promise<boolean> => {
  const { storage: { stores: { deliveries } }, clock, holder } = needs;
  const { channel } = turn;
  const due = await deliveries.listDueQueues(channel.id, clock.now(), atOnce);
  const held = await deliveries.claim(channel.id, due, holder, claimMs);
  const rest = [...await deliveries.listFirst(channel.id, held)];
  const dueAgain = new Map<string, number | undefined>();
  const lane = async (): Promise<void> => { for (let head = rest.shift(); head !== undefined && !isOver(needs, turn); head = rest.shift()) dueAgain.set(head.subjectId, await workQueue(needs, turn, head)); };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  await flush(needs, turn, held.map((subjectId) => ({ subjectId, dueAt: dueAgain.get(subjectId) })));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
  return held.length > 0;
};

/** Delivers what is due to one channel. Ends with its turn, so that others get theirs. */
export const workChannel = async (needs: DeliveringNeeds, channelId: string, signal: AbortSignal): Promise<void> => {
  const channel = await needs.storage.stores.channels.find(channelId);
  if (channel === undefined || !channel.enabled) return;
  let opened: Place | undefined;
  const turn: Turn = { channel, place: () => (opened ??= openTarget(needs, channel)), until: needs.clock.now() + turnMs, signal, state: { failures: channel.failures, enabled: true, results: [], since: 0 } };
  while (!isOver(needs, turn) && await workSome(needs, turn));
};
