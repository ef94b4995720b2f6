// The jobs behind webhooks and channels: delivering what waits, each channel in turns of its own, and forgetting what is old.
import { setTimeout as wait } from 'node:timers/promises';
import {
  listDue,
  takeDue,
  workChannel,
  type DeliveringNeeds,
  type Taken,
} from '#core/webhooks/delivering';
import type { Job } from '#ports/jobs';

const channelsAtOnce = 32;
const lookEveryMs = 500;
const deliverEveryMs = 500;
const forgetEveryMs = 600_000;
const forgetAtOnce = 1000;
const keptMs = 30 * 24 * 3_600_000;

/** Starts channels as they become due, however long others take; ends when nothing is due and nothing under way. */
const deliver = async (needs: DeliveringNeeds, signal: AbortSignal): Promise<void> => {
  const working = new Map<string, Promise<void>>();
  const start = (taken: Taken): void => {
    const { id: channel } = taken.channel;
    const work = workChannel(needs, taken, signal).catch((error: unknown) => {
      needs.log.warn('deliveries to a channel failed and will be tried again', { channel, error });
    });
    working.set(
      channel,
      work.finally(() => {
        working.delete(channel);
      }),
    );
  };
  try {
    while (!signal.aborted) {
      const due = (await listDue(needs))
        .filter((channel) => !working.has(channel))
        .slice(0, channelsAtOnce - working.size);
      if (due.length > 0) await needs.giveWay();
      for (const taken of due.length === 0 ? [] : await takeDue(needs, due)) start(taken);
      if (working.size === 0) return;
      // Not as soon as one is done: what comes meanwhile is then taken up together.
      await wait(lookEveryMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await Promise.all(working.values());
  }
};

export const deliveryJobs = (needs: DeliveringNeeds): readonly Job[] => [
  { name: 'deliver', everyMs: deliverEveryMs, run: (signal) => deliver(needs, signal) },
  {
    name: 'forget-deliveries',
    everyMs: forgetEveryMs,
    async run(signal) {
      while (
        !signal.aborted &&
        (await needs.storage.stores.deliveries.forget(needs.clock.now() - keptMs, forgetAtOnce)) > 0
      );
    },
  },
];
