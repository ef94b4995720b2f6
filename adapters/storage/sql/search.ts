import type { Condition } from '#ports/query';
import type { NameInUse, SearchStore } from '#ports/storage/search';
import { compileCondition } from './conditions.js';
import { isTrue, type Connection } from './connection.js';
import { both, fragment, inside, unionAll, wrap, type Fragment } from './fragment.js';
import type { Searchable } from './metrics/searchable.js';
import { valueKinds } from './value-kinds.js';

const sorting = { startTime: 'start_time', endTime: 'end_time' } as const;
/** How many times as many experiments as a page asks for are looked at one by one before all values of a name are, and how many at most. */
const leadTimes = 4;
const mostLead = 2000;
/** More than a project has: names are bounded by what its experiments may hold. */
const mostNames = 200_000;

const asksForMetrics = (condition: Condition): boolean => {
  if (condition.type === 'comparison') return condition.subject.kind === 'metric';
  return condition.type === 'not' ? asksForMetrics(condition.of) : condition.of.some(asksForMetrics);
};

const kindsByNumber = new Map(Object.entries(valueKinds).filter(([kind]) => kind !== 'noted').map(([kind, number]) => [number as number, kind as NameInUse['kind']])); // the keys of that very table; noted facts are metadata, which has columns of its own
const compareTexts = (a: string, b: string) => (a < b ? -1 : Number(a > b));

interface FoundRow { readonly id: string; readonly key: string; readonly start_time: unknown }

export const searchStore = (connection: Connection, searchable: Searchable): SearchStore => {
  const { db, dialect, clock } = connection;
  const refresh = async (projectId: string): Promise<void> => {
    const homes = await db('experiment_links').join('experiments', 'experiments.id', 'experiment_links.experiment_id').where('experiment_links.project_id', projectId).distinct('experiments.project_id') as readonly { readonly project_id: string }[]; // the column named above
    for (const home of new Set([projectId, ...homes.map((row) => row.project_id)])) await searchable.catchUp(connection, home);
  };
  const named = db.raw('??, ??, ??, ??', ['e.id', 'e.key', 'e.start_time', 'e.end_time']).toString(); // one of them is a word of the language

  return {
    async find(projectId, condition, { archived, sortBy = 'startTime', ascending = false, offset, limit }) {
      if (asksForMetrics(condition)) await refresh(projectId);
      const now = clock.now();
      const visible = fragment('e.archived = ? and e.deleted_at is null', archived);
      const direction = ascending ? 'asc' : 'desc';
      const order = (table: string) => [{ column: `${table}.${sorting[sortBy]}`, order: direction }, { column: `${table}.id`, order: direction }] as const;
      const arm = (from: string, where: Fragment, asked: Fragment) => wrap(`select ${named} from ${from} where `, both(where, visible, asked), '');
      const [ofHome, ofLinks] = [fragment('e.project_id = ?', projectId), fragment('l.project_id = ? and e.project_id <> ? and p.deleted_at is null', projectId, projectId)];
      const linkedFrom = 'experiment_links l join experiments e on e.id = l.experiment_id join projects p on p.id = e.project_id';
      const compile = (among: { readonly home: string } | 'linked') => compileCondition({ dialect, among, now }, condition);
      const page = async (found: Fragment): Promise<readonly FoundRow[]> => {
        const query = db.select('found.id', 'found.key', 'found.start_time').from(db.raw(`(${found.sql}) as found`, found.bindings as never)).orderBy([...order('found')]); // knex types bindings more narrowly than drivers take them
        if (limit !== undefined) query.limit(limit);
        if (offset !== undefined && offset > 0) query.offset(offset);
        return await query as readonly FoundRow[]; // the columns named above
      };
      // What many experiments satisfy fills a page from the first of them, one by one; only what few satisfy is worth a look at all values of a name.
      const lead = async (): Promise<readonly FoundRow[] | undefined> => {
        const wanted = (offset ?? 0) + (limit ?? Infinity);
        if (wanted > mostLead / leadTimes) return undefined;
        const ordered = (table: string) => `order by ${table}.${sorting[sortBy]} ${direction}, ${table}.id ${direction} limit ${wanted * leadTimes}`;
        const first = (from: string, where: Fragment, alias: string) => wrap(`select * from (select e.id, e.${sorting[sortBy]} from ${from} where `, both(where, visible), ` ${ordered('e')}) ${alias}`);
        const ids = wrap('select u.id from (', unionAll([first('experiments e', ofHome, 'h'), first(linkedFrom, ofLinks, 'k')]), `) u ${ordered('u')}`);
        const rows = await page(inside(`select ${named} from (`, ids, ') w join experiments e on e.id = w.id where ', compile('linked')));
        return rows.length === limit ? rows : undefined;
      };
      const rows = (await lead()) ?? (await page(unionAll([arm('experiments e', ofHome, compile({ home: projectId })), arm(linkedFrom, ofLinks, compile('linked'))])));
      return rows.map((row) => ({ id: row.id, key: row.key, startTimeMillis: Number(row.start_time) }));
    },
    async columns(projectId) {
      const own = db('project_names').where({ project_id: projectId }).select('kind', 'name', { is_number: 'numeric' }).limit(mostNames);
      const linked = db('experiment_links').join('experiment_values', 'experiment_values.experiment_id', 'experiment_links.experiment_id').where('experiment_links.project_id', projectId)
        .select('experiment_values.kind', 'experiment_values.name', { is_number: db.raw('experiment_values.number is not null') }).distinct().limit(mostNames);
      const rows = [...(await linked), ...(await own)] as readonly { readonly kind: number; readonly name: string; readonly is_number: unknown }[]; // the columns named above
      const found = new Map<string, NameInUse>();
      for (const row of rows) {
        const kind = kindsByNumber.get(Number(row.kind));
        if (kind !== undefined) found.set(`${kind}\0${row.name}`, { kind, name: row.name, numeric: isTrue(row.is_number) });
      }
      return [...found.values()].sort((a, b) => compareTexts(a.kind, b.kind) || compareTexts(a.name, b.name));
    },
  };
};
