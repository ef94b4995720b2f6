// What is searched of a series (its newest value) and an experiment's activity, refreshed now and then instead of at every point.
import type { Connection } from '../connection.js';
import type { PreparedBatch } from './prepared.js';
import type { Run } from './runs.js';
import { valueKinds } from '../value-kinds.js';

/** A series' searchable row is refreshed at most this often, in ms. */
const refreshMs = 2000;
/** An experiment's activity is written at most this often, in ms. */
const activityMs = 5000;
const most = 500_000;
const pageRows = 1000;
const namesAtOnce = 1000;

interface StaleRow { readonly experiment_id: string; readonly series_id: string; readonly at: unknown }

export interface Searchable {
  /** Refreshes the rows that are due, and notes the others as stale. */
  refresh(inside: Connection, homes: ReadonlyMap<string, string>, runs: readonly Run[]): Promise<void>;
  recordActivity(inside: Connection, batches: readonly PreparedBatch[]): Promise<void>;
  /**
   * Brings every stale row up to date, of one project or of all, and answers how many notes are left. A note is taken away only when it
   * is older than `refreshMs`: a process trusts its own note for half of that, so that no point falls between a note and its removal.
   */
  catchUp(connection: Connection, projectId?: string): Promise<number>;
  /** Forgets what was done lately, after a transaction that may have undone it. */
  forget(): void;
}

/** Copies series into their searchable rows. */
const copySeries = async ({ db, dialect }: Connection, experimentIds: readonly string[], seriesIds: readonly string[]): Promise<void> => {
  const merge = ['project_id', 'number', 'prefix', 'text', 'time', 'step', 'min_number', 'max_number'].map((column) => `${column} = ${dialect.incoming(column)}`);
  await db.raw(
    `insert into experiment_values (experiment_id, kind, name_key, project_id, name, number, prefix, text, position, time, step, context, min_number, max_number)
     select s.experiment_id, ${valueKinds.metric}, s.series_id, e.project_id, s.name, s.last_value, left(s.last_text, 190), s.last_text, 0, s.last_time, s.last_step, s.context, s.min_value, s.max_value
     from series s join experiments e on e.id = s.experiment_id
     where ${dialect.anyOf('s.experiment_id', 'id')} and ${dialect.anyOf('s.series_id', 'id')}
     order by s.experiment_id, s.series_id
     ${dialect.onConflict(['experiment_id', 'kind', 'name_key'], merge)}`,
    [experimentIds, seriesIds] as never, // the dialect takes a list as one binding
  );
};

export const createSearchable = (): Searchable => {
  const refreshed = new Map<string, number>();
  const noted = new Map<string, number>();
  const active = new Map<string, number>();
  const named = new Set<string>();
  const trim = () => {
    if (refreshed.size > most) refreshed.clear();
    if (noted.size > most) noted.clear();
    if (active.size > most) active.clear();
    if (named.size > most) named.clear();
  };

  const noteNames = async ({ db }: Connection, homes: ReadonlyMap<string, string>, runs: readonly Run[]): Promise<void> => {
    const fresh = new Map<string, { readonly project: string; readonly run: Run; readonly numeric: boolean }>();
    for (const run of runs) {
      const project = homes.get(run.experimentId) ?? '';
      const { columns, to } = run.slices.at(-1)!;
      const numeric = Number.isFinite(columns.values[to - 1]);
      const both = `${project}${run.seriesId}${numeric}`;
      if (!named.has(both)) fresh.set(`${project}${run.seriesId}`, { project, run, numeric });
    }
    if (fresh.size === 0) return;
    const rows = [...fresh.values()].sort((a, b) => (a.project + a.run.seriesId < b.project + b.run.seriesId ? -1 : 1));
    for (let at = 0; at < rows.length; at += namesAtOnce)
      await db('project_names').insert(rows.slice(at, at + namesAtOnce).map(({ project, run, numeric }) => ({ project_id: project, kind: valueKinds.metric, name_key: run.seriesId, name: run.name, numeric })))
        .onConflict(['project_id', 'kind', 'name_key']).merge(['numeric']); // through the builder, which quotes `numeric`: a reserved word in one engine
    for (const { project, run, numeric } of rows) named.add(`${project}${run.seriesId}${numeric}`);
  };

  return {
    async refresh(inside, homes, runs) {
      trim();
      const now = inside.clock.now();
      const due = runs.filter((run) => (refreshed.get(run.key) ?? -Infinity) + refreshMs <= now);
      const taken = new Set(due);
      const late = runs.filter((run) => !taken.has(run) && (noted.get(run.key) ?? -Infinity) + refreshMs / 2 <= now);
      if (due.length > 0) {
        await noteNames(inside, homes, due);
        await copySeries(inside, [...new Set(due.map((run) => run.experimentId))], [...new Set(due.map((run) => run.seriesId))]);
        for (const run of due) refreshed.set(run.key, now);
      }
      if (late.length > 0) {
        await inside.dialect.insertColumns(inside.db, 'stale_values', [
          { name: 'project_id', kind: 'id', values: late.map((run) => homes.get(run.experimentId)) },
          { name: 'experiment_id', kind: 'id', values: late.map((run) => run.experimentId) },
          { name: 'series_id', kind: 'id', values: late.map((run) => run.seriesId) },
          { name: 'at', kind: 'whole', values: late.map(() => now) },
        ], inside.dialect.onConflict(['project_id', 'experiment_id', 'series_id'], [`at = ${inside.dialect.incoming('at')}`]));
        for (const run of late) noted.set(run.key, now);
      }
    },
    async recordActivity(inside, batches) {
      const now = inside.clock.now();
      const due = [...new Set(batches.map((batch) => batch.experimentId))].filter((id) => (active.get(id) ?? -Infinity) + activityMs <= now).sort();
      if (due.length === 0) return;
      await inside.db('experiments').modify(inside.dialect.among('id', 'id', due)).update({ // the dialect takes a list as one binding
        last_seen_at: inside.db.raw('case when last_seen_at < ? then ? else last_seen_at end', [now, now]),
        end_time: inside.db.raw('case when not end_set and end_time < ? then ? else end_time end', [now, now]),
      });
      for (const id of due) active.set(id, now);
    },
    async catchUp(connection, projectId) {
      const { db, dialect, clock } = connection;
      for (let done = 0; ;) {
        const query = db('stale_values').select('experiment_id', 'series_id', 'at').orderBy(['project_id', 'experiment_id', 'series_id']).limit(pageRows).offset(done);
        if (projectId !== undefined) query.where({ project_id: projectId });
        const rows = await query as readonly StaleRow[]; // the columns named above
        for (const experimentId of new Set(rows.map((row) => row.experiment_id))) await copySeries(connection, [experimentId], rows.filter((row) => row.experiment_id === experimentId).map((row) => row.series_id));
        const old = rows.filter((row) => Number(row.at) < clock.now() - refreshMs);
        for (const experimentId of new Set(old.map((row) => row.experiment_id)))
          await db('stale_values').where({ experiment_id: experimentId }).where('at', '<', clock.now() - refreshMs).modify(dialect.among('series_id', 'id', old.filter((row) => row.experiment_id === experimentId).map((row) => row.series_id))).delete(); // as above
        done += rows.length - old.length;
        if (rows.length < pageRows) return done;
      }
    },
    forget() {
      refreshed.clear();
      noted.clear();
      active.clear();
      named.clear();
    },
  };
};
