import type { GuardrailResult } from '#ports/model/feedback-definitions';
import type { ColumnValues } from '#ports/sql-dialect';
import type { ExecutionMode, Guard, GuardrailPolicy } from '#ports/model/guardrail-policies';
import { Failure } from '#ports/failure';
import { mostGuardrailPolicies, type GuardrailStore } from '#ports/storage/guardrails';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { inTransaction, isTrue, keyOf, refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';

const key = ['project_id', 'trace_id', 'span_id', 'name'];
const overwritten = ['passed', 'config', 'details', 'created_at', 'created_by'];

const toResult = (row: Row): GuardrailResult => ({
  projectId: String(row['project_id']),
  id: String(row['id']),
  traceId: String(row['trace_id']),
  spanId: String(row['span_id']),
  name: String(row['name']),
  passed: isTrue(row['passed']),
  config: textIn(row, 'config'),
  details: textIn(row, 'details'),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
});

const toPolicy = (row: Row): GuardrailPolicy => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  name: String(row['name']),
  executionMode: String(row['execution_mode']) as ExecutionMode, // as it was written
  guards: JSON.parse(String(row['guards'])) as readonly Guard[], // as they were written
  ...toAuthorship(row),
});

const taken = 'the workspace has a guardrail policy of that name';

const policyColumns = ({
  name,
  executionMode,
  guards,
}: Pick<GuardrailPolicy, 'name' | 'executionMode' | 'guards'>) => ({
  name,
  name_key: keyOf(name),
  execution_mode: executionMode,
  guards: JSON.stringify(guards),
});

const columnsOf = (results: readonly GuardrailResult[]): readonly ColumnValues[] => {
  const column = (
    name: string,
    kind: ColumnValues['kind'],
    read: (one: GuardrailResult) => unknown,
  ): ColumnValues => ({ name, kind, values: results.map((one) => read(one) ?? null) });
  return [
    column('project_id', 'id', (one) => one.projectId),
    column('trace_id', 'id', (one) => one.traceId),
    column('span_id', 'id', (one) => one.spanId),
    column('name', 'text', (one) => one.name),
    column('id', 'id', (one) => one.id),
    column('passed', 'flag', (one) => one.passed),
    column('config', 'text', (one) => one.config),
    column('details', 'text', (one) => one.details),
    column('created_at', 'whole', (one) => one.createdAt),
    column('created_by', 'text', (one) => one.createdBy),
  ];
};
const keyOfResult = ({ projectId, traceId, spanId, name }: GuardrailResult): string =>
  `${projectId} ${traceId} ${spanId} ${name}`;

export const guardrailStore = (connection: Connection): GuardrailStore => {
  const { db, dialect } = connection;
  return {
    async put(results) {
      const last = new Map(results.map((one) => [keyOfResult(one), one]));
      const sorted = [...last].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one); // in one order for everybody
      if (sorted.length > 0)
        await dialect.insertColumns(
          db,
          'guardrails',
          columnsOf(sorted),
          dialect.onConflict(
            key,
            overwritten.map((column) => `${column} = ${dialect.incoming(column)}`),
          ),
        );
    },
    async list(projectId, traceIds) {
      const rows = (await db('guardrails')
        .select(...key, 'id', ...overwritten)
        .where({ project_id: projectId })
        .modify(dialect.among('trace_id', 'id', traceIds.filter(isId)))
        .orderBy(['trace_id', 'span_id', 'name'])) as readonly Row[]; // the columns named
      return rows.map(toResult);
    },
    async insertPolicy(policy) {
      const { workspaceId: workspace_id, id } = policy;
      const [counted] = (await db('policies_of_guardrails')
        .where({ workspace_id })
        .count({ n: '*' })) as readonly Row[]; // one row of one column
      if (Number(counted?.['n'] ?? 0) >= mostGuardrailPolicies)
        throw new Failure(
          'conflict',
          `a workspace has at most ${mostGuardrailPolicies} guardrail policies`,
        );
      await refuseTaken(
        dialect,
        taken,
        db('policies_of_guardrails').insert({
          ...{ workspace_id, id },
          ...policyColumns(policy),
          ...authorshipRow(policy),
        }),
      );
    },
    updatePolicy: (workspaceId, id, change) =>
      inTransaction(connection, async (inside) => {
        if (!isId(id)) return false;
        const policy = () =>
          inside.db('policies_of_guardrails').where({ workspace_id: workspaceId, id });
        if ((await policy().select('id').forUpdate().first()) === undefined) return false;
        await refuseTaken(
          dialect,
          taken,
          policy().update({ ...policyColumns(change), ...touchRow(change) }),
        );
        return true;
      }),
    async listPolicies(workspaceId) {
      const rows = (await db('policies_of_guardrails')
        .select('workspace_id', 'id', 'name', 'execution_mode', 'guards', ...authorshipColumns)
        .where({ workspace_id: workspaceId })
        .orderByRaw(dialect.byCodePoints('name'))) as readonly Row[]; // the columns named
      return rows.map(toPolicy);
    },
    async removePolicies(workspaceId, ids) {
      await db('policies_of_guardrails')
        .where({ workspace_id: workspaceId })
        .modify(dialect.among('id', 'id', ids.filter(isId)))
        .delete();
    },
  };
};
