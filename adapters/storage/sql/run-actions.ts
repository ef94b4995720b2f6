import type {
  RunAction,
  RunActionFailure,
  RunActionState,
  RunActionWish,
} from '#ports/model/run-actions';
import type { Carrier, Scope } from '#ports/model/identity';
import { mostRunActionFailures, type RunActionStore } from '#ports/storage/run-actions';
import { inTransaction, type Connection } from './connection.js';
import { isId } from './ids.js';

interface Row {
  readonly id: string;
  readonly workspace_id: string;
  readonly project_id: string;
  readonly user_id: string;
  readonly credential: string;
  readonly wish: string;
  readonly state: RunActionState;
  readonly total: unknown;
  readonly done: unknown;
  readonly failed: unknown;
  readonly failures: string;
  readonly reason: string | null;
  readonly created_at: unknown;
  readonly ended_at: unknown;
}
interface Credential {
  readonly via: Carrier;
  readonly keyId: string;
  readonly readOnly?: boolean;
  readonly workspaceId?: string;
  readonly projectId?: string;
}

const scopeOf = ({ readOnly, workspaceId, projectId }: Credential): Scope | undefined =>
  readOnly === undefined ? undefined : { readOnly, workspaceId, projectId };

const readFailures = (text: string) => JSON.parse(text) as readonly RunActionFailure[]; // as this store wrote it

const toAction = (row: Row): RunAction => {
  const credential = JSON.parse(row.credential) as Credential; // as this store wrote it
  const { action, tags, target } = JSON.parse(row.wish) as RunActionWish; // as this store wrote it
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    projectId: row.project_id,
    userId: row.user_id,
    via: credential.via,
    keyId: credential.keyId,
    scope: scopeOf(credential),
    wish: { action, tags, target },
    state: row.state,
    total: Number(row.total),
    done: Number(row.done),
    failed: Number(row.failed),
    failures: readFailures(row.failures),
    reason: row.reason ?? undefined,
    createdAt: Number(row.created_at),
    endedAt: row.ended_at === null ? undefined : Number(row.ended_at),
  };
};

const columns = [
  'a.id',
  'p.workspace_id',
  'a.project_id',
  'a.user_id',
  'a.credential',
  'a.wish',
  'a.state',
  'a.total',
  'a.done',
  'a.failed',
  'a.failures',
  'a.reason',
  'a.created_at',
  'a.ended_at',
] as const;

export const runActionStore = (connection: Connection): RunActionStore => {
  const { db } = connection;
  const from = () =>
    db('run_actions as a').join('projects as p', 'p.id', 'a.project_id').whereNull('p.deleted_at');
  return {
    async insert({ scope, via, keyId, runs, ...action }) {
      await db('run_actions').insert({
        id: action.id,
        project_id: action.projectId,
        user_id: action.userId,
        credential: JSON.stringify({ via, keyId, ...scope }),
        wish: JSON.stringify(action.wish),
        runs: runs.join(' '),
        state: runs.length === 0 ? 'done' : 'running',
        total: runs.length,
        done: 0,
        failed: 0,
        failures: '[]',
        created_at: action.createdAt,
        worked_at: action.createdAt,
        ended_at: runs.length === 0 ? action.createdAt : null,
      });
    },
    async find(id) {
      const row = isId(id)
        ? await from()
            .where('a.id', id)
            .select(...columns)
            .first<Row | undefined>()
        : undefined;
      return row === undefined ? undefined : toAction(row);
    },
    async listRunning(limit) {
      const rows = (await from()
        .where('a.state', 'running')
        .orderBy(['a.worked_at', 'a.id'])
        .limit(limit)
        .select(...columns)) as readonly Row[]; // the columns named
      return rows.map(toAction);
    },
    async countRunning(projectId) {
      const [row] = await db('run_actions')
        .where({ state: 'running', project_id: projectId })
        .count({ n: '*' });
      return Number(row?.['n'] ?? 0);
    },
    async listRuns(id) {
      const row = isId(id)
        ? await db('run_actions')
            .where({ id })
            .select('runs')
            .first<{ readonly runs: string } | undefined>()
        : undefined;
      return row === undefined || row.runs === '' ? [] : row.runs.split(' ');
    },
    advance: (id, { from: before, to, failures, at }) =>
      inTransaction(connection, async ({ db: inside }) => {
        const row = await inside('run_actions')
          .where({ id, state: 'running', done: before })
          .forUpdate()
          .select('total', 'failed', 'failures')
          .first<Pick<Row, 'total' | 'failed' | 'failures'> | undefined>();
        if (row === undefined) return false;
        const kept = [...readFailures(row.failures), ...failures].slice(0, mostRunActionFailures);
        await inside('run_actions')
          .where({ id })
          .update({
            done: to,
            failed: Number(row.failed) + failures.length,
            failures: JSON.stringify(kept),
            worked_at: at,
            ...(to >= Number(row.total) ? { state: 'done', ended_at: at } : {}),
          });
        return true;
      }),
    async end(id, { state, reason, at }) {
      if (!isId(id)) return false;
      return (
        (await db('run_actions')
          .where({ id, state: 'running' })
          .update({ state, reason: reason ?? null, ended_at: at })) > 0
      );
    },
    async removeEnded(before, limit) {
      const ids = (await db('run_actions as a')
        .leftJoin('projects as p', 'p.id', 'a.project_id')
        .where('a.ended_at', '<', before)
        .orWhereNull('p.id')
        .orWhereNotNull('p.deleted_at')
        .limit(limit)
        .pluck('a.id')) as readonly string[]; // the one column
      return ids.length === 0 ? 0 : db('run_actions').whereIn('id', ids).delete();
    },
  };
};
