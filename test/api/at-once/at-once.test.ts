import { pendingUnlessAll } from '#test/pending';
import { borrowServer, triedStorages, type StartedServer } from '#test/clients/server';
import { askingOf } from './asking.js';
import { useCases } from './table.js';

for (const storage of triedStorages) {
  describe(`a server over ${storage} that many ask at once`, function () {
    this.timeout(60_000);
    let server: StartedServer;
    before('start a server', async function () {
      const started = await borrowServer({
        storage,
        env: { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' },
      });
      if ('missing' in started) return pendingUnlessAll(this, started.missing);
      server = started;
    });

    for (const { rule, holds, run } of useCases)
      it(`${rule} (locks ${holds})`, () => run(askingOf(server)));
  });
}
