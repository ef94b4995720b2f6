import { expect } from 'chai';
import { forgetOld } from '#core/upkeep/jobs';
import { createAudit } from '#core/audit/audit';
import { csvRow } from '#core/csv';
import { systemIds } from '#adapters/system/ids';
import { embedded } from '../opened.js';

const day = 86_400_000;

describe('the audit log', () => {
  const opened = embedded();
  const signal = new AbortController().signal;
  const note = (at: number, action: string) =>
    createAudit({ storage: opened().storage, clock: { now: () => at }, ids: systemIds }).note({
      actorId: undefined,
      actorName: undefined,
      via: 'system',
      keyId: undefined,
      address: undefined,
      action,
      thing: undefined,
      workspaceId: undefined,
      detail: {},
    });

  it('is kept for as many days as were set, and for ever when none were', async () => {
    const now = 1_800_000_000_000;
    const clock = { now: () => now };
    const action = 'keeping';
    for (let i = 0; i < 1200; i++) await note(now - 31 * day, action);
    await note(now - 29 * day, action);
    const count = async () => (await opened().storage.stores.audit.list({ action }, 2000)).length;

    expect(await forgetOld(opened().storage.stores, clock, 0, signal)).to.equal(0);
    expect(await count()).to.equal(1201);
    expect(await forgetOld(opened().storage.stores, clock, 30, signal)).to.be.at.least(1200);
    expect(await count()).to.equal(1);
  });

  it('tells what became of what was begun', async () => {
    const audit = createAudit({
      storage: opened().storage,
      clock: { now: () => 5 },
      ids: systemIds,
    });
    const action = 'settling';
    const id = await audit.note({
      actorId: undefined,
      actorName: 'ann',
      via: 'key',
      keyId: undefined,
      address: '192.0.2.1',
      action,
      thing: undefined,
      workspaceId: undefined,
      outcome: 'begun',
      detail: {},
    });
    await audit.complete(id, 'refused', { detail: { reason: 'no' } });

    const [entry] = await opened().storage.stores.audit.list({ action }, 1);
    expect([entry?.at, entry?.outcome, entry?.detail]).to.deep.equal([
      5,
      'refused',
      { reason: 'no' },
    ]);
  });
});

describe('a row of CSV', () => {
  it('quotes what it must, and turns formulas into text', () => {
    expect(csvRow(['a', 1, true, null, undefined, 'x,y', 'say "hi"', 'two\nlines'])).to.equal(
      'a,1,true,,,"x,y","say ""hi""","two\nlines"\r\n',
    );
    expect(csvRow(['=1+1', '+1', '-1', '@x', '\t=1', -1])).to.equal(
      "'=1+1,'+1,'-1,'@x,'\t=1,-1\r\n",
    );
  });
});
