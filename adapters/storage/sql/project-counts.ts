// How many experiments are at home in each project, kept so that nobody counts them. Who adds holds a row until the end of the transaction:
// the last thing that it touches, and none that those of other processes touch.
import type { Connection } from './connection.js';

/** Transactions of callers may take long, and have a slot to themselves. */
const ofCallers = 0;
const slots = 8;
const ofThisProcess = 1 + (process.pid % slots);

/** The slot of what is done over a connection as the caller gave it. */
export const slotOf = ({ inTransaction }: Pick<Connection, 'inTransaction'>): number =>
  inTransaction ? ofCallers : ofThisProcess;

/** Adds to the figures of projects, in the order of their ids. */
export const addToCounts = async (
  { db, dialect }: Connection,
  slot: number,
  changes: readonly (readonly [projectId: string, change: number])[],
): Promise<void> => {
  const sums = new Map<string, number>();
  for (const [id, change] of changes) sums.set(id, (sums.get(id) ?? 0) + change);
  const rows = [...sums].filter(([, change]) => change !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
  if (rows.length === 0) return;
  await dialect.insertColumns(
    db,
    'project_counts',
    [
      { name: 'project_id', kind: 'id', values: rows.map(([id]) => id) },
      { name: 'slot', kind: 'whole', values: rows.map(() => slot) },
      { name: 'n', kind: 'whole', values: rows.map(([, change]) => change) },
    ],
    dialect.onConflict(
      ['project_id', 'slot'],
      [`n = ${dialect.stored('project_counts', 'n')} + ${dialect.incoming('n')}`],
    ),
  );
};

export const readCount = async ({ db }: Connection, projectId: string): Promise<number> => {
  const [row] = (await db('project_counts')
    .where({ project_id: projectId })
    .sum({ n: 'n' })) as readonly { readonly n: unknown }[]; // one row of one column
  return Number(row?.n ?? 0);
};

/** Live projects whose figure is not the number of their experiments: 0, unless something is broken. */
export const countWrongCounts = async ({ db }: Connection): Promise<number> => {
  const held = db('experiments')
    .whereRaw('experiments.project_id = p.id')
    .whereNull('experiments.deleted_at')
    .count('*');
  const kept = db('project_counts').whereRaw('project_counts.project_id = p.id').sum('n');
  const rows = await db('projects as p')
    .whereNull('p.deleted_at')
    .select('p.id', { held, kept: db.raw('coalesce((?), 0)', [kept]) })
    .then((all) => all as readonly { readonly held: unknown; readonly kept: unknown }[]); // the columns named
  return rows.filter((row) => Number(row.held) !== Number(row.kept)).length;
};
