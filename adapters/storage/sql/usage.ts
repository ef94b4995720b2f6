import type { Applying } from './metrics/applying.js';
import type { Stored, StoredDaily, UsageKind, UsageStore } from '#ports/storage/usage';
import { inTransaction, type Connection } from './connection.js';

const dayMs = 86_400_000;
/** Stands for no workspace, since a key takes no null. */
const nowhere = '00000000-0000-0000-0000-000000000000';

interface CountRow {
  readonly user_id: string;
  readonly workspace_id: string;
  readonly kind: UsageKind;
  readonly n: unknown;
  readonly last_at: unknown;
}

interface StoredRow {
  readonly day: unknown;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly n: unknown;
  readonly ms: unknown;
  readonly gpu_ms: unknown;
  readonly bytes: unknown;
  readonly last_at: unknown;
}

const runningMs =
  'case when experiments.end_time > experiments.start_time then experiments.end_time - experiments.start_time else 0 end';

/** Keeps what an experiment has used, once, before its rows are removed. May be repeated. */
export const keepUsage = (connection: Connection, id: string): Promise<void> =>
  inTransaction(connection, async ({ db }) => {
    interface Row {
      readonly workspace_id: string;
      readonly project_id: string;
      readonly user_id: string;
      readonly created_at: unknown;
      readonly gpus: unknown;
      readonly ms: unknown;
    }
    const row = await db('experiments')
      .where({ id, accounted: false })
      .select('workspace_id', 'project_id', 'user_id', 'created_at', 'gpus', {
        ms: db.raw(runningMs),
      })
      .forUpdate()
      .first<Row | undefined>();
    if (row === undefined) return;
    const [files] = (await db('assets')
      .where({ experiment_id: id })
      .sum({ bytes: 'file_size' })) as readonly { readonly bytes: unknown }[]; // the column just named
    const key = {
      day: Math.floor(Number(row.created_at) / dayMs),
      workspace_id: row.workspace_id,
      project_id: row.project_id,
      user_id: row.user_id,
    };
    const used = {
      n: 1,
      running_ms: Number(row.ms),
      gpu_ms: Number(row.ms) * Number(row.gpus),
      bytes: Number(files?.bytes ?? 0),
    };
    await db('removed_usage')
      .insert({ ...key, ...used, last_at: Number(row.created_at) })
      .onConflict(Object.keys(key))
      .merge({
        ...Object.fromEntries(
          Object.entries(used).map(([name, more]) => [
            name,
            db.raw('?? + ?', [`removed_usage.${name}`, more]),
          ]),
        ),
        last_at: db.raw('greatest(??, ?)', ['removed_usage.last_at', Number(row.created_at)]),
      });
    await db('experiments').where({ id }).update({ accounted: true });
  });

/** Adds up rows that tell of the same. */
const addUp = <T>(
  rows: readonly T[],
  keyOf: (row: T) => string,
  add: (a: T, b: T) => T,
): readonly T[] => {
  const sums = new Map<string, T>();
  for (const row of rows) {
    const before = sums.get(keyOf(row));
    sums.set(keyOf(row), before === undefined ? row : add(before, row));
  }
  return [...sums.values()];
};

/** `applying` puts into series what waits for them, so that it is counted. */
export const usageStore = (connection: Connection, applying: Applying): UsageStore => {
  const { db } = connection;
  /** What was kept of removed experiments, under the same names as below. */
  const removed = async (
    by: readonly string[],
    from: number,
    before: number,
  ): Promise<readonly StoredRow[]> =>
    (await db('removed_usage')
      .where('day', '>=', Math.ceil(from / dayMs))
      .where('day', '<', Math.ceil(before / dayMs))
      .select([...by])
      .groupBy([...by])
      .sum({ n: 'n', ms: 'running_ms', gpu_ms: 'gpu_ms', bytes: 'bytes' })
      .max({ last_at: 'last_at' })) as unknown as readonly StoredRow[]; // the columns just named
  /** Experiments and their bytes by some columns: two sums, since a join would count an experiment once for each of its files. */
  const sums = async (
    columns: Readonly<Record<string, string>>,
    from: number,
    before: number,
  ): Promise<readonly StoredRow[]> => {
    const by = Object.entries(columns).map(([name, expression]) =>
      db.raw(`${expression} as ${name}`),
    );
    const groups = Object.values(columns).map((expression) => db.raw(expression));
    const some = () =>
      db('experiments')
        .where('experiments.accounted', false)
        .where('experiments.created_at', '>=', from)
        .where('experiments.created_at', '<', before)
        .groupBy(groups);
    const keyOfRow = (row: StoredRow) =>
      Object.keys(columns)
        .map((name) => String(row[name as keyof StoredRow]))
        .join(' '); // the columns asked for
    const runs = (await some()
      .select(by)
      .count({ n: '*' })
      .sum({ ms: db.raw(runningMs), gpu_ms: db.raw(`experiments.gpus * (${runningMs})`) })
      .max({ last_at: 'experiments.created_at' })) as unknown as readonly StoredRow[]; // the columns just named
    // Run by run, by the index of their assets: a join may go through those of all runs.
    const files = (await some()
      .select(by)
      .sum({
        bytes: db.raw(
          '(select sum(a.file_size) from assets a where a.experiment_id = experiments.id)',
        ),
      })) as unknown as readonly StoredRow[]; // the columns just named
    const bytes = new Map(files.map((row) => [keyOfRow(row), row.bytes]));
    const gone = await removed(Object.keys(columns), from, before);
    return addUp(
      [...runs.map((row) => ({ ...row, bytes: bytes.get(keyOfRow(row)) ?? 0 })), ...gone],
      keyOfRow,
      (a, b) => ({
        ...a,
        n: Number(a.n) + Number(b.n),
        ms: Number(a.ms) + Number(b.ms),
        gpu_ms: Number(a.gpu_ms) + Number(b.gpu_ms),
        bytes: Number(a.bytes) + Number(b.bytes),
        last_at: Math.max(Number(a.last_at), Number(b.last_at)),
      }),
    );
  };
  return {
    async count({ userId, workspaceId = nowhere, kind, at }) {
      const row = { user_id: userId, workspace_id: workspaceId, kind, day: Math.floor(at / dayMs) };
      await db('usage_counts')
        .insert({ ...row, n: 1, last_at: at })
        .onConflict(Object.keys(row))
        .merge({ n: db.raw('?? + 1', ['usage_counts.n']), last_at: at });
    },
    async listCounts() {
      const by = ['user_id', 'workspace_id', 'kind'];
      const rows = (await db('usage_counts')
        .select(by)
        .sum({ n: 'n' })
        .max({ last_at: 'last_at' })
        .groupBy(by)) as readonly CountRow[]; // the columns just named
      return rows.map((row) => ({
        userId: row.user_id,
        workspaceId: row.workspace_id === nowhere ? undefined : row.workspace_id,
        kind: row.kind,
        count: Number(row.n),
        lastAt: Number(row.last_at),
      }));
    },
    async figures() {
      const [[users], [experiments], [files]] = await Promise.all([
        db('users').count({ n: '*' }),
        db('experiments').whereNull('deleted_at').count({ n: '*' }),
        db('assets').sum({ n: 'file_size' }),
      ]);
      return {
        users: Number(users?.['n'] ?? 0),
        experiments: Number(experiments?.['n'] ?? 0),
        bytes: Number(files?.['n'] ?? 0),
      };
    },
    async ofProject(projectId) {
      await applying.ofProject(connection, projectId);
      const runs = () =>
        db('experiments as e').where('e.project_id', projectId).whereNull('e.deleted_at');
      const of = (table: string) => runs().join(`${table} as o`, 'o.experiment_id', 'e.id');
      const [[all], [archived], [series], [assets], [texts]] = await Promise.all([
        runs().count({ n: '*' }),
        runs().where('e.archived', true).count({ n: '*' }),
        of('series').count({ n: '*' }).sum({ sum: 'o.n' }),
        of('assets').count({ n: '*' }).sum({ sum: 'o.file_size' }),
        of('texts').sum({ sum: 'o.bytes' }),
      ]);
      const figure = (row: unknown, name: 'n' | 'sum') =>
        Number((row as Readonly<Record<string, unknown>> | undefined)?.[name] ?? 0); // a row of these columns
      return {
        runs: figure(all, 'n'),
        archivedRuns: figure(archived, 'n'),
        series: figure(series, 'n'),
        points: figure(series, 'sum'),
        assets: figure(assets, 'n'),
        assetBytes: figure(assets, 'sum'),
        textBytes: figure(texts, 'sum'),
      };
    },
    async listStored(before) {
      const rows = await sums(
        {
          workspace_id: 'experiments.workspace_id',
          project_id: 'experiments.project_id',
          user_id: 'experiments.user_id',
        },
        0,
        before,
      );
      return rows.map((row): Stored => ({
        workspaceId: row.workspace_id,
        projectId: row.project_id,
        userId: row.user_id,
        experiments: Number(row.n),
        runningMs: Number(row.ms),
        bytes: Number(row.bytes),
        lastAt: Number(row.last_at),
      }));
    },
    async listDaily(from, before) {
      const rows = await sums(
        {
          day: `floor(experiments.created_at / ${dayMs})`,
          workspace_id: 'experiments.workspace_id',
          user_id: 'experiments.user_id',
        },
        from,
        before,
      );
      return rows.map((row): StoredDaily => ({
        day: Number(row.day),
        workspaceId: row.workspace_id,
        userId: row.user_id,
        experiments: Number(row.n),
        runningMs: Number(row.ms),
        gpuMs: Number(row.gpu_ms),
        bytes: Number(row.bytes),
      }));
    },
  };
};
