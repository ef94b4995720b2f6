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
const clock = { now: () => 0 };

describe('the bytes that a workspace may hold', () => {
  it('are not asked for where there is no limit', async () => {
    const { state, workspaces } = holding(5000);
    const free = { ...home, workspaceStorageLimit: undefined };

    await checkQuota({ workspaces, clock: { now: () => 0 } }, free);
    expect(
      await drain((await takeRoom({ workspaces, clock }, free)).count(pieces(4000, 4000))),
    ).to.equal(8000);
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
    const room = await takeRoom({ workspaces, clock }, home);

    expect(await refusal(drain(room.count(pieces(300, 100, 1))))).to.equal(full);
    room.release(false);
    expect(await refusal(takeRoom({ workspaces, clock }, home, 401))).to.equal(full);
  });

  it('hold for all uploads that are under way together', async () => {
    const { workspaces } = holding(0);
    const rooms = await Promise.all([1, 2, 3].map(() => takeRoom({ workspaces, clock }, home)));
    const ends = await Promise.all(
      rooms.map((room) => refusal(drain(room.count(pieces(200, 200))))),
    );

    expect(ends.sort()).to.deep.equal([full, 'let through', 'let through']);
  });

  it('count an upload once: under way, then settled, then as what the workspace holds; one that failed not at all', async () => {
    const { state, workspaces } = holding(0);
    const [failed, kept, later] = [
      await takeRoom({ workspaces, clock }, home),
      await takeRoom({ workspaces, clock }, home),
      await takeRoom({ workspaces, clock }, home),
    ];
    await drain(failed.count(pieces(500)));
    failed.release(false);
    await drain(kept.count(pieces(600)));
    kept.release(true);
    kept.release(false);
    state.bytes = 600;

    expect(await refusal(drain(later.count(pieces(401))))).to.equal(full);
    later.release(false);
    expect(await drain((await takeRoom({ workspaces, clock }, home)).count(pieces(400)))).to.equal(
      400,
    );
  });

  it('are added up once in five seconds, while there is much room', async () => {
    const { state, workspaces } = holding(0);
    let now = 0;
    const upload = async (size: number) => {
      const room = await takeRoom({ workspaces, clock: { now: () => now } }, home);
      await drain(room.count(pieces(size)));
      room.release(true);
      state.bytes += size;
    };

    for (let i = 0; i < 5; i++) await upload(100);
    const soon = state.asked;
    now = 5000;
    await upload(100);

    expect([soon, state.asked]).to.deep.equal([1, 2]);
  });

  it('are added up anew before an upload is refused, so that what was removed makes room at once', async () => {
    const { state, workspaces } = holding(700);
    await takeRoom({ workspaces, clock }, home);
    state.bytes = 0;

    const room = await takeRoom({ workspaces, clock }, home, 900);

    expect(await drain(room.count(pieces(500, 400)))).to.equal(900);
  });
});
