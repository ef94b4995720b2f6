import type { Knex } from 'knex';

/** Whether the experiment is there; its row is locked then: what two uploads of one experiment must agree on is decided one after the other. */
export const holdExperiment = async (db: Knex, id: string): Promise<boolean> =>
  (await db('experiments')
    .select('id')
    .where({ id })
    .whereNull('deleted_at')
    .forUpdate()
    .first()) !== undefined;
