import type { Knex } from 'knex';
import { Failure } from '#ports/failure';
import type {
  InsightsFailureReason,
  InsightsJob,
  InsightsJobStatus,
  InsightsRun,
  InsightsRunKind,
} from '#ports/model/agent-insights';
import type { DueJob, InsightsJobStore } from '#ports/storage/agent-insights';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  touchRow,
  wholeIn,
  type Row,
} from './authorship.js';
import { inTransaction, isTrue, refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';

const columns = [
  'project_id',
  'id',
  'status',
  'enrolled',
  'first_run_at',
  'first_done_at',
  'scanned_at',
  'failure_reason',
  'failure_detail',
  'failed_at',
  'guidance',
  'guidance_by',
  'guidance_at',
  'guidance_version',
  'results_version',
  ...authorshipColumns,
];

const toJob = (row: Row): InsightsJob => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  status: String(row['status']) as InsightsJobStatus, // as it was written
  enrolled: isTrue(row['enrolled']),
  firstRunAt: wholeIn(row, 'first_run_at'),
  scannedAt: wholeIn(row, 'scanned_at'),
  failure:
    row['failed_at'] === null
      ? undefined
      : {
          reason: String(row['failure_reason']) as InsightsFailureReason, // as it was written
          detail: String(row['failure_detail']),
          at: Number(row['failed_at']),
        },
  guidance: textIn(row, 'guidance'),
  guidanceBy: textIn(row, 'guidance_by'),
  guidanceAt: wholeIn(row, 'guidance_at'),
  guidanceVersion: Number(row['guidance_version']),
  resultsVersion: wholeIn(row, 'results_version'),
  ...toAuthorship(row),
});
/** Before the first of all days. */
const never = -1_000_000;
const toRow = (job: InsightsJob): Row => ({
  project_id: job.projectId,
  id: job.id,
  status: job.status,
  enrolled: job.enrolled,
  first_run_at: job.firstRunAt ?? null,
  scanned_at: job.scannedAt ?? null,
  scheduled_day: never,
  failure_reason: job.failure?.reason ?? null,
  failure_detail: job.failure?.detail ?? null,
  failed_at: job.failure?.at ?? null,
  guidance: job.guidance ?? null,
  guidance_by: job.guidanceBy ?? null,
  guidance_at: job.guidanceAt ?? null,
  guidance_version: job.guidanceVersion,
  results_version: job.resultsVersion ?? null,
  ...authorshipRow(job),
});

const runColumns = [
  'project_id',
  'kind',
  'id',
  'from_time',
  'to_time',
  'guidance',
  'guidance_version',
  'tries',
  'due_at',
];
const toRun = (row: Row): InsightsRun => ({
  projectId: String(row['project_id']),
  kind: String(row['kind']) as InsightsRunKind, // as it was written
  id: String(row['id']),
  from: Number(row['from_time']),
  to: Number(row['to_time']),
  guidance: textIn(row, 'guidance'),
  guidanceVersion: Number(row['guidance_version']),
  tries: Number(row['tries']),
  dueAt: Number(row['due_at']),
});
const toRunRow = (run: InsightsRun): Row => ({
  project_id: run.projectId,
  kind: run.kind,
  id: run.id,
  from_time: run.from,
  to_time: run.to,
  guidance: run.guidance ?? null,
  guidance_version: run.guidanceVersion,
  tries: run.tries,
  due_at: run.dueAt,
});

const lockJob = async (db: Knex, projectId: string): Promise<InsightsJob | undefined> => {
  const row = (await db('insights_jobs')
    .select(...columns)
    .where({ project_id: projectId })
    .forUpdate()
    .first()) as Row | undefined; // the columns named
  return row && toJob(row);
};

interface Enrolled {
  readonly projectId: string;
  readonly enrolled: boolean;
  readonly began: boolean;
  readonly done: boolean;
}
const lockEnrolled = async (
  { db, dialect }: Connection,
  projectIds: readonly string[],
): Promise<readonly Enrolled[]> => {
  const rows = (await db('insights_jobs')
    .select('project_id', 'enrolled', 'first_run_at', 'first_done_at')
    .modify(dialect.among('project_id', 'id', projectIds))
    .orderBy('project_id')
    .forUpdate()) as readonly Row[]; // the columns named
  return rows.map((row) => ({
    projectId: String(row['project_id']),
    enrolled: isTrue(row['enrolled']),
    began: row['first_run_at'] !== null,
    done: row['first_done_at'] !== null,
  }));
};
const idsOf = (all: readonly Enrolled[]): readonly string[] =>
  all.map(({ projectId }) => projectId);

/** Jobs of projects that are not deleted. */
const standing = (db: Knex): Knex.QueryBuilder =>
  db('insights_jobs as j').join('projects as p', 'p.id', 'j.project_id').whereNull('p.deleted_at');
const toDue = (row: Row): DueJob => ({
  projectId: String(row['project_id']),
  guidance: textIn(row, 'guidance'),
  guidanceVersion: Number(row['guidance_version']),
});
const dueColumns = ['j.project_id', 'j.guidance', 'j.guidance_version'];

const queue = async (db: Knex, run: InsightsRun): Promise<void> => {
  await db('insights_runs').insert(toRunRow(run)).onConflict(['project_id', 'kind']).merge();
};

export const insightsJobStore = (connection: Connection): InsightsJobStore => {
  const { db, dialect } = connection;
  const find = async (projectId: string): Promise<InsightsJob | undefined> => {
    if (!isId(projectId)) return undefined;
    const row = (await db('insights_jobs')
      .select(...columns)
      .where({ project_id: projectId })
      .first()) as Row | undefined; // the columns named
    return row && toJob(row);
  };
  const change = (
    { project_id, ...where }: Row,
    changes: Row,
    run?: InsightsRun,
    narrow: (query: Knex.QueryBuilder) => void = () => undefined,
  ): Promise<boolean> =>
    inTransaction(connection, async ({ db: inside }) => {
      const changed = await inside('insights_jobs')
        .where({ project_id, ...where })
        .modify(narrow)
        .update(changes);
      if (changed === 0) return false;
      if (run !== undefined) await queue(inside, run);
      return true;
    });
  return {
    insert: (job) =>
      refuseTaken(
        dialect,
        'the project has a job of agent insights already',
        db('insights_jobs').insert(toRow(job)),
      ),
    find,
    async setStatus(projectId, status, touch) {
      if (!isId(projectId)) return undefined;
      await db('insights_jobs')
        .where({ project_id: projectId })
        .update({ status, ...touchRow(touch) });
      return find(projectId);
    },
    setGuidance: (made, guidance) =>
      inTransaction(connection, async ({ db: inside }) => {
        const { projectId, lastUpdatedAt, lastUpdatedBy } = made;
        await inside('insights_jobs').insert(toRow(made)).onConflict('project_id').ignore();
        const stored = await lockJob(inside, projectId);
        if (stored === undefined) throw new Failure('absent', `project ${projectId} not found`);
        const changed: InsightsJob = {
          ...stored,
          guidance,
          guidanceBy: lastUpdatedBy,
          guidanceAt: lastUpdatedAt,
          guidanceVersion: stored.guidanceVersion + (stored.guidance === guidance ? 0 : 1),
          ...{ lastUpdatedAt, lastUpdatedBy },
        };
        await inside('insights_jobs')
          .where({ project_id: projectId })
          .update({
            guidance: guidance ?? null,
            guidance_by: lastUpdatedBy,
            guidance_at: lastUpdatedAt,
            guidance_version: changed.guidanceVersion,
            ...touchRow(made),
          });
        return changed;
      }),
    enrol: (jobs) =>
      inTransaction(connection, async (inside) => {
        const sorted = [...jobs].sort((one, other) => (one.projectId < other.projectId ? -1 : 1));
        if (sorted.length > 0)
          await inside
            .db('insights_jobs')
            .insert(sorted.map(toRow))
            .onConflict('project_id')
            .ignore();
        const stored = await lockEnrolled(
          inside,
          sorted.map(({ projectId }) => projectId),
        );
        const changed = stored.filter(({ began }) => !began);
        const fresh = new Map(sorted.map((job) => [job.projectId, job]));
        for (const { projectId, enrolled } of changed) {
          const job = fresh.get(projectId);
          if (!enrolled && job !== undefined)
            await inside
              .db('insights_jobs')
              .where({ project_id: projectId })
              .update({ enrolled: true, ...touchRow(job) });
        }
        return {
          changed: idsOf(changed),
          alreadyRun: idsOf(stored.filter(({ began }) => began)),
          reset: [],
        };
      }),
    endEnrolment: (projectIds, touch) =>
      inTransaction(connection, async (inside) => {
        const stored = await lockEnrolled(inside, projectIds.filter(isId));
        const changed = idsOf(stored.filter(({ enrolled }) => enrolled));
        const reset = idsOf(stored.filter(({ began, done }) => began && !done));
        await inside
          .db('insights_jobs')
          .modify(dialect.among('project_id', 'id', changed))
          .update({ enrolled: false, ...touchRow(touch) });
        await inside
          .db('insights_jobs')
          .modify(dialect.among('project_id', 'id', reset))
          .update({ first_run_at: null });
        await inside
          .db('insights_runs')
          .where({ kind: 'first' })
          .modify(dialect.among('project_id', 'id', reset))
          .delete();
        return { changed, alreadyRun: [], reset };
      }),

    async listDue(day, limit) {
      const rows = (await standing(db)
        .select(...dueColumns)
        .where('j.status', 'enabled')
        .where('j.scheduled_day', '<', day)
        .orderBy('j.project_id')
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toDue);
    },
    async listEnrolled(limit) {
      const rows = (await standing(db)
        .select(...dueColumns)
        .where('j.enrolled', true)
        .whereNull('j.first_run_at')
        .orderBy('j.project_id')
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toDue);
    },
    addScheduled: (day, run) =>
      change(
        { project_id: run.projectId, status: 'enabled' },
        { scheduled_day: day },
        run,
        (query) => void query.where('scheduled_day', '<', day),
      ),
    addFirst: (run, at) =>
      change(
        { project_id: run.projectId, enrolled: true },
        { first_run_at: at },
        run,
        (query) => void query.whereNull('first_run_at'),
      ),
    async addRun(run) {
      await db('insights_runs').insert(toRunRow(run)).onConflict(['project_id', 'kind']).ignore();
      const stored = (await db('insights_runs')
        .select('id')
        .where({ project_id: run.projectId, kind: run.kind })
        .first()) as Row | undefined; // the column named
      return stored !== undefined && String(stored['id']) === run.id;
    },
    async listRuns(now, limit) {
      const rows = (await db('insights_runs as r')
        .join('projects as p', 'p.id', 'r.project_id')
        .whereNull('p.deleted_at')
        .where('r.due_at', '<=', now)
        .select(...runColumns.map((column) => `r.${column}`))
        .orderBy([{ column: 'r.due_at' }, { column: 'r.project_id' }, { column: 'r.kind' }])
        .limit(limit)) as readonly Row[]; // the columns named
      return rows.map(toRun);
    },
    async claim({ projectId, kind, id, dueAt, tries }, until) {
      const changed = await db('insights_runs')
        .where({ project_id: projectId, kind, id, due_at: dueAt, tries })
        .update({ due_at: until, tries: tries + 1 });
      return changed > 0;
    },
    async removeRun(projectId, kind, id) {
      await db('insights_runs').where({ project_id: projectId, kind, id }).delete();
    },

    async noteReport(projectId, at, version) {
      await db('insights_jobs')
        .where({ project_id: projectId })
        .update({ scanned_at: at, results_version: version ?? null });
    },
    async noteFirstDone(projectId, at) {
      await db('insights_jobs')
        .where({ project_id: projectId })
        .whereNotNull('first_run_at')
        .update({ first_done_at: at });
    },
    async noteFailure(projectId, { reason, detail, at }, disable) {
      await db('insights_jobs')
        .where({ project_id: projectId })
        .update({
          ...{ failure_reason: reason, failure_detail: detail, failed_at: at },
          ...(disable ? { status: 'disabled' } : {}),
        });
    },
  };
};
