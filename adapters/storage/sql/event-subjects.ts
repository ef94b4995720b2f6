import type { Connection } from './connection.js';

/** Rows of one transaction. */
const atOnce = 1000;

/**
 * Forgets runs as subjects of events once all that was told of them is delivered: of a run one event is told, when it is made, so that no number
 * follows. Subjects that are told of again keep their count. Answers 0 when none is left; may be repeated, and run by several at once.
 */
export const forgetRunSubjects = async ({ db, dialect }: Connection): Promise<number> => {
  const idle = () =>
    db('event_subjects')
      .whereNull('due_at')
      .where('held_until', '<', db.raw(dialect.nowMs))
      .whereNotExists(
        db('events')
          .select('events.number')
          .whereRaw('events.subject_key = event_subjects.subject_key'),
      );
  const keys = (await idle()
    .where('subject', 'like', 'experiment:%')
    .orderBy('subject_key')
    .limit(atOnce)
    .pluck('subject_key')) as readonly string[]; // the column named
  // What was told of in the meantime is due again, and stays.
  if (keys.length > 0) await idle().whereIn('subject_key', keys).delete();
  return keys.length < atOnce ? 0 : keys.length;
};
