import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Span } from '#ports/model/traces';
import { addProject, freshId } from '#test/contract/storage/builders';
import { aSpan } from '#test/contract/storage/traces';

/** Inputs and outputs of spans, which many share a frame. */
export const spanFrameContract = (storage: () => SqlStorage): void => {
  const traces = () => storage().stores.traces;
  const write = async (spans: readonly Span[]): Promise<void> => {
    const byId = new Map(spans.map((span) => [span.id, span]));
    await traces().changeSpans(spans[0]?.projectId ?? '', [...byId.keys()], (id) => byId.get(id));
  };
  const framesOf = async (projectId: string) =>
    (
      await storage()
        .connection.db('span_frames')
        .select('id', 'part', 'live')
        .where({ project_id: projectId })
        .orderBy(['id', 'part'])
    ).map((row: { readonly part: number; readonly live: number }) => [
      Number(row.part),
      Number(row.live),
    ]);
  const makeSpans = (projectId: string, count: number): readonly Span[] =>
    Array.from({ length: count }, (_, n) =>
      aSpan({ projectId, input: `{"n":${n}}`, output: n % 2 === 0 ? `"out ${n}"` : undefined }),
    );

  it('lie together, and come back each for itself', async () => {
    const { id: projectId } = await addProject(storage());
    const bare = aSpan({ projectId });
    const spans = [...makeSpans(projectId, 5), bare];

    await write(spans);

    expect(await framesOf(projectId)).to.deep.equal([
      [0, 5],
      [1, 5],
    ]);
    const read = await traces().readSpans(
      projectId,
      spans.map(({ id }) => id),
    );
    expect(read).to.have.deep.members(spans);
    const [first] = await traces().listSpans({
      ...{ projectId, filters: [], limit: 1, omitted: new Set(['output']) },
      toId: spans[4]?.id,
    });
    expect([first?.input, first?.output]).to.deep.equal(['{"n":4}', undefined]);
  });

  it('stay where they are while something else changes, and go with the last span of their frame', async () => {
    const { id: projectId } = await addProject(storage());
    const spans = makeSpans(projectId, 3);
    await write(spans);

    await write(spans.map((span) => ({ ...span, tags: ['a'] })));
    const tagged = await framesOf(projectId);
    await write(spans.slice(0, 1).map((span) => ({ ...span, output: '"new"' })));
    const changed = await framesOf(projectId);
    await traces().removeSpans(
      projectId,
      spans.slice(1).map(({ id }) => id),
    );
    const removed = await framesOf(projectId);
    await traces().removeSpans(projectId, [spans[0]?.id ?? '']);

    expect(tagged).to.deep.equal([
      [0, 3],
      [1, 3],
    ]);
    expect(changed).to.have.deep.members([
      [0, 2],
      [1, 2],
      [0, 1],
      [1, 1],
    ]);
    expect(removed).to.deep.equal([
      [0, 1],
      [1, 1],
    ]);
    expect(await framesOf(projectId)).to.deep.equal([]);
  });

  it('are counted right when many change spans of one frame at once', async () => {
    const { id: projectId } = await addProject(storage());
    const spans = makeSpans(projectId, 12);
    await write(spans);

    await Promise.all(
      spans.map((span, n) =>
        n % 3 === 0
          ? traces().removeSpans(projectId, [span.id])
          : write([{ ...span, input: `"again ${n}"` }]),
      ),
    );

    const live = (await framesOf(projectId)).filter(([part]) => part === 0);
    expect(live.reduce((sum, [, count = 0]) => sum + count, 0)).to.equal(8);
    const kept = await traces().listSpans({ projectId, filters: [], limit: 20 });
    expect(kept.map(({ input }) => input)).to.have.members(
      [1, 2, 4, 5, 7, 8, 10, 11].map((n) => `"again ${n}"`),
    );
  });

  it('of any length lie in frames of their own, and are found among thousands', async () => {
    const { id: projectId } = await addProject(storage());
    const long = 'ä'.repeat(3_000_000);
    await write([
      aSpan({ projectId, id: freshId(), input: JSON.stringify({ text: `${long} Needle` }) }),
      ...makeSpans(projectId, 3),
    ]);
    for (let n = 0; n < 3; n++) await write(makeSpans(projectId, 800));

    const found = await traces().pageSpans({
      ...{ projectId, filters: [], search: 'NEEDLE', orders: [], page: 1, size: 5 },
      omitted: new Set(['output']),
    });

    expect([found.total, found.cut, found.atLeast]).to.deep.equal([1, false, false]);
    expect(found.content[0]?.input?.length).to.equal(long.length + 18);
  });
};
