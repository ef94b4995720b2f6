// What runs of a project have values under: each name with its kind of values and its range, from a few entries of an index.
import type { ColumnQuery, RunColumnFacts, RunColumns } from '#ports/storage/run-table';
import { loggedKinds, mostCountedRuns, type LoggedKind } from '#ports/storage/run-table';
import { whereHolds, isTrue, type Connection } from '../connection.js';
import { fragment, joined, unionAll } from '../fragment.js';
import type { Fragment } from '#ports/sql-dialect';
import { valueKinds } from '../value-kinds.js';

/** Names that one statement looks at. */
const namesAtOnce = 50;

interface Named {
  readonly kind: number;
  readonly name_key: string;
  readonly name: string;
}

const kindsByNumber = new Map<number, LoggedKind>(
  loggedKinds.map((kind) => [valueKinds[kind], kind]),
);
const compareTexts = (one: string, other: string) => (one < other ? -1 : Number(one > other));

/** The names of one kind, in their order; one more than the limit where others follow. */
const listNamesOf = async (
  { db, dialect }: Connection,
  kind: number,
  { projectId, part, limit }: ColumnQuery,
  linked: boolean,
): Promise<readonly Named[]> => {
  const own = db('project_names')
    .where({ project_id: projectId, kind })
    .select('kind', 'name_key', 'name')
    .orderBy(['name', 'name_key'])
    .limit(limit + 1);
  const others = db('experiment_links')
    .join('experiment_values', 'experiment_values.experiment_id', 'experiment_links.experiment_id')
    .where('experiment_links.project_id', projectId)
    .where('experiment_values.kind', kind)
    .distinct('experiment_values.kind', 'experiment_values.name_key', 'experiment_values.name')
    .orderBy(['experiment_values.name', 'experiment_values.name_key'])
    .limit(limit + 1);
  if (part !== undefined && part !== '') {
    own.modify(whereHolds(dialect, part, 'name'));
    others.modify(whereHolds(dialect, part, 'experiment_values.name'));
  }
  const rows = [...(await own), ...(linked ? await others : [])] as readonly Named[]; // the columns named above
  return [...new Map(rows.map((row) => [row.name_key, row])).values()].sort((a, b) =>
    compareTexts(a.name, b.name),
  );
};

/** As many of each list as there is room for when it is shared out alike: short lists whole, and what they leave goes to the long ones. */
const shareOut = <T>(lists: readonly (readonly T[])[], room: number): readonly (readonly T[])[] => {
  let left = room;
  const shares = new Map<number, number>();
  const shortest = lists.map((list, at) => [list.length, at] as const).sort(([a], [b]) => a - b);
  shortest.forEach(([length, at], before) => {
    const share = Math.min(length, Math.ceil(left / (shortest.length - before)));
    shares.set(at, share);
    left -= share;
  });
  return lists.map((list, at) => list.slice(0, shares.get(at)));
};

/** Names of every kind, in the order of kinds and names, and whether others follow. */
const listNames = async (
  connection: Connection,
  query: ColumnQuery,
  linked: boolean,
): Promise<{ readonly names: readonly Named[]; readonly more: boolean }> => {
  const lists: (readonly Named[])[] = [];
  for (const kind of [...kindsByNumber.keys()].sort((a, b) => a - b))
    lists.push(await listNamesOf(connection, kind, query, linked));
  const names = shareOut(lists, query.limit).flat();
  return { names, more: names.length < lists.reduce((sum, { length }) => sum + length, 0) };
};

/** Where values are looked for: in runs that are at home in the project, or in those that are shown in it too. */
interface Where {
  readonly projectId: string;
  readonly linked: boolean;
  /** Whether the project has deleted runs, whose values may still be there. */
  readonly deleted: boolean;
}

/** The rows of a name, of runs that are not deleted. */
const valuesOf = ({ projectId, linked, deleted }: Where, { kind, name_key }: Named): Fragment =>
  linked
    ? fragment(
        'experiment_links l join experiments e on e.id = l.experiment_id and e.deleted_at is null and e.project_id <> ? join projects p on p.id = e.project_id and p.deleted_at is null join experiment_values v on v.experiment_id = l.experiment_id and v.kind = ? and v.name_key = ? where l.project_id = ?',
        projectId,
        kind,
        name_key,
        projectId,
      )
    : fragment(
        // The run as a value of its own, looked up for the few rows that are met: joined, it would be every run of the project, or of all projects.
        `experiment_values v where v.project_id = ? and v.kind = ? and v.name_key = ?${deleted ? ' and (select e.id from experiments e where e.id = v.experiment_id and e.deleted_at is null limit 1) is not null' : ''}`,
        projectId,
        kind,
        name_key,
      );

const lookAtName = (where: Where, named: Named, at: number): Fragment => {
  const values = valuesOf(where, named);
  return joined(
    `select ${at} as place, (select count(*) from (select v.experiment_id from `,
    values,
    ` limit ${mostCountedRuns}) c) as runs, (select v.number from `,
    values,
    ' and v.number is not null order by v.number limit 1) as low, (select v.number from ',
    values,
    ' and v.number is not null order by v.number desc limit 1) as high, exists (select 1 from ',
    values,
    ' and v.number is null) as texts',
  );
};

interface LookedAt {
  readonly place: unknown;
  readonly runs: unknown;
  readonly low: number | null;
  readonly high: number | null;
  readonly texts: unknown;
}

const least = (one: number | null, other: number | null, sign: 1 | -1): number | null => {
  if (one === null || other === null) return one ?? other;
  return sign * one < sign * other ? one : other;
};

const merge = (held: LookedAt | undefined, next: LookedAt): LookedAt =>
  held === undefined
    ? next
    : {
        place: held.place,
        runs: Number(held.runs) + Number(next.runs),
        low: least(held.low, next.low, 1),
        high: least(held.high, next.high, -1),
        texts: isTrue(held.texts) || isTrue(next.texts),
      };

const toFacts = (named: Named, looked: LookedAt | undefined): readonly RunColumnFacts[] => {
  const kind = kindsByNumber.get(Number(named.kind));
  // A name may outlive the last run that had it.
  if (kind === undefined || looked === undefined || Number(looked.runs) === 0) return [];
  const texts = isTrue(looked.texts);
  return [
    {
      kind,
      name: named.name,
      type: looked.low === null ? 'text' : texts ? 'mixed' : 'number',
      runs: Math.min(mostCountedRuns, Number(looked.runs)),
      min: looked.low ?? undefined,
      max: looked.high ?? undefined,
    },
  ];
};

export const findColumns = async (
  connection: Connection,
  query: ColumnQuery,
): Promise<RunColumns> => {
  const { db, dialect } = connection;
  const { projectId, signal } = query;
  const linked =
    (await db('experiment_links')
      .select('experiment_id')
      .where({ project_id: projectId })
      .first()) !== undefined;
  const deleted =
    (await db('experiments')
      .select('id')
      .where({ project_id: projectId })
      .whereNotNull('deleted_at')
      .first()) !== undefined;
  const { names, more } = await listNames(connection, query, linked);
  const found = new Map<number, LookedAt>();
  await dialect.withLargeWorkMem(db, signal, async (on) => {
    for (let first = 0; first < names.length; first += namesAtOnce) {
      const asked = names
        .slice(first, first + namesAtOnce)
        .flatMap((named, at) =>
          (linked ? [false, true] : [false]).map((links) =>
            lookAtName({ projectId, linked: links, deleted }, named, first + at),
          ),
        );
      const { sql, bindings } = unionAll(asked);
      for (const row of (await dialect.run(on, sql, bindings)) as readonly LookedAt[])
        found.set(Number(row.place), merge(found.get(Number(row.place)), row)); // the columns named above
    }
  });
  return {
    columns: names.flatMap((named, at) => toFacts(named, found.get(at))),
    more,
  };
};
