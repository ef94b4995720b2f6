import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemZip } from '#adapters/system/zip';
import { exportAll, type Carried } from '#core/transfer/transfer';
import type { Blob } from '#ports/blob';
import type { OpenedStorage } from './drivers.js';
import { withoutJob } from './jobs.js';

export interface ExportSource {
  readonly opened: Pick<OpenedStorage, 'storage'>;
  readonly blob: Blob;
}

/** Everything as of one moment, to wherever the archive is written. */
export const exportThrough = (
  { opened: { storage }, blob }: ExportSource,
  {
    withBytes,
    progress,
    write,
  }: Pick<Parameters<typeof exportAll>[0], 'withBytes' | 'progress' | 'write'>,
): Promise<Carried> =>
  withoutJob('sweep-blobs', { leases: storage.stores.leases, ids: systemIds }, () =>
    exportAll({
      transfer: storage.transfer,
      blob,
      zip: systemZip,
      at: systemClock.now(),
      withBytes,
      progress,
      write,
    }),
  ); // bytes that a row of the snapshot names must stay
