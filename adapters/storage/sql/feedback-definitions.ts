import type { DefinitionType, FeedbackDefinition } from '#ports/model/feedback-definitions';
import type { FeedbackDefinitionStore } from '#ports/storage/feedback-definitions';
import {
  authorshipColumns,
  authorshipRow,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { whereHolds, keyOf, refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'name',
  'description',
  'type',
  'details',
  ...authorshipColumns,
];

const toDefinition = (row: Row): FeedbackDefinition => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  name: String(row['name']),
  description: textIn(row, 'description'),
  type: String(row['type']) as DefinitionType, // as it was written
  details: textIn(row, 'details'),
  ...toAuthorship(row),
});

const saying = ({
  name,
  description,
  type,
  details,
}: Pick<FeedbackDefinition, 'name' | 'description' | 'type' | 'details'>): Row => ({
  name,
  name_key: keyOf(name),
  description: description ?? null,
  type,
  details: details ?? null,
});

const taken = 'Feedback already exists';

export const feedbackDefinitionStore = ({ db, dialect }: Connection): FeedbackDefinitionStore => ({
  insert: (definition) =>
    refuseTaken(
      dialect,
      taken,
      db('feedback_definitions').insert({
        workspace_id: definition.workspaceId,
        id: definition.id,
        ...saying(definition),
        ...authorshipRow(definition),
      }),
    ),
  async find(workspaceId, id) {
    if (!isId(id)) return undefined;
    const row = (await db('feedback_definitions')
      .select(...columns)
      .where({ workspace_id: workspaceId, id })
      .first()) as Row | undefined; // the columns named
    return row === undefined ? undefined : toDefinition(row);
  },
  async list({ workspaceId, name, type, offset, limit }) {
    const listed = () => {
      const query = db('feedback_definitions').where({ workspace_id: workspaceId });
      if (type !== undefined) query.where({ type });
      if (name !== undefined && name !== '') query.modify(whereHolds(dialect, name, 'name'));
      return query;
    };
    const [counted] = (await listed().count({ n: '*' })) as readonly Row[]; // one row of one column
    const rows = (await listed()
      .select(...columns)
      .orderBy('id', 'desc')
      .offset(offset)
      .limit(limit)) as readonly Row[]; // the columns named
    return { total: Number(counted?.['n'] ?? 0), content: rows.map(toDefinition) };
  },
  async replace(workspaceId, id, change) {
    if (!isId(id)) return false;
    const one = { workspace_id: workspaceId, id };
    let changed = 0;
    await refuseTaken(
      dialect,
      taken,
      db('feedback_definitions')
        .where(one)
        .update({ ...saying(change), ...touchRow(change) })
        .then((rows) => (changed = rows)),
    );
    return (
      changed > 0 ||
      (await db('feedback_definitions').select('id').where(one).first()) !== undefined
    ); // one engine counts no row whose values stay the same
  },
  async remove(workspaceId, ids) {
    await db('feedback_definitions')
      .where({ workspace_id: workspaceId })
      .whereIn('id', ids.filter(isId))
      .delete();
  },
});
