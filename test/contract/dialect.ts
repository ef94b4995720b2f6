import { expect } from 'chai';
import type { Knex } from 'knex';
import type { ColumnValues, Dialect } from '#ports/sql-dialect';

/** An engine with a database in which the suite may make tables; it removes them. */
export interface DialectUnderTest {
  readonly dialect: Dialect;
  readonly db: Knex;
}

const idOf = (n: number): string => `00000000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const rejection = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

/** What every dialect of SQL keeps to; the suites of the stores, over its engine, prove the rest. */
export const dialectContract = (opened: () => DialectUnderTest): void => {
  const { words, facts } = { words: 'dialect_words', facts: 'dialect_facts' };
  const wordsIn = async (query: Knex.QueryBuilder): Promise<readonly string[]> =>
    ((await query) as readonly { readonly word: string }[]).map(({ word }) => word); // the column selected

  // Only a suite whose engine is there has anything to remove.
  let made: Knex | undefined;
  before(async () => {
    const { db, dialect } = opened();
    made = db;
    await db.schema.createTable(words, (table) => {
      dialect.exactText(table, 'word', 60).notNullable().primary();
      table.bigInteger('n').notNullable();
      table.index(['n'], 'dialect_words_n');
      dialect.finishTable(table);
    });
    await db.schema.createTable(facts, (table) => {
      dialect.id(table, 'id').notNullable().primary();
      dialect.longText(table, 'text').nullable();
      dialect.longBytes(table, 'bytes').nullable();
      dialect.real(table, 'number').nullable();
      table.bigInteger('whole').nullable();
      table.boolean('flag').nullable();
      dialect.finishTable(table);
    });
  });
  after(async () => {
    await made?.schema.dropTableIfExists(words);
    await made?.schema.dropTableIfExists(facts);
  });
  beforeEach(async () => {
    const { db } = opened();
    await db(words).delete();
    await db(facts).delete();
  });

  const insertWords = (...all: readonly (readonly [string, number])[]): Promise<void> =>
    opened().dialect.insertColumns(opened().db, words, [
      { name: 'word', kind: 'text', values: all.map(([word]) => word) },
      { name: 'n', kind: 'whole', values: all.map(([, n]) => n) },
    ]);

  it('tells texts apart by case and accents, and orders them by code points', async () => {
    const { db, dialect } = opened();
    const all = ['A', 'a', 'b', 'é', '\uffff', '\u{1f600}'];
    await insertWords(...[...all].reverse().map((word, n) => [word, n] as const));
    const ordered = db(words).select('word').orderByRaw(dialect.byCodePoints('word'));
    expect(await wordsIn(ordered)).to.deep.equal(all);
    for (const word of all)
      expect(await wordsIn(db(words).select('word').where({ word })), word).to.deep.equal([word]);
  });

  it('keeps room on the pages of a table, where it knows of any, and its rows', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1]);

    await dialect.keepRoom?.(db, words, 50);
    await db(words).update({ n: 2 });
    await dialect.keepRoom?.(db, words, 0);

    expect(await db(words).select('word', 'n')).to.have.length(1);
  });

  it('finds what a text holds, begins or ends with, exactly and without patterns', async () => {
    const { db, dialect } = opened();
    await insertWords(['a%b', 1], ['a_b', 2], ['axb', 3], ['AXB', 4], ['\\x', 5], ["it's", 6]);
    const found = async (where: 'contains' | 'startsWith' | 'endsWith', text: string) => {
      const { sql, bindings } = dialect.holdsText('word', where, text);
      const query = db(words)
        .select('word')
        .whereRaw(sql, bindings as never)
        .orderBy('n');
      return wordsIn(query);
    };
    expect(await found('contains', '%')).to.deep.equal(['a%b']);
    expect(await found('contains', '_')).to.deep.equal(['a_b']);
    expect(await found('contains', "'")).to.deep.equal(["it's"]);
    expect(await found('startsWith', 'a')).to.deep.equal(['a%b', 'a_b', 'axb']);
    expect(await found('startsWith', '\\')).to.deep.equal(['\\x']);
    expect(await found('endsWith', 'XB')).to.deep.equal(['AXB']);

    // An expression may have a value of its own, which is bound before the text.
    for (const [where, text] of [
      ['contains', 'b-e'],
      ['startsWith', 'a%b-'],
      ['endsWith', '%b-end'],
    ] as const) {
      const { sql, bindings } = dialect.holdsText("replace(word, 'b', ?)", where, text);
      const query = db(words)
        .select('word')
        .whereRaw(sql, ['b-end', ...bindings] as never);
      expect((await wordsIn(query)).includes('a%b'), where).to.equal(true);
    }
    const { sql, bindings } = dialect.holdsText("replace(word, 'b', ?)", 'contains', 'b-e');
    expect(
      await wordsIn(
        db(words)
          .select('word')
          .whereRaw(sql, ['b-nothing', ...bindings] as never),
      ),
    ).to.deep.equal([]);
  });

  it('reads what stands within a column of JSON text, by members and indexes', async () => {
    const { db, dialect } = opened();
    const text = JSON.stringify({
      a: [{ 'b.c': 'found', n: 1.5 }, null],
      empty: '',
      'so "quoted"': 'q',
      no: false,
      word: 'null',
    });
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: [idOf(1), idOf(2)] },
      { name: 'text', kind: 'text', values: [text, '[]'] },
    ]);
    const read = async (...steps: readonly (string | number)[]): Promise<readonly unknown[]> => {
      const { sql, bindings } = dialect.jsonText('text', steps);
      const rows = (await dialect.run(
        db,
        `select ${sql} as found from ${facts} order by id`,
        bindings,
      )) as readonly { readonly found: unknown }[]; // the column named
      return rows.map(({ found }) => found);
    };

    expect(await read('a', 0, 'b.c')).to.deep.equal(['found', null]);
    expect(await read('a', 0, 'n')).to.deep.equal(['1.5', null]);
    expect(await read('a', 1)).to.deep.equal([null, null]);
    expect(await read('a', 7, 'b')).to.deep.equal([null, null]);
    expect(await read('empty')).to.deep.equal(['', null]);
    expect(await read('so "quoted"')).to.deep.equal(['q', null]);
    expect(await read('no')).to.deep.equal(['false', null]);
    expect(await read('word')).to.deep.equal(['null', null]);
    // What is no list has no first element.
    for (const steps of [
      ['word', 0],
      ['no', 0],
      ['a', 0, 0],
      ['a', 0, 'n', 0],
    ] as const)
      expect(await read(...steps), steps.join()).to.deep.equal([null, null]);
  });

  it('gives the members of a JSON object of numbers one by one', async () => {
    const { db, dialect } = opened();
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: [idOf(1), idOf(2), idOf(3)] },
      { name: 'text', kind: 'text', values: ['{"a":1,"A \\"b\\".c":2.5}', '{}', null] },
    ]);
    const { join, name, amount } = dialect.jsonNumbers('f.text', 'm');
    const rows = (await dialect.run(
      db,
      `select ${name} as name, ${amount} as amount from ${facts} f ${join} order by 2`,
      [],
    )) as readonly { readonly name: string; readonly amount: number }[]; // the columns named

    expect(rows.map((row) => [row.name, row.amount])).to.deep.equal([
      ['a', 1],
      ['A "b".c', 2.5],
    ]);
  });

  it('gives the texts of a JSON list one by one, and none where there are none', async () => {
    const { db, dialect } = opened();
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: [idOf(1), idOf(2), idOf(3)] },
      { name: 'text', kind: 'text', values: ['["b","A \\"c\\",é"]', '[]', null] },
    ]);
    const { join, value } = dialect.jsonTexts('f.text', 'm');
    const rows = (await dialect.run(
      db,
      `select f.id as id, ${value} as found from ${facts} f ${join}`,
      [],
    )) as readonly { readonly id: unknown; readonly found: unknown }[]; // the columns named

    expect(rows.map(({ id, found }) => [String(id), found]).sort()).to.deep.equal(
      [
        [idOf(1), 'b'],
        [idOf(1), 'A "c",é'],
        [idOf(2), null],
        [idOf(3), null],
      ].sort(),
    );
  });

  it('tells when an id of version 7 was made', async () => {
    const { db, dialect } = opened();
    const ids = ['00000000-0000-7000-8000-000000000000', '018bcfe5-6800-7fff-bfff-ffffffffffff'];
    await dialect.insertColumns(db, facts, [{ name: 'id', kind: 'id', values: ids }]);
    const rows = (await db(facts)
      .select({ found: db.raw(dialect.idTime('id')) })
      .orderBy('id')) as readonly { readonly found: unknown }[]; // the column named
    expect(rows.map(({ found }) => Number(found))).to.deep.equal([0, 1_700_000_000_000]);
  });

  it('takes a text for a number where it is one, and for none where it is not', async () => {
    const { db, dialect } = opened();
    const texts = ['1.50', '-2', '1e3', '', 'abc', '1 2', 'NaN', '0x10', '9'.repeat(400)];
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: texts.map((_, n) => idOf(n)) },
      { name: 'text', kind: 'text', values: texts },
    ]);
    const rows = (await db(facts)
      .select({ found: db.raw(dialect.numberIn('text')) })
      .orderBy('id')) as readonly { readonly found: unknown }[]; // the column named
    const none = Array.from({ length: 6 }, () => null);
    expect(rows.map(({ found }) => found)).to.deep.equal([1.5, -2, 1000, ...none]);
  });

  it('returns values of every kind as they were inserted', async () => {
    const { db, dialect } = opened();
    const long = 'é\u{1f600}"\\\'\n'.repeat(20_000);
    const bytes = Buffer.from(Uint8Array.from({ length: 70_000 }, (_, at) => at % 256));
    const columns: readonly ColumnValues[] = [
      { name: 'id', kind: 'id', values: [idOf(1), idOf(2), idOf(3)] },
      { name: 'text', kind: 'text', values: [long, '', null] },
      { name: 'bytes', kind: 'bytes', values: [bytes, Buffer.alloc(0), Buffer.from('x')] },
      { name: 'number', kind: 'real', values: [5e-324, -1.7976931348623157e308, null] },
      { name: 'whole', kind: 'whole', values: [Number.MAX_SAFE_INTEGER, -1, null] },
      { name: 'flag', kind: 'flag', values: [true, false, null] },
    ];
    await dialect.insertColumns(db, facts, columns);
    const rows = (await db(facts).select().orderBy('id')) as readonly Record<string, unknown>[]; // every column named above
    expect(rows.map(({ text }) => text)).to.deep.equal(columns[1]?.values);
    expect(rows.map((row) => row['bytes'])).to.deep.equal(columns[2]?.values);
    expect(rows.map((row) => row['number'])).to.deep.equal(columns[3]?.values);
    expect(rows.map(({ whole }) => (whole === null ? null : Number(whole)))).to.deep.equal(
      columns[4]?.values,
    );
    expect(rows.map(({ flag }) => (flag === null ? null : Boolean(flag)))).to.deep.equal(
      columns[5]?.values,
    );
  });

  it('takes the case from letters, one character for each, and compares what is left exactly', async () => {
    const { db, dialect } = opened();
    await insertWords(['STRAẞE İI \u212a ΟΔΟΣ ÀÉ Ⴀ ǅ \u{1f600}', 1], ['strasse', 2], ['äb', 3]);
    const found = async (text: string) =>
      (
        (await dialect.run(
          db,
          `select n from ${words} where ${dialect.lower('word')} like ? escape '!'`,
          [`%${text.replaceAll('İ', 'i').replaceAll('Σ', 'σ').toLowerCase()}%`],
        )) as readonly { readonly n: number }[]
      ).map(({ n }) => Number(n)); // the column named
    const rows = (await dialect.run(
      db,
      `select ${dialect.lower('word')} as lower from ${words} where n = 1`,
      [],
    )) as readonly { readonly lower: string }[]; // the column named

    expect(rows[0]?.lower).to.equal('straße ii k οδοσ àé ⴀ ǆ \u{1f600}');
    for (const text of ['straße', 'STRAẞE', 'İi', 'ii', 'οδοσ', 'ΟΔΟΣ', 'Àé', 'k'])
      expect(await found(text), text).to.deep.equal([1]);
    expect([await found('strasse'), await found('ab'), await found('ÄB')]).to.deep.equal([
      ...[[2], [], [3]],
    ]);
  });

  it('takes the case from ASCII, and leaves what is beyond it in one form or the other', async () => {
    const { db, dialect } = opened();
    await insertWords(['ABC É xyz', 1]);
    const rows = (await dialect.run(
      db,
      `select ${dialect.asciiLower('word')} as lower from ${words}`,
      [],
    )) as readonly { readonly lower: string }[]; // the column named
    expect(rows[0]?.lower).to.match(/^abc [Éé] xyz$/);
  });

  it('keeps no sign of zero, which not every engine has', async () => {
    const { db, dialect } = opened();
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: [idOf(1)] },
      { name: 'number', kind: 'real', values: [-0] },
    ]);
    const [row] = (await db(facts).select('number')) as readonly { readonly number: unknown }[]; // the column named
    expect(Object.is(Number(row?.number), 0)).to.equal(true);
  });

  it('reads one byte of many, whatever it is', async () => {
    const { db, dialect } = opened();
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: [idOf(1), idOf(2)] },
      { name: 'bytes', kind: 'bytes', values: [Buffer.from([0, 7, 200, 255, 0]), null] },
    ]);
    const places = [0, 1, 2, 3, 4];
    const rows = (await dialect.run(
      db,
      `select ${places.map((at) => `${dialect.byteAt('bytes', at)} as b${at}`).join(', ')} from ${facts} order by id`,
      [],
    )) as readonly Readonly<Record<string, unknown>>[]; // the columns named
    expect(rows.map((row) => places.map((at) => row[`b${at}`]))[0]?.map(Number)).to.deep.equal([
      0, 7, 200, 255, 0,
    ]);
    expect(rows[1]?.['b0']).to.equal(null);
  });

  it('refuses a whole number that is none, and stores nothing of the statement', async () => {
    const { db, dialect } = opened();
    const insert = (whole: unknown) =>
      dialect.insertColumns(db, facts, [
        { name: 'id', kind: 'id', values: [idOf(1), idOf(2)] },
        { name: 'whole', kind: 'whole', values: [1, whole] },
      ]);
    for (const whole of ['many', 2 ** 70])
      expect(dialect.fault(await rejection(insert(whole)))).to.equal('unfit');
    expect(await db(facts).select('id')).to.deep.equal([]);
    await insert(String(-(2 ** 53 - 1)));
    const rows = (await db(facts).select('whole').orderBy('id')) as readonly { whole: unknown }[]; // the column named
    expect(rows.map(({ whole }) => Number(whole))).to.deep.equal([1, -(2 ** 53 - 1)]);
  });

  it('inserts more rows in one statement than it has parameters for, and finds them by a list', async () => {
    const { db, dialect } = opened();
    const all = Array.from({ length: 40_000 }, (_, n) => [`w${n}`, n] as const);
    await insertWords(...all);
    const some = all.filter(([, n]) => n % 7 === 0).map(([word]) => word);
    const among = db(words)
      .count({ n: '*' })
      .modify(dialect.among('word', 'text', some));
    expect(Number((await among)[0]?.['n'])).to.equal(some.length);
    const rows = await dialect.run(
      db,
      `select word from ${words} where ${dialect.anyOf('n', 'whole')} and word <> ? order by n`,
      [[3, 5, 8], 'w5'],
    );
    expect(rows).to.deep.equal([{ word: 'w3' }, { word: 'w8' }]);
  });

  it('inserts only what is not there yet, and says how much that was', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1]);
    const columns: readonly ColumnValues[] = [
      { name: 'word', kind: 'text', values: ['a', 'b', 'c'] },
      { name: 'n', kind: 'whole', values: [9, 9, 9] },
    ];
    expect(await dialect.insertFresh(db, words, ['word'], columns)).to.equal(2);
    expect(await dialect.insertFresh(db, words, ['word'], columns)).to.equal(0);
    await dialect.insertColumns(db, words, columns, dialect.onConflictIgnore(['word']));
    expect(await db(words).select().where({ word: 'a', n: 1 })).to.have.length(1);
  });

  it('changes what is there by what an upsert brings and by what is stored', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1]);
    const sum = `n = ${dialect.stored(words, 'n')} + ${dialect.incoming('n')}`;
    const columns: readonly ColumnValues[] = [
      { name: 'word', kind: 'text', values: ['a', 'b'] },
      { name: 'n', kind: 'whole', values: [10, 10] },
    ];
    await dialect.insertColumns(db, words, columns, dialect.onConflict(['word'], [sum]));
    const rows = (await db(words).select('n').orderBy('word')) as readonly {
      readonly n: unknown;
    }[]; // the column named
    expect(rows.map(({ n }) => Number(n))).to.deep.equal([11, 10]);
  });

  it('inserts a row while another is there, and none without it', async () => {
    const { db, dialect } = opened();
    await insertWords(['there', 1]);
    const insert = (word: string, condition: string) =>
      db.transaction((inside) =>
        dialect.insertWhile(
          inside,
          words,
          { word, n: 2 },
          { table: words, condition: 'word = ?', bindings: [condition] },
        ),
      );
    expect(await insert('a', 'there')).to.equal(1);
    expect(await insert('b', 'nowhere')).to.equal(0);
    expect(await wordsIn(db(words).select('word').orderBy('word'))).to.deep.equal(['a', 'there']);
  });

  it('does works of a transaction in their order, and undoes all of them with it', async () => {
    const { db, dialect } = opened();
    const works = (inside: Knex) =>
      dialect.together(inside, [
        () => dialect.run(inside, `insert into ${words} (word, n) values (?, ?)`, ['a', 1]),
        () => dialect.run(inside, `select word from ${words}`, []),
      ]);
    const [, rows] = await db.transaction(works);
    expect(rows).to.deep.equal([{ word: 'a' }]);
    await db(words).delete();
    await rejection(
      db.transaction(async (inside) => {
        await works(inside);
        throw new Error('undone');
      }),
    );
    expect(await wordsIn(db(words).select('word'))).to.deep.equal([]);
  });

  it('reads every row of a table a few at a time', async () => {
    const { db, dialect } = opened();
    await insertWords(...Array.from({ length: 500 }, (_, n) => [`w${n}`, n] as const));
    const sizes: number[] = [];
    await db.transaction(async (inside) => {
      for await (const rows of dialect.readAll(inside, `select word from ${words} order by n`))
        sizes.push(rows.length);
    });
    expect(sizes.reduce((sum, size) => sum + size, 0)).to.equal(500);
    expect(sizes.length).to.be.above(1);
  });

  it('gathers the numbers of a group, and what is told of them, in one order', async () => {
    const { db, dialect } = opened();
    const { packed } = dialect;
    if (packed === undefined) return; // as the port allows
    const numbers = [0.1, undefined, -1e300, 5e-324, 3, undefined, 7];
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: numbers.map((_, at) => idOf(at)) },
      { name: 'number', kind: 'real', values: numbers.map((number) => number ?? null) },
      { name: 'whole', kind: 'whole', values: numbers.map((_, at) => at) },
      { name: 'flag', kind: 'flag', values: numbers.map((_, at) => at % 2 === 0) },
      { name: 'text', kind: 'text', values: numbers.map((_, at) => `text "${at}"`) },
    ]);
    const rows = (await dialect.run(
      db,
      `select flag, ${packed.numbers('f.whole')} as places, ${packed.numbers('f.number')} as numbers, ${packed.texts('f.whole', 'f.text', 'f.number is null')} as texts from ${facts} f group by flag`,
      [],
    )) as readonly {
      readonly places: Buffer;
      readonly numbers: Buffer;
      readonly texts: string | null;
    }[]; // the columns named

    const found = rows.flatMap((row) => {
      const values = packed.read(row.numbers);
      return packed.read(row.places).map((place, at) => [place, values[at]] as const);
    });
    const told = rows.flatMap(
      ({ texts }) => (texts === null ? [] : JSON.parse(texts)) as readonly [number, string][], // as the port says
    );
    expect(rows).to.have.length(2);
    expect(new Map(found)).to.deep.equal(new Map(numbers.map((number, at) => [at, number])));
    expect(new Map(told)).to.deep.equal(
      new Map([
        [1, 'text "1"'],
        [5, 'text "5"'],
      ]),
    );
  });

  it('sends a whole transaction as one message where the engine allows it, and undoes all of one that is refused', async () => {
    const { db, dialect } = opened();
    const { pipelined } = dialect;
    if (pipelined === undefined) return; // as the port allows
    const insert = (inside: Knex, word: string) => () =>
      dialect.run(inside, `insert into ${words} (word, n) values (?, ?)`, [word, 1]);
    await pipelined.transact(db, (inside) => [insert(inside, 'a'), insert(inside, 'b')]);
    const refused = await rejection(
      pipelined.transact(db, (inside) => [
        insert(inside, 'c'),
        () => dialect.run(inside, `select ${pipelined.refuseUnless('1 = 2')}`, []),
      ]),
    );
    expect(dialect.fault(refused)).to.equal('changed');
    expect(await wordsIn(db(words).select('word').orderBy('word'))).to.deep.equal(['a', 'b']);
  });

  it('tells when every transaction has ended that had begun to write before a moment', async () => {
    const { db, dialect } = opened();
    const { name, haveEnded } = dialect.transactions;
    const tellLater = async (moment: string): Promise<boolean> => {
      // One engine tells of whole seconds, and the same to whoever asks it more often than this.
      for (let tries = 0; tries < 60; tries++) {
        if (await haveEnded(db, moment)) return true;
        await new Promise((wake) => setTimeout(wake, 150));
      }
      return false;
    };
    let [moment, meanwhile] = ['', true];
    await db.transaction(async (inside) => {
      await inside(words).insert({ word: 'a', n: 1 });
      moment = await name(db);
      const later = await name(db);
      meanwhile = (await haveEnded(db, moment)) || (await haveEnded(db, later));
    });
    const after = await tellLater(moment);
    const whileAnother = await db.transaction(async (inside) => {
      const before = moment;
      await inside(words).insert({ word: 'b', n: 2 });
      return tellLater(before);
    });

    expect([meanwhile, after, whileAnother]).to.deep.equal([false, true, true]);
  });

  it('does not tell that transactions have ended before they have, however often it is asked', async () => {
    const { db, dialect } = opened();
    const { name, haveEnded } = dialect.transactions;
    const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));
    const old = await name(db);
    await pause(1200);
    let asks = true;
    const asking = (async () => {
      while (asks) {
        await haveEnded(db, old);
        await pause(20);
      }
    })();
    await pause(200);
    const meanwhile = await db.transaction(async (inside) => {
      await inside(words).insert({ word: 'c', n: 3 });
      const moment = await name(db);
      await pause(1500);
      const told = [await haveEnded(db, moment)];
      await pause(300);
      return [...told, await haveEnded(db, moment)];
    });
    asks = false;
    await asking;

    expect(meanwhile).to.deep.equal([false, false]);
  });

  it('tells whether two texts are the same, trailing blanks included', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1], ['b ', 2]);
    const same = async (text: string) => {
      const rows = await dialect.run(
        db,
        `select word from ${words} where ${dialect.equalTexts('word', '?')}`,
        [text],
      );
      return rows.length;
    };
    expect([await same('a'), await same('a '), await same('A')]).to.deep.equal([1, 0, 0]);
    expect([await same('b '), await same('b')]).to.deep.equal([1, 0]);
  });

  it('gives an id as a text', async () => {
    const { db, dialect } = opened();
    await dialect.insertColumns(db, facts, [{ name: 'id', kind: 'id', values: [idOf(1)] }]);
    const rows = await dialect.run(
      db,
      `select ${dialect.idAsText('id')} as found from ${facts} where ${dialect.idAsText('id')} = ?`,
      [idOf(1)],
    );
    expect(rows).to.deep.equal([{ found: idOf(1) }]);
  });

  it('gives the value of a rank of what is aggregated, where it aggregates', async () => {
    const { db, dialect } = opened();
    if (dialect.percentile === undefined) return; // as the port allows
    const numbers = [7, 1, undefined, 5, 3, 9, 2, 10, 4, 8, 6, undefined];
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: numbers.map((_, at) => idOf(at)) },
      { name: 'number', kind: 'real', values: numbers.map((number) => number ?? null) },
    ]);
    const parts = [0.5, 0.9, 0.95, 0.01];
    const [row] = (await dialect.run(
      db,
      `select ${parts.map((part, at) => `${dialect.percentile?.('number', part)} as p${at}`).join(', ')} from ${facts}`,
      [],
    )) as readonly Readonly<Record<string, unknown>>[]; // the columns named
    expect(parts.map((_, at) => Number(row?.[`p${at}`]))).to.deep.equal([5, 9, 10, 1]);
  });

  it('orders rows without a value last, in either direction', async () => {
    const { db, dialect } = opened();
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: [idOf(1), idOf(2), idOf(3)] },
      { name: 'number', kind: 'real', values: [null, 2, 1] },
    ]);
    const ordered = async (direction: 'asc' | 'desc') => {
      const parts = dialect.inOrder({ sql: 'number', bindings: [] }, direction);
      const rows = (await dialect.run(
        db,
        `select number from ${facts} order by ${parts.map(({ sql }) => sql).join(', ')}`,
        parts.flatMap(({ bindings }) => bindings),
      )) as readonly { readonly number: number | null }[]; // the column named
      return rows.map(({ number }) => number);
    };
    expect(await ordered('asc')).to.deep.equal([1, 2, null]);
    expect(await ordered('desc')).to.deep.equal([2, 1, null]);
  });

  it('finds texts by their beginning and their words, where it keeps indexes over expressions', async () => {
    const { db, dialect } = opened();
    const { expressionIndexes } = dialect;
    if (expressionIndexes === undefined) return; // as the port allows
    const texts = ['The model_1 failed', 'the MODEL failed', 'nothing', 'É'.repeat(5000), null];
    await dialect.insertColumns(db, facts, [
      { name: 'id', kind: 'id', values: texts.map((_, at) => idOf(at)) },
      { name: 'text', kind: 'text', values: texts },
    ]);
    const [first, second] = ['dialect_facts_words', 'dialect_facts_beginning'];
    await expressionIndexes.create(db, facts, first, [expressionIndexes.words('text')], 'words');
    await expressionIndexes.create(
      ...([db, facts, second, [expressionIndexes.beginning('text')], 'values'] as const),
    );
    const found = async (...asked: readonly string[]) => {
      const { sql, bindings } = expressionIndexes.mayHaveWords('text', asked);
      const rows = (await dialect.run(db, `select text from ${facts} where ${sql}`, bindings)) as {
        readonly text: string;
      }[]; // the column named
      return rows.map(({ text }) => text);
    };
    const beginnings = (await dialect.run(
      db,
      `select ${expressionIndexes.beginning('text')} as found from ${facts} order by id`,
      [],
    )) as readonly { readonly found: string | null }[]; // the column named

    // More may be found, and never less; a long text is only known to be long.
    expect(await found('failed')).to.include.members([texts[0], texts[1]]);
    expect(await found('model', 'failed')).to.include(texts[1]);
    expect(await found('model', 'failed')).to.not.include(texts[2]);
    expect(await found('model_1')).to.include(texts[0]);
    expect(beginnings[0]?.found).to.equal('the model_1 failed');
    expect(beginnings[3]?.found?.length).to.be.within(1, expressionIndexes.characters);
    expect(beginnings[4]?.found).to.equal(null);
    for (const name of [first, second]) await expressionIndexes.drop(db, name);
  });

  it('changes a schema by all of some statements or by none, where it rolls back tables', async () => {
    const { db, dialect } = opened();
    if (dialect.changeSchema === undefined) return; // as the port allows
    const made = 'dialect_made';
    const isThere = () => db.schema.hasTable(made);
    const refused = await rejection(
      dialect.changeSchema(db, [`create table ${made} (n integer)`, 'select nothing from nowhere']),
    );
    expect([refused === undefined, await isThere()]).to.deep.equal([false, false]);
    await dialect.changeSchema(db, [
      `create table ${made} (n integer)`,
      `alter table ${made} add column m integer`,
    ]);
    expect(await db.schema.hasColumn(made, 'm')).to.equal(true);
    await db.schema.dropTable(made);
  });

  it('keeps bytes that are packed already, where it would pack them, as they are', async () => {
    const { db, dialect } = opened();
    await dialect.keepPacked?.(db, facts, 'bytes');
    const bytes = Buffer.alloc(5000, 'abc');
    await db(facts).insert({ id: idOf(1), bytes });

    expect((await db(facts).first('bytes')).bytes).to.deep.equal(bytes);
  });

  it('keeps bytes in their row, where it knows of any other place, as they are', async () => {
    const { db, dialect } = opened();
    await dialect.keepInRow?.(db, facts, 'bytes');
    const bytes = Buffer.from(Array.from({ length: 1536 }, (_, at) => at & 255));
    await db(facts).insert({ id: idOf(1), bytes });

    expect((await db(facts).first('bytes')).bytes).to.deep.equal(bytes);
  });

  it('tells its own time in ms', async () => {
    const { db, dialect } = opened();
    const [row] = (await db.select({ now: db.raw(dialect.nowMs) })) as readonly {
      readonly now: unknown;
    }[]; // one row of one column
    expect(Math.abs(Number(row?.now) - Date.now())).to.be.below(60_000);
  });

  it('knows an index by its name and its table', async () => {
    const { db, dialect } = opened();
    expect(await dialect.hasIndex(db, words, 'dialect_words_n')).to.equal(true);
    expect(await dialect.hasIndex(db, facts, 'dialect_words_n')).to.equal(false);
  });

  it('makes an index and statistics once, in whatever way it has, and takes them back', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1], ['b', 2]);
    const { createIndex, expressionIndexes, expressionStatistics } = dialect;
    const [index, ranges, statistics] = ['dialect_words_m', 'dialect_ranges', 'dialect_statistics'];
    for (let times = 0; times < 2; times++) {
      await createIndex?.(db, words, ['n'], index);
      await expressionIndexes?.create(db, words, ranges, ['n'], 'ranges');
      await expressionStatistics?.create(db, words, statistics, '(n + 1)');
    }

    expect([
      await dialect.hasIndex(db, words, index),
      await dialect.hasIndex(db, words, ranges),
    ]).to.deep.equal([createIndex !== undefined, expressionIndexes !== undefined]);
    expect(await wordsIn(db(words).select('word').where('n', '>', 1))).to.deep.equal(['b']);
    await expressionIndexes?.drop(db, ranges);
    for (let times = 0; times < 2; times++) await expressionStatistics?.drop(db, statistics);
    if (createIndex !== undefined)
      await db.schema.alterTable(words, (table) => {
        table.dropIndex(['n'], index);
      });
    expect(await dialect.hasIndex(db, words, ranges)).to.equal(false);
  });

  it('reads by several processes as by one, where it has them', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1], ['b', 2]);
    const reading = dialect.withWorkers ?? dialect.withLargeWorkMem;

    expect(
      await reading(db, undefined, async (inside) =>
        wordsIn(inside(words).select('word').orderBy('word')),
      ),
    ).to.deep.equal(['a', 'b']);
  });

  it('says what a fault of the database means', async () => {
    const { db, dialect } = opened();
    await insertWords(['a', 1]);
    const faultOf = async (work: Promise<unknown>) => dialect.fault(await rejection(work));
    expect(await faultOf(insertWords(['a', 2]))).to.equal('conflict');
    expect(await faultOf(db.raw('select nothing from nowhere'))).to.equal('other');
    expect(dialect.fault(new Error('of nobody'))).to.equal('other');
  });
};
