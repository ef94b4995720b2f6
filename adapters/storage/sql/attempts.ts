import type { AttemptStore } from '#ports/storage/attempts';
import type { Connection } from './connection.js';

interface AttemptRow {
  readonly tries: number;
  readonly last_at: unknown;
}

export const attemptStore = ({ db }: Connection): AttemptStore => ({
  async find(key) {
    const row = await db('attempts')
      .select('tries', 'last_at')
      .where({ id: key })
      .first<AttemptRow | undefined>();
    return row === undefined ? undefined : { tries: row.tries, lastAt: Number(row.last_at) };
  },
  async replace(key, seen, { tries, lastAt }) {
    // A key that nobody had counted begins with none: then two who saw nothing both find the same row to change, and one changes it.
    if (seen === undefined)
      await db('attempts').insert({ id: key, tries: 0, last_at: 0 }).onConflict('id').ignore();
    return (
      (await db('attempts')
        .where({ id: key, tries: seen?.tries ?? 0, last_at: seen?.lastAt ?? 0 })
        .update({ tries, last_at: lastAt })) > 0
    );
  },
  async takeBack(key) {
    await db('attempts').where({ id: key }).where('tries', '>', 0).decrement('tries', 1);
  },
  async remove(key) {
    return (await db('attempts').where({ id: key }).delete()) > 0;
  },
  async removeBefore(at, limit) {
    const old = await db('attempts')
      .where('last_at', '<', at)
      .orderBy('last_at')
      .limit(limit)
      .pluck<string[]>('id');
    return old.length === 0
      ? 0
      : db('attempts').whereIn('id', old).where('last_at', '<', at).delete();
  },
});
