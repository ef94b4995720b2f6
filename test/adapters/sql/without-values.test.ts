// Errors of each database: they tell the statement and the kind of fault, and nothing that a user has stored.
import { Writable } from 'node:stream';
import { inspect } from 'node:util';
import { expect } from 'chai';
import type { Knex } from 'knex';
import { systemLog } from '#adapters/system/log';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { pendingUnlessAll } from '#test/pending';

const secret = 's3cret\'"value@example.org';

const lines = (): { readonly log: ReturnType<typeof systemLog>; readonly text: () => string } => {
  let text = '';
  const log = systemLog(
    'debug',
    new Writable({
      write(piece: Buffer, _encoding, done) {
        text += piece.toString();
        done();
      },
    }) as never,
  ); // a stream is what pino writes to
  return { log, text: () => text };
};

for (const adapter of storageAdapters) {
  describe(`errors of ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(async function () {
      const found = await adapter.open();
      if ('missing' in found) return pendingUnlessAll(this, found.missing);
      opened = found;
    });
    after(() => opened?.stop());

    const faults: Readonly<Record<string, (db: Knex) => Promise<unknown>>> = {
      'a taken key': async (db) => {
        for (let i = 0; i < 2; i++) await db('toggles').insert({ name: secret, enabled: true });
      },
      'a value of another type': (db) =>
        db('usage_counts').insert({
          user_id: '00000000-0000-7000-8000-000000000000',
          kind: 'sdk',
          day: secret,
          n: 1,
          last_at: 1,
        }),
      'a value that is too long': (db) =>
        db('usage_counts').insert({
          user_id: '00000000-0000-7000-8000-000000000000',
          kind: secret.repeat(20),
          day: 1,
          n: 1,
          last_at: 1,
        }),
      'a column that is not there': (db) => db('toggles').insert({ nothing: secret }),
      'a literal in the statement': async (db) =>
        db.raw(
          `select * from toggles where nowhere = '${secret.replaceAll("'", "''").replaceAll('?', '')}'`,
        ),
      'a statement in a transaction': (db) =>
        db.transaction(async (inside) => {
          await inside('toggles').insert({ nothing: secret });
        }),
    };
    for (const [title, work] of Object.entries(faults)) {
      it(`tell no value: ${title}`, async () => {
        const { log, text } = lines();

        if (opened === undefined) throw new Error(`${adapter.name} is not open`);
        const thrown: unknown = await work(opened.storage.connection.db).then(
          () => undefined,
          (fault: unknown) => fault,
        );
        log.error('a request failed unexpectedly', { error: thrown });

        expect(thrown).to.be.instanceOf(Error);
        for (const shown of [
          inspect(thrown, { depth: 5, showHidden: true }),
          String((thrown as Error).stack),
          text(),
        ])
          expect(shown).to.not.match(/s3cret|value@example/);
        expect(text())
          .to.match(/toggles|usage_counts/)
          .and.to.match(/"code":"\w+"/);
      });
    }
  });
}
