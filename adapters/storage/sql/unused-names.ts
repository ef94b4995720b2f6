// Names under which no experiment of a project has a value any more: marked first, and removed when they were marked long enough for every process to have
// noted them anew that has a use for them.
import type { Knex } from 'knex';
import type { SearchStore } from '#ports/storage/search';
import { isTrue, type Connection } from './connection.js';

interface NameRow {
  readonly project_id: string;
  readonly kind: number;
  readonly name_key: string;
  readonly unused_at: unknown;
  readonly used: unknown;
}
type Looked = NameRow & { readonly isUsed: boolean };

const placeOf = ({ project_id, kind, name_key }: NameRow): string =>
  `${project_id} ${kind} ${name_key}`;

const inUse = (table: string): string =>
  `exists (select 1 from experiment_values v where v.project_id = ${table}.project_id and v.kind = ${table}.kind and v.name_key = ${table}.name_key)`;

const readNames = async (
  { db }: Connection,
  after: string | undefined,
  limit: number,
): Promise<readonly Looked[]> => {
  const query = db('project_names as p')
    .select('p.project_id', 'p.kind', 'p.name_key', 'p.unused_at', {
      used: db.raw(`case when ${inUse('p')} then 1 else 0 end`),
    })
    .orderBy(['p.project_id', 'p.kind', 'p.name_key'])
    .limit(limit);
  if (after !== undefined) {
    const [project = '', kind = '', key = ''] = after.split(' ');
    void query.whereRaw(
      '(p.project_id > ? or (p.project_id = ? and (p.kind > ? or (p.kind = ? and p.name_key > ?))))',
      [project, project, Number(kind), Number(kind), key],
    );
  }
  const rows = (await query) as readonly NameRow[]; // the columns named
  return rows.map((row) => ({ ...row, isUsed: isTrue(Number(row.used)) }));
};

/** The rows of some names, as one query for each project and kind. */
const queriesFor = (
  { db, dialect }: Connection,
  names: readonly NameRow[],
): readonly Knex.QueryBuilder[] => {
  const groups = new Map<string, NameRow[]>();
  for (const name of names) {
    const key = `${name.project_id} ${name.kind}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()].flatMap((some) => {
    const [first] = some;
    if (first === undefined) return [];
    return db('project_names')
      .where({ project_id: first.project_id, kind: first.kind })
      .modify(
        dialect.among(
          'name_key',
          'id',
          some.map((name) => name.name_key),
        ),
      );
  });
};

export const forgetNames = async (
  connection: Connection,
  ...[after, { now, before }, limit]: Parameters<SearchStore['forgetNames']>
): Promise<string | undefined> => {
  const names = await readNames(connection, after, limit);
  const isMarked = ({ unused_at }: NameRow): boolean => unused_at !== null;
  for (const query of queriesFor(
    connection,
    names.filter((name) => name.isUsed && isMarked(name)),
  ))
    await query.update({ unused_at: null });
  for (const query of queriesFor(
    connection,
    names.filter((name) => !name.isUsed && !isMarked(name)),
  ))
    await query.whereNull('unused_at').update({ unused_at: now });
  for (const query of queriesFor(
    connection,
    names.filter((name) => !name.isUsed && isMarked(name)),
  ))
    await query
      .where('unused_at', '<=', before)
      .whereRaw(`not ${inUse('project_names')}`)
      .delete();
  const last = names.at(-1);
  return last === undefined || names.length < limit ? undefined : placeOf(last);
};
