// Removing traces and spans with everything that is about them.
import type { TracedKind } from '#ports/model/traces';
import { leaveQueues } from '../annotation-queue-items.js';
import type { Connection } from '../connection.js';
import { removeAttachmentsOf } from './attachments.js';
import { outdateBlocks } from './blocks.js';
import { leaveFrames } from './frames.js';
import { writeJournal } from './journal.js';
import { placeOf, type Row } from './rows.js';

/** Ids of one statement. */
const idsAtOnce = 1000;

const removeAbout = async (
  connection: Connection,
  projectId: string,
  kind: 'trace' | 'span',
  ids: readonly string[],
): Promise<void> => {
  await removeScoresOf(connection, projectId, kind, ids);
  for (const table of ['trace_comments', 'assertion_results'])
    await connection
      .db(table)
      .where({ project_id: projectId, entity_kind: kind })
      .whereIn('entity_id', [...ids])
      .delete();
  await removeAttachmentsOf(connection, projectId, kind, ids);
};

const removeScoresOf = async (
  connection: Connection,
  projectId: string,
  kind: TracedKind,
  ids: readonly string[],
): Promise<void> => {
  const removed = await connection
    .db('feedback_scores')
    .where({ project_id: projectId, entity_kind: kind })
    .whereIn('entity_id', [...ids])
    .delete();
  if (removed > 0) await writeJournal(connection, projectId, 'feedback_scores', ids);
};

/** Removes spans of a project, in the caller's transaction. */
export const removeSpanRows = async (
  connection: Connection,
  projectId: string,
  ids: readonly string[],
): Promise<void> => {
  for (let from = 0; from < ids.length; from += idsAtOnce) {
    const some = ids.slice(from, from + idsAtOnce);
    await removeAbout(connection, projectId, 'span', some);
    const rows = (await connection
      .db('spans')
      .select('id', 'trace_id', 'frame_id', 'frame_at')
      .where({ project_id: projectId })
      .whereIn('id', some)
      .orderBy('id')
      .forUpdate()) as readonly Row[]; // the columns named
    await connection.db('spans').where({ project_id: projectId }).whereIn('id', some).delete();
    await leaveFrames(
      connection,
      projectId,
      rows.flatMap((row) => placeOf(row) ?? []),
    );
    await writeJournal(
      connection,
      projectId,
      'spans',
      rows.map((row) => String(row['id'])),
    );
    const idsBy = (column: string) => rows.map((row) => String(row[column]));
    const written = { span: idsBy('id'), trace: idsBy('trace_id') };
    for (const outdate of outdateBlocks(connection, projectId, written)) await outdate();
  }
};

/** Removes traces of a project with their spans, in the caller's transaction. */
export const removeEntries = async (
  connection: Connection,
  projectId: string,
  traceIds: readonly string[],
): Promise<void> => {
  const { db } = connection;
  for (let from = 0; from < traceIds.length; from += idsAtOnce) {
    const some = traceIds.slice(from, from + idsAtOnce);
    const spans = (await db('spans')
      .select('id')
      .where({ project_id: projectId })
      .whereIn('trace_id', some)
      .orderBy('id')) as readonly Row[]; // the column named
    await removeSpanRows(
      connection,
      projectId,
      spans.map((row) => String(row['id'])),
    );
    await removeAbout(connection, projectId, 'trace', some);
    // Locked before they leave their queues, so that none goes to which an item of a queue is just being made.
    const traces = (await db('traces')
      .select('id', 'thread_key')
      .where({ project_id: projectId })
      .whereIn('id', some)
      .orderBy('id')
      .forUpdate()) as readonly Row[]; // the columns named
    await leaveQueues(connection, projectId, some);
    await db('guardrails').where({ project_id: projectId }).whereIn('trace_id', some).delete();
    const named = new Set(traces.flatMap((row) => (row['thread_key'] ?? []) as string | [])); // a text, where there is one
    await db('traces').where({ project_id: projectId }).whereIn('id', some).delete();
    await removeEmptyThreads(connection, projectId, [...named]);
    await writeJournal(
      connection,
      projectId,
      'traces',
      traces.map((row) => String(row['id'])),
    );
    const written = { trace: traces.map((row) => String(row['id'])) };
    for (const outdate of outdateBlocks(connection, projectId, written)) await outdate();
  }
};

/** Removes threads whose last trace has gone. They are locked before anybody looks, so that none goes to which a trace is coming. */
export const removeEmptyThreads = async (
  connection: Connection,
  projectId: string,
  keys: readonly string[],
): Promise<void> => {
  const { db } = connection;
  if (keys.length === 0) return;
  const locked = (await db('trace_threads')
    .select('id', 'thread_key')
    .where({ project_id: projectId })
    .whereIn('thread_key', [...keys].sort())
    .orderBy('thread_key')
    .forUpdate()) as readonly Row[]; // the columns named
  const alive = (await db('traces')
    .distinct('thread_key')
    .where({ project_id: projectId })
    .whereIn('thread_key', [...keys])) as readonly Row[]; // the column named
  const kept = new Set(alive.map((row) => row['thread_key']));
  const empty = locked.filter((row) => !kept.has(row['thread_key']));
  const ids = empty.map((row) => String(row['id']));
  await removeScoresOf(connection, projectId, 'thread', ids);
  await db('trace_comments')
    .where({ project_id: projectId, entity_kind: 'thread' })
    .whereIn('entity_id', ids)
    .delete();
  await leaveQueues(connection, projectId, ids);
  await db('trace_threads').whereIn('id', ids).delete();
  await writeJournal(
    connection,
    projectId,
    'trace_threads',
    empty.map((row) => String(row['thread_key'])),
  );
};
