// The columns of traces, spans, scores and threads of large workspaces, kept in a file of each: never the truth, and brought up to date before
// each statement by what the storage tells of changes since. A workspace's file holds nothing of another one's.
import { setTimeout as sleep } from 'node:timers/promises';
import {
  analyticTables,
  type AnalyticsLimits,
  type AnalyticsResult,
  type AnalyticsScope,
  type AnalyticTable,
} from '#ports/analytics';
import { Failure, isFailure } from '#ports/failure';
import type { Log } from '#ports/log';
import {
  changeMembers,
  type AnalyticRow,
  type AnalyticRowStore,
  type ChangedRows,
  type FollowedTable,
} from '#ports/storage/analytic-rows';
import { readsOf, type Reads } from './checking.js';
import { EngineEnded, EngineFault, type KeepingEngine } from './engine.js';
import { createFiles } from './files.js';
import { createResults, type Results } from './results.js';
import {
  dropStatements,
  followedBy,
  followedOf,
  hiddenStatements,
  isLong,
  keptColumns,
  keptStatement,
  keptTables,
  literal,
  longColumns,
  shownStatements,
  type KeptTable,
} from './tables.js';

export interface ColumnCacheOptions {
  /** Where the files are. */
  readonly folder: string;
  /** How many bytes they may have together. */
  readonly mostBytes: number;
  /** How many rows a workspace must have for its statements to read them from a file. */
  readonly fromRows: number;
}

export interface ColumnCacheNeeds {
  readonly rows: AnalyticRowStore;
  readonly library: () => string;
  readonly options: ColumnCacheOptions;
  readonly log?: Log | undefined;
}

export interface CachedStatement {
  readonly statement: string;
  readonly scope: AnalyticsScope;
  readonly limits: AnalyticsLimits;
  readonly signal: AbortSignal;
  /** Puts the rows of tables into the engine that are not kept. */
  readonly fill: (
    engine: KeepingEngine,
    tables: readonly AnalyticTable[],
    reads: Reads,
  ) => Promise<void>;
  /** Runs the statement once all rows are there. */
  readonly run: (engine: KeepingEngine) => Promise<AnalyticsResult>;
}

export interface ColumnCache {
  /** Whether rows of a workspace are kept. */
  knows(workspaceId: string): boolean;
  /** Whether a statement of a workspace needs no more than is kept. */
  serves(workspaceId: string, reads: Reads): boolean;
  /** `undefined` where the statement needs what is not kept, or rows of this workspace cannot be. */
  query(asked: CachedStatement): Promise<AnalyticsResult | undefined>;
  /** Ends whatever runs. */
  stop(): void;
}

/** Engines with a file that a process has at once, and for how long one is kept without a statement, in ms. */
const [mostOpen, idleMs] = [2, 30_000];
/** Rows after which an engine makes room for another one: it holds much memory that a statement would not have. */
const mostPut = 100_000;
/** Ids of one change in a file, and pages of rows after which its size is looked at. */
const [idsAtOnce, pagesOfLook] = [2000, 50];
/** For how long nothing is kept of a workspace whose file could not be written, or was larger than all may be, in ms. */
const restMs = 3_600_000;
const touchedMs = 60_000;

/** Whether a statement reads inputs or outputs. */
const readsLong = ({ columns }: Reads): boolean =>
  columns === 'all' || [...columns].some((column) => longColumns.has(column));

/** The table of a file that a statement reads in place of a table, if there is one. */
const keptFor = (table: AnalyticTable, reads: Reads): KeptTable | undefined => {
  const followed = followedBy[table];
  if (!readsLong(reads)) return followed;
  return followed === 'traces' ? 'long_traces' : followed === 'spans' ? 'long_spans' : followed;
};
/** The tables of a file that a statement reads. */
const keptBy = (reads: Reads): readonly KeptTable[] => {
  const named = new Set([...reads.tables].map((table) => keptFor(table, reads)));
  return keptTables.filter((table) => named.has(table));
};

/** Rows of a workspace that cannot be kept. */
class NotKept extends Error {}
/** Inputs and outputs that are too long to be kept beside the rest. */
class LongNotKept extends NotKept {}
/** The share of all bytes that a file may have with inputs and outputs, and characters of these after which they are written. */
const [longShare, longAtOnce] = [0.75, 32 * 1024 * 1024];
const busy = () =>
  new Failure('unavailable', 'too many analytic queries are under way', { retryAfter: 2 });

/** How often a statement begins on a file whose engine ends under it. */
const attempts = 3;
/** What became of one attempt, but for its result. */
type Attempt = AnalyticsResult | 'elsewhere' | 'again';

/** A file that is open. */
interface Open {
  readonly workspaceId: string;
  readonly engine: KeepingEngine;
  readonly file: string;
  /** From where the storage tells of changes next. */
  mark: string | undefined;
  /** Which tables of which projects are in the file. */
  readonly held: Set<string>;
  /** Statements that are under way or wait. */
  users: number;
  /** Rows that its engine has put into it. */
  rows: number;
  /** Of statements since its rows changed last. */
  readonly results: Results;
  /** Settles when the one before is done. */
  turn: Promise<void>;
  idle: NodeJS.Timeout | undefined;
  touchedAt: number;
}

const heldName = (table: KeptTable, projectId: string): string => `${table} ${projectId}`;

const setUp = [
  ...keptTables.map(keptStatement),
  'CREATE TABLE IF NOT EXISTS kept.main.mark (mark VARCHAR)',
  'CREATE TABLE IF NOT EXISTS kept.main.held (name VARCHAR)',
  // What an end in the middle of gathering has left: these are written piece by piece.
  ...keptTables
    .filter(isLong)
    .map(
      (table) =>
        `DELETE FROM kept.main.${table} WHERE project_id NOT IN (SELECT split_part(name, ' ', 2) FROM kept.main.held WHERE name LIKE '${table} %')`,
    ),
];

/** Adds rows to a file; what statements found before is no answer any more. */
const put = (one: Open, table: KeptTable, rows: readonly AnalyticRow[]): Promise<void> => {
  const columns = keptColumns[table];
  one.rows += rows.length;
  one.results.clear();
  return one.engine.put(table, {
    kinds: columns.map(({ type }) => type),
    columns: columns.map(({ of }) => rows.map((row) => of(row))),
    count: rows.length,
  });
};

const charactersIn = (page: readonly AnalyticRow[]): number =>
  page.reduce(
    (sum, { input, output }) => sum + String(input ?? '').length + String(output ?? '').length,
    0,
  );

export const createColumnCache = ({
  rows,
  library,
  options,
  log,
}: ColumnCacheNeeds): ColumnCache => {
  const files = createFiles(options.folder, options.mostBytes, library);
  const opened = new Map<string, Promise<Open | undefined>>();
  const engines = new Map<Open, KeepingEngine>();
  const closing = new Map<string, Promise<void>>();
  const [resting, restingLong] = [new Map<string, number>(), new Map<string, number>()];
  let stopped = false;

  const isOpen = (one: Open): boolean => engines.has(one) && one.engine.isThere();
  const close = (one: Open): Promise<void> => {
    clearTimeout(one.idle);
    if (!engines.delete(one)) return one.engine.gone; // somebody else closes it
    opened.delete(one.workspaceId);
    one.engine.end();
    const gone = one.engine.gone.then(() => {
      if (closing.get(one.workspaceId) === gone) closing.delete(one.workspaceId);
    });
    closing.set(one.workspaceId, gone);
    return gone;
  };

  const isResting = (workspaceId: string, of = resting): boolean =>
    (of.get(workspaceId) ?? 0) >= Date.now();
  const rest = (workspaceId: string, why: unknown): void => {
    const isOfLong = why instanceof LongNotKept;
    (isOfLong ? restingLong : resting).set(workspaceId, Date.now() + restMs);
    const reason = why instanceof Error ? why.message : String(why);
    const what = isOfLong ? 'inputs and outputs' : 'rows';
    log?.warn(
      `${what} of the workspace ${workspaceId} are not kept for analytic queries: ${reason}`,
    );
  };

  const open = async (workspaceId: string): Promise<Open | undefined> => {
    await closing.get(workspaceId);
    try {
      const found = await files.open(workspaceId);
      return found && (await begin(workspaceId, found.engine, found.file));
    } catch (thrown) {
      if (isFailure(thrown)) throw thrown;
      rest(workspaceId, thrown);
      return undefined;
    }
  };
  const begin = async (workspaceId: string, engine: KeepingEngine, file: string): Promise<Open> => {
    try {
      await engine.keep(setUp);
      const [[mark] = []] = await engine.look('SELECT mark FROM kept.main.mark');
      const held = await engine.look('SELECT name FROM kept.main.held');
      const one: Open = {
        ...{ workspaceId, engine, file, mark: mark ?? undefined },
        held: new Set(held.map(([name]) => String(name))),
        ...{ users: 0, rows: 0, turn: Promise.resolve(), idle: undefined, touchedAt: 0 },
        results: createResults(),
      };
      engines.set(one, engine);
      if (stopped) await close(one);
      return one;
    } catch (thrown) {
      engine.end();
      throw thrown;
    }
  };

  /** The open file of a workspace, for one more user. */
  const use = async (workspaceId: string): Promise<Open | undefined> => {
    for (;;) {
      let opening = opened.get(workspaceId);
      if (opening === undefined) {
        if (opened.size >= mostOpen) {
          const [idle] = [...engines.keys()].filter(({ users }) => users === 0);
          if (idle === undefined) throw busy();
          void close(idle);
        }
        opening = open(workspaceId);
        opened.set(workspaceId, opening);
        opening.then(
          (one) => {
            if (one === undefined) opened.delete(workspaceId);
          },
          () => opened.delete(workspaceId),
        );
      }
      const one = await opening;
      if (one === undefined) return undefined;
      if (!isOpen(one)) {
        await close(one);
        continue; // it ended meanwhile
      }
      one.users++;
      clearTimeout(one.idle);
      await touch(one);
      return one;
    }
  };
  const touch = async (one: Open): Promise<void> => {
    if (Date.now() - one.touchedAt < touchedMs) return;
    one.touchedAt = Date.now();
    await files.touch(one.file);
  };
  const leave = (one: Open): void => {
    one.users--;
    if (one.users > 0 || !engines.has(one)) return;
    one.idle = setTimeout(() => {
      void close(one);
    }, idleMs).unref();
  };

  const requireSize = async (one: Open, isOfLong = false): Promise<void> => {
    const bytes = await files.bytesOf(one.file);
    if (isOfLong && bytes > options.mostBytes * longShare)
      throw new LongNotKept('with them the file is larger than it may be');
    if (bytes > options.mostBytes) throw new NotKept('the file is larger than all files may be');
  };

  /** Puts rows in the place of those with these ids. */
  const replace = async (
    one: Open,
    kept: KeptTable,
    { table, projectId, ids }: ChangedRows,
  ): Promise<void> => {
    const { engine, workspaceId } = one;
    const members = new Set(keptColumns[kept].flatMap(({ from }) => from));
    const of = `"${changeMembers[table]}"`;
    for (let at = 0; at < ids.length; at += idsAtOnce) {
      const some = ids.slice(at, at + idsAtOnce);
      const [first = '', last = ''] = [some[0], some.at(-1)];
      await engine.keep([
        `DELETE FROM kept.main.${kept} WHERE ${of} BETWEEN ${literal(first)} AND ${literal(last)} AND project_id = ${literal(projectId)} AND ${of} IN (${some.map(literal).join(', ')})`,
      ]);
      const reading = { table, workspaceId, projectId, members, ids: some };
      for await (const page of rows.stream(reading)) await put(one, kept, page);
    }
  };

  /** What holds the bytes of some rows with inputs and outputs against the number of all of them, so that little is gathered in vain. */
  const roomFor = async (one: Open, table: FollowedTable, projectId: string) => {
    const before = await files.bytesOf(one.file);
    const [[count] = []] = one.held.has(heldName(table, projectId))
      ? await one.engine.look(
          `SELECT count(*) FROM kept.main.${table} WHERE project_id = ${literal(projectId)}`,
        )
      : [];
    return async (rowsPut: number): Promise<void> => {
      await requireSize(one, true);
      const grown = (await files.bytesOf(one.file)) - before;
      const all = before + grown * Math.max(1, Number(count ?? 0) / rowsPut);
      // What was written last may still be packed.
      if (all > options.mostBytes * longShare * 2)
        throw new LongNotKept('with all of them the file would be larger than it may be');
    };
  };

  /** Reads all rows of a project into the file. */
  const build = async (one: Open, kept: KeptTable, projectId: string): Promise<void> => {
    const { engine, workspaceId } = one;
    const members = new Set(keptColumns[kept].flatMap(({ from }) => from));
    const table = followedOf(kept);
    const requireRoom = isLong(kept) ? await roomFor(one, table, projectId) : undefined;
    await engine.keep(['BEGIN']);
    let [pages, rowsPut, characters, putting] = [0, 0, 0, Promise.resolve()];
    for await (const page of rows.stream({ table, workspaceId, projectId, members })) {
      await putting;
      putting = put(one, kept, page);
      putting.catch(() => undefined); // it is waited for below, or by the next page
      if (isLong(kept)) characters += charactersIn(page);
      rowsPut += page.length;
      if (characters > longAtOnce) {
        // An engine holds what is not committed in its memory.
        await putting;
        await engine.keep(['COMMIT', 'BEGIN']);
        characters = 0;
        await requireRoom?.(rowsPut);
      }
      if (++pages % pagesOfLook === 0) await requireSize(one, isLong(kept));
    }
    await putting;
    const name = heldName(kept, projectId);
    await engine.keep([`INSERT INTO kept.main.held VALUES (${literal(name)})`, 'COMMIT']);
    one.held.add(name);
  };

  /** Takes in what changed since the last time, and forgets projects that are not the workspace's any more. Answers its projects. */
  const follow = async (one: Open): Promise<readonly string[]> => {
    const { engine } = one;
    for (;;) {
      const found = await rows.changes(one.workspaceId, one.mark);
      if (found === undefined) {
        await engine.keep([
          ...['BEGIN', ...keptTables.map((table) => `DELETE FROM kept.main.${table}`)],
          ...['DELETE FROM kept.main.held', 'DELETE FROM kept.main.mark', 'COMMIT'],
        ]);
        one.held.clear();
        one.results.clear();
        one.mark = undefined;
        continue;
      }
      const there = new Set(found.projectIds);
      const gone = [...one.held].filter((name) => !there.has(name.split(' ')[1] ?? ''));
      const changed = found.changed.flatMap((some) =>
        keptTables.flatMap((kept) =>
          followedOf(kept) === some.table && one.held.has(heldName(kept, some.projectId))
            ? [{ kept, some }]
            : [],
        ),
      );
      if (gone.length > 0 || changed.length > 0) one.results.clear();
      if (found.mark !== one.mark) {
        await engine.keep(['BEGIN']);
        for (const name of gone) {
          const [table = '', projectId = ''] = name.split(' ');
          await engine.keep([
            `DELETE FROM kept.main.${table} WHERE project_id = ${literal(projectId)}`,
            `DELETE FROM kept.main.held WHERE name = ${literal(name)}`,
          ]);
        }
        for (const { kept, some } of changed) await replace(one, kept, some);
        await engine.keep([
          'DELETE FROM kept.main.mark',
          `INSERT INTO kept.main.mark VALUES (${literal(found.mark)})`,
          'COMMIT',
        ]);
        for (const name of gone) one.held.delete(name);
        one.mark = found.mark;
      }
      if (!found.more) return found.projectIds;
    }
  };

  const bringUpToDate = async (
    one: Open,
    tables: readonly KeptTable[],
    { projectId: only }: AnalyticsScope,
  ): Promise<void> => {
    const before = one.mark;
    const projectIds = await follow(one);
    let built = false;
    for (const projectId of projectIds)
      for (const table of tables)
        if (
          (only === undefined || only === projectId) &&
          !one.held.has(heldName(table, projectId))
        ) {
          await build(one, table, projectId);
          built = true;
        }
    if (!built && one.mark === before) return;
    await requireSize(one);
    if (built) await files.makeRoom(new Set([...engines.keys()].map(({ file }) => file)));
  };

  /** Waits for what is done with a file, but no longer than the statement may take. */
  const within = async <T>(work: Promise<T>, { limits, signal }: CachedStatement): Promise<T> => {
    const over = new AbortController();
    const late = async (): Promise<never> => {
      await sleep(limits.timeMs, undefined, { signal: AbortSignal.any([signal, over.signal]) });
      throw new Failure(
        'unavailable',
        'the rows of this workspace are being gathered: ask again in a moment',
        { retryAfter: 5 },
      );
    };
    const waiting = late();
    waiting.catch(() => undefined); // it is over
    try {
      return await Promise.race([work, waiting]);
    } finally {
      over.abort();
    }
  };

  const serves = (workspaceId: string, reads: Reads): boolean => {
    const kept = keptBy(reads);
    return kept.length > 0 && !(kept.some(isLong) && isResting(workspaceId, restingLong));
  };

  const answer = async (
    one: Open,
    asked: CachedStatement,
    reads: Reads,
  ): Promise<AnalyticsResult> => {
    const { engine } = one;
    const named = analyticTables.filter((table) => reads.tables.has(table));
    const shown = named.flatMap((table) => {
      const kept = keptFor(table, reads);
      return kept === undefined ? [] : shownStatements(table, kept, asked.scope);
    });
    const followed = named.filter((table) => followedBy[table] !== undefined);
    const others = named.filter((table) => followedBy[table] === undefined);
    // Rows of other tables may have changed, of which nobody is told.
    const result = others.length > 0 ? undefined : one.results.find(asked);
    if (result !== undefined) return result;
    try {
      await engine.create(shown);
      await asked.fill(engine, others, reads);
      const found = await asked.run(engine);
      if (others.length === 0) one.results.keep(asked, found);
      return found;
    } finally {
      if (engine.isThere())
        await engine
          .create([...others.flatMap(dropStatements), ...followed.flatMap(hiddenStatements)])
          .catch(() => close(one)); // it ended meanwhile, or is in no state to go on
    }
  };

  /** What the one before is done with, and what tells the next one to begin. */
  const takeTurn = (one: Open) => {
    const before = one.turn;
    let done: () => void = () => undefined;
    one.turn = new Promise((resolve) => {
      done = resolve;
    });
    return { before, done };
  };

  /** What a broken attempt to bring a file up to date leaves: what was begun is undone with its engine. */
  const giveUp = async (one: Open, thrown: unknown): Promise<void> => {
    await close(one);
    if (!(thrown instanceof NotKept) || stopped) return;
    rest(one.workspaceId, thrown);
    if (!(thrown instanceof LongNotKept)) await files.remove(one.file);
  };
  /** A fault of the engine or its file is no fault of the statement. */
  const kept = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      if (thrown instanceof EngineFault || thrown instanceof EngineEnded)
        throw new NotKept(thrown.message, { cause: thrown });
      throw thrown;
    }
  };

  const runOn = async (one: Open, asked: CachedStatement): Promise<Attempt> => {
    const { statement, scope } = asked;
    let ready: Promise<boolean> = Promise.resolve(true);
    let done: () => void = () => undefined;
    try {
      const reads = readsOf(await one.engine.parse(statement), scope.tables ?? analyticTables);
      if (!serves(scope.workspaceId, reads)) return 'elsewhere';
      const turn = takeTurn(one);
      done = turn.done;
      const tables = keptBy(reads);
      ready = turn.before.then(async () => {
        if (!isOpen(one)) return false;
        await kept(bringUpToDate(one, tables, scope));
        if (one.rows <= mostPut) return true;
        await close(one);
        return false;
      });
      if (!(await within(ready, asked))) return 'again';
      return await answer(one, asked, reads);
    } catch (thrown) {
      if (thrown instanceof NotKept) return 'elsewhere';
      throw thrown;
    } finally {
      // Rows may still be gathered although nobody waits for them any more.
      void ready
        .catch((thrown: unknown) => giveUp(one, thrown))
        .finally(() => {
          done();
          leave(one);
        });
    }
  };

  return {
    knows: (workspaceId) =>
      !isResting(workspaceId) && (opened.has(workspaceId) || files.has(workspaceId)),
    serves,
    async query(asked) {
      const { workspaceId } = asked.scope;
      if (isResting(workspaceId)) return undefined;
      for (let attempt = 0; attempt < attempts; attempt++) {
        const one = await use(workspaceId);
        if (one === undefined) return undefined;
        const found = await runOn(one, asked);
        if (found === 'elsewhere') return undefined;
        if (found !== 'again') return found;
      }
      throw busy();
    },
    stop() {
      stopped = true;
      for (const one of [...engines.keys()]) void close(one);
    },
  };
};
