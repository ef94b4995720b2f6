// Analytic queries on an engine that holds nothing but the rows of their scope.
import {
  analyticTables,
  type Analytics,
  type AnalyticsLimits,
  type AnalyticsResult,
  type AnalyticsScope,
  type AnalyticTable,
} from '#ports/analytics';
import { Failure } from '#ports/failure';
import type { AnalyticRow, AnalyticRowStore } from '#ports/storage/analytic-rows';
import { readsOf, type Reads } from './checking.js';
import { EngineEnded, EngineFault, libraryPath, startEngine, type Engine } from './engine.js';
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
}

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

/** Puts the rows of a table into the engine, and counts what they have together. */
const fill = async (
  { rows }: DuckNeeds,
  engine: Engine,
  scope: AnalyticsScope,
  table: AnalyticTable,
  {
    reads,
    counted,
    signal,
  }: {
    readonly reads: Reads;
    readonly counted: { rows: number; bytes: number };
    readonly signal: AbortSignal;
  },
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
  };
  for await (const page of rows.stream(reading))
    for (let at = 0; at < page.length; at += chunkRows) {
      signal.throwIfAborted();
      await put(page.slice(at, at + chunkRows));
    }
};

const runIn = async (
  needs: DuckNeeds,
  engine: Engine,
  statement: string,
  scope: AnalyticsScope,
  { limits, signal }: { readonly limits: AnalyticsLimits; readonly signal: AbortSignal },
): Promise<{ readonly result: AnalyticsResult; readonly light: boolean }> => {
  const reads = readsOf(await engine.parse(statement), scope.tables ?? analyticTables);
  const counted = { rows: 0, bytes: 0 };
  const tables = analyticTables.filter((one) => reads.tables.has(one));
  for (const table of tables) await fill(needs, engine, scope, table, { reads, counted, signal });
  const { columns, types, rows, over } = await engine.run(statement, limits);
  if (over === 'rows') throw overLimit(`its result has more than ${limits.rows} rows`);
  if (over === 'bytes') throw overLimit(`its result has more than ${limits.bytes} characters`);
  const light = counted.bytes <= mostKeptBytes;
  // The next statement must see what is stored by then.
  if (light) await engine.create(tables.flatMap(dropStatements));
  const result = { columns: columns ?? [], rows: rows ?? [], ...(types && { types }) };
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

export const duckAnalytics = (needs: DuckNeeds): DuckAnalytics => {
  const turns = createTurns();
  const engines = new Set<Engine>();
  const spares = createSpares(mostKept, keptMs);
  let stopped = false;
  return {
    async query(statement, scope, limits, signal) {
      if (Buffer.byteLength(statement) > mostStatement)
        throw new Failure('invalid', `a query must have at most ${mostStatement} bytes`);
      const rewritten = rewrite(statement);
      const library = (needs.library ?? libraryPath)();
      const giveBack = await turns.take(scope.workspaceId, limits.timeMs, signal);
      let engine: Engine | undefined;
      let end: ReturnType<typeof ending> | undefined;
      let kept = false;
      try {
        if (stopped) throw busy();
        signal.throwIfAborted();
        engine = spares.take(scope) ?? (await startEngine(library));
        engines.add(engine);
        end = ending(engine, limits.timeMs, signal);
        const { result, light } = await runIn(needs, engine, rewritten, scope, { limits, signal });
        kept = light && !stopped && engine.isThere();
        return result;
      } catch (thrown) {
        if (end?.wasLate() === true)
          throw overLimit(`it takes more than ${limits.timeMs / 1000} s`);
        if (stopped) throw busy();
        if (thrown instanceof EngineFault) throw failed(thrown);
        if (thrown instanceof EngineEnded)
          throw overLimit('it needs more memory than one query may have');
        throw thrown;
      } finally {
        end?.clear();
        if (engine !== undefined) {
          engines.delete(engine);
          if (kept) spares.keep(scope, engine);
          else engine.end();
        }
        giveBack();
      }
    },
    stop() {
      stopped = true;
      spares.end();
      for (const engine of engines) engine.end();
    },
  };
};
