import type { Comment } from '#ports/model/comments';
import type { CommentListing, CommentStore } from '#ports/storage/comments';
import { orNothing, wholeOrNothing, type Connection } from './connection.js';
import { isId } from './ids.js';

interface CommentRow {
  readonly id: string;
  readonly experiment_id: string | null;
  readonly version_id: string | null;
  readonly model_id: string | null;
  readonly first_step: unknown;
  readonly last_step: unknown;
  readonly author_id: string;
  readonly author_name: string | null;
  readonly text: string;
  readonly created_at: unknown;
  readonly edited_at: unknown;
}

const toComment = (row: CommentRow): Comment => ({
  id: row.id,
  experimentId: orNothing(row.experiment_id),
  versionId: orNothing(row.version_id),
  modelId: orNothing(row.model_id),
  firstStep: wholeOrNothing(row.first_step),
  lastStep: wholeOrNothing(row.last_step),
  authorId: row.author_id,
  authorName: row.author_name ?? '',
  text: row.text,
  createdAt: Number(row.created_at),
  editedAt: wholeOrNothing(row.edited_at),
});

const rowsAbout = (about: CommentListing['about']): Readonly<Record<string, string>> =>
  'experimentId' in about
    ? { 'c.experiment_id': about.experimentId }
    : { 'c.model_id': about.modelId, 'c.version_id': about.versionId };

export const commentStore = ({ db }: Connection): CommentStore => {
  const select = () =>
    db('comments as c')
      .leftJoin('users as u', 'u.id', 'c.author_id')
      .select(
        'c.id',
        'c.experiment_id',
        'c.version_id',
        'c.model_id',
        'c.first_step',
        'c.last_step',
        'c.author_id',
        { author_name: 'u.name' },
        'c.text',
        'c.created_at',
        'c.edited_at',
      );
  return {
    async insert(comment) {
      await db('comments').insert({
        id: comment.id,
        experiment_id: comment.experimentId ?? null,
        version_id: comment.versionId ?? null,
        model_id: comment.modelId ?? null,
        first_step: comment.firstStep ?? null,
        last_step: comment.lastStep ?? null,
        author_id: comment.authorId,
        text: comment.text,
        created_at: comment.createdAt,
      });
    },
    async find(id) {
      const row = isId(id)
        ? await select().where('c.id', id).first<CommentRow | undefined>()
        : undefined;
      return row === undefined ? undefined : toComment(row);
    },
    async list({ about, afterId, limit }) {
      const query = select().where(rowsAbout(about)).orderBy('c.id').limit(limit);
      if (afterId !== undefined) query.where('c.id', '>', afterId);
      return ((await query) as readonly CommentRow[]).map(toComment); // the columns named
    },
    async count(about) {
      const [row] = await db('comments as c').where(rowsAbout(about)).count({ n: '*' });
      return Number(row?.['n'] ?? 0);
    },
    async edit(id, text, at) {
      if (!isId(id)) return false;
      const changed = await db('comments').where({ id }).update({ text, edited_at: at });
      return changed > 0 || (await db('comments').select('id').where({ id }).first()) !== undefined; // one engine counts no row whose values stay the same
    },
    async remove(id) {
      return isId(id) && (await db('comments').where({ id }).delete()) > 0;
    },
  };
};
