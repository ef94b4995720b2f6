import { expect } from 'chai';
import type { AlertEvent, AlertFiring } from '#ports/model/alerts';
import type { AlertBucket } from '#ports/storage/alert-firings';
import type { Storage } from '#ports/storage/storage';
import { freshId, start } from './builders.js';

export const anEvent = (given: Partial<AlertEvent> = {}): AlertEvent => ({
  workspaceId: freshId(),
  alertId: freshId(),
  eventType: 'prompt:created',
  id: freshId(),
  at: start,
  ripeAt: start + 60_000,
  userName: 'änn',
  record: '{"id":"\u{1f600}"}',
  ...given,
});
export const aFiring = (given: Partial<AlertFiring> = {}): AlertFiring => ({
  workspaceId: freshId(),
  alertId: freshId(),
  id: freshId(),
  at: start,
  eventType: 'trace:cost',
  eventCount: 1,
  value: '1.5',
  threshold: '1',
  notice: '{}',
  state: 'waiting',
  attempts: 0,
  retryAt: start,
  status: undefined,
  error: undefined,
  ...given,
});

const period = { number: 1, since: start - 1000 };

/** What every store of firings keeps to. */
export const alertFiringContract = (storage: () => Storage): void => {
  const firings = () => storage().stores.alertFirings;
  const listed = async ({ workspaceId, alertId: id }: AlertFiring | AlertBucket) =>
    (await firings().list({ workspaceId, id }, { offset: 0, limit: 10 })).content;
  const add = async (given: Partial<AlertFiring> = {}): Promise<AlertFiring> => {
    const made = aFiring(given);
    expect(await firings().insert(made, period)).to.equal(true);
    return made;
  };
  /** As lists show it: without what is told. */
  const shown = (firing: AlertFiring): AlertFiring => ({ ...firing, notice: undefined });

  it('lists a bucket once its first event is ripe, and takes each event once', async () => {
    const first = anEvent();
    const { workspaceId, alertId, eventType } = first;
    const bucket = { workspaceId, alertId, eventType };
    const later = anEvent({ ...bucket, ripeAt: first.ripeAt + 50_000 });
    const other = anEvent({ ...bucket, eventType: 'prompt:deleted', ripeAt: first.ripeAt + 1 });
    await firings().record([first, later, other]);
    await firings().record([]);
    const ripe = async (now: number) =>
      (await firings().listRipe(now, 1000)).filter((one) => one.alertId === alertId);

    expect(await ripe(first.ripeAt - 1)).to.deep.equal([]);
    expect(await ripe(first.ripeAt)).to.deep.equal([bucket]);
    expect(await firings().listRipe(first.ripeAt + 1, 1)).to.have.length(1);
    const told: (readonly AlertEvent[])[] = [];
    const firing = aFiring({ ...bucket, value: undefined, threshold: undefined });
    const take = (id: string, limit = 10) =>
      firings().take(bucket, limit, (events) => {
        told.push(events);
        return { ...firing, id };
      });
    expect(await take(firing.id, 1)).to.equal(1);
    const ids = [freshId(), freshId()];
    const took = await Promise.all(ids.map((id) => take(id)));
    expect([...took].sort()).to.deep.equal([0, 1]);
    expect(told[0]).to.deep.equal([first]);
    expect(told.at(-1)).to.deep.equal([later]);
    const stored = await listed(bucket);
    expect(stored).to.have.length(2);
    expect(stored.at(-1)).to.deep.equal(shown(firing));
    expect(await ripe(later.ripeAt)).to.deep.equal([{ ...bucket, eventType: 'prompt:deleted' }]);
    await firings().take({ ...bucket, eventType: 'prompt:deleted' }, 10, () => undefined);
    expect(await ripe(later.ripeAt)).to.deep.equal([]);
    expect(await listed(bucket)).to.have.length(2);
  });

  it('keeps no event of a transaction that fails', async () => {
    const event = anEvent({ ripeAt: start });
    await storage()
      .transaction(async (stores) => {
        await stores.alertFirings.record([event]);
        throw new Error('undone');
      })
      .catch(() => undefined); // it is meant to fail

    const ripe = await firings().listRipe(start, 1000);
    expect(ripe.filter(({ alertId }) => alertId === event.alertId)).to.deep.equal([]);
  });

  it('stores one firing of a trigger in a period, also of several at once', async () => {
    const of = { workspaceId: freshId(), alertId: freshId() };
    const results = await Promise.all(
      Array.from({ length: 4 }, () => firings().insert(aFiring(of), period)),
    );
    expect(results.filter((stored) => stored)).to.have.length(1);
    const next = { number: 2, since: start };
    const late = aFiring({ ...of, at: start + 1 });
    expect(await firings().insert(late, { ...next, since: start - 1 })).to.equal(false);
    expect(await firings().insert(late, next)).to.equal(true);
    expect(await firings().insert(aFiring({ ...of, eventType: 'trace:errors' }), period)).to.equal(
      true,
    );
    expect(await firings().insert(aFiring(), period)).to.equal(true);
    expect(await listed(aFiring(of))).to.have.length(3);
  });

  it('gives what is due by workspace, the oldest first, to one taker', async () => {
    const workspaceId = freshId();
    const retryAt = start - 1000;
    const [second, first] = [
      await add({ workspaceId, retryAt }),
      await add({ workspaceId, retryAt: retryAt - 1 }),
    ];
    await add({ workspaceId, retryAt: start + 1 });

    expect(await firings().listDueWorkspaces(start, 1000)).to.include(workspaceId);
    expect(await firings().listDueWorkspaces(retryAt - 2, 1000)).not.to.include(workspaceId);
    expect(await firings().listDue(workspaceId, start, 10)).to.deep.equal([first, second]);
    expect(await firings().listDue(workspaceId, start, 1)).to.deep.equal([first]);
    const claims = await Promise.all(
      Array.from({ length: 3 }, () => firings().claim(first, start + 5)),
    );
    expect(claims.filter((won) => won)).to.have.length(1);
    expect(await firings().listDue(workspaceId, start, 10)).to.deep.equal([second]);
    expect(await firings().listDue(workspaceId, start + 5, 10)).to.have.length(3);
  });

  it('tells what became of a firing, and forgets what was told once nothing more is sent', async () => {
    const made = await add();
    const again = { attempts: 1, status: 503, error: 'it is busy', retryAt: start + 9 };
    await firings().settle(made, { ...again, state: 'waiting' });
    const waiting: AlertFiring = { ...made, ...again };
    expect(await firings().listDue(made.workspaceId, start + 9, 10)).to.deep.equal([waiting]);

    const done = { state: 'delivered', attempts: 2, status: 204, error: undefined } as const;
    await firings().settle(made, { ...done, retryAt: undefined });

    expect(await firings().listDue(made.workspaceId, start + 9, 10)).to.deep.equal([]);
    expect(await listed(made)).to.deep.equal([shown({ ...made, ...done, retryAt: undefined })]);
  });

  it('lists firings of an alert from the newest on, and removes them with it', async () => {
    const of = { workspaceId: freshId(), alertId: freshId() };
    const types = ['trace:cost', 'trace:errors', 'trace:latency'] as const;
    const made: AlertFiring[] = [];
    for (const eventType of types) made.push(await add({ ...of, eventType }));
    const other = await add({ workspaceId: of.workspaceId });
    await firings().record([anEvent({ ...of, ripeAt: start })]);
    const alert = { workspaceId: of.workspaceId, id: of.alertId };

    expect(await firings().list(alert, { offset: 1, limit: 1 })).to.deep.equal({
      total: 3,
      content: made.slice(1, 2).map(shown),
    });
    expect(await firings().list({ ...alert, id: 'no-id' }, { offset: 0, limit: 1 })).to.deep.equal({
      total: 0,
      content: [],
    });
    await storage().stores.alerts.remove(of.workspaceId, [of.alertId]);
    expect(await listed(aFiring(of))).to.deep.equal([]);
    expect(await listed(other)).to.have.length(1);
    const ripe = await firings().listRipe(start, 1000);
    expect(ripe.filter(({ alertId }) => alertId === of.alertId)).to.deep.equal([]);
  });

  it('forgets the oldest firings, some at a time', async () => {
    const of = { workspaceId: freshId(), alertId: freshId() };
    const old = start - 1_000_000;
    await add({ ...of, at: old, eventType: 'trace:errors' });
    await add({ ...of, at: old + 1 });
    await add({ ...of, at: start, eventType: 'trace:latency' });

    expect(await firings().forget(old + 2, 1)).to.equal(1);
    expect((await listed(aFiring(of))).map(({ at }) => at)).to.have.members([old + 1, start]);
    expect(await firings().forget(old + 2, 10)).to.equal(1);
    expect(await firings().forget(old + 2, 10)).to.equal(0);
    expect((await listed(aFiring(of))).map(({ at }) => at)).to.deep.equal([start]);
  });
};
