import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { createBlockUpkeep } from '#adapters/storage/sql/traces/block-building';
import { seekStretches, type Stretched } from '#adapters/storage/sql/traces/blocks';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { FieldFilter, FieldOrder } from '#ports/field-query';
import type { Span, Trace } from '#ports/model/traces';
import type { TraceSelection } from '#ports/storage/traces';
import { addProject, freshIdAt, start } from '#test/contract/storage/builders';
import { aSpan, aTrace } from '#test/contract/storage/traces';
import { someOf } from '#test/sampling';

const startMicros = start * 1000;
/** More than a list walks through one by one. */
const [spanCount, traceCount] = [22_000, 2200];
const never = new AbortController().signal;

/** Stretches of traces and spans that are told by what is kept of them. */
export const entryBlockContract = (storage: () => SqlStorage): void => {
  const traces = () => storage().stores.traces;
  const blocks = () => storage().connection.db('entry_blocks');
  const statesOf = async (projectId: string, kind: 0 | 1): Promise<readonly number[]> =>
    (await blocks().where({ project_id: projectId, kind }).orderBy('last_id').select('state')).map(
      ({ state }: { readonly state: unknown }) => Number(state),
    );
  const write = async (entries: readonly (Span | Trace)[]): Promise<void> => {
    const { projectId } = entries[0] ?? { projectId: '' };
    for (let from = 0; from < entries.length; from += 1000) {
      const byId = new Map(entries.slice(from, from + 1000).map((one) => [one.id, one]));
      if (entries.some((one) => 'traceId' in one))
        await traces().changeSpans(projectId, [...byId.keys()], (id) => byId.get(id) as Span);
      else await traces().changeTraces(projectId, [...byId.keys()], (id) => byId.get(id) as Trace);
    }
  };
  /** Looks until nothing is claimed any more: one engine waits a second or two for transactions that may be under way, those of others among them. */
  const sumUp = async (projectId: string): Promise<void> => {
    const upkeep = createBlockUpkeep(storage().connection, { rowsMs: 0, blocksMs: 0 });
    for (const until = performance.now() + 50_000; performance.now() < until;) {
      await upkeep.look(never);
      const states = [...(await statesOf(projectId, 0)), ...(await statesOf(projectId, 1))];
      if (states.length > 0 && states.every((state) => state === 2)) return;
      await wait(10);
    }
    throw new Error('blocks are not summed up');
  };

  const at = (n: number): string => freshIdAt(startMicros + n * 1000);
  const durations = (n: number): number => (n * 7919) % 400_000;
  const fill = async () => {
    const { id: projectId } = await addProject(storage());
    const madeTraces = Array.from({ length: traceCount }, (_, n) =>
      aTrace({
        ...{ projectId, id: at(n * 10), name: `trace ${n % 20}`, input: '"in"' },
        startTime: startMicros + n * 10_000,
        endTime: n % 9 === 0 ? undefined : startMicros + n * 10_000 + durations(n),
        tags: n === 5 ? ['lonely'] : ['usual'],
        errorInfo: n % 50 === 0 ? '{"exception_type":"E"}' : undefined,
      }),
    );
    const madeSpans = Array.from({ length: spanCount }, (_, n) =>
      aSpan({
        ...{ projectId, id: at(n), traceId: madeTraces[Math.floor(n / 10)]?.id ?? '' },
        name: n === 77 ? 'The Odd One' : n % 500 === 78 ? 'Schritt Ärger' : `step ${n % 20}`,
        // Too many in the first blocks for each to be told of.
        environment: n < 2000 ? `e${n}` : n % 3 === 0 ? undefined : 'production',
        provider: n % 7 === 0 ? '' : n % 2 === 0 ? undefined : 'openai',
        startTime: startMicros + n * 1000,
        endTime: n % 11 === 0 ? undefined : startMicros + n * 1000 + durations(n),
        // In some blocks each has a list of its own, of which one tag or two are common.
        tags:
          n >= 5000 && n < 7000
            ? [
                'shared',
                `run ${n}`,
                ...(n % 2 === 0 ? ['half'] : []),
                ...(n % 40 === 0 ? ['few'] : []),
              ]
            : n === 300
              ? ['rare, "quoted"', 'b']
              : n % 3 === 0
                ? undefined
                : ['usual', `t${n % 5}`],
        metadata:
          n % 4 === 0
            ? undefined
            : `{"run":${n},"region":"eu-${n % 7}","deep":{"a":"x${n % 900}"}}`,
        model: n === 900 ? 'special-model' : 'gpt-4o',
        errorInfo: n === 1200 || n % 23 === 5 ? '{"exception_type":"E"}' : undefined,
        type: n % 3 === 0 ? 'llm' : undefined,
        cost: n % 4 === 0 ? undefined : n % 64,
        usage: n % 5 === 0 ? undefined : `{"total_tokens":${n % 100},"original.total":${n % 7}}`,
      }),
    );
    await write(madeTraces);
    await write(madeSpans);
    return { projectId, traces: madeTraces, spans: madeSpans };
  };

  const text = (
    field: string,
    operator: 'equals' | 'differs' | 'contains' | 'startsWith' | 'endsWith',
    value: string,
    path?: readonly string[],
  ): FieldFilter => ({
    ...{ field, is: 'text', operator, value },
    ...(path === undefined ? {} : { path }),
  });
  const number = (
    field: string,
    operator: 'above' | 'atMost' | 'equals' | 'below' | 'atLeast',
    value: number,
    path?: readonly string[],
  ): FieldFilter => ({
    ...{ field, is: 'number', operator, value },
    ...(path === undefined ? {} : { path }),
  });
  const claims: readonly (readonly FieldFilter[])[] = [
    [text('name', 'equals', 'the odd one')],
    [text('name', 'contains', 'ODD')],
    [text('name', 'startsWith', 'the o')],
    [text('name', 'contains', 'nowhere')],
    [text('model', 'contains', 'special')],
    [{ field: 'tags', is: 'list', operator: 'equals', value: 'rare, "quoted"' }],
    [{ field: 'tags', is: 'list', operator: 'contains', value: 'QUOTED' }],
    [{ field: 'tags', is: 'list', operator: 'contains', value: 'none of them' }],
    [text('metadata', 'equals', '301', ['run'])],
    [text('metadata', 'equals', 'x89', ['deep', 'a'])],
    [text('metadata', 'contains', 'x889', ['deep', 'a'])],
    [number('metadata', 'equals', 1501, ['run'])],
    [number('metadata', 'above', 0, ['nowhere'])],
    [number('duration', 'above', 399.98)],
    [number('duration', 'atMost', 0.02)],
    [number('duration', 'equals', durations(123) / 1000)],
    [{ field: 'start_time', is: 'instant', operator: 'below', value: startMicros + 40_000 }],
    [{ field: 'error_info', is: 'presence', operator: 'isNotEmpty' }],
    [text('name', 'equals', 'step 7'), text('model', 'equals', 'special-model')],
  ];
  const orders: readonly FieldOrder[] = ['duration', 'start_time'].flatMap((field) =>
    [true, false].map((descending) => ({ field, descending })),
  );
  const starts = (operator: 'above' | 'atLeast' | 'below' | 'atMost', n: number): FieldFilter => ({
    ...{ field: 'start_time', is: 'instant', operator },
    value: startMicros + n * 1000,
  });
  const [early, late] = [at(1000), at(12_345)];
  /** Claims about columns by whose values rows are summed up. */
  const namings: readonly (readonly FieldFilter[])[] = [
    [text('name', 'equals', 'Step 7')],
    [text('name', 'equals', 'trace 7')],
    [text('name', 'equals', 'schritt ärger')],
    [text('name', 'contains', 'ODD')],
    [text('name', 'differs', 'step 7')],
    [text('name', 'startsWith', 'step 1'), text('name', 'endsWith', '2')],
    [text('name', 'equals', 'nowhere')],
    [{ field: 'tags', is: 'list', operator: 'equals', value: 'usual' }],
    [{ field: 'tags', is: 'list', operator: 'contains', value: 'T3' }],
    [{ field: 'tags', is: 'list', operator: 'notContains', value: 'usual' }],
    [{ field: 'tags', is: 'list', operator: 'equals', value: 'rare, "quoted"' }],
    [{ field: 'tags', is: 'presence', operator: 'isEmpty' }],
    ...(
      [
        ['equals', 'shared'],
        ['equals', 'half'],
        ['equals', 'few'],
        ['equals', 'run 5117'],
        ['contains', 'HALF'],
        ['contains', 'r'],
        ['contains', 'run 511'],
        ['differs', 'shared'],
      ] as const
    ).map(([operator, value]): readonly FieldFilter[] => [
      { field: 'tags', is: 'list', operator, value },
    ]),
    [
      { field: 'tags', is: 'list', operator: 'equals', value: 'half' },
      { field: 'tags', is: 'list', operator: 'contains', value: 'run' },
    ],
    [{ field: 'error_info', is: 'presence', operator: 'isNotEmpty' }],
    [{ field: 'error_info', is: 'presence', operator: 'isEmpty' }],
    [text('environment', 'equals', 'e17')],
    [text('environment', 'equals', 'production')],
    [{ field: 'environment', is: 'presence', operator: 'isEmpty' }],
  ];
  const selections = (projectId: string): readonly TraceSelection[] => [
    { projectId, filters: [] },
    { projectId, filters: [starts('below', 9000)] },
    { projectId, filters: [starts('atMost', 9000)] },
    { projectId, filters: [starts('above', 700), starts('atMost', 15_000)] },
    { projectId, filters: [starts('atLeast', 701)] },
    { projectId, filters: [], fromId: early, toId: late },
    { projectId, filters: [starts('below', -1)] },
  ];
  const named = (projectId: string): readonly TraceSelection[] => [
    ...namings.map((filters) => ({ projectId, filters })),
    { projectId, filters: [...(namings[0] ?? []), starts('above', 700), starts('atMost', 15_000)] },
    { projectId, filters: namings[0] ?? [], fromId: early, toId: late },
  ];
  const ofSpans = (projectId: string): readonly TraceSelection[] => [
    ...[
      [text('model', 'equals', 'GPT-4o')],
      [text('model', 'contains', 'special')],
      [text('provider', 'equals', 'openai')],
      [{ field: 'provider', is: 'presence', operator: 'isEmpty' }],
      [{ field: 'type', is: 'words', operator: 'in', value: ['general'] }],
      [{ field: 'type', is: 'words', operator: 'notIn', value: ['general', 'tool'] }],
      [text('name', 'equals', 'step 7'), text('model', 'equals', 'special-model')],
    ].map((filters) => ({ projectId, filters: filters as readonly FieldFilter[] })), // written out above
    { projectId, filters: [], type: 'llm' },
    {
      projectId,
      filters: [{ field: 'type', is: 'words', operator: 'in', value: ['llm'] }],
      type: 'general',
    },
  ];
  /** Each is asked five times, of ten thousands of rows. */
  const some = <T>(all: readonly T[], of: string) => someOf(all, 4, `${of} of blocks`, 2);
  /** All that is read by blocks where there are any. */
  const answers = async (projectId: string) => {
    const found: unknown[] = [];
    const page = (filters: readonly FieldFilter[], by: readonly FieldOrder[], number: number) =>
      traces().pageSpans({ projectId, filters, orders: by, page: number, size: 20 });
    for (const filters of some(claims, 'claims')) {
      const { content, total, atLeast } = await page(filters, [], 1);
      // Of a page that is full, others are counted only for a while.
      const isFull = content.length === 20 || atLeast;
      found.push([filters, content.map(({ id }) => id), isFull ? 'many' : total]);
      const second = await page(filters, [], 2);
      found.push([filters, second.content.map(({ id }) => id)]);
    }
    for (const order of orders)
      for (const number of [1, 3]) {
        const { content } = await page([], [order], number);
        found.push([order, number, content.map(({ id }) => id)]);
        const sorted = await traces().pageTraces({
          ...{ projectId, filters: [], orders: [order], page: number, size: 20 },
        });
        found.push([order, number, sorted.content.map(({ id }) => id)]);
      }
    const { traceStatistics } = storage().stores;
    // The first hundred seconds began more than a week before the last moment.
    for (const now of [start + 30_000, start + 7 * 24 * 3_600_000 + 10_000])
      for (const selection of some(selections(projectId), 'selections')) {
        found.push([now, selection, await traceStatistics.ofSpans(selection, now)]);
        found.push([now, selection, await traceStatistics.ofTraces(selection, now)]);
      }
    for (const [at, selection] of some(named(projectId), 'named selections').entries()) {
      found.push([selection, await traceStatistics.ofSpans(selection, start)]);
      if (at % 3 === 1) found.push([selection, await traceStatistics.ofTraces(selection, start)]);
    }
    for (const selection of some(ofSpans(projectId), 'selections of spans'))
      found.push([selection, await traceStatistics.ofSpans(selection, start)]);
    return found;
  };
  /** The same, once without what is kept of blocks. */
  const truth = async (projectId: string) => {
    const kept = (await blocks().where({ project_id: projectId })) as readonly object[]; // as they were stored
    await blocks().where({ project_id: projectId }).delete();
    const found = await answers(projectId);
    for (const one of kept) await blocks().insert(one);
    return found;
  };

  it('answer filters, orders and statistics as their rows do, before and after these change', async function () {
    this.timeout(240_000);
    const { projectId, spans, traces: made } = await fill();
    await sumUp(projectId);
    const settled = await statesOf(projectId, 1);

    const whole = await answers(projectId);
    const plain = await truth(projectId);
    const changed = [
      { ...spans[300], tags: ['usual'] },
      { ...spans[301], tags: ['rare, "quoted"'], cost: 1000 },
      { ...spans[9000], endTime: startMicros + 9_000_000_000 },
      { ...spans[20], traceId: made[100]?.id },
    ] as readonly Span[]; // of spans that were made
    await write(changed);
    await write([
      aSpan({ projectId, id: at(4000), traceId: made[400]?.id ?? '', name: 'The odd late one' }),
    ]);
    await write([{ ...made[700], endTime: startMicros + 1 } as Trace]);
    await traces().removeSpans(
      projectId,
      spans.slice(10_000, 10_020).map(({ id }) => id),
    );
    await traces().removeTraces(
      (await storage().connection.db('projects').where({ id: projectId }).first('workspace_id'))
        .workspace_id as string,
      made.slice(30, 33).map(({ id }) => id),
    );
    const states = await statesOf(projectId, 1);
    const partly = await answers(projectId);
    const partlyPlain = await truth(projectId);
    await sumUp(projectId);
    const again = await answers(projectId);
    await blocks()
      .where({ project_id: projectId })
      .update({ words: Buffer.alloc(1536) });
    const untold = await traces().pageSpans({
      ...{ projectId, orders: [], page: 1, size: 20 },
      filters: [text('name', 'contains', 'odd one')],
    });

    expect(settled.length).to.be.at.least(40);
    expect(whole).to.deep.equal(plain);
    expect(states.filter((state) => state === 0).length).to.be.within(3, 20);
    expect(partly).to.deep.equal(partlyPlain);
    expect(again).to.deep.equal(partlyPlain);
    // What no block tells of is not looked for: the rows of blocks are not read.
    expect(untold.total).to.equal(0);
  });

  it('are read instead of their rows', async () => {
    const { id: projectId } = await addProject(storage());
    await write(
      Array.from({ length: 600 }, (_, n) =>
        aSpan({
          ...{ projectId, id: at(n), cost: 1, name: 'a', tags: ['all', `one ${n}`] },
          errorInfo: n % 4 === 0 ? '{"exception_type":"E"}' : undefined,
        }),
      ),
    );
    await sumUp(projectId);

    await blocks().where({ project_id: projectId }).update({ n: 100 });
    await storage()
      .connection.db('spans')
      .where({ project_id: projectId })
      .update({ name: 'b', tags: '[]', error_info: null });
    const countOf = async (filter: FieldFilter) =>
      (await storage().stores.traceStatistics.ofSpans({ projectId, filters: [filter] }, start))
        .count;

    const named = await storage().stores.traceStatistics.ofSpans(
      { projectId, filters: [text('name', 'equals', 'A')] },
      start,
    );
    const { count, cost } = await storage().stores.traceStatistics.ofSpans(
      { projectId, filters: [] },
      start,
    );
    expect([count, cost?.sum]).to.deep.equal([188, 600]);
    expect([named.count, named.cost?.sum]).to.deep.equal([512, 512]);
    const tagged = (operator: 'equals' | 'contains', value: string) =>
      countOf({ field: 'tags', is: 'list', operator, value });
    expect(await tagged('equals', 'all')).to.equal(512);
    expect(await tagged('contains', 'ALL')).to.equal(512);
    expect(await tagged('equals', 'one 7')).to.equal(0);
    const failed = { field: 'error_info', is: 'presence', operator: 'isNotEmpty' } as const;
    expect(await countOf(failed)).to.equal(128);
  });

  it('are looked at from the newest on, as many as it takes, and none of them twice', async () => {
    const { id: projectId } = await addProject(storage());
    const spans = Array.from({ length: 3200 }, (_, n) =>
      aSpan({ projectId, id: at(n), model: n % 1000 === 17 ? 'a rare one' : 'usual' }),
    );
    await write(spans);
    await sumUp(projectId);
    const selection = { projectId, filters: [text('model', 'contains', 'rare one')] };
    const look = async (firstLook: number) => {
      const seek = await seekStretches(storage().connection, 'span', selection, firstLook);
      const looks: number[] = [];
      const found: Stretched[] = [];
      for (let more = true; more;) {
        const some = await seek?.next();
        looks.push(some?.stretches.length ?? 0);
        found.push(...(some?.stretches ?? []));
        more = some?.more === true;
      }
      return { looks, found, most: await seek?.next(1) };
    };

    const [whole, parted] = [await look(100), await look(2)];
    const page = await traces().pageSpans({ ...selection, orders: [], page: 1, size: 20 });

    // What lies behind the last block comes with the first look.
    expect(whole.looks).to.deep.equal([5]);
    expect(parted.looks).to.deep.equal([2, 3]);
    expect(parted.found).to.deep.equal(whole.found);
    expect(whole.found.map(({ last }) => last === undefined)).to.deep.equal([
      ...[true, false, false, false, false],
    ]);
    expect(parted.most).to.equal(undefined);
    expect(page.content.map(({ id }) => id)).to.deep.equal(
      [3017, 2017, 1017, 17].map((n) => spans[n]?.id),
    );
  });

  it('are not settled while a transaction is under way that may not have seen them, nor once it has written', async () => {
    const { id: projectId } = await addProject(storage());
    const spans = Array.from({ length: 600 }, (_, n) => aSpan({ projectId, id: at(n) }));
    await write(spans);
    const upkeep = createBlockUpkeep(storage().connection, { rowsMs: 0, blocksMs: 0 });
    let seen: readonly number[] = [];
    await storage().transaction(async (stores) => {
      const late = aSpan({ projectId, id: at(100.5) });
      await stores.traces.changeSpans(projectId, [late.id], () => late);
      await upkeep.look(never);
      await upkeep.look(never);
      seen = await statesOf(projectId, 1);
    });
    const found = await storage().stores.traceStatistics.ofSpans({ projectId, filters: [] }, start);
    await sumUp(projectId);
    const summed = await storage().stores.traceStatistics.ofSpans(
      { projectId, filters: [] },
      start,
    );

    expect(seen).to.deep.equal([1]);
    expect([found.count, summed.count]).to.deep.equal([601, 601]);
  });

  it('that have grown become several, and go with their project’s rows', async () => {
    const { id: projectId } = await addProject(storage());
    await write(Array.from({ length: 520 }, (_, n) => aSpan({ projectId, id: at(n * 100) })));
    await sumUp(projectId);
    await write(Array.from({ length: 2500 }, (_, n) => aSpan({ projectId, id: at(n) })));

    await sumUp(projectId);

    expect((await statesOf(projectId, 1)).length).to.be.at.least(5);
    const { count } = await storage().stores.traceStatistics.ofSpans(
      { projectId, filters: [] },
      start,
    );
    expect(count).to.equal(3020);
  });
};
