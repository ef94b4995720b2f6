// What is searched of a series (its newest value) and an experiment's activity, refreshed now and then instead of at every point.
import { isTrue, type Connection } from '../connection.js';
import { withoutHeld, workThrough } from '../queue-faults.js';
import { RememberedNames } from '../remembered-names.js';
import { createSharedRuns } from '../shared-runs.js';
import type { Run } from './runs.js';
import { valueKinds } from '../value-kinds.js';

/** A series' searchable row is refreshed at most this often, in ms, and before any search of its project: who reads it there is none in between. */
const refreshMs = 20_000;
/** An experiment's activity is written at most this often, in ms. */
const activityMs = 5000;
const most = 500_000;
const pageRows = 1000;

/** A search waits for what it refreshes. */
const never = new AbortController().signal;

interface StaleRow {
  readonly experiment_id: string;
  readonly series_id: string;
  readonly at: unknown;
  /** Whether the copy is as the series is now, or there is nothing to copy any more. */
  readonly fresh: unknown;
}

interface Name {
  readonly project: string;
  readonly run: Run;
  readonly numeric: boolean;
}

/** What a flush writes besides its points: rows to refresh, rows to note as stale, and who was active. */
export interface Plan {
  readonly now: number;
  readonly homes: ReadonlyMap<string, string>;
  /** Names that a project may not have yet. */
  readonly names: readonly Name[];
  readonly due: readonly Run[];
  readonly late: readonly Run[];
  readonly active: readonly string[];
}

export interface Searchable {
  /** What is due of these, and taken as done from now on: whoever does not store it must `forget`. */
  plan(
    now: number,
    homes: ReadonlyMap<string, string>,
    runs: readonly Run[],
    experimentIds: readonly string[],
  ): Plan;
  /** The same of series that changed a while ago and are copied when somebody searches, or at their end. */
  planNotes(now: number, homes: ReadonlyMap<string, string>, runs: readonly Run[]): Plan;
  /**
   * Brings every stale row of a project up to date, or of all projects those that nothing came for since `refreshMs`, and answers how many notes are left. A note is taken away only when it
   * is older than `refreshMs`: a process trusts its own note for half of that, so that no point falls between a note and its removal.
   */
  catchUp(connection: Connection, projectId?: string): Promise<number>;
  /** The same for a project before it is searched: many who search at once share a run that begins after they asked. */
  catchUpBefore(connection: Connection, projectId: string): Promise<void>;
  /** Forgets what was done lately, after a transaction that may have undone it. */
  forget(): void;
}

/** Merging of a copy, unless the row was copied from more points; the number of points comes last, since what is assigned reads it. */
const mergeCopy = ({ dialect }: Connection): readonly string[] => {
  const stored = (column: string) => dialect.stored('experiment_values', column);
  return [
    'project_id',
    'number',
    'prefix',
    'text',
    'time',
    'step',
    'min_number',
    'max_number',
    'points',
  ].map(
    (column) =>
      `${column} = case when ${stored('points')} > ${dialect.incoming('points')} then ${stored(column)} else ${dialect.incoming(column)} end`,
  );
};

/** Copies series into their searchable rows. What it reads may be older than what a flush has stored by the time it writes. */
const copySeries = async (
  connection: Connection,
  experimentIds: readonly string[],
  seriesIds: readonly string[],
): Promise<void> => {
  const { db, dialect } = connection;
  await dialect.run(
    db,
    `insert into experiment_values (experiment_id, kind, name_key, project_id, name, number, prefix, text, position, time, step, context, points, min_number, max_number)
     select s.experiment_id, ${valueKinds.metric}, s.series_id, e.project_id, s.name, s.last_value, left(s.last_text, 190), s.last_text, 0, s.last_time, s.last_step, s.context, s.n, s.min_value, s.max_value
     from series s join experiments e on e.id = s.experiment_id
     left join experiment_values v on v.experiment_id = s.experiment_id and v.kind = ${valueKinds.metric} and v.name_key = s.series_id
     where (v.points is null or v.points <> s.n or v.project_id <> e.project_id) and ${dialect.anyOf('s.experiment_id', 'id')} and ${dialect.anyOf('s.series_id', 'id')}
     order by s.experiment_id, s.series_id
     ${dialect.onConflict(['experiment_id', 'kind', 'name_key'], mergeCopy(connection))}`,
    [experimentIds, seriesIds],
  );
};

/** A page of notes: of a project, or of all projects those that are old enough to end. */
const readNotes = async (
  connection: Connection,
  projectId: string | undefined,
  offset: number,
): Promise<readonly StaleRow[]> => {
  const { db, dialect, clock } = connection;
  const { experiment, series } = {
    experiment: 'stale_values.experiment_id',
    series: 'stale_values.series_id',
  };
  const query = db('stale_values')
    .leftJoin('experiments as e', 'e.id', experiment)
    .leftJoin('series as s', (on) => {
      on.on('s.experiment_id', experiment).andOn('s.series_id', series);
    })
    .leftJoin('experiment_values as v', (on) => {
      on.on('v.experiment_id', experiment)
        .andOnVal('v.kind', valueKinds.metric)
        .andOn('v.name_key', series);
    })
    .select(
      experiment,
      series,
      'stale_values.at',
      db.raw(
        'case when s.series_id is null then v.name_key is null else coalesce(v.points = s.n and v.project_id = e.project_id, false) end as fresh',
      ),
    )
    .modify(withoutHeld(connection, 'value-refresh', dialect.idAsText(experiment), clock.now()))
    .orderBy(['stale_values.project_id', experiment, series])
    .limit(pageRows)
    .offset(offset);
  if (projectId === undefined) query.where('stale_values.at', '<', clock.now() - refreshMs);
  else query.where('stale_values.project_id', projectId);
  return (await query) as readonly StaleRow[]; // the columns named above
};

/** Removes copies of series that were removed while they were copied. */
const dropCopies = async (
  { db, dialect }: Connection,
  experiment_id: string,
  seriesIds: readonly string[],
): Promise<void> => {
  await db('experiment_values')
    .where({ experiment_id, kind: valueKinds.metric })
    .modify(dialect.among('name_key', 'id', seriesIds))
    .whereNotExists(
      db('series')
        .select('series.series_id')
        .where('series.experiment_id', experiment_id)
        .whereRaw('series.series_id = experiment_values.name_key'),
    )
    .delete();
};

/** Through the dialect, like all that may go out in one piece: there is no builder in that. */
const noteNames = ({ db, dialect }: Connection, names: readonly Name[]): Promise<void> =>
  dialect.insertColumns(
    db,
    'project_names',
    [
      { name: 'project_id', kind: 'id', values: names.map(({ project }) => project) },
      { name: 'kind', kind: 'whole', values: names.map(() => valueKinds.metric) },
      { name: 'name_key', kind: 'id', values: names.map(({ run }) => run.seriesId) },
      { name: 'name', kind: 'text', values: names.map(({ run }) => run.name) },
      { name: 'numeric', kind: 'flag', values: names.map(({ numeric }) => numeric) },
    ],
    dialect.onConflict(
      ['project_id', 'kind', 'name_key'],
      [`numeric = ${dialect.incoming('numeric')}`, 'unused_at = null'],
    ),
  );

const noteStale = ({ db, dialect }: Connection, { now, homes, late }: Plan): Promise<void> =>
  dialect.insertColumns(
    db,
    'stale_values',
    [
      { name: 'project_id', kind: 'id', values: late.map((run) => homes.get(run.experimentId)) },
      { name: 'experiment_id', kind: 'id', values: late.map((run) => run.experimentId) },
      { name: 'series_id', kind: 'id', values: late.map((run) => run.seriesId) },
      { name: 'at', kind: 'whole', values: late.map(() => now) },
    ],
    dialect.onConflict(
      ['project_id', 'experiment_id', 'series_id'],
      [`at = ${dialect.incoming('at')}`],
    ),
  );

const recordActivity = async (
  { db, dialect }: Connection,
  { now, active }: Plan,
): Promise<void> => {
  const later = (column: string) => `${column} < ? then ? else ${column} end`;
  await dialect.run(
    db,
    `update experiments set last_seen_at = case when ${later('last_seen_at')}, end_time = case when not end_set and ${later('end_time')} where ${dialect.anyOf('id', 'id')}`,
    [now, now, now, now, active],
  );
};

/** Runs as experiments that have the same series due: a copy is of each of these experiments with each of these series. */
export const groupBySeries = (
  runs: readonly Pick<Run, 'experimentId' | 'seriesId'>[],
): readonly {
  readonly experimentIds: readonly string[];
  readonly seriesIds: readonly string[];
}[] => {
  const byExperiment = new Map<string, string[]>();
  for (const { experimentId, seriesId } of runs) {
    const there = byExperiment.get(experimentId);
    if (there === undefined) byExperiment.set(experimentId, [seriesId]);
    else there.push(seriesId);
  }
  const groups = new Map<string, { experimentIds: string[]; seriesIds: readonly string[] }>();
  for (const [experimentId, seriesIds] of byExperiment) {
    const key = seriesIds.sort().join(' ');
    const there = groups.get(key);
    if (there === undefined) groups.set(key, { experimentIds: [experimentId], seriesIds });
    else there.experimentIds.push(experimentId);
  }
  return [...groups.values()];
};

/** Experiments whose copies one statement makes. */
const copiedAtOnce = 50;

/** Copies of many experiments in few statements; answers for which it went well. What stands against one of them is found one by one after it. */
const copyTogether = async (
  connection: Connection,
  rows: readonly StaleRow[],
): Promise<ReadonlySet<string>> => {
  const copied = new Set<string>();
  if (connection.inTransaction) return copied; // which a failure would end
  const runs = rows.map((row) => ({
    experimentId: row.experiment_id,
    seriesId: row.series_id,
  }));
  for (const { experimentIds, seriesIds } of groupBySeries(runs))
    for (let at = 0; at < experimentIds.length; at += copiedAtOnce) {
      const some = experimentIds.slice(at, at + copiedAtOnce);
      await copySeries(connection, some, seriesIds).then(
        () => {
          for (const id of some) copied.add(id);
        },
        () => undefined,
      );
    }
  return copied;
};

/** The works that carry out a plan; each sends its first statement at once. */
export const carryOut = (inside: Connection, plan: Plan): readonly (() => Promise<void>)[] => [
  ...(plan.names.length > 0 ? [() => noteNames(inside, plan.names)] : []),
  ...groupBySeries(plan.due).map(
    ({ experimentIds, seriesIds }) =>
      () =>
        copySeries(inside, experimentIds, seriesIds),
  ),
  ...(plan.late.length > 0 ? [() => noteStale(inside, plan)] : []),
  ...(plan.active.length > 0 ? [() => recordActivity(inside, plan)] : []),
];

/** Puts into series what waits for them of a project, before they are copied. */
type BeforeCopies = (connection: Connection, projectId: string) => Promise<void>;

export const createSearchable = (applyFirst?: BeforeCopies): Searchable => {
  const shared = createSharedRuns();
  const refreshed = new Map<string, number>();
  const noted = new Map<string, number>();
  const active = new Map<string, number>();
  const named = new RememberedNames(most);
  const trim = () => {
    if (refreshed.size > most) refreshed.clear();
    if (noted.size > most) noted.clear();
    if (active.size > most) active.clear();
  };
  /** Names that were not noted lately, each with whether its newest value is a number. */
  const findNames = (homes: ReadonlyMap<string, string>, runs: readonly Run[]): readonly Name[] => {
    const fresh = new Map<string, Name>();
    for (const run of runs) {
      const project = homes.get(run.experimentId) ?? '';
      const { columns, to } = run.slices.at(-1)!;
      const numeric = Number.isFinite(columns.values[to - 1]);
      if (!named.has(`${project}${run.seriesId}${numeric}`))
        fresh.set(`${project}${run.seriesId}`, { project, run, numeric });
    }
    for (const { project, run, numeric } of fresh.values())
      named.add(`${project}${run.seriesId}${numeric}`);
    return [...fresh.values()].sort((a, b) =>
      a.project + a.run.seriesId < b.project + b.run.seriesId ? -1 : 1,
    );
  };
  const take = <T>(
    times: Map<string, number>,
    some: readonly T[],
    keyOf: (one: T) => string,
    every: number,
    now: number,
  ): readonly T[] => {
    const due = some.filter((one) => (times.get(keyOf(one)) ?? -Infinity) + every <= now);
    for (const one of due) times.set(keyOf(one), now);
    return due;
  };

  const searchable: Searchable = {
    plan(now, homes, runs, experimentIds) {
      trim();
      const due = take(refreshed, runs, (run) => run.key, refreshMs, now);
      const taken = new Set(due);
      return {
        now,
        homes,
        names: due.length === 0 ? [] : findNames(homes, due),
        due,
        late: take(
          noted,
          runs.filter((run) => !taken.has(run)),
          (run) => run.key,
          refreshMs / 2,
          now,
        ),
        active: [...take(active, experimentIds, (id) => id, activityMs, now)].sort(),
      };
    },
    planNotes(now, homes, runs) {
      trim();
      const late = take(noted, runs, (run) => run.key, refreshMs / 2, now);
      return { now, homes, names: findNames(homes, late), due: [], late, active: [] };
    },
    async catchUp(connection, projectId) {
      const { db, dialect, clock } = connection;
      if (projectId !== undefined) await applyFirst?.(connection, projectId);
      for (let done = 0; ;) {
        const rows = await readNotes(connection, projectId, done);
        const stale = rows.filter(({ fresh }) => !isTrue(fresh));
        const toCopy = new Set(stale.map((row) => row.experiment_id));
        // What nobody has logged to since it was copied needs nothing but the end of its note.
        const copied = new Set(
          rows.map((row) => row.experiment_id).filter((id) => !toCopy.has(id)),
        );
        const together = await copyTogether(connection, stale);
        await workThrough(connection, {
          queue: 'value-refresh',
          items: [...toCopy],
          idOf: (id) => id,
          signal: never,
          async work(id) {
            const ids = stale.filter((row) => row.experiment_id === id);
            if (!together.has(id))
              await copySeries(
                connection,
                [id],
                ids.map((row) => row.series_id),
              );
            copied.add(id);
          },
        });
        const old = rows.filter(
          (row) => copied.has(row.experiment_id) && Number(row.at) < clock.now() - refreshMs,
        );
        for (const experimentId of new Set(old.map((row) => row.experiment_id))) {
          const ids = old
            .filter((row) => row.experiment_id === experimentId)
            .map((row) => row.series_id);
          await dropCopies(connection, experimentId, ids);
          await db('stale_values')
            .where({ experiment_id: experimentId })
            .where('at', '<', clock.now() - refreshMs)
            .modify(dialect.among('series_id', 'id', ids))
            .delete();
        }
        done += rows.filter((row) => copied.has(row.experiment_id)).length - old.length;
        if (rows.length < pageRows) return done;
      }
    },
    catchUpBefore: (connection, projectId) => {
      const catchUp = async () => {
        await searchable.catchUp(connection, projectId);
      };
      // Inside a transaction it must see what that has written.
      return connection.inTransaction ? catchUp() : shared(projectId, catchUp);
    },
    forget() {
      refreshed.clear();
      noted.clear();
      active.clear();
      named.clear();
    },
  };
  return searchable;
};
