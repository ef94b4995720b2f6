import { expect } from 'chai';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { isFailure } from '#ports/failure';
import {
  addExperiment,
  addProject,
  addUser,
  addWorkspace,
  freshId,
  freshName,
  point,
  rejection,
  start,
} from '#test/contract/storage/builders';
import { aTrace } from '#test/contract/storage/traces';

/** Where the engines differ, and what they all do here. */
export const engineContract = (storage: () => SqlStorage): void => {
  interface Querying {
    query(connection: unknown, statement: unknown): Promise<unknown>;
  }
  /** Does something whose first statement outside a transaction fails in a way, `before` or after it was carried out. Answers how many statements were sent. */
  const whenFirst = async (
    fault: Error,
    { before = false }: { readonly before?: boolean },
    work: () => Promise<unknown>,
  ): Promise<number> => {
    const client = storage().connection.db.client as Querying; // knex's client, of which its types tell nothing
    const { query } = client;
    let sent = 0;
    client.query = async (connection, statement) => {
      sent++;
      if (sent === 1 && before) throw fault;
      const result = await query.call(client, connection, statement);
      if (sent === 1) throw fault;
      return result;
    };
    try {
      await work();
    } finally {
      client.query = query;
    }
    return sent;
  };
  const lost = () => Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });

  it('makes no call again whose reply was lost when it counts', async () => {
    const { id } = await addUser(storage());

    const refusal = await rejection(
      whenFirst(lost(), {}, () =>
        storage().stores.usage.count({
          userId: id,
          kind: 'sdk',
          at: start,
          workspaceId: undefined,
        }),
      ),
    );

    expect(isFailure(refusal) && refusal.kind).to.equal('unavailable');
    expect(
      (await storage().stores.usage.listCounts())
        .filter(({ userId }) => userId === id)
        .map(({ count }) => count),
    ).to.deep.equal([1]);
  });

  it('makes a call again whose reply was lost when it may be repeated', async () => {
    const project = await addProject(storage());

    expect(
      await whenFirst(lost(), {}, () => storage().stores.projects.writeNotes(project.id, 'kept')),
    ).to.equal(2);
    expect(await whenFirst(lost(), {}, () => storage().stores.usage.listCounts())).to.equal(2);
    expect(await storage().stores.projects.readNotes(project.id)).to.equal('kept');
  });

  it('sends a single statement again that the database gave up for another one', async function () {
    this.timeout(20_000);
    const { db } = storage().connection;
    const made = [];
    for (let i = 0; i < 8; i++) made.push((await addProject(storage())).id);
    const [low = '', ...others] = made.sort();
    const high = others.at(-1) ?? '';
    let runs = 0;
    let bare: Promise<number> = Promise.resolve(0);

    // The statement holds the lower row and waits for the higher one, which the transaction holds that then wants the lower: the smaller of both is given up.
    await storage().transaction(async (stores) => {
      runs++;
      for (const id of others) await stores.projects.writeNotes(id, 'by the transaction');
      bare = db('projects')
        .whereIn('id', [low, high])
        .update({ notes: 'by the statement' })
        .then((count) => count);
      bare.catch(() => undefined);
      for (let i = 0; i < 20; i++) await stores.projects.findById(low);
      await stores.projects.writeNotes(low, 'by the transaction');
    });

    expect([await bare, runs]).to.deep.equal([2, 1]);
    expect([
      await storage().stores.projects.readNotes(low),
      await storage().stores.projects.readNotes(others[0] ?? ''),
    ]).to.deep.equal(['by the statement', 'by the transaction']);
  });

  it('stores points while every other connection is taken', async () => {
    const { id } = await addExperiment(storage());
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let held = 0;
    const most = (storage().connection.db.client as { readonly pool: { readonly max: number } })
      .pool.max; // knex's pool, of which its types tell nothing
    const holding = Array.from({ length: most }, () =>
      storage().connection.db.transaction(async (inside) => {
        await inside.raw('select 1');
        held++;
        await released;
      }),
    );
    while (held < most)
      await new Promise((wake) => {
        setImmediate(wake);
      });

    const appended = await storage()
      .stores.metrics.append({
        experimentId: id,
        points: [point({ text: '1' })],
        receivedAt: start,
      })
      .finally(release);
    await Promise.all(holding);

    expect(appended.outcome).to.equal('stored');
  });

  it('waits for a lock for some seconds only', async function () {
    this.timeout(30_000);
    const { db, dialect } = storage().connection;
    const project = await addProject(storage());
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let locked: () => void = () => undefined;
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve;
    });
    const holding = storage().transaction(async (stores) => {
      await stores.projects.lock(project.id);
      locked();
      await released;
    });
    await isLocked;
    const began = performance.now();

    const thrown = await rejection(
      db.transaction(async (inside) => {
        await inside('projects').where({ id: project.id }).update({ notes: 'x' });
      }),
    ).finally(release);
    await holding;

    expect(dialect.fault(thrown)).to.equal('repeat');
    expect(performance.now() - began).to.be.within(4000, 9000);
  });

  it('ends a search in the database when its client has gone', async function () {
    this.timeout(30_000);
    const { db, dialect } = storage().connection;
    const gone = new AbortController();
    const long =
      'select count(*) as n from information_schema.columns a, information_schema.columns b, information_schema.columns c, information_schema.columns d where a.column_name <> b.column_name and c.column_name <> d.column_name';
    const began = performance.now();
    setTimeout(() => {
      gone.abort();
    }, 300);

    const thrown = await rejection(
      dialect.withLargeWorkMem(db, gone.signal, async (inside) => {
        await inside.raw(long);
      }),
    );

    expect([dialect.fault(thrown), performance.now() - began < 8000]).to.deep.equal(['slow', true]);
    expect(
      await db.transaction(
        async (inside) => (await inside('projects').select('id').limit(1)).length,
      ),
    ).to.be.at.most(1);
    expect(
      isFailure(await rejection(dialect.withLargeWorkMem(db, gone.signal, async () => 1))),
    ).to.equal(true);
  });

  it('gives whole numbers back exactly, up to 2^53 and with any sign', async () => {
    const experiment = await addExperiment(storage(), {
      createdAt: Number.MAX_SAFE_INTEGER - 1,
      beatMs: 0,
    });
    await storage().stores.experiments.update(experiment.id, { startTimeMillis: -1 });

    const found = await storage().stores.experiments.findByKey(experiment.key);
    expect([found?.createdAt, found?.startTimeMillis]).to.deep.equal([
      Number.MAX_SAFE_INTEGER - 1,
      -1,
    ]);
  });

  it('keeps milliseconds and no time zone', async () => {
    const user = await addUser(storage(), { createdAt: 1_700_000_000_123 });

    expect((await storage().stores.users.findUser({ id: user.id }))?.createdAt).to.equal(
      1_700_000_000_123,
    );
  });

  it('tells the time of the database in whole milliseconds, close to ours', async () => {
    const [before, told, after] = [Date.now(), await storage().now(), Date.now()];

    expect(Number.isInteger(told)).to.equal(true);
    expect(told).to.be.within(before - 2000, after + 2000);
  });

  it('gives booleans and JSON texts back as what they were', async () => {
    const project = await addProject(storage(), { public: true });
    const text = '{ "b":1,"a" : [1,2],"b":2}';
    await storage().stores.projects.writeInstanceStore(project.id, 'i', text);

    expect([
      project.public,
      await storage().stores.projects.readInstanceStore(project.id, 'i'),
    ]).to.deep.equal([true, text]);
  });

  it('keeps lists as they are', async () => {
    const { id } = await addExperiment(storage());
    await storage().stores.rpc.register(id, {
      name: 'f',
      documentation: '',
      argumentNames: ['a', 'b,c', '"d"'],
    });

    expect((await storage().stores.rpc.findFunction(id, 'f'))?.argumentNames).to.deep.equal([
      'a',
      'b,c',
      '"d"',
    ]);
  });

  it('compares names by every letter: case, accents and trailing blanks', async () => {
    const name = `café${freshName()}`;
    const names = [name, name.toUpperCase(), name.replace('é', 'e'), `${name} `, `${name}\t`];
    const made = [];
    for (const one of names) made.push(await addWorkspace(storage(), { name: one }));

    for (const workspace of made)
      expect((await storage().stores.workspaces.findByName(workspace.name))?.id).to.equal(
        workspace.id,
      );
  });

  it('keeps letters beyond the first plane, and names longer than an index takes', async () => {
    const { id } = await addExperiment(storage());
    const name = '😀𝄞'.repeat(2000);
    await storage().stores.values.write({
      experimentId: id,
      kind: 'parameter',
      values: [{ name, context: undefined, text: name, step: undefined, timestamp: start }],
      receivedAt: start,
    });

    expect(
      (await storage().stores.values.list(id, 'parameter')).map((value) => [
        value.name === name,
        value.last.text === name,
      ]),
    ).to.deep.equal([[true, true]]);
  });

  it('tells a taken name, and goes on afterwards', async () => {
    const name = freshName();
    const ownerId = (await addUser(storage())).id;
    await storage().transaction((inside) =>
      inside.workspaces.insert({ id: freshId(), name, ownerId, createdAt: start }),
    );

    const refusal = await rejection(
      storage().transaction((inside) =>
        inside.workspaces.insert({ id: freshId(), name, ownerId, createdAt: start }),
      ),
    );

    expect(isFailure(refusal) && refusal.kind).to.equal('conflict');
    await storage().check();
  });

  it('upserts a row by its own key and no other', async () => {
    const [one, two] = [await addExperiment(storage()), await addExperiment(storage())];
    for (const { id } of [one, two])
      await storage().stores.metrics.append({
        experimentId: id,
        points: [point()],
        receivedAt: start,
      });
    await storage().stores.metrics.append({
      experimentId: one.id,
      points: [point({ text: '9' })],
      receivedAt: start,
    });

    expect(
      await Promise.all(
        [one, two].map(async ({ id }) =>
          (await storage().stores.metrics.listSeries(id)).map((series) => [
            series.count,
            series.max.text,
          ]),
        ),
      ),
    ).to.deep.equal([[[2, '9']], [[1, '0.5']]]);
  });

  it('inserts more values in one statement than a protocol has room for parameters', async () => {
    const { id } = await addExperiment(storage());
    await storage().stores.metrics.append({
      experimentId: id,
      points: Array.from({ length: 6000 }, (_, i) => point({ name: `m${i}` })),
      receivedAt: start,
    });

    expect(await storage().stores.metrics.countSeries(id)).to.equal(6000);
  });

  it('repeats transactions that lock each other out', async () => {
    const [one, two] = [await addExperiment(storage()), await addExperiment(storage())];
    const meet = barrier(2);
    const inOrder = (first: string, second: string) =>
      storage().transaction(async (inside) => {
        await inside.documents.change(first, 'git', (before) => `${before ?? ''}.`);
        await meet();
        await inside.documents.change(second, 'git', (before) => `${before ?? ''}.`);
      });

    await Promise.all([inOrder(one.id, two.id), inOrder(two.id, one.id)]);

    expect([
      await storage().stores.documents.read(one.id, 'git'),
      await storage().stores.documents.read(two.id, 'git'),
    ]).to.deep.equal(['..', '..']);
  });

  it('repeats a transaction in whose part another writer took a key', async () => {
    const { id: projectId } = await addProject(storage());
    const trace = aTrace({ projectId });
    let second: Promise<unknown> = Promise.resolve();
    await storage().transaction(async (first) => {
      await first.traces.changeTraces(projectId, [trace.id], () => trace);
      // It finds no such row, and waits for the key until this ends.
      second = storage().transaction((inside) =>
        inside.traces.changeTraces(projectId, [trace.id], (_, stored) => ({
          ...trace,
          name: stored === undefined ? 'made' : 'found',
        })),
      );
      second.catch(() => undefined);
      for (let i = 0; i < 20; i++) await first.projects.findById(projectId);
    });
    await second;

    const [found] = await storage().stores.traces.listTraces({ projectId, filters: [], limit: 9 });
    expect(found?.name).to.equal('found');
  });

  it('reads within a transaction what others stored since it began', async () => {
    const { id } = await addExperiment(storage());

    const seen = await storage().transaction(async (inside) => {
      const before = await inside.documents.read(id, 'cloud');
      await storage().stores.documents.change(id, 'cloud', () => 'after');
      return [before, await inside.documents.read(id, 'cloud')];
    });

    expect(seen).to.deep.equal([undefined, 'after']);
  });

  it('cuts no text short without saying so', async () => {
    const refused = await addUser(storage(), { name: 'u'.repeat(400) }).then(
      (user) => user.name.length,
      (thrown: unknown) => (isFailure(thrown) ? thrown.kind : 'defect'),
    );

    expect(refused).to.be.oneOf([400, 'invalid']);
  });

  it('tells apart in every table what the default order of letters would not', async () => {
    const { db, dialect } = storage().connection;
    const rows = (await db('information_schema.columns')
      .select({ name: 'table_name', column: 'column_name', collation: 'collation_name' })
      .whereRaw(`table_schema = ${dialect.currentSchema}`)
      .whereNotNull('collation_name')) as readonly { readonly collation: string }[]; // the columns named

    expect(
      [...new Set(rows.map((row) => row.collation))].filter(
        (collation) => !/_bin$|^C$/.test(collation),
      ),
    ).to.deep.equal([]);
  });

  it('has a primary key on every table, as clusters ask', async () => {
    const { db, dialect } = storage().connection;
    const names = async (query: Promise<unknown>) =>
      ((await query) as readonly { readonly name: string }[]).map((row) => row.name).sort(); // the column named
    const tables = await names(
      db('information_schema.tables')
        .select({ name: 'table_name' })
        .whereRaw(`table_schema = ${dialect.currentSchema}`),
    );
    const keyed = await names(
      db('information_schema.table_constraints')
        .select({ name: 'table_name' })
        .where({ constraint_type: 'PRIMARY KEY' })
        .whereRaw(`table_schema = ${dialect.currentSchema}`),
    );

    expect(tables.filter((table) => !keyed.includes(table))).to.deep.equal([]);
    expect(tables.length).to.be.above(20);
  });

  it('gives what reads with room for much give, rejects as they do, and leaves no setting behind', async () => {
    const { db, dialect } = storage().connection;
    const { id } = await addUser(storage());
    const settings = async () =>
      db.client.dialect === 'postgresql'
        ? await db('pg_settings')
            .select('name', 'setting')
            .whereIn('name', ['work_mem', 'jit', 'max_parallel_workers_per_gather'])
            .orderBy('name')
        : [];
    const before = await settings();

    for (const reading of [dialect.withLargeWorkMem, dialect.withWorkers ?? []].flat()) {
      expect(
        await reading(
          db,
          undefined,
          async (inside) => await inside('users').where({ id }).pluck('id'),
        ),
      ).to.deep.equal([id]);
      expect(
        await reading(db, undefined, async (inside) => await inside('nowhere').select('id')).then(
          () => 'done',
          () => 'rejected',
        ),
      ).to.equal('rejected');
    }
    expect(await settings()).to.deep.equal(before);
  });

  it('has the settings of what reads with room in force from its first statement on', async () => {
    const { db, dialect } = storage().connection;
    if (db.client.dialect !== 'postgresql') return; // which alone has such settings
    for (const reading of [dialect.withLargeWorkMem, dialect.withWorkers ?? []].flat())
      for (const read of [
        async (inside: typeof db) =>
          (
            await dialect.run(
              inside,
              "select setting from pg_settings where name = 'statement_timeout'",
              [],
            )
          )[0],
        async (inside: typeof db) =>
          await inside('pg_settings').where({ name: 'statement_timeout' }).first('setting'),
      ])
        expect(await reading(db, undefined, read)).to.deep.equal({ setting: '30000' });
  });

  it('has no statement compiled, in or outside of a transaction', async () => {
    const { db } = storage().connection;
    if (db.client.dialect !== 'postgresql') return; // which alone compiles
    const settingOf = async (on: typeof db) =>
      await on('pg_settings').where({ name: 'jit' }).pluck('setting');

    expect([
      await settingOf(db),
      await db.transaction(async (inside) => await settingOf(inside)),
    ]).to.deep.equal([['off'], ['off']]);
  });

  it('makes an index of a large table while others write to it, and anew where a run left it half made', async () => {
    const { db, dialect } = storage().connection;
    const { createIndex } = dialect;
    if (createIndex === undefined) return; // where adding one blocks nobody
    const [table, index] = ['index_trial', 'index_trial_n'];
    await db.schema.createTable(table, (made) => {
      made.integer('n').notNullable();
      made.text('filling').notNullable();
    });
    try {
      const make = () => createIndex(db, table, ['n'], index);
      await db.raw('insert into ?? select 1, repeat(?, 1900) from generate_series(1, 2)', [
        table,
        'x',
      ]);
      // Two of one number refuse it, and it stays behind.
      await rejection(db.raw('create unique index concurrently ?? on ?? (n)', [index, table]));

      await make();
      await make();

      const { rows } = (await db.raw(
        'select indisvalid, indisunique from pg_index where indexrelid = ?::regclass',
        [index],
      )) as { readonly rows: readonly unknown[] }; // the driver's result
      expect(rows).to.deep.equal([{ indisvalid: true, indisunique: false }]);

      await db.schema.alterTable(table, (altered) => {
        altered.dropIndex(['n'], index);
      });
      await db.raw(
        'insert into ?? select n, repeat(?, 1900) from generate_series(1, 38000) as g(n)',
        [table, 'x'],
      );
      const making = await db.transaction(async (writer) => {
        await writer(table).insert({ n: 0, filling: '' });
        const made = make();
        await new Promise((wake) => setTimeout(wake, 200)); // for it to wait for that writer
        // A lock against writers would be waited for here until this transaction ended.
        await db.transaction(async (other) => {
          await other(table).insert({ n: 0, filling: '' });
        });
        return { made };
      });
      await making.made;
      expect(await dialect.hasIndex(db, table, index)).to.equal(true);
    } finally {
      await db.schema.dropTable(table);
    }
  });

  it('has no foreign key, as databases in shards ask', async () => {
    const { db, dialect } = storage().connection;

    expect(
      await db('information_schema.table_constraints')
        .select('constraint_name')
        .where({ constraint_type: 'FOREIGN KEY' })
        .whereRaw(`table_schema = ${dialect.currentSchema}`),
    ).to.deep.equal([]);
  });
};

/** Lets everybody wait for everybody once; whoever comes again goes through. */
const barrier = (count: number): (() => Promise<void>) => {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  let here = 0;
  return () => {
    if (++here >= count) open();
    return opened;
  };
};
