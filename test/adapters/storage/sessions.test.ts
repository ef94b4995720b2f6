// Connections that were made and could not be used.
import { expect } from 'chai';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { storageAdapters } from '#test/contract/adapters';
import { rejection } from '#test/contract/storage/builders';
import { pendingUnlessAll } from '#test/pending';

/** A connection of one of the two drivers. */
interface Raw {
  query(...args: unknown[]): unknown;
  readonly stream?: Socket;
  readonly connection?: { readonly stream: Socket };
}

for (const adapter of storageAdapters)
  describe(`sessions on ${adapter.name}`, () => {
    it('are closed when their settings are refused', async function () {
      const opened = await adapter.open();
      if ('missing' in opened) return pendingUnlessAll(this, opened.missing);
      const storage = opened.again();
      const client = storage.connection.db.client as {
        acquireRawConnection(): Promise<Raw>;
      }; // knex's client, of which its types tell nothing
      const acquire = client.acquireRawConnection.bind(client);
      const made: Raw[] = [];
      client.acquireRawConnection = async () => {
        const raw = await acquire();
        made.push(raw);
        raw.query = (...args) => {
          setImmediate(args.at(-1) as (fault: Error) => void, new Error('refused'));
        };
        return raw;
      };

      await rejection(storage.connection.db.raw('select 1'));

      expect(made).to.not.deep.equal([]);
      for (const { connection, stream } of made) {
        const socket = connection?.stream ?? stream;
        if (socket?.closed === false) await once(socket, 'close');
      }
      await opened.stop();
    });
  });
