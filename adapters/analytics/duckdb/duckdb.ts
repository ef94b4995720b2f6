// Analytic queries on an engine that holds nothing but the rows of their scope.
import {
  analyticTables,
  type Analytics,
  type AnalyticsLimits,
  type AnalyticsResult,
  type AnalyticsScope,
  type AnalyticTable,
  type GivenLimits,
  type GivenTables,
} from '#ports/analytics';
import { Failure } from '#ports/failure';
import type { Log } from '#ports/log';
import type { AnalyticRow, AnalyticRowStore } from '#ports/storage/analytic-rows';
import { readsOf, type Reads } from './checking.js';
import { createColumnCache, type ColumnCache, type ColumnCacheOptions } from './column-cache.js';
import { EngineEnded, EngineFault, libraryPath, startEngine, type Engine } from './engine.js';
import { runGiven } from './given.js';
import { rewrite } from './rewriting.js';
import { createSpares } from './spares.js';
import {
  createStatements,
  dropStatements,
  storedName,
  tableColumns,
  type Column,
} from './tables.js';

/** Rows of tables that one query reads at most, and about how many bytes of their values. */
const [mostRows, mostBytes] = [1_000_000, 256 * 1024 * 1024];
/** Bytes from which on rows are kept, where they can be. */
const manyBytes = 64 * 1024 * 1024;
/** Queries at once, those that wait for their turn, and of one workspace in both. */
const [mostAtOnce, mostWaiting, mostOfOne] = [2, 20, 5];
/** Rows that the engine takes at once. */
const chunkRows = 2000;
const mostStatement = 64 * 1024;
/** Engines that are kept for further statements of their scope, for how long, and how many bytes of rows they may have held. */
const [mostKept, keptMs, mostKeptBytes] = [mostAtOnce, 3000, 8 * 1024 * 1024];

export interface DuckAnalytics extends Analytics {
  /** Ends whatever runs. */
  stop(): void;
}

export interface DuckNeeds {
  readonly rows: AnalyticRowStore;
  /** The path of the engine's package; by default where it is installed. */
  readonly library?: () => string;
  /** Where columns of large workspaces are kept; without it all rows are read for each statement. */
  readonly cache?: ColumnCacheOptions;
  /** Told when rows cannot be kept. */
  readonly log?: Log;
}

/** More rows than are read for each statement where they can be kept. */
class ManyRows extends Error {}

const failed = (cause?: unknown) => new Failure('invalid', 'the query failed', { cause });
const overLimit = (what: string) => new Failure('invalid', `the query is beyond a limit: ${what}`);
const busy = () =>
  new Failure('unavailable', 'too many analytic queries are under way', { retryAfter: 2 });

/** Columns of a table that a statement needs; those of scores are all needed, as they are put together by them. */
const neededOf = (table: AnalyticTable, { columns }: Reads): ReadonlySet<Column> =>
  new Set(
    tableColumns[table].filter(
      ({ name }) => columns === 'all' || table === 'feedback_scores' || columns.has(name),
    ),
  );

const bytesIn = (value: unknown): number =>
  typeof value === 'string' ? value.length : typeof value === 'object' && value !== null ? 64 : 8;

interface Filling {
  readonly reads: Reads;
  readonly counted: { rows: number; bytes: number };
  readonly signal: AbortSignal;
  /** From how many rows on they are not read here. */
  readonly manyRows?: number | undefined;
}

/** Puts the rows of a table into the engine, and counts what they have together. */
const fill = async (
  { rows }: Pick<DuckNeeds, 'rows'>,
  engine: Engine,
  scope: AnalyticsScope,
  table: AnalyticTable,
  { reads, counted, signal, manyRows = Infinity }: Filling,
): Promise<void> => {
  await engine.create(createStatements(table));
  const columns = tableColumns[table];
  const needed = neededOf(table, reads);
  const members = new Set([...needed].flatMap(({ from }) => from));
  const { workspaceId, projectId } = scope;
  const put = async (some: readonly AnalyticRow[]): Promise<void> => {
    const values = columns.map((column) =>
      some.map((row) => (needed.has(column) ? column.of(row) : undefined)),
    );
    counted.rows += some.length;
    if (counted.rows > manyRows || (manyRows !== Infinity && counted.bytes > manyBytes))
      throw new ManyRows();
    counted.bytes += values.reduce(
      (sum, one) => sum + one.reduce((size: number, value) => size + bytesIn(value), 0),
      0,
    );
    if (counted.rows > mostRows)
      throw overLimit(`it reads more than ${mostRows} rows of the tables that it names`);
    if (counted.bytes > mostBytes)
      throw overLimit(
        `it reads more than ${mostBytes / 1024 / 1024} MiB of the columns that it names`,
      );
    await engine.append(storedName(table), {
      kinds: columns.map(({ type }) => type),
      columns: values,
      count: some.length,
    });
  };
  const reading = {
    table,
    workspaceId,
    members,
    ...(projectId === undefined ? {} : { projectId }),
    times: reads.times.get(table) ?? {},
  };
  for await (const page of rows.stream(reading))
    for (let at = 0; at < page.length; at += chunkRows) {
      signal.throwIfAborted();
      await put(page.slice(at, at + chunkRows));
    }
};

/** A statement as the engine takes it, with what bounds it. */
interface Asked {
  readonly statement: string;
  readonly scope: AnalyticsScope;
  readonly limits: AnalyticsLimits;
  readonly signal: AbortSignal;
}

const runStatement = async (
  engine: Engine,
  { statement, limits }: Asked,
): Promise<AnalyticsResult> => {
  const { columns, types, rows, over } = await engine.run(statement, limits);
  if (over === 'rows') throw overLimit(`its result has more than ${limits.rows} rows`);
  if (over === 'bytes') throw overLimit(`its result has more than ${limits.bytes} characters`);
  return { columns: columns ?? [], rows: rows ?? [], ...(types && { types }) };
};

const runIn = async (
  needs: DuckNeeds,
  engine: Engine,
  asked: Asked,
  cache: ColumnCache | undefined,
): Promise<{ readonly result: AnalyticsResult; readonly light: boolean }> => {
  const { statement, scope, signal } = asked;
  const reads = readsOf(await engine.parse(statement), scope.tables ?? analyticTables);
  const counted = { rows: 0, bytes: 0 };
  const tables = analyticTables.filter((one) => reads.tables.has(one));
  const manyRows =
    cache?.serves(scope.workspaceId, reads) === true ? needs.cache?.fromRows : undefined;
  for (const table of tables)
    await fill(needs, engine, scope, table, { reads, counted, signal, manyRows });
  const result = await runStatement(engine, asked);
  const light = counted.bytes <= mostKeptBytes;
  // The next statement must see what is stored by then.
  if (light) await engine.create(tables.flatMap(dropStatements));
  return { result, light };
};

/** Whether a turn came in time. */
const turnOf = (waiting: (() => void)[], timeMs: number, signal: AbortSignal): Promise<boolean> =>
  new Promise((resolve) => {
    const settle = (came: boolean) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      resolve(came);
    };
    const go = () => {
      settle(true);
    };
    const giveUp = () => {
      const at = waiting.indexOf(go);
      if (at !== -1) waiting.splice(at, 1);
      settle(false);
    };
    const timer = setTimeout(giveUp, timeMs);
    signal.addEventListener('abort', giveUp, { once: true });
    waiting.push(go);
  });

/** Turns, in the order in which they are asked for. */
const createTurns = () => {
  const waiting: (() => void)[] = [];
  const open = new Map<string, number>();
  let running = 0;
  return {
    /** Waits for a turn, and answers what gives it back. */
    async take(workspaceId: string, timeMs: number, signal: AbortSignal): Promise<() => void> {
      const own = open.get(workspaceId) ?? 0;
      if (own >= mostOfOne)
        throw new Failure('throttled', `a workspace has at most ${mostOfOne} queries at once`, {
          retryAfter: 2,
        });
      if (waiting.length >= mostWaiting) throw busy();
      open.set(workspaceId, own + 1);
      const leave = () => {
        const left = (open.get(workspaceId) ?? 1) - 1;
        if (left === 0) open.delete(workspaceId);
        else open.set(workspaceId, left);
      };
      if (running < mostAtOnce) running++;
      else if (!(await turnOf(waiting, timeMs, signal))) {
        leave();
        throw busy();
      }
      return () => {
        leave();
        const next = waiting.shift();
        if (next === undefined) running--;
        else next();
      };
    },
  };
};

/** A timer that ends an engine, and says that it did. */
const ending = (engine: Engine, timeMs: number, signal: AbortSignal) => {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    engine.end();
  }, timeMs);
  const abort = () => {
    engine.end();
  };
  signal.addEventListener('abort', abort, { once: true });
  return {
    wasLate: () => late,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
};

/** What a statement is told of a fault of its engine. */
const toldOf = (thrown: unknown): unknown =>
  thrown instanceof EngineFault
    ? failed(thrown)
    : thrown instanceof EngineEnded
      ? overLimit('it needs more memory than one query may have')
      : thrown;

export const duckAnalytics = (needs: DuckNeeds): DuckAnalytics => {
  const turns = createTurns();
  const engines = new Set<Engine>();
  const spares = createSpares(mostKept, keptMs);
  const library = needs.library ?? libraryPath;
  const cache =
    needs.cache &&
    createColumnCache({ rows: needs.rows, library, options: needs.cache, log: needs.log });
  let stopped = false;

  /** Does something with an engine that ends when it takes too long, or nobody waits for it any more. */
  const timed = async <T>(
    engine: Engine,
    { limits, signal }: Asked,
    work: () => Promise<T>,
  ): Promise<T> => {
    const end = ending(engine, limits.timeMs, signal);
    try {
      return await work();
    } catch (thrown) {
      if (end.wasLate()) throw overLimit(`it takes more than ${limits.timeMs / 1000} s`);
      throw toldOf(thrown);
    } finally {
      end.clear();
    }
  };
  /** Does something with an engine that has seen nothing of others, and keeps it for a moment where little was put into it. */
  const onEngine = async <T>(
    asked: Asked,
    work: (engine: Engine) => Promise<{ readonly result: T; readonly light: boolean }>,
  ): Promise<T> => {
    const engine = spares.take(asked.scope) ?? (await startEngine(library()));
    engines.add(engine);
    let kept = false;
    try {
      const { result, light } = await timed(engine, asked, () => work(engine));
      kept = light && !stopped && engine.isThere();
      return result;
    } finally {
      engines.delete(engine);
      if (kept) spares.keep(asked.scope, engine);
      else engine.end();
    }
  };
  /** `ManyRows` where there are more than are read for one statement. */
  const readAnew = (asked: Asked, mayKeep: boolean): Promise<AnalyticsResult> =>
    onEngine(asked, (engine) => runIn(needs, engine, asked, mayKeep ? cache : undefined));
  const readKept = (asked: Asked): Promise<AnalyticsResult | undefined> | undefined =>
    cache?.query({
      ...asked,
      async fill(engine, tables, reads) {
        const counted = { rows: 0, bytes: 0 };
        await timed(engine, asked, async () => {
          for (const table of tables)
            await fill(needs, engine, asked.scope, table, {
              ...{ reads, counted, signal: asked.signal },
            });
        });
      },
      run: (engine) => timed(engine, asked, () => runStatement(engine, asked)),
    });
  const answer = async (asked: Asked): Promise<AnalyticsResult> => {
    const known =
      cache?.knows(asked.scope.workspaceId) === true ? await readKept(asked) : undefined;
    if (known !== undefined) return known;
    try {
      return await readAnew(asked, true);
    } catch (thrown) {
      if (!(thrown instanceof ManyRows)) throw thrown;
      return (await readKept(asked)) ?? (await readAnew(asked, false));
    }
  };

  /** Answers a statement over tables of its caller on an engine that then holds nothing again. */
  const answerGiven = (asked: Asked, given: GivenTables, limits: GivenLimits) =>
    onEngine(asked, async (engine) => {
      const { signal } = asked;
      const tree = await engine.parse(asked.statement);
      const run = () => runStatement(engine, asked);
      const { results, bytes } = await runGiven(
        { engine, run, signal, chunkRows, bytesIn },
        tree,
        given,
        {
          rowsRead: Math.min(limits.rowsRead, mostRows),
          bytesRead: Math.min(limits.bytesRead, mostBytes),
        },
      );
      return { result: results, light: bytes <= mostKeptBytes };
    });

  /** Answers a statement in its turn. */
  const inTurn = async <T>(asked: Asked, work: (asked: Asked) => Promise<T>): Promise<T> => {
    const { statement, scope, limits, signal } = asked;
    if (Buffer.byteLength(statement) > mostStatement)
      throw new Failure('invalid', `a query must have at most ${mostStatement} bytes`);
    const rewritten = rewrite(statement);
    library(); // where there is none, nobody waits for a turn
    const giveBack = await turns.take(scope.workspaceId, limits.timeMs, signal);
    try {
      if (stopped) throw busy();
      signal.throwIfAborted();
      return await work({ ...asked, statement: rewritten });
    } catch (thrown) {
      throw stopped ? busy() : toldOf(thrown);
    } finally {
      giveBack();
    }
  };

  return {
    query: (statement, scope, limits, signal) =>
      inTurn({ statement, scope, limits, signal }, answer),
    queryGiven: (statement, given, limits, signal) =>
      // Of the tables of the workspace it sees none.
      inTurn(
        { statement, scope: { workspaceId: given.workspaceId, tables: [] }, limits, signal },
        (asked) => answerGiven(asked, given, limits),
      ),
    stop() {
      stopped = true;
      spares.end();
      cache?.stop();
      for (const engine of engines) engine.end();
    },
  };
};
