import type { Audit } from '#ports/audit';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { StorageOf } from '#ports/storage/storage';

/** The log of who did what, in the product's own storage. */
export const createAudit = ({
  storage,
  clock,
  ids,
}: {
  readonly storage: StorageOf<'audit'>;
  readonly clock: Clock;
  readonly ids: Ids;
}): Audit => ({
  async note({ outcome = 'done', ...entry }) {
    const id = ids.next();
    await storage.stores.audit.insert({ ...entry, id, at: clock.now(), outcome });
    return id;
  },
  async complete(id, outcome, known = {}) {
    await storage.stores.audit.update(id, { ...known, outcome });
  },
});
