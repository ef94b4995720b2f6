import type { FieldFilter } from '#ports/field-query';
import type { ClaimedPromptRun, PromptRun, TriedPrompt } from '#ports/model/prompt-runs';
import { mostPromptRuns, type PromptRunStore } from '#ports/storage/prompt-runs';
import { jsonIn, textIn, type Row } from './authorship.js';
import { inTransaction, refuseTaken, type Connection } from './connection.js';
import { requireRoomFor } from './workspace-lock.js';

const columns = [
  'workspace_id',
  'evaluation_id',
  'project_id',
  'dataset_id',
  'version',
  'filters',
  'prompt',
  'prompt_index',
  'rule_ids',
  'user_name',
  'done_id',
  'tries',
] as const;

const toRun = (row: Row): ClaimedPromptRun => ({
  workspaceId: String(row['workspace_id']),
  evaluationId: String(row['evaluation_id']),
  projectId: String(row['project_id']),
  datasetId: String(row['dataset_id']),
  version: Number(row['version']),
  filters: jsonIn<readonly FieldFilter[]>(row, 'filters') ?? [],
  prompt: jsonIn<TriedPrompt>(row, 'prompt') ?? { model: '', messages: [], configs: {} },
  promptIndex: Number(row['prompt_index']),
  ruleIds: jsonIn<readonly string[]>(row, 'rule_ids') ?? [],
  userName: String(row['user_name']),
  doneId: textIn(row, 'done_id'),
  tries: Number(row['tries']) + 1,
});
const toRow = (run: PromptRun): Row => ({
  workspace_id: run.workspaceId,
  evaluation_id: run.evaluationId,
  project_id: run.projectId,
  dataset_id: run.datasetId,
  version: run.version,
  filters: JSON.stringify(run.filters),
  prompt: JSON.stringify(run.prompt),
  prompt_index: run.promptIndex,
  rule_ids: JSON.stringify(run.ruleIds),
  user_name: run.userName,
  done_id: run.doneId ?? null,
  tries: 0,
  holder: '',
});

const few = {
  table: 'prompt_runs',
  most: mostPromptRuns,
  called: 'prompts that run over datasets at once',
} as const;

export const promptRunStore = (connection: Connection): PromptRunStore => {
  const { db, dialect } = connection;
  type Key = Parameters<PromptRunStore['finish']>[1];
  const held = (holder: string, { workspaceId, evaluationId }: Key) =>
    db('prompt_runs').where({ workspace_id: workspaceId, evaluation_id: evaluationId, holder });
  const inMs = (ms: number) => db.raw(`${dialect.nowMs} + ?`, [Math.round(ms)]);
  return {
    insert: (runs) =>
      inTransaction(connection, async ({ db: inside }) => {
        for (const run of runs) {
          await requireRoomFor({ db: inside }, run.workspaceId, few);
          await refuseTaken(
            dialect,
            'the experiment runs already',
            inside('prompt_runs').insert({ ...toRow(run), due_at: inside.raw(dialect.nowMs) }),
          );
        }
      }),
    claim: (holder, limit, ms) =>
      inTransaction(connection, async ({ db: inside }) => {
        const rows = (await inside('prompt_runs')
          .where('due_at', '<=', inside.raw(dialect.nowMs))
          .orderBy(['due_at', 'evaluation_id'])
          .limit(limit)
          .select(...columns)
          .forUpdate()) as readonly Row[]; // the columns named
        for (const row of rows)
          await inside('prompt_runs')
            .where({ workspace_id: row['workspace_id'], evaluation_id: row['evaluation_id'] })
            .update({
              holder,
              tries: inside.raw('tries + 1'),
              // Until then nobody else finds it due.
              due_at: inside.raw(`${dialect.nowMs} + ?`, [Math.round(ms)]),
            });
        return rows.map(toRun);
      }),
    async advance(holder, key, doneId) {
      await held(holder, key).update({ done_id: doneId, tries: 0, holder: '', due_at: inMs(0) });
    },
    async postpone(holder, key, delayMs) {
      await held(holder, key).update({
        holder: '',
        tries: db.raw('tries - 1'),
        due_at: inMs(delayMs),
      });
    },
    async finish(holder, key) {
      await held(holder, key).delete();
    },
  };
};
