// What changed a moment ago, by the database's own time, so that processes with clocks of their own agree on what is new.
import type { Knex } from 'knex';
import { changeKinds, type ChangeKind, type HeardChange } from '#ports/model/changes';
import type { ChangeReading, ChangeStore } from '#ports/storage/changes';
import type { Connection } from './connection.js';

const numbers: Readonly<Record<ChangeKind, number>> = {
  run: 1,
  values: 2,
  points: 3,
  output: 4,
  assets: 5,
  model: 6,
};
const kindsByNumber = new Map(changeKinds.map((kind) => [numbers[kind], kind]));

interface HeardRow {
  readonly kind: number;
  readonly subject_id: string;
  readonly at: unknown;
  readonly key: string;
  readonly project_id: string;
  readonly deleted_at: unknown;
  readonly model_id?: string;
}

const toHeard = (row: HeardRow): HeardChange => ({
  kind: kindsByNumber.get(Number(row.kind)) ?? 'run',
  subjectId: row.subject_id,
  projectId: row.project_id,
  experimentKey: row.key,
  gone: row.deleted_at !== null,
  modelId: row.model_id,
  at: Number(row.at),
});

const perStatement = 5000;

/** The three ways by which a project hears of a change: its own runs, those linked into it, and versions of models that were made from its own. */
const waysOf = (
  { db, dialect }: Connection,
  { after, projectIds, limit }: ChangeReading,
): readonly Knex.QueryBuilder[] => {
  const base = (ofModel: boolean) =>
    db('heard_changes as c')
      .where('c.at', '>', after)
      .where('c.kind', ofModel ? '=' : '<', numbers.model)
      .orderBy(['c.at', 'c.subject_id', 'c.kind'])
      .limit(limit);
  const columns = ['c.kind', 'c.subject_id', 'c.at', 'e.key', 'e.deleted_at'] as const;
  return [
    base(false)
      .join('experiments as e', 'e.id', 'c.subject_id')
      .modify(dialect.among('e.project_id', 'id', projectIds))
      .select(...columns, 'e.project_id'),
    base(false)
      .join('experiments as e', 'e.id', 'c.subject_id')
      .join('experiment_links as l', 'l.experiment_id', 'e.id')
      .modify(dialect.among('l.project_id', 'id', projectIds))
      .select(...columns, 'l.project_id'),
    base(true)
      .join('registry_versions as v', 'v.id', 'c.subject_id')
      .join('registry_models as m', 'm.id', 'v.model_id')
      .join('experiments as e', (on) => {
        on.on('e.id', 'v.source_id').andOn('e.workspace_id', 'm.workspace_id');
      })
      .whereNull('v.deleted_at')
      .whereNull('m.deleted_at')
      .modify(dialect.among('e.project_id', 'id', projectIds))
      .select(...columns, 'e.project_id', 'v.model_id'),
  ];
};

export const changeStore = (connection: Connection): ChangeStore => {
  const { db, dialect } = connection;
  return {
    async note(changes) {
      if (changes.length === 0) return;
      const [row] = (await db.select({ now: db.raw(dialect.nowMs) })) as readonly {
        readonly now: unknown;
      }[]; // one row of one column
      const at = Number(row?.now);
      // In one order in every process, so that two that note the same rows do not lock each other out.
      const sorted = [...changes].sort((a, b) =>
        a.subjectId === b.subjectId
          ? numbers[a.kind] - numbers[b.kind]
          : a.subjectId < b.subjectId
            ? -1
            : 1,
      );
      for (let first = 0; first < sorted.length; first += perStatement) {
        const some = sorted.slice(first, first + perStatement);
        await dialect.insertColumns(
          db,
          'heard_changes',
          [
            { name: 'subject_id', kind: 'id', values: some.map((one) => one.subjectId) },
            { name: 'kind', kind: 'whole', values: some.map((one) => numbers[one.kind]) },
            { name: 'at', kind: 'whole', values: some.map(() => at) },
          ],
          dialect.onConflict(['subject_id', 'kind'], [`at = ${dialect.incoming('at')}`]),
        );
      }
    },
    async list(reading) {
      if (reading.projectIds.length === 0) return [];
      const found = await Promise.all(waysOf(connection, reading));
      return (found as readonly (readonly HeardRow[])[]) // the columns named above
        .flat()
        .map(toHeard)
        .sort((a, b) => a.at - b.at);
    },
    async forget(before, limit) {
      const last = await db('heard_changes')
        .where('at', '<', before)
        .orderBy('at')
        .offset(limit - 1)
        .select('at')
        .first<{ readonly at: unknown } | undefined>();
      return db('heard_changes')
        .where('at', last === undefined ? '<' : '<=', last === undefined ? before : Number(last.at))
        .delete();
    },
  };
};
