import { expect } from 'chai';
import { hasNewerLetters, lowered } from '#adapters/storage/sql/lower-case';
import { pendingUnlessAll } from '#test/pending';
import { storageAdapters, type OpenedStorage } from './adapters.js';
import { dialectContract } from './dialect.js';

for (const adapter of storageAdapters)
  describe(`the dialect of SQL of ${adapter.name}`, () => {
    let opened: OpenedStorage | undefined;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.openEmpty();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      opened = result;
    });
    dialectContract(() => {
      if (opened === undefined) throw new Error(`${adapter.name} is not open`);
      return opened.storage.connection;
    });
    it('takes the case from letters as this process does, but for those that it knows to be newer than some engine', async () => {
      const { db, dialect } = opened?.storage.connection ?? {};
      if (db === undefined || dialect === undefined) throw new Error(`${adapter.name} is not open`);
      const letters = Array.from({ length: 0x20000 - 0x80 }, (_, at) => at + 0x80)
        .filter((code) => code < 0xd800 || code >= 0xe000)
        .map((code) => String.fromCodePoint(code))
        .filter((letter) => lowered(letter) !== letter);
      const words = 'dialect_letters';
      await db.schema.createTable(words, (table) => {
        dialect.longText(table, 'word');
        dialect.finishTable(table);
      });
      try {
        await db(words).insert({ word: letters.join('|') });
        const [row] = (await dialect.run(
          db,
          `select ${dialect.lower('word')} as lower from ${words}`,
          [],
        )) as readonly { readonly lower: string }[]; // the column named
        const came = row?.lower.split('|') ?? [];

        expect(letters.length).to.be.greaterThan(1300);
        expect(came.length).to.equal(letters.length);
        for (const [at, letter] of letters.entries())
          expect(came[at], letter.codePointAt(0)?.toString(16)).to.be.oneOf(
            hasNewerLetters(letter) ? [letter, lowered(letter)] : [lowered(letter)],
          );
      } finally {
        await db.schema.dropTable(words);
      }
    });
    // After the suite removed what it made.
    after(() => opened?.stop());
  });
