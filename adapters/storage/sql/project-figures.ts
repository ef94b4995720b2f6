// Figures of projects: counted each time while that is cheap, and remembered where there is so much to count that a page would wait for it.
import type { ProjectFigures } from '#ports/storage/projects';
import type { Connection } from './connection.js';

/** From so many experiments on, figures are remembered. */
const large = 20_000;
/** Remembered figures are counted again beside the next reading after this, and before it after the other, in ms. */
const [freshMs, oldestMs] = [15_000, 600_000];
/** Projects whose figures are remembered. */
const most = 10_000;

interface Remembered {
  readonly figures: ProjectFigures;
  readonly at: number;
  counting: boolean;
}
export type FigureMemory = Map<string, Remembered>;
export const createFigureMemory = (): FigureMemory => new Map();

const count = async (
  { db }: Pick<Connection, 'db'>,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, ProjectFigures>> => {
  const rows = (await db('projects')
    .leftJoin('experiments', (on) => {
      on.on('experiments.project_id', 'projects.id').andOnNull('experiments.deleted_at');
    })
    .whereIn('projects.id', projectIds)
    .groupBy('projects.id', 'projects.updated_at')
    .select('projects.id', 'projects.updated_at')
    .count({ n: 'experiments.id' })
    .max({ seen: 'experiments.last_seen_at' })) as unknown as readonly {
    readonly id: string;
    readonly updated_at: unknown;
    readonly n: unknown;
    readonly seen: unknown;
  }[]; // the columns named above
  return new Map(
    rows.map((row) => [
      row.id,
      {
        experiments: Number(row.n),
        lastUpdated: Math.max(Number(row.updated_at), Number(row.seen ?? 0)),
      },
    ]),
  );
};

export const readFigures = async (
  connection: Connection,
  memory: FigureMemory,
  projectIds: readonly string[],
): Promise<ReadonlyMap<string, ProjectFigures>> => {
  if (projectIds.length === 0) return new Map();
  if (connection.inTransaction) return count(connection, projectIds);
  const now = connection.clock.now();
  const recount = async (ids: readonly string[]) => {
    const counted = await count(connection, ids);
    if (memory.size > most) memory.clear();
    for (const id of ids) {
      const figures = counted.get(id);
      if (figures !== undefined && figures.experiments >= large)
        memory.set(id, { figures, at: connection.clock.now(), counting: false });
      else memory.delete(id);
    }
    return counted;
  };
  const known = projectIds.flatMap((id) => {
    const one = memory.get(id);
    return one !== undefined && one.at > now - oldestMs ? [[id, one] as const] : [];
  });
  for (const [id, one] of known)
    if (one.at <= now - freshMs && !one.counting) {
      one.counting = true;
      recount([id]).catch(() => {
        one.counting = false; // the next reading tries again
      });
    }
  const told = new Map(known.map(([id, { figures }]) => [id, figures]));
  const unknown = projectIds.filter((id) => !told.has(id));
  if (unknown.length === 0) return told;
  return new Map([...told, ...(await recount(unknown))]);
};
