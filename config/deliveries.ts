// The jobs behind webhooks and channels: delivering what waits, each channel in turns of its own, and forgetting what is old.
import { setTimeout as wait } from 'node:timers/promises';
import { listDue, workChannel, type DeliveringNeeds } from '#core/webhooks/delivering';
import type { Job } from '#ports/jobs';

const channelsAtOnce = 32;
const lookEveryMs = 250;
const deliverEveryMs = 500;
const forgetEveryMs = 600_000;
const forgetAtOnce = 1000;
const keptMs = 30 * 24 * 3_600_000;

/** Starts channels as they become due, however long others take; ends when nothing is due and nothing under way. */
const deliver = async (needs: DeliveringNeeds, signal: AbortSignal): Promise<void> => {
  const working = new Map<string, Promise<void>>();
  const start = (channel: string): void => {
    const work = workChannel(needs, channel, signal).catch((error: unknown) => { needs.log.warn('deliveries to a channel failed and will be tried again', { channel, error }); });
    working.set(channel, work.finally(() => { working.delete(channel); }));
  };
  try {
    while (!signal.aborted) {
      for (const channel of await listDue(needs)) if (!working.has(channel) && working.size < channelsAtOnce) start(channel);
      if (working.size === 0) return;
      await Promise.race([...working.values(), wait(lookEveryMs)]);
    }
  } finally {
    await Promise.all(working.values());
  }
};

export const deliveryJobs = (needs: DeliveringNeeds): readonly Job[] => [
  { name: 'deliver', everyMs: deliverEveryMs, run: (signal) => deliver(needs, signal) },
  {
    name: 'forget-deliveries', everyMs: forgetEveryMs,
    async run(signal) { while (!signal.aborted && (await needs.storage.stores.deliveries.forget(needs.clock.now() - keptMs, forgetAtOnce)) > 0); },
  },
];
