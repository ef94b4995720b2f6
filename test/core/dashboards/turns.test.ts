import { expect } from 'chai';
import { createTurns } from '#core/dashboards/turns';

/** Work that ends when it is told to. */
const work = (begun: string[], name: string) => {
  let end: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return {
    run: async () => {
      begun.push(name);
      await ended;
      if (name.startsWith('bad')) throw new Error(name);
      return name;
    },
    end: () => {
      end();
    },
  };
};
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('charts that take turns', () => {
  it('go on so many at once for a workspace, the others in the order of their coming', async () => {
    const begun: string[] = [];
    const turns = createTurns(2, 10);
    const works = ['bad', 'b', 'c', 'd'].map((name) => work(begun, name));
    const [bad, ...rest] = works.map(({ run }) => turns.take('one', run));
    const failed = bad?.catch((thrown: unknown) => String(thrown));
    const other = work(begun, 'of another');
    const ofAnother = turns.take('another', other.run);

    await settled();
    expect(begun).to.deep.equal(['bad', 'b', 'of another']);
    works[0]?.end();
    await settled();
    expect(begun.slice(3)).to.deep.equal(['c']);
    for (const { end } of [...works, other]) end();
    expect(await Promise.all(rest)).to.deep.equal(['b', 'c', 'd']);
    expect([await failed, await ofAnother]).to.deep.equal(['Error: bad', 'of another']);
  });

  it('are refused where too many wait, and go on later', async () => {
    const begun: string[] = [];
    const turns = createTurns(1, 1);
    const works = ['a', 'b', 'c'].map((name) => work(begun, name));
    const [a, b, c] = works.map(({ run }) => turns.take('one', run));
    const refused = await c?.catch((thrown: unknown) => thrown);

    for (const { end } of works) end();
    expect(await Promise.all([a, b])).to.deep.equal(['a', 'b']);
    expect(refused).to.include({ kind: 'throttled' });
    expect(begun).to.deep.equal(['a', 'b']);
    const again = work(begun, 'again');
    again.end();
    expect(await turns.take('one', again.run)).to.equal('again');
  });
});
