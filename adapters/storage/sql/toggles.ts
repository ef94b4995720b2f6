import type { ToggleStore } from '#ports/storage/toggles';
import { isTrue, type Connection } from './connection.js';

export const toggleStore = ({ db }: Connection): ToggleStore => ({
  async list() {
    const rows = (await db('toggles')
      .select('name', 'enabled')
      .orderBy('name')
      .limit(1000)) as readonly { readonly name: string; readonly enabled: unknown }[]; // the columns named
    return rows.map((row) => ({ name: row.name, enabled: isTrue(row.enabled) }));
  },
  async write(name, enabled) {
    await db('toggles').insert({ name, enabled }).onConflict('name').merge(['enabled']);
  },
});
