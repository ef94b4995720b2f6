import { expect } from 'chai';
import { checkQuota, takeRoom } from '#core/quota';
import { isFailure } from '#ports/failure';

const home = { workspaceId: 'w', workspaceName: 'space', workspaceStorageLimit: 1000 };
/** A workspace that holds so much; `figures` is a spy on how often that is asked. */
const holding = (bytes: number) => {
  const state = { bytes, asked: 0 };
  return {
    state,
    workspaces: {
      figures: async () => {
        state.asked++;
        return { experiments: 1, bytes: state.bytes };
      },
    },
  };
};
const refusal = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'let through',
    (thrown: unknown) =>
      isFailure(thrown) ? `${thrown.kind} ${String(thrown.reason)}` : String(thrown),
  );
async function* pieces(...sizes: readonly number[]): AsyncIterable<Uint8Array> {
  for (const size of sizes) yield new Uint8Array(size);
}
const drain = async (source: AsyncIterable<Uint8Array>): Promise<number> => {
  let size = 0;
  for await (const piece of source) size += piece.length;
  return size;
};
const full = 'invalid storageLimit';

describe('the bytes that a workspace may hold', () => {
  it('are not asked for where there is no limit', async () => {
    const { state, workspaces } = holding(5000);
    const free = { ...home, workspaceStorageLimit: undefined };

    await checkQuota({ workspaces, clock: { now: () => 0 } }, free);
    expect(await drain((await takeRoom({ workspaces }, free)).count(pieces(4000, 4000)))).to.equal(
      8000,
    );
    expect(state.asked).to.equal(0);
  });

  it('refuse a write once they are used up, by a figure of the last seconds', async () => {
    const { state, workspaces } = holding(0);
    let now = 0;
    const check = () => refusal(checkQuota({ workspaces, clock: { now: () => now } }, home));

    expect(await check()).to.equal('let through');
    state.bytes = 1000;
    expect(await check()).to.equal('let through');
    now = 5000;
    expect(await check()).to.equal(full);
    expect(state.asked).to.equal(2);
  });

  it('end an upload at the byte that is too much, also where its length was not told', async () => {
    const { workspaces } = holding(600);
    const room = await takeRoom({ workspaces }, home);

    expect(await refusal(drain(room.count(pieces(300, 100, 1))))).to.equal(full);
    room.release(false);
    expect(await refusal(takeRoom({ workspaces }, home, 401))).to.equal(full);
  });

  it('hold for all uploads that are under way together', async () => {
    const { workspaces } = holding(0);
    const rooms = await Promise.all([1, 2, 3].map(() => takeRoom({ workspaces }, home)));
    const ends = await Promise.all(
      rooms.map((room) => refusal(drain(room.count(pieces(200, 200))))),
    );

    expect(ends.sort()).to.deep.equal([full, 'let through', 'let through']);
  });

  it('count an upload once: under way, then settled, then as what the workspace holds; one that failed not at all', async () => {
    const { state, workspaces } = holding(0);
    const [failed, kept, later] = [
      await takeRoom({ workspaces }, home),
      await takeRoom({ workspaces }, home),
      await takeRoom({ workspaces }, home),
    ];
    await drain(failed.count(pieces(500)));
    failed.release(false);
    await drain(kept.count(pieces(600)));
    kept.release(true);
    kept.release(false);

    expect(await refusal(drain(later.count(pieces(401))))).to.equal(full);
    later.release(false);
    state.bytes = 600;
    expect(await drain((await takeRoom({ workspaces }, home)).count(pieces(400)))).to.equal(400);
  });
});
