import { expect } from 'chai';
import { createNotes } from '#core/live/noting';
import type { Change } from '#ports/model/changes';

describe('notes of changes', () => {
  let now: number;
  let noted: (readonly Change[])[];
  let fails: boolean;
  const notes = () =>
    createNotes(
      {
        note(changes) {
          if (fails) return Promise.reject(new Error('away'));
          noted.push(changes);
          return Promise.resolve();
        },
      },
      { now: () => now },
    );
  const points: Change = { kind: 'points', subjectId: 'a' };

  beforeEach(() => {
    [now, noted, fails] = [1000, [], false];
  });

  it('notes a new change at once, and the same one again only after a rest', async () => {
    const own = notes();
    own.add(points);
    await own.flush();
    own.add(points);
    now += 500;
    await own.flush();
    expect(noted).to.have.length(1);
    now += 500;

    await own.flush();

    expect(noted).to.deep.equal([[points], [points]]);
  });

  it('notes nothing when nothing changed', async () => {
    const own = notes();
    own.add(points);
    await own.flush();
    now += 10_000;

    await own.flush();
    await own.flush(true);

    expect(noted).to.have.length(1);
  });

  it('notes many changes of many runs together', async () => {
    const own = notes();
    for (let i = 0; i < 1000; i++) own.add({ kind: 'points', subjectId: String(i % 100) });

    await own.flush();

    expect(noted.map((one) => one.length)).to.deep.equal([100]);
  });

  it('keeps what could not be noted for the next time', async () => {
    const own = notes();
    own.add(points);
    fails = true;
    const fault = await own.flush().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    fails = false;

    await own.flush();

    expect(fault).to.be.an('error');
    expect(noted).to.deep.equal([[points]]);
  });

  it('notes everything at the end, without a rest', async () => {
    const own = notes();
    own.add(points);
    await own.flush();
    own.add(points);

    await own.flush(true);

    expect(noted).to.have.length(2);
  });
});
