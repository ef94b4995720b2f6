// Works through what waits for a channel: queue by queue, each in its order, until it is empty, an attempt fails, or the turn is over.
import type { Log } from '#ports/log';
import type { Meters } from '#ports/meters';
import type { Channel, Delivery } from '#ports/model/channels';
import type { OutgoingReply } from '#ports/outgoing';
import type { Attempt, GivenQueue, Queue } from '#ports/storage/deliveries';
import { callChannel, openTarget, type CallingNeeds } from './calling.js';
import { tellSwitchedOff, type FanningNeeds } from './fan-out.js';
import { decide, mail, maskAddress, patienceOf, type Place } from './rules.js';

export interface DeliveringNeeds extends FanningNeeds, CallingNeeds {
  readonly log: Log;
  readonly meters: Meters;
  /** Waits a moment while there are requests to be answered first. */
  readonly giveWay: () => Promise<void>;
  /** Stores how attempts went and gives queues back, in the order in which it is asked; it may wait a moment for more to store with it. */
  readonly recordAttempts: (
    attempts: readonly Attempt[],
    given: readonly GivenQueue[],
  ) => Promise<void>;
  /** Who holds queues here. */
  readonly holder: string;
}

/** Longer than a turn with the last call of it. */
const claimMs = 45_000;
const turnMs = 20_000;
const [queuesAtOnce, ofEach] = [25, 20];
/** Queues that are worked on side by side: few where the receiver is quick, since more would only crowd out requests. */
const lanesFor = (tookMs: number): number => (tookMs > 50 ? 8 : 2);
const channelsAtOnce = 100;
/** Channels for which something is due. */
export const listDue = ({
  storage,
  clock,
}: Pick<DeliveringNeeds, 'storage' | 'clock'>): Promise<readonly string[]> =>
  storage.stores.deliveries.listDueChannels(clock.now(), channelsAtOnce);

/** What was taken of a channel. */
export interface Taken {
  readonly channel: Channel;
  readonly held: readonly Queue[];
  readonly waiting: readonly Delivery[];
}

/** Takes what is due of channels that are switched on, some queues of each. */
export const takeDue = async (
  {
    storage: {
      stores: { channels, deliveries },
    },
    clock,
    holder,
  }: DeliveringNeeds,
  channelIds: readonly string[],
): Promise<readonly Taken[]> => {
  const found = (await channels.findAll(channelIds)).filter(({ enabled }) => enabled);
  const held = await deliveries.claim(
    await deliveries.listDueQueues(
      found.map(({ id }) => id),
      clock.now(),
      queuesAtOnce,
    ),
    holder,
    claimMs,
  );
  const waiting = await deliveries.listWaiting(held, ofEach);
  const taken = found.map((channel): Taken => ({
    channel,
    held: held.filter(({ channelId }) => channelId === channel.id),
    waiting: waiting.filter(({ channelId }) => channelId === channel.id),
  }));
  return taken.filter((one) => one.held.length > 0);
};

interface Turn {
  readonly channel: Channel;
  readonly place: () => Place;
  readonly until: number;
  /** Ends the turn; what is under way is brought to its end first, since its receiver has it. */
  readonly signal: AbortSignal;
  readonly state: { failures: number; enabled: boolean; tookMs: number };
  /** What is being stored. */
  readonly storing: Promise<void>[];
}
const isOver = ({ clock }: DeliveringNeeds, { until, signal, state }: Turn): boolean =>
  signal.aborted || !state.enabled || clock.now() >= until;

const never = new AbortController().signal;

const note = (
  { meters }: DeliveringNeeds,
  { kind }: Channel,
  outcome: 'delivered' | 'retried' | 'failed',
  { durationMs }: OutgoingReply,
): void => {
  meters
    .counter('orrery_deliveries_total', 'Attempts to deliver to webhooks and channels', [
      'kind',
      'outcome',
    ])
    .add(1, { kind, outcome });
  meters
    .histogram(
      'orrery_delivery_seconds',
      'Time that receivers of webhooks and channels took',
      [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      ['kind'],
    )
    .observe(durationMs / 1000, { kind });
};

/** Counts a delivery that was given up, and switches the channel off after too many in a row. */
const giveUp = async (
  needs: DeliveringNeeds,
  { channel, place, state }: Turn,
  error: string,
): Promise<void> => {
  const {
    storage: {
      stores: { channels },
    },
    log,
    clock,
  } = needs;
  state.failures = await channels.noteFailure(channel.id);
  if (state.failures < patienceOf(channel.kind).failures || !state.enabled) return;
  state.enabled = false;
  const fault = `switched off after ${state.failures} deliveries in a row that did not arrive; the last one because ${error}`;
  await channels.update(channel.id, { enabled: false, fault, updatedAt: clock.now() });
  log.warn('a channel was switched off', {
    channel: channel.id,
    kind: channel.kind,
    failures: state.failures,
  });
  if (channel.use !== 'person')
    await tellSwitchedOff(needs, channel, maskAddress(channel.kind, place().address), fault);
};

/** Has something stored while the turn goes on; whether it was is asked at its end. */
const store = (turn: Turn, work: Promise<void>): void => {
  work.catch(() => undefined);
  turn.storing.push(work);
};

/** Calls the receiver with these, as one message, and notes how it went. Answers when to try again; `undefined` when they are done with. */
const attempt = async (
  needs: DeliveringNeeds,
  turn: Turn,
  batch: readonly [Delivery, ...Delivery[]],
): Promise<number | undefined> => {
  const { channel, place, state: shared } = turn;
  const {
    storage: { stores },
    clock,
  } = needs;
  const [first] = batch;
  const triedAt = clock.now();
  const reply = await callChannel(
    needs,
    channel,
    place,
    batch.map(({ content }) => content),
    never,
  );
  shared.tookMs = reply.durationMs;
  const { state, retryAt } = decide(
    channel.kind,
    { attempts: first.attempts + 1, createdAt: first.createdAt },
    reply,
    clock.now(),
  );
  const told = state === 'DELIVERED' ? batch : [first];
  const stored = needs.recordAttempts(
    told.map(({ id, channelId, attempts }) => ({
      id,
      channelId,
      state,
      attempts: attempts + 1,
      triedAt,
      retryAt,
      status: reply.status,
      durationMs: reply.durationMs,
      reply: reply.text,
      error: reply.error,
    })),
    [],
  );
  store(turn, stored);
  if (channel.kind === 'email') await stored; // how much a mailbox got is read from what is stored
  note(
    needs,
    channel,
    state === 'DELIVERED' ? 'delivered' : state === 'WAITING' ? 'retried' : 'failed',
    reply,
  );
  if (state === 'FAILED') await giveUp(needs, turn, reply.error ?? '');
  if (state === 'DELIVERED' && shared.failures > 0) {
    shared.failures = 0;
    await stores.channels.update(channel.id, { failures: 0, updatedAt: clock.now() });
  }
  return retryAt;
};

/** How many of those that wait go out together, or when to look again: a mailbox that had enough for an hour gets more in one piece. */
const together = async (
  { storage, clock }: DeliveringNeeds,
  { channel }: Turn,
  waiting: readonly Delivery[],
  first: Delivery,
): Promise<readonly [Delivery, ...Delivery[]] | number> => {
  const now = clock.now();
  if (
    channel.kind !== 'email' ||
    (await storage.stores.deliveries.countDelivered(channel.id, now - mail.hourMs)) < mail.hourly
  )
    return [first];
  return first.createdAt + mail.gatherMs > now
    ? first.createdAt + mail.gatherMs
    : [first, ...waiting.slice(1)];
};

/** Works on what waits in one queue, in its order, while it may. Answers when it is due again; `undefined` when that is for the queue itself to say. */
const workQueue = async (
  needs: DeliveringNeeds,
  turn: Turn,
  queue: readonly Delivery[],
): Promise<number | undefined> => {
  for (let waiting = queue; ;) {
    const [first] = waiting;
    if (first === undefined || isOver(needs, turn)) return undefined;
    await needs.giveWay();
    const batch = await together(needs, turn, waiting, first);
    if (typeof batch === 'number') return batch;
    const retryAt = await attempt(needs, turn, batch);
    if (retryAt !== undefined) return retryAt;
    waiting = waiting.slice(batch.length);
  }
};

/** Works on what was taken, some queues side by side. Says whether there may be more. */
const workSome = async (
  needs: DeliveringNeeds,
  turn: Turn,
  { held, waiting }: Taken,
): Promise<boolean> => {
  const queues = held
    .map((queue) => waiting.filter(({ subjectId }) => subjectId === queue.subjectId))
    .filter(({ length }) => length > 0);
  const rest = [...queues];
  const dueAgain = new Map<string, number | undefined>();
  const lane = async (): Promise<void> => {
    for (
      let queue = rest.shift();
      queue !== undefined && !isOver(needs, turn);
      queue = rest.shift()
    )
      dueAgain.set(queue[0]?.subjectId ?? '', await workQueue(needs, turn, queue));
  };
  const ended = await Promise.allSettled(Array.from({ length: lanesFor(turn.state.tookMs) }, lane));
  store(
    turn,
    needs.recordAttempts(
      [],
      held.map((queue) => ({ ...queue, dueAt: dueAgain.get(queue.subjectId) })),
    ),
  );
  for (const one of [...ended, ...(await Promise.allSettled(turn.storing.splice(0)))])
    if (one.status === 'rejected') throw one.reason;
  return held.length === queuesAtOnce || queues.some(({ length }) => length === ofEach);
};

/** Delivers to one channel what was taken of it, and what is due then. Ends with its turn, so that others get theirs. */
export const workChannel = async (
  needs: DeliveringNeeds,
  first: Taken,
  signal: AbortSignal,
): Promise<void> => {
  const { channel } = first;
  let opened: Place | undefined;
  const turn: Turn = {
    channel,
    place: () => (opened ??= openTarget(needs, channel)),
    until: needs.clock.now() + turnMs,
    signal,
    state: { failures: channel.failures, enabled: true, tookMs: 0 },
    storing: [],
  };
  for (
    let taken: Taken | undefined = first;
    taken !== undefined && (await workSome(needs, turn, taken)) && !isOver(needs, turn);
  )
    [taken] = await takeDue(needs, [channel.id]);
};
