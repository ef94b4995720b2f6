import { expect } from 'chai';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duckAnalytics, type DuckAnalytics } from '#adapters/analytics/duckdb/duckdb';
import { longColumns, tableColumns } from '#adapters/analytics/duckdb/tables';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { AnalyticTable } from '#ports/analytics';
import { analyticsLimits } from '#test/contract/analytics';
import { addProject, addWorkspace, freshId, start } from '#test/contract/storage/builders';
import { aScore } from '#test/contract/storage/feedback';
import { aSpan, aTrace } from '#test/contract/storage/traces';

const kept: readonly AnalyticTable[] = [
  'traces',
  'spans',
  'feedback_scores',
  'authored_feedback_scores',
  'trace_threads',
];
const [rounds, writesOfRound] = [8, 25];

/** Numbers from 0 to 1 that look random, the same ones each time (mulberry32). */
const numbersFrom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

/** Rows that are kept in files for analytic queries, beside those that are stored. */
export const keptRowContract = (storage: () => SqlStorage): void => {
  let folder: string;
  const opened: DuckAnalytics[] = [];
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orrery-kept-'));
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) one.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const open = (isKept: boolean): DuckAnalytics => {
    const rows = storage().stores.analyticRows;
    const cache = { folder, mostBytes: 1e9, fromRows: 0 };
    const analytics = duckAnalytics(isKept ? { rows, cache } : { rows });
    opened.push(analytics);
    return analytics;
  };

  it('are those that are stored, whatever is written and removed', async function () {
    this.timeout(180_000);
    const random = numbersFrom(20);
    const below = (count: number): number => Math.floor(random() * count);
    const oneOf = <T>(all: readonly T[]): T => all[below(all.length)] as T; // lists that have one
    const { id: workspaceId } = await addWorkspace(storage());
    const projects = [
      (await addProject(storage(), { workspaceId })).id,
      (await addProject(storage(), { workspaceId })).id,
    ];
    const { stores } = storage();
    const [traces, spans]: [[string, string][], [string, string][]] = [[], []];
    let clock = start * 1000;
    const later = (): number => (clock += 1000);
    const threadOf = () => (random() < 0.5 ? `thread ${below(4)}` : undefined);
    const change = () => ({ at: later(), by: oneOf(['ann', 'bob']) });
    const threadIds = async (projectId: string) =>
      (await stores.threads.list({ projectId, filters: [], activeSince: 0, limit: 100 })).map(
        ({ id, threadId }) => ({ id, threadId }),
      );

    const writes: readonly (() => Promise<unknown>)[] = [
      () => {
        const projectId = oneOf(projects);
        const made = Array.from({ length: 1 + below(4) }, () =>
          aTrace({
            ...{ projectId, threadId: threadOf(), name: `näme ${below(9)}` },
            ...{ input: `"${'i'.repeat(below(20))}"`, tags: ['a', `t${below(3)}`] },
            ...{ lastUpdatedAt: later(), environment: oneOf([undefined, 'production']) },
          }),
        );
        traces.push(...made.map(({ id }): [string, string] => [projectId, id]));
        return stores.traces.changeTraces(
          projectId,
          made.map(({ id }) => id),
          (id) => made.find((one) => one.id === id),
        );
      },
      () => {
        const [projectId, traceId] = oneOf(traces);
        const made = Array.from({ length: 1 + below(4) }, () =>
          aSpan({
            ...{ projectId, traceId, model: oneOf(['gpt', undefined]), cost: below(8) / 4 },
            ...{ usage: `{"total_tokens":${below(50)}}`, lastUpdatedAt: later() },
          }),
        );
        spans.push(...made.map(({ id }): [string, string] => [projectId, id]));
        return stores.traces.changeSpans(
          projectId,
          made.map(({ id }) => id),
          (id) => made.find((one) => one.id === id),
        );
      },
      () => {
        const [projectId, id] = oneOf(traces);
        return stores.traces.changeTraces(projectId, [id], (_, found) =>
          found === undefined
            ? undefined
            : {
                ...found,
                ...{ name: 'changed', threadId: threadOf(), lastUpdatedAt: later() },
                output: `"${oneOf(['ö', 'o'.repeat(10_001)])}"`,
              },
        );
      },
      () => {
        const [projectId, entityId] = oneOf([...traces, ...spans]);
        const kind = spans.some(([, id]) => id === entityId) ? 'span' : 'trace';
        const at = later();
        return stores.feedback.putScores(
          Array.from({ length: 1 + below(3) }, (_, n) =>
            aScore({
              ...{ projectId, entityId, kind, name: `score ${n}`, author: oneOf(['ann', 'bob']) },
              ...{ value: below(100) / 100, reason: oneOf([undefined, 'so']), lastUpdatedAt: at },
            }),
          ),
        );
      },
      async () => {
        const projectId = oneOf(projects);
        const thread = oneOf([...(await threadIds(projectId)), undefined]);
        if (thread === undefined) return;
        const { id } = thread;
        await stores.feedback.putScores([
          aScore({ projectId, entityId: id, kind: 'thread', lastUpdatedAt: later() }),
        ]);
        await stores.threads.setClosed([id], random() < 0.5, change());
        await stores.threads.changeTags([id], () => [`tag ${below(5)}`], change());
      },
      () => {
        const [projectId, entityId] = oneOf([...traces, ...spans]);
        const kind = spans.some(([, id]) => id === entityId) ? 'span' : 'trace';
        const author = oneOf([undefined, 'ann']);
        return stores.feedback.removeScores(projectId, { kind, entityId }, ['score 0'], author);
      },
      () => stores.threads.require(oneOf(projects), [`thread ${below(8)}`], change()),
      async () => {
        const projectId = oneOf(projects);
        const thread = oneOf([...(await threadIds(projectId)), undefined]);
        if (thread !== undefined && random() < 0.3)
          await stores.threads.remove(projectId, [thread.threadId]);
      },
      () => {
        const [projectId, id] = oneOf(traces);
        return random() < 0.5
          ? stores.traces.removeTraces(workspaceId, [id])
          : stores.traces.removeSpans(projectId, [oneOf(spans)[1], freshId()]);
      },
    ];
    const [cached, plain] = [open(true), open(false)];
    const ask = async (analytics: DuckAnalytics, statement: string, projectId?: string) =>
      (
        await analytics.query(
          statement,
          { workspaceId, ...(projectId === undefined ? {} : { projectId }) },
          analyticsLimits,
          new AbortController().signal,
        )
      ).rows.map((row) => row.join('|'));
    const statements = kept.flatMap((table) => {
      // Scores of authors that were put together have none of one author.
      const isShown = (name: string) => table !== 'feedback_scores' || name !== 'author';
      const columns = tableColumns[table].map(({ name }) => name).filter(isShown);
      const short = columns.filter((name) => !longColumns.has(name));
      return (short.length === columns.length ? [columns] : [short, columns]).map(
        (some) => `SELECT ${some.join(', ')} FROM ${table} ORDER BY ALL`,
      );
    });

    const seen = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      for (const write of writes.slice(0, 2)) await write();
      for (let n = 0; n < writesOfRound; n++) await oneOf(writes)();
      const only = round % 3 === 2 ? projects[0] : undefined;
      for (const statement of statements) {
        const [found, truth] = [
          await ask(cached, statement, only),
          await ask(plain, statement, only),
        ];
        expect(found, `round ${round}: ${statement}`).to.deep.equal(truth);
        seen.set(statement, Math.max(seen.get(statement) ?? 0, truth.length));
      }
    }
    for (const [statement, most] of seen) expect(most, statement).to.be.at.least(4);
  });
};
