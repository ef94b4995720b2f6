import { expect } from 'chai';
import { forgetRunSubjects } from '#adapters/storage/sql/event-subjects';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { freshId, start } from '#test/contract/storage/builders';

/** How an SQL storage forgets what nothing more is told of. */
export const eventSubjectContract = (storage: () => SqlStorage): void => {
  const append = (subject: string) =>
    storage().stores.events.append({
      id: freshId(),
      subject,
      name: 'thing.happened',
      at: start,
      detail: {},
    });
  const deliver = async (subject: string, through: number) => {
    await storage().stores.events.claim([subject], 'me', 60_000);
    await storage().stores.events.recordAttempts('me', [
      { subject, cursors: new Map(), through, dueAt: undefined },
    ]);
  };
  const isKnown = async (subject: string) =>
    (await storage().connection.db('event_subjects').where({ subject }).first()) !== undefined;

  it('forgets a run whose events are delivered, and neither one that waits nor anything else', async () => {
    const [told, waiting, held, model] = [
      `experiment:${freshId()}`,
      `experiment:${freshId()}`,
      `experiment:${freshId()}`,
      `registry-model:${freshId()}`,
    ];
    for (const subject of [told, waiting, held, model]) await append(subject);
    await deliver(told, 1);
    await deliver(waiting, 0);
    await deliver(model, 1);
    await deliver(held, 1);
    await append(held);
    await storage().stores.events.claim([held], 'other', 60_000);

    while ((await forgetRunSubjects(storage().connection)) > 0);

    expect([
      await isKnown(told),
      await isKnown(waiting),
      await isKnown(held),
      await isKnown(model),
    ]).to.deep.equal([false, true, true, true]);
    expect(
      (await storage().stores.events.listAfter(waiting, 0, 10)).map(({ number }) => number),
    ).to.deep.equal([1]);
  });
};
