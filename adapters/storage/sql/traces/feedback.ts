// Scores and comments about traces, spans and threads.
import type { Score, TraceComment, TracedKind } from '#ports/model/traces';
import type { FeedbackStore } from '#ports/storage/feedback';
import { inTransaction, keyOf, type Connection } from '../connection.js';
import { isId } from '../ids.js';
import { writeJournal } from './journal.js';
import { text, type Row } from './rows.js';

/** One author has one score under a name, of each kind of thing. */
const scoreKey = ({ kind, name, author }: Pick<Score, 'kind' | 'name' | 'author'>): string =>
  keyOf(kind, name, author);

const toScore = (row: Row): Score => ({
  projectId: String(row['project_id']),
  kind: String(row['entity_kind']) as TracedKind, // written from one
  entityId: String(row['entity_id']),
  name: String(row['name']),
  author: String(row['author']),
  value: Number(row['value']),
  reason: text(row['reason']),
  categoryName: text(row['category_name']),
  source: String(row['source']),
  createdAt: Number(row['created_at']),
  lastUpdatedAt: Number(row['last_updated_at']),
  lastUpdatedBy: String(row['last_updated_by']),
});
const scoreColumns = [
  'project_id',
  'entity_kind',
  'entity_id',
  'name',
  'author',
  'value',
  'reason',
  'category_name',
  'source',
  'created_at',
  'last_updated_at',
  'last_updated_by',
] as const;

const toComment = (row: Row): TraceComment => ({
  id: String(row['id']),
  projectId: String(row['project_id']),
  kind: String(row['entity_kind']) as TracedKind, // written from one
  entityId: String(row['entity_id']),
  text: String(row['text']),
  createdAt: Number(row['created_at']),
  createdBy: String(row['created_by']),
  lastUpdatedAt: Number(row['last_updated_at']),
  lastUpdatedBy: String(row['last_updated_by']),
});
const commentColumns = [
  'id',
  'project_id',
  'entity_kind',
  'entity_id',
  'text',
  'created_at',
  'created_by',
  'last_updated_at',
  'last_updated_by',
] as const;

/** The last of each key, in one order for everybody. */
const lastOfEach = (scores: readonly Score[]) => {
  const latest = new Map(
    scores.map((score) => {
      const key = scoreKey(score);
      return [`${score.projectId} ${score.entityId} ${key}`, { score, key }] as const;
    }),
  );
  return [...latest].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, found]) => found);
};

const putScores = async ({ db, dialect }: Connection, scores: readonly Score[]): Promise<void> => {
  const all = lastOfEach(scores);
  if (all.length === 0) return;
  const values = (of: (score: Score) => unknown) => all.map(({ score }) => of(score) ?? null);
  const replaced = [
    'value',
    'reason',
    'category_name',
    'source',
    'last_updated_at',
    'last_updated_by',
  ];
  await dialect.insertColumns(
    db,
    'feedback_scores',
    [
      { name: 'project_id', kind: 'id', values: values(({ projectId }) => projectId) },
      { name: 'entity_id', kind: 'id', values: values(({ entityId }) => entityId) },
      { name: 'score_key', kind: 'text', values: all.map(({ key }) => key) },
      { name: 'entity_kind', kind: 'text', values: values(({ kind }) => kind) },
      { name: 'name', kind: 'text', values: values(({ name }) => name) },
      { name: 'author', kind: 'text', values: values(({ author }) => author) },
      { name: 'value', kind: 'real', values: values(({ value }) => value) },
      { name: 'reason', kind: 'text', values: values(({ reason }) => reason) },
      { name: 'category_name', kind: 'text', values: values(({ categoryName }) => categoryName) },
      { name: 'source', kind: 'text', values: values(({ source }) => source) },
      { name: 'created_at', kind: 'whole', values: values(({ createdAt }) => createdAt) },
      {
        name: 'last_updated_at',
        kind: 'whole',
        values: values(({ lastUpdatedAt }) => lastUpdatedAt),
      },
      {
        name: 'last_updated_by',
        kind: 'text',
        values: values(({ lastUpdatedBy }) => lastUpdatedBy),
      },
    ],
    dialect.onConflict(
      ['project_id', 'entity_id', 'score_key'],
      replaced.map((name) => `${name} = ${dialect.incoming(name)}`),
    ),
  );
};

const tellOfScores = async (connection: Connection, scores: readonly Score[]): Promise<void> => {
  const entities = new Map<string, Set<string>>();
  for (const { projectId, entityId } of scores) {
    const of = entities.get(projectId) ?? new Set();
    entities.set(projectId, of.add(entityId));
  }
  for (const [projectId, ids] of entities)
    await writeJournal(connection, projectId, 'feedback_scores', [...ids]);
};

export const feedbackStore = (connection: Connection): FeedbackStore => {
  const { db, dialect } = connection;
  return {
    putScores: (scores) =>
      scores.length === 0
        ? Promise.resolve()
        : inTransaction(connection, async (inside) => {
            await putScores(inside, scores);
            await tellOfScores(inside, scores);
          }),
    async removeScores(projectId, { kind, entityId }, names, author) {
      if (!isId(entityId)) return;
      await inTransaction(connection, async (inside) => {
        const query = inside
          .db('feedback_scores')
          .where({ project_id: projectId, entity_id: entityId, entity_kind: kind })
          .whereIn('name', [...names])
          // As it was written, to the last blank.
          .where((any) => {
            for (const name of names) any.orWhereRaw(dialect.equalTexts('name', '?'), [name]);
          });
        if (author !== undefined) query.where({ author });
        if ((await query.delete()) > 0)
          await writeJournal(inside, projectId, 'feedback_scores', [entityId]);
      });
    },
    async listScores(projectId, kind, entityIds) {
      if (!entityIds.some(isId)) return [];
      const rows = (await db('feedback_scores')
        .select(...scoreColumns)
        .where({ project_id: projectId, entity_kind: kind })
        .modify(dialect.among('entity_id', 'id', entityIds.filter(isId)))
        .orderBy(['entity_id', 'name', 'author'])) as readonly Row[]; // the columns named
      return rows.map(toScore);
    },
    async listSpanScores(projectId, traceIds) {
      if (traceIds.length === 0) return [];
      const rows = (await db('spans as s')
        .join('feedback_scores as f', (on) =>
          on.on('f.project_id', 's.project_id').andOn('f.entity_id', 's.id'),
        )
        .select('s.trace_id', 's.type', ...scoreColumns.map((column) => `f.${column}`))
        .where({ 's.project_id': projectId, 'f.entity_kind': 'span' })
        .whereIn('s.trace_id', traceIds.filter(isId))
        .orderBy(['s.trace_id', 'f.name', 'f.author', 'f.entity_id'])) as readonly Row[]; // the columns named
      return rows.map((row) => ({
        ...toScore(row),
        traceId: String(row['trace_id']),
        spanType: text(row['type']),
      }));
    },
    async listScoreNames({ workspaceId, projectIds, spanType }, kind) {
      const query = db('feedback_scores as f')
        .min({ name: 'f.name' })
        .where('f.entity_kind', kind)
        .groupByRaw(dialect.byCodePoints('f.name'))
        .orderByRaw(dialect.byCodePoints('min(f.name)'));
      if (projectIds === undefined)
        query.whereIn(
          'f.project_id',
          db('projects').select('id').where({ workspace_id: workspaceId }).whereNull('deleted_at'),
        );
      else query.whereIn('f.project_id', projectIds.filter(isId));
      if (spanType !== undefined)
        query.whereExists(
          db('spans as s')
            .select(db.raw('1'))
            .whereRaw('s.project_id = f.project_id and s.id = f.entity_id')
            .whereRaw("coalesce(s.type, 'general') = ?", [spanType]),
        );
      return ((await query) as readonly Row[]).map((row) => String(row['name'])); // the column named
    },
    async insertComment(comment) {
      await db('trace_comments').insert({
        id: comment.id,
        project_id: comment.projectId,
        entity_kind: comment.kind,
        entity_id: comment.entityId,
        text: comment.text,
        created_at: comment.createdAt,
        created_by: comment.createdBy,
        last_updated_at: comment.lastUpdatedAt,
        last_updated_by: comment.lastUpdatedBy,
      });
    },
    async findComment(id) {
      const row = isId(id)
        ? ((await db('trace_comments')
            .select(...commentColumns)
            .where({ id })
            .first()) as Row | undefined) // the columns named
        : undefined;
      return row === undefined ? undefined : toComment(row);
    },
    async changeComment(id, { text: said, lastUpdatedAt, lastUpdatedBy }) {
      if (!isId(id)) return false;
      const changed = await db('trace_comments').where({ id }).update({
        text: said,
        last_updated_at: lastUpdatedAt,
        last_updated_by: lastUpdatedBy,
      });
      return changed > 0;
    },
    async removeComments(workspaceId, kind, ids, projectId) {
      const projects = db('projects').select('id').where({ workspace_id: workspaceId });
      if (projectId !== undefined) projects.where({ id: projectId });
      await db('trace_comments')
        .where({ entity_kind: kind })
        .whereIn('id', ids.filter(isId))
        .whereIn('project_id', projects)
        .delete();
    },
    async listComments(projectId, kind, entityIds) {
      if (!entityIds.some(isId)) return [];
      const rows = (await db('trace_comments')
        .select(...commentColumns)
        .where({ project_id: projectId, entity_kind: kind })
        .modify(dialect.among('entity_id', 'id', entityIds.filter(isId)))
        .orderBy(['created_at', 'id'])) as readonly Row[]; // the columns named
      return rows.map(toComment);
    },
  };
};
