import type { Condition } from '#ports/query';
import type { NameInUse, SearchStore } from '#ports/storage/search';
import { isTrue, type Connection } from './connection.js';
import type { Searchable } from './metrics/searchable.js';
import { refreshProject } from './refresh-project.js';
import { findPage } from './search-pages.js';
import { forgetNames } from './unused-names.js';
import type { Semaphore } from './semaphore.js';
import { valueKinds } from './value-kinds.js';

/** More than a project has: names are bounded by what its experiments may hold. */
const mostNames = 200_000;

/** Whether a condition is about metrics, whose searchable values may be older than what was logged. */
export const asksForMetrics = (condition: Condition): boolean => {
  if (condition.type === 'comparison') return condition.subject.kind === 'metric';
  if (condition.type === 'among') return false;
  return condition.type === 'not'
    ? asksForMetrics(condition.of)
    : condition.of.some(asksForMetrics);
};

const kindsByNumber = new Map(
  Object.entries(valueKinds)
    .filter(([kind]) => kind !== 'noted')
    .map(([kind, number]) => [number as number, kind as NameInUse['kind']]),
); // the keys of that very table; noted facts are metadata, which has columns of its own
const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b));

export const searchStore = (
  connection: Connection,
  searchable: Searchable,
  turns: Semaphore,
): SearchStore => {
  const { db } = connection;
  return {
    async find(projectId, condition, options) {
      // Many who search share it, so nobody takes a turn for it.
      if (asksForMetrics(condition)) await refreshProject(connection, searchable, projectId);
      const rows = await turns.take(options.signal, () =>
        findPage(connection, projectId, condition, options),
      );
      return rows.map((row) => ({
        id: row.id,
        key: row.key,
        startTimeMillis: Number(row.start_time),
      }));
    },
    async columns(projectId) {
      const own = db('project_names')
        .where({ project_id: projectId })
        .select('kind', 'name', { is_number: 'numeric' })
        .limit(mostNames);
      const linked = db('experiment_links')
        .join(
          'experiment_values',
          'experiment_values.experiment_id',
          'experiment_links.experiment_id',
        )
        .where('experiment_links.project_id', projectId)
        .select('experiment_values.kind', 'experiment_values.name', {
          is_number: db.raw('experiment_values.number is not null'),
        })
        .distinct()
        .limit(mostNames);
      const rows = [...(await linked), ...(await own)] as readonly {
        readonly kind: number;
        readonly name: string;
        readonly is_number: unknown;
      }[]; // the columns named above
      const found = new Map<string, NameInUse>();
      for (const row of rows) {
        const kind = kindsByNumber.get(Number(row.kind));
        if (kind !== undefined)
          found.set(`${kind}\0${row.name}`, {
            kind,
            name: row.name,
            numeric: isTrue(row.is_number),
          });
      }
      return [...found.values()].sort(
        (a, b) => compareTexts(a.kind, b.kind) || compareTexts(a.name, b.name),
      );
    },
    forgetNames: (...asked) => forgetNames(connection, ...asked),
  };
};
