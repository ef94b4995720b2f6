import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { Span } from '#ports/model/traces';
import type { TracePageRequest, TraceSelection } from '#ports/storage/traces';
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

  it('are read in part where a frame has no such part', async () => {
    const { id: projectId } = await addProject(storage());
    const span = aSpan({ projectId, output: '"out"' });
    await write([span]);

    const [listed] = await traces().listSpans({
      ...{ projectId, filters: [], limit: 1, omitted: new Set(['output']) },
    });

    expect([listed?.id, listed?.input, listed?.output]).to.deep.equal([
      span.id,
      undefined,
      undefined,
    ]);
  });

  it('are found by what is claimed of them or sought, as if each were read', async () => {
    const { id: projectId } = await addProject(storage());
    const words = ['Alpha beta', 'gamma', 'İstanbul', 'naïve', '300 \u212a', 'x'];
    const spans = Array.from({ length: 90 }, (_, n) =>
      aSpan({
        projectId,
        id: freshId(),
        name: n % 17 === 0 ? 'Gamma step' : undefined,
        tags: n % 13 === 0 ? ['ALPHA'] : undefined,
        input:
          n % 5 === 0
            ? undefined
            : JSON.stringify({
                word: words[n % 6],
                n,
                inner: { Delta: n % 7 === 0 ? 'on' : null },
              }),
        output: n % 4 === 0 ? JSON.stringify(`${words[(n * 5) % 6] ?? ''} ${n}`) : undefined,
      }),
    );
    // Frames of one span, and of many.
    for (const one of spans.slice(0, 20)) await write([one]);
    for (let from = 20; from < 90; from += 35) await write(spans.slice(from, from + 35));
    const lower = (text: string | undefined) => text?.toLowerCase() ?? '';
    const stands = (text: string) => (span: Span) =>
      [span.id, span.name, span.input, span.output, JSON.stringify(span.tags)].some((one) =>
        lower(one).includes(text.toLowerCase()),
      );
    const inside = (span: Span) =>
      JSON.parse(span.input ?? '{}') as { word?: string; inner?: { Delta?: string | null } }; // as made above

    const asked: readonly (readonly [object, (span: Span) => boolean])[] = [
      ...['ALPHA BETA', 'gam', 'mm', 'naïve', 'NAÏVE', 'stanbul', 'nowhere', '88'].map(
        (search) => [{ filters: [], search }, stands(search)] as const,
      ),
      [
        { filters: [{ field: 'input', is: 'text', operator: 'contains', value: 'GAMMA' }] },
        (span) => lower(span.input).includes('gamma'),
      ],
      [
        { filters: [{ field: 'input', is: 'text', operator: 'notContains', value: 'gamma' }] },
        (span) => !lower(span.input).includes('gamma'),
      ],
      [
        { filters: [{ field: 'output', is: 'text', operator: 'contains', value: 'gamma' }] },
        (span) => lower(span.output).includes('gamma'),
      ],
      [
        {
          filters: [
            ...[{ field: 'input_json', path: ['word'], is: 'text', operator: 'equals' }].map(
              (claim) => ({ ...claim, value: 'gamma' }),
            ),
          ],
        },
        (span) => lower(inside(span).word) === 'gamma',
      ],
      [
        {
          filters: [
            { field: 'input_json', path: ['inner', 'Delta'], is: 'presence', operator: 'isEmpty' },
          ],
        },
        (span) => (inside(span).inner?.Delta ?? '') === '',
      ],
      [
        {
          filters: [{ field: 'input', is: 'text', operator: 'contains', value: 'word' }],
          search: 'gamma',
        },
        (span) => lower(span.input).includes('word') && stands('gamma')(span),
      ],
      [
        {
          filters: [
            { field: 'name', is: 'text', operator: 'contains', value: 'step' },
            { field: 'output', is: 'presence', operator: 'isEmpty' },
          ],
          search: 'gamma',
        },
        (span) => span.name !== undefined && span.output === undefined,
      ],
    ];
    for (const [selection, holds] of asked) {
      const about = { projectId, ...selection } as TraceSelection; // one of those above
      const expected = spans
        .filter(holds)
        .map(({ id }) => id)
        .reverse();
      const listed = await traces().listSpans({ ...about, limit: 100 });
      const page = await traces().pageSpans({ ...about, orders: [], page: 1, size: 100 });

      expect(
        listed.map(({ id }) => id),
        JSON.stringify(selection),
      ).to.deep.equal(expected);
      expect(page.content.map(({ id }) => id)).to.deep.equal(expected);
      expect([page.total, page.atLeast]).to.deep.equal([expected.length, false]);
      const behind = await traces().listSpans({ ...about, limit: 100, beforeId: expected[0] });
      expect(behind.map(({ id }) => id)).to.deep.equal(expected.slice(1));
    }
  });

  it('that hold what is sought in very many are not all opened for a page, which says that there are more', async () => {
    const { id: projectId } = await addProject(storage());
    const many = 4500;
    for (let from = 0; from < many; from += 900)
      await write(
        Array.from({ length: 900 }, (_, n) =>
          aSpan({ projectId, id: freshId(), input: `"needle ${from + n}"` }),
        ),
      );
    const page = (number: number, orders: TracePageRequest['orders'] = []) =>
      traces().pageSpans({
        ...{ projectId, filters: [], search: 'needle', orders, page: number, size: 100 },
      });

    const [first, later, sorted] = [
      await page(1),
      await page(45),
      await page(1, [{ field: 'name', descending: false }]),
    ];

    expect(first.content[0]?.input).to.equal(`"needle ${many - 1}"`);
    expect([first.atLeast, first.total < many, first.total > 100]).to.deep.equal([
      true,
      true,
      true,
    ]);
    expect(later.content.map(({ input }) => input)).to.deep.equal(
      Array.from({ length: 100 }, (_, n) => `"needle ${99 - n}"`),
    );
    expect([later.total, later.atLeast]).to.deep.equal([many, false]);
    expect([sorted.total, sorted.atLeast]).to.deep.equal([many, false]);
  });

  it('and their rows are found in their order where they are rare among very many, page by page', async () => {
    const { id: projectId } = await addProject(storage());
    const { db } = storage().connection;
    if (db.client.dialect !== 'postgresql') return; // which alone reads by several processes, and makes rows by itself
    // More than are looked through one after the other.
    await db.raw(
      `insert into spans (project_id, id, name, start_time, created_at, created_by, last_updated_at, last_updated_by, partial, trace_id, tags)
        select ?, (lpad(to_hex(g.n), 8, '0') || '-0000-7000-8000-000000000000')::uuid, case when g.n % 100000 = 7 then 'Rare ' || g.n end, g.n, 0, 'ann', 0, 'ann', false, ?, case when g.n < 20 then '["old"]' end
        from generate_series(0, 410000) as g(n)`,
      [projectId, freshId()],
    );
    const rare: TraceSelection = {
      projectId,
      filters: [{ field: 'name', is: 'text', operator: 'contains', value: 'RAR' }],
    };
    const old: TraceSelection = {
      projectId,
      filters: [{ field: 'tags', is: 'list', operator: 'equals', value: 'old' }],
    };
    const page = async (selection: TraceSelection, number: number, size: number) => {
      const found = await traces().pageSpans({ ...selection, orders: [], page: number, size });
      return [found.content.map(({ startTime }) => startTime), found.total, found.atLeast] as const;
    };
    const list = async (selection: TraceSelection, beforeId?: string) =>
      await traces().listSpans({ ...selection, limit: 3, beforeId });
    const startsOf = (spans: readonly Span[]) => spans.map(({ startTime }) => startTime);

    const first = await list(rare);
    const [all, last] = [await page(rare, 1, 50), await page(rare, 2, 4)];
    const [oldest, oldPage] = [await page(old, 1, 50), await page(old, 3, 6)];
    const further = await list(rare, first.at(-1)?.id);

    expect(startsOf(first)).to.deep.equal([400_007, 300_007, 200_007]);
    expect(startsOf(further)).to.deep.equal([100_007, 7]);
    expect(all).to.deep.equal([[400_007, 300_007, 200_007, 100_007, 7], 5, false]);
    expect(last).to.deep.equal([[7], 5, false]);
    expect(oldest).to.deep.equal([Array.from({ length: 20 }, (_, n) => 19 - n), 20, false]);
    expect(oldPage[0]).to.deep.equal([7, 6, 5, 4, 3, 2]);
    expect(oldPage[1]).to.be.within(18, 20);
    expect((await page({ ...rare, type: 'tool' }, 1, 50))[0]).to.deep.equal([]);
    // What nearly all of them hold is no more than there is room for.
    const every = { projectId, filters: [], search: '-7000-8000-' };
    const { count } = await storage().stores.traceStatistics.ofSpans(every, 0);
    expect(count).to.equal(410_001);
    await db('spans').where({ project_id: projectId }).delete();
  });
};
