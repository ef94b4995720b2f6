import { expect } from 'chai';
import { coreChanges, migrations as migrationsOf } from '#adapters/storage/sql/migrate';
import { addIndex, createTable, type Change } from '#adapters/storage/sql/migrations/change';
import { pluginChanges } from '#adapters/storage/sql/plugin-tables';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addExperiment, gatherPoints, point, start } from '#test/contract/storage/builders';

/** An empty database of its own, and other processes' views of it. */
export interface EmptyDatabase {
  readonly storage: SqlStorage;
  again(): SqlStorage;
}

/** How the schema comes, goes and comes back; each case leaves the database as it found it. */
export const migrationContract = (opened: () => EmptyDatabase): void => {
  const migrations = () => opened().storage.migrations;
  const db = () => opened().storage.connection.db;
  const tables = async (): Promise<readonly string[]> => {
    const rows = (await db()('information_schema.tables')
      .select({ name: 'table_name' })
      .whereRaw(
        `table_schema = ${opened().storage.connection.dialect.currentSchema}`,
      )) as readonly { readonly name: string }[]; // the column named
    return rows
      .map((row) => row.name)
      .filter((name) => !name.startsWith('orrery_migration'))
      .sort();
  };
  const columns = async () =>
    await db()('information_schema.columns')
      .select({
        table: 'table_name',
        column: 'column_name',
        type: 'data_type',
        empty: 'is_nullable',
      })
      .whereRaw(`table_schema = ${opened().storage.connection.dialect.currentSchema}`)
      .orderBy(['table_name', 'column_name']);
  const numbers = coreChanges.map(({ number }) => number);
  afterEach('take everything back', async () => {
    await migrations().undo(Infinity);
  });

  it('says of an empty database that it is empty and that every change waits', async () => {
    expect(await migrations().isEmpty()).to.equal(true);
    expect(
      (await migrations().status()).map(({ number, at, known }) => [number, at, known]),
    ).to.deep.equal(numbers.map((number) => [number, undefined, true]));
    await migrations().settled();
  });

  it('goes up once, all the way down and up again to the same schema', async () => {
    expect(await migrations().up()).to.equal(coreChanges.length);
    const [first, schema] = [await tables(), await columns()];
    expect([await migrations().up(), await migrations().isEmpty()]).to.deep.equal([0, false]);

    expect(await migrations().undo(Infinity)).to.equal(coreChanges.length);
    expect([
      await tables(),
      await migrations().isEmpty(),
      await migrations().undo(Infinity),
    ]).to.deep.equal([[], true, 0]);
    await migrations().up();

    expect(first.length).to.be.above(20);
    expect([await tables(), await columns()]).to.deep.equal([first, schema]);
    await addExperiment(opened().storage);
  });

  it('makes the same of an empty database together and one by one', async () => {
    const { dialect } = opened().storage.connection;
    const kept = async () =>
      dialect.changeSchema === undefined
        ? []
        : await dialect.run(
            db(),
            `select c.relname as name, c.reloptions as options, pg_get_indexdef(c.oid) as index, null as storage from pg_class c where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'i')
             union all select c.relname || '.' || a.attname, null, null, a.attstorage from pg_attribute a join pg_class c on c.oid = a.attrelid where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and a.attnum > 0
             union all select s.stxname, null, pg_get_statisticsobjdef(s.oid), null from pg_statistic_ext s where s.stxnamespace = current_schema()::regnamespace order by 1`,
            [],
          );
    expect(await migrations().up()).to.equal(coreChanges.length);
    const together = [await tables(), await columns(), await kept()];
    await migrations().undo(Infinity);
    const single = coreChanges.map(
      (change): Change =>
        Object.fromEntries(
          Object.entries(change).filter(([member]) => member !== 'fresh'),
        ) as unknown as Change, // a change is whole without it
    );
    expect(await migrations().up('core', single)).to.equal(coreChanges.length);

    expect([await tables(), await columns(), await kept()]).to.deep.equal(together);
  });

  it('undoes only the newest changes, as many as are asked for, and says before what goes with them', async () => {
    await migrations().up();
    const [last] = coreChanges.slice(-1);

    expect(await migrations().losses(1)).to.deep.equal([
      {
        number: last?.number,
        name: last?.name,
        ...(last?.creates === undefined ? {} : { table: { name: last.creates, rows: 0 } }),
      },
    ]);
    expect(await migrations().undo(1)).to.equal(1);

    expect(
      (await migrations().status())
        .filter(({ at }) => at === undefined)
        .map(({ number }) => number),
    ).to.deep.equal([last?.number]);
    expect(await tables()).to.not.include(last?.name.replace('create ', ''));
    expect(await migrations().up()).to.equal(1);
  });

  it('counts the rows of every table that would go', async () => {
    await migrations().up();
    await addExperiment(opened().storage);

    const losses = await migrations().losses(Infinity);

    expect(losses.map(({ number }) => number)).to.deep.equal([...numbers].reverse());
    expect(losses.find(({ table }) => table?.name === 'experiments')?.table?.rows).to.equal(1);
    expect(
      losses
        .filter(({ table }) => table !== undefined)
        .map(({ table }) => table?.name)
        .sort(),
    ).to.deep.equal(await tables());
  });

  it('lets no second process change the schema while one change takes longer than the lease', async () => {
    const leaseMs = 2000; // a crowded machine may stop a process for a second
    const runs: string[] = [];
    const slow = {
      number: 1,
      name: 'slow',
      up: async () => {
        runs.push('begun');
        await new Promise((wake) => setTimeout(wake, 1.5 * leaseMs));
        runs.push('done');
      },
      down: async () => undefined,
    };
    const [one, other] = [
      migrationsOf(opened().storage.connection, { leaseMs }),
      migrationsOf(opened().again().connection, { leaseMs }),
    ];

    const counts = await Promise.all([one.up('slow', [slow]), other.up('slow', [slow])]);

    expect([runs, counts.sort()]).to.deep.equal([
      ['begun', 'done'],
      [0, 1],
    ]);
    await one.undo(Infinity, 'slow', [slow]);
  });

  it('tells what this release lacks and what a newer one has changed, unless that leaves older servers writing', async () => {
    expect(await migrations().gap()).to.deep.equal({ missing: coreChanges.length, newer: [] });
    await migrations().up();
    expect(await migrations().gap()).to.deep.equal({ missing: 0, newer: [] });

    await migrations().undo(2);
    await db()('orrery_migrations').insert([
      { owner: 'core', number: 9998, name: 'an index', at: start, older_may_write: true },
      { owner: 'core', number: 9999, name: 'another form', at: start, older_may_write: false },
    ]);

    expect(await migrations().gap()).to.deep.equal({ missing: 2, newer: ['another form'] });
    await db()('orrery_migrations').where('number', '>=', 9998).delete();
  });

  it('goes on after each change that was made but not yet noted, and keeps what is there', async function () {
    this.timeout(60_000);
    await migrations().up();
    const { id } = await addExperiment(opened().storage);
    await opened().storage.stores.metrics.append({
      experimentId: id,
      points: [point()],
      receivedAt: start,
    });
    const schema = await columns();

    for (const number of numbers) {
      await db()('orrery_migrations').where({ owner: 'core', number }).delete();
      expect(await migrations().up()).to.equal(1);
    }

    expect(await columns()).to.deep.equal(schema);
    expect(
      await gatherPoints(opened().storage.stores.metrics.readPoints(id, 'loss')),
    ).to.have.length(1);
  });

  it('goes on after a change that failed, without running the earlier ones again', async () => {
    const runs: number[] = [];
    let broken = true;
    const change = (number: number) => ({
      number,
      name: `n${number}`,
      up: async () => {
        runs.push(number);
        if (number === 2 && broken) throw new Error('broken');
      },
      down: async () => undefined,
    });
    const changes = [1, 2, 3].map(change);

    expect(
      await migrations()
        .up('half', changes)
        .then(
          () => 'done',
          (thrown: Error) => thrown.message,
        ),
    ).to.equal('broken');
    broken = false;
    expect(await migrations().up('half', changes)).to.equal(2);

    expect(runs).to.deep.equal([1, 2, 2, 3]);
    await migrations().undo(Infinity, 'half', changes);
  });

  it('makes an empty database whole after a first run that broke off, and notes nothing that is not there', async () => {
    let broken = true;
    const second = createTable(2, 'second', (table) => {
      if (broken) table.specificType('id', 'no_such_type');
      else table.integer('id').notNullable().primary();
    });
    const changes = [
      createTable(1, 'first', (table) => {
        table.integer('id').notNullable().primary();
      }),
      second,
      addIndex(3, 'second', ['id'], 'second_by_id'),
    ];

    const refused = await migrations()
      .up('half', changes)
      .then(
        () => 'done',
        () => 'refused',
      );
    const noted = (await migrations().status('half', changes))
      .filter(({ at }) => at !== undefined)
      .map(({ number }) => number);
    const left = await tables();
    broken = false;
    const ran = await migrations().up('half', changes);

    expect([refused, noted, ran]).to.deep.equal(['refused', left.map(() => 1), 3 - noted.length]);
    expect(await tables()).to.deep.equal(['first', 'second']);
    expect(
      (await migrations().status('half', changes)).every(({ at }) => at !== undefined),
    ).to.equal(true);
    await migrations().undo(Infinity, 'half', changes);
  });

  it('goes down again where a run broke off', async () => {
    await migrations().up();
    const [last] = coreChanges.slice(-1);
    await last?.down(db(), opened().storage.connection.dialect);

    expect(await migrations().undo(Infinity)).to.equal(coreChanges.length);
    expect(await tables()).to.deep.equal([]);
  });

  it('runs each change once when several processes start on an empty database', async () => {
    const others = [opened().again(), opened().again()];

    const counts = await Promise.all(
      [opened().storage, ...others].map((storage) => storage.migrations.up()),
    );

    expect(counts.sort((a, b) => a - b)).to.deep.equal([0, 0, coreChanges.length]);
    expect((await migrations().status()).every(({ at }) => at !== undefined)).to.equal(true);
  });

  it('shows a change of a newer release as one it does not know', async () => {
    await migrations().up();
    await db()('orrery_migrations').insert({
      owner: 'core',
      number: 9999,
      name: 'from the future',
      at: start,
      older_may_write: false,
    });

    expect((await migrations().status()).at(-1)).to.deep.equal({
      owner: 'core',
      number: 9999,
      name: 'from the future',
      at: start,
      known: false,
    });
    await db()('orrery_migrations').where({ number: 9999 }).delete();
  });

  it('keeps the changes of each owner apart, and drops all of one', async () => {
    await migrations().up();
    const changes = pluginChanges('Some plug-in', [
      { create: 'things', columns: { id: 'key' }, key: ['id'] },
      { add: 'things', columns: { more: 'text' } },
    ]);
    const before = await tables();

    expect(await migrations().up('Some plug-in', changes)).to.equal(2);
    expect([await migrations().owners(), (await tables()).length]).to.deep.equal([
      ['Some plug-in', 'core'],
      before.length + 1,
    ]);
    await db()('orrery_migrations').where({ owner: 'Some plug-in' }).delete();
    expect(await migrations().up('Some plug-in', changes)).to.equal(2);
    expect(await migrations().undo(1, 'Some plug-in', changes)).to.equal(1);
    expect(await migrations().drop('Some plug-in')).to.equal(1);

    expect([await tables(), await migrations().owners()]).to.deep.equal([before, ['core']]);
  });
};
