import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { openStorage } from '#config/opening';
import type { OpenedStorage } from '#config/drivers';
import { loadSettings } from '#config/load';
import { startServer, triedStorages, type StartedServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';

interface Reply {
  readonly status: number;
  readonly text: string;
}

for (const storage of triedStorages)
  describe(`a server whose schema changes beneath it, on ${storage}`, () => {
    let server: StartedServer;
    let opened: OpenedStorage;
    before(async function () {
      const started = await startServer({ storage });
      if ('missing' in started) {
        pendingUnlessAll(this, started.missing);
        return;
      }
      server = started;
      opened = await openStorage(loadSettings(server.settings), false);
    });
    after(async () => {
      await opened?.storage.close();
      await server?.stop();
    });

    const ask = async (path: string, body?: unknown): Promise<Reply> => {
      const reply = await fetch(
        server.url + path,
        body === undefined
          ? {}
          : {
              method: 'POST',
              body: JSON.stringify(body),
              headers: { authorization: server.apiKey, 'content-type': 'application/json' },
            },
      );
      return { status: reply.status, text: await reply.text() };
    };
    const create = () =>
      ask('/api/rest/v2/write/experiment/create', {
        workspaceName: server.workspace,
        projectName: 'p',
      });
    const becomes = async (status: number, look: () => Promise<Reply>): Promise<string> => {
      for (const begun = performance.now(); performance.now() - begun < 10_000; await wait(50)) {
        const reply = await look();
        if (reply.status === status) return reply.text;
      }
      throw new Error(`it did not become ${String(status)} within ten seconds`);
    };

    it('is not ready while changes of its release are undone, and is again once they are made', async () => {
      await opened.storage.migrations.undo(1);
      expect(await ask('/health/ready'))
        .to.include({ status: 503 })
        .and.to.have.property('text')
        .that.contains('lacks 1 change of this release');

      await opened.storage.migrations.up();

      expect((await ask('/health/ready')).status).to.equal(200);
      await becomes(200, create);
    });

    it('refuses writes beside a schema of a newer release, unless that says that older servers may write', async () => {
      const ledger = (olderMayWrite: boolean) =>
        opened.storage.connection.db('orrery_migrations').insert({
          owner: 'core',
          number: 9999,
          name: 'of tomorrow',
          at: 1,
          older_may_write: olderMayWrite,
        });
      const forget = () =>
        opened.storage.connection.db('orrery_migrations').where({ number: 9999 }).delete();

      await ledger(false);
      expect(await becomes(503, create))
        .to.contain('a newer release has changed the schema')
        .and.contain('of tomorrow');
      expect((await ask('/health/ready')).status).to.equal(503);
      await forget();
      await becomes(200, create);
      await ledger(true);

      expect((await ask('/health/ready')).status).to.equal(200);
      expect((await create()).status).to.equal(200);
      await forget();
    });
  });
