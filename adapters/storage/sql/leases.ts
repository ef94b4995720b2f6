import type { LeaseStore } from '#ports/storage/leases';
import type { Connection } from './connection.js';

export const leaseStore = ({ db, dialect }: Connection): LeaseStore => ({
  async take(name, holder, ms) {
    await db('leases').insert({ name, holder: '', until: 0 }).onConflict('name').ignore();
    const taken = await db('leases')
      .where({ name })
      .andWhere((open) => open.where({ holder }).orWhere('until', '<', db.raw(dialect.nowMs)))
      .update({ holder, until: db.raw(`${dialect.nowMs} + ?`, [ms]) });
    return taken > 0;
  },
  async release(name, holder) {
    await db('leases').where({ name, holder }).update({ until: 0 });
  },
  async count(prefix) {
    const [row] = await db('leases')
      .whereRaw("name like ? escape '!'", [`${prefix.replaceAll(/[!%_]/g, '!$&')}%`])
      .where('until', '>=', db.raw(dialect.nowMs))
      .count({ n: '*' });
    return Number(row?.n ?? 0);
  },
});
