import type { Stored, StoredDaily, UsageKind, UsageStore } from '#ports/storage/usage';
import type { Connection } from './connection.js';

const dayMs = 86_400_000;

interface StoredRow {
  readonly day: unknown;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly n: unknown;
  readonly ms: unknown;
  readonly bytes: unknown;
  readonly last_at: unknown;
}

export const usageStore = ({ db }: Connection): UsageStore => {
  /** Experiments and their bytes by some columns: two sums, since a join would count an experiment once for each of its files. */
  const sums = async (columns: Readonly<Record<string, string>>, from: number, before: number): Promise<readonly StoredRow[]> => {
    const by = Object.entries(columns).map(([name, expression]) => db.raw(`${expression} as ${name}`));
    const groups = Object.values(columns).map((expression) => db.raw(expression));
    const some = () => db('experiments').whereNull('experiments.deleted_at').where('experiments.created_at', '>=', from).where('experiments.created_at', '<', before).groupBy(groups);
    const keyOfRow = (row: StoredRow) => Object.keys(columns).map((name) => String(row[name as keyof StoredRow])).join(' '); // the columns asked for
    const runs = await some().select(by).count({ n: '*' }).sum({ ms: db.raw('case when experiments.end_time > experiments.start_time then experiments.end_time - experiments.start_time else 0 end') }).max({ last_at: 'experiments.created_at' }) as unknown as readonly StoredRow[]; // the columns just named
    const files = await some().join('assets', 'assets.experiment_id', 'experiments.id').select(by).sum({ bytes: 'assets.file_size' }) as unknown as readonly StoredRow[]; // the columns just named
    const bytes = new Map(files.map((row) => [keyOfRow(row), row.bytes]));
    return runs.map((row) => ({ ...row, bytes: bytes.get(keyOfRow(row)) ?? 0 }));
  };
  return {
    async count(userId, kind, at) {
      await db('usage_counts').insert({ user_id: userId, kind, day: Math.floor(at / dayMs), n: 1, last_at: at }).onConflict(['user_id', 'kind', 'day']).merge({ n: db.raw('?? + 1', ['usage_counts.n']), last_at: at });
    },
    async listCounts() {
      const rows = await db('usage_counts').select('user_id', 'kind').sum({ n: 'n' }).max({ last_at: 'last_at' }).groupBy('user_id', 'kind') as readonly { readonly user_id: string; readonly kind: UsageKind; readonly n: unknown; readonly last_at: unknown }[]; // the columns just named
      return rows.map((row) => ({ userId: row.user_id, kind: row.kind, count: Number(row.n), lastAt: Number(row.last_at) }));
    },
    async listStored(before) {
      const rows = await sums({ workspace_id: 'experiments.workspace_id', project_id: 'experiments.project_id', user_id: 'experiments.user_id' }, 0, before);
      return rows.map((row): Stored => ({ workspaceId: row.workspace_id, projectId: row.project_id, userId: row.user_id, experiments: Number(row.n), runningMs: Number(row.ms), bytes: Number(row.bytes), lastAt: Number(row.last_at) }));
    },
    async listDaily(from, before) {
      const rows = await sums({ day: `floor(experiments.created_at / ${dayMs})`, workspace_id: 'experiments.workspace_id', user_id: 'experiments.user_id' }, from, before);
      return rows.map((row): StoredDaily => ({ day: Number(row.day), workspaceId: row.workspace_id, userId: row.user_id, experiments: Number(row.n), runningMs: Number(row.ms), bytes: Number(row.bytes) }));
    },
  };
};
