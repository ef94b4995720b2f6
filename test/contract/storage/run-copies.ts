import { expect } from 'chai';
import type { Storage } from '#ports/storage/storage';
import { freshId, start } from './builders.js';

/** What every store of copies that are under way keeps to. */
export const runCopyContract = (storage: () => Storage): void => {
  const copies = () => storage().stores.runCopies;
  const addCopy = async (lastStep?: number, at = start) => {
    const copy = { toId: freshId(), fromId: freshId(), lastStep };
    await copies().insert({ ...copy, at });
    return copy;
  };

  it('returns what was stored, and where it stands', async () => {
    const [whole, part] = [await addCopy(), await addCopy(-7)];

    await copies().advance(part.toId, { pieces: 0, place: '{"ä":1}', at: start });

    expect(await copies().find(whole.toId)).to.deep.equal({
      ...whole,
      pieces: 0,
      place: undefined,
    });
    expect(await copies().find(part.toId)).to.deep.equal({ ...part, pieces: 1, place: '{"ä":1}' });
    expect(await copies().find(freshId())).to.equal(undefined);
  });

  it('takes a copy one piece further once, of many who would', async () => {
    const { toId } = await addCopy();
    const advance = (place: string) => copies().advance(toId, { pieces: 0, place, at: start });

    const said = await Promise.all(['a', 'b', 'c'].map(advance));

    expect(said.filter((one) => one)).to.have.length(1);
    expect(await copies().find(toId)).to.deep.include({
      pieces: 1,
      place: ['a', 'b', 'c'][said.indexOf(true)],
    });
  });

  it('ends a copy once, and none that has gone further meanwhile', async () => {
    const [one, other] = [await addCopy(), await addCopy()];
    await copies().advance(one.toId, { pieces: 0, place: 'a', at: start });

    expect([
      await copies().remove(one.toId, 0),
      await copies().remove(one.toId, 1),
      await copies().remove(one.toId, 1),
      await copies().remove(other.toId),
    ]).to.deep.equal([false, true, false, true]);
    expect(await copies().find(other.toId)).to.equal(undefined);
  });

  it('lists those that nobody works on, the one that waited longest first', async () => {
    const made = [await addCopy(1, start + 2), await addCopy(2, start), await addCopy(3, start)];
    await copies().advance(made[2]!.toId, { pieces: 0, place: 'a', at: start + 1 });

    const idle = async (since: number, limit = 1_000_000) =>
      (await copies().listIdle(since, limit))
        .map(({ toId }) => made.findIndex((one) => one.toId === toId) + 1)
        .filter((place) => place > 0);

    expect([await idle(start + 3), await idle(start + 1)]).to.deep.equal([[2, 3, 1], [2]]);
    expect(await copies().listIdle(start + 3, 1)).to.have.length(1);
  });
};
