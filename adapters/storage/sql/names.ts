// Things of any kind by part of their name: each kind is a line below, of which its own statement is made.
import {
  mostNamesLookedAt,
  namedKinds,
  type NamedKind,
  type NamedThing,
  type NameQuery,
  type NameReach,
  type NameStore,
} from '#ports/storage/names';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import { containing, holdsInAnyCase, orNothing, type Connection } from './connection.js';
import { both, either, fragment, joined, never, unionAll, wrap } from './fragment.js';
import type { Semaphore } from './semaphore.js';

/** Projects whose runs are looked at, the newest ones; the runs of each, at least. */
const mostProjects = 100;

interface Kind {
  readonly table: string;
  /** What names its project; absent for what is of a workspace alone, and out of reach of a project's key. */
  readonly project?: string;
}

/** Kinds whose rows carry a workspace, a name, and whether they are public. */
const ofWorkspaces: Readonly<Record<Exclude<NamedKind, 'run'>, Kind>> = {
  project: { table: 'projects', project: 't.id' },
  model: { table: 'registry_models' },
  artifact: { table: 'artifacts' },
};

interface Row {
  readonly id: string;
  readonly name: string;
  readonly run_key: string | null;
  readonly workspace_name: string;
  readonly project_id: string | null;
  readonly project_name: string | null;
}

const reached = (
  { workspaceIds, public: alsoPublic, within, projectId }: NameReach,
  alias: string,
  project: string | undefined,
): Fragment => {
  if (projectId !== undefined && project === undefined) return never;
  const own =
    workspaceIds === 'all'
      ? fragment('1 = 1')
      : workspaceIds.length === 0
        ? never
        : fragment(
            `${alias}.workspace_id in (${workspaceIds.map(() => '?').join(', ')})`,
            ...workspaceIds,
          );
  return both(
    fragment(`${alias}.deleted_at is null`),
    alsoPublic && workspaceIds !== 'all' ? either(own, fragment(`${alias}.public = ?`, true)) : own,
    ...(within === undefined ? [] : [fragment(`${alias}.workspace_id = ?`, within)]),
    ...(projectId === undefined ? [] : [fragment(`${project ?? ''} = ?`, projectId)]),
  );
};

/** Names that begin with the text come first. */
const ranked = (dialect: Dialect, text: string, column: string): Fragment =>
  fragment(
    `case when ${dialect.lower(column)} like ? escape '!' then 0 else 1 end`,
    containing(text).slice(1),
  );
const selectKind = (
  dialect: Dialect,
  kind: Exclude<NamedKind, 'run'>,
  { text, reach, limit }: NameQuery,
): Fragment => {
  const { table, project } = ofWorkspaces[kind];
  return joined(
    `select r.id, r.name, null as run_key, w.name as workspace_name, ${project === undefined ? 'null' : 'r.id'} as project_id, ${project === undefined ? 'null' : 'r.name'} as project_name from (select t.id, t.name, t.workspace_id from ${table} t where `,
    reached(reach, 't', project),
    ` order by t.id desc limit ${mostNamesLookedAt}) r join workspaces w on w.id = r.workspace_id where `,
    holdsInAnyCase(dialect, 'r.name', text),
    ' order by ',
    ranked(dialect, text, 'r.name'),
    `, r.id desc limit ${limit + 1}`,
  );
};

const selectRuns = (
  dialect: Dialect,
  { text, reach, limit }: NameQuery,
  projects: readonly string[],
): Fragment => {
  const each = Math.ceil(mostNamesLookedAt / Math.max(1, projects.length));
  const newest = projects.map((id, at) =>
    wrap(
      'select * from (',
      fragment(
        `select e.id, e.name, e.key, e.project_id from experiments e where e.project_id = ? and e.archived = ? and e.deleted_at is null order by e.start_time desc, e.id desc limit ${each}`,
        id,
        false,
      ),
      `) p${at}`,
    ),
  );
  // A range of the index of keys, which are letters and digits: what follows the last of them ends it.
  const byKey = /^[0-9A-Za-z]{4,64}$/.test(text)
    ? [
        fragment(
          `select * from (select e.id, e.name, e.key, e.project_id from experiments e where e.key >= ? and e.key < ? and e.archived = ? and e.deleted_at is null order by e.key limit 1000) k`,
          text,
          `${text}~`,
          false,
        ),
      ]
    : [];
  const found = (from: Fragment, asked: Fragment) =>
    joined(
      'select r.id, r.name, r.key as run_key, w.name as workspace_name, p.id as project_id, p.name as project_name from (',
      from,
      ') r join projects p on p.id = r.project_id join workspaces w on w.id = p.workspace_id where ',
      both(reached(reach, 'p', 'p.id'), asked),
    );
  const parts = [
    ...(newest.length === 0
      ? []
      : [found(unionAll(newest), holdsInAnyCase(dialect, 'r.name', text))]),
    ...byKey.map((part) => found(part, fragment('1 = 1'))),
  ];
  if (parts.length === 0) return fragment('select null as id where 1 = 0');
  return joined(
    'select distinct r.id, r.name, r.run_key, r.workspace_name, r.project_id, r.project_name, ',
    ranked(dialect, text, 'r.name'),
    ' as place from (',
    unionAll(parts),
    `) r order by place, r.id desc limit ${limit + 1}`,
  );
};

const listProjects = async (
  { db, dialect }: Connection,
  reach: NameReach,
): Promise<readonly string[]> => {
  const { sql, bindings } = joined(
    'select t.id from projects t where ',
    reached(reach, 't', 't.id'),
    ` order by t.updated_at desc, t.id desc limit ${mostProjects}`,
  );
  const rows = (await dialect.run(db, sql, bindings)) as readonly { readonly id: string }[]; // the column named above
  return rows.map((row) => row.id);
};

const toThing = (kind: NamedKind, row: Row): NamedThing => ({
  kind,
  id: row.id,
  name: row.name,
  key: orNothing(row.run_key),
  workspaceName: row.workspace_name,
  projectId: orNothing(row.project_id),
  projectName: orNothing(row.project_name),
});

export const nameStore = ({ db, dialect, ...rest }: Connection, turns: Semaphore): NameStore => ({
  find: (query) =>
    turns.take(query.signal, () =>
      dialect.withLargeWorkMem(db, query.signal, async (on) => {
        const inside = { ...rest, dialect, db: on };
        const things: NamedThing[] = [];
        const more: NamedKind[] = [];
        for (const kind of namedKinds) {
          const { sql, bindings } =
            kind === 'run'
              ? selectRuns(dialect, query, await listProjects(inside, query.reach))
              : selectKind(dialect, kind, query);
          const rows = (await dialect.run(on, sql, bindings)) as readonly Row[]; // the columns named above
          if (rows.length > query.limit) more.push(kind);
          things.push(...rows.slice(0, query.limit).map((row) => toThing(kind, row)));
        }
        return { things, more };
      }),
    ),
});
