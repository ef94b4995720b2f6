import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';
import { listTables } from '#adapters/storage/sql/migrate';
import { pluginChanges, pluginTables } from '#adapters/storage/sql/plugin-tables';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import type { ImportedPlugin } from '#config/plugins';
import { exportTo, importFrom } from '#config/transfer';
import type { Blob } from '#ports/blob';
import { object } from '#ports/api/schema';
import { isFailure } from '#ports/failure';
import { plugin } from '#ports/plugin';
import type { Cell } from '#ports/storage/transfer';
import { storageAdapters, type OpenedStorage, type StorageAdapter } from '#test/contract/adapters';
import { anAlert } from '#test/contract/storage/alerts';
import { addExperiment, freshId, point, rejection, start } from '#test/contract/storage/builders';
import { pendingUnlessAll } from '#test/pending';

type Rows = Readonly<Record<string, readonly string[]>>;

const show = (cell: Cell): unknown =>
  cell instanceof Uint8Array
    ? Buffer.from(cell).toString('hex')
    : Object.is(cell, -0)
      ? '-0'
      : cell;

/** Every row of every table, in one order whatever the engine. */
const everything = (storage: SqlStorage): Promise<Rows> =>
  storage.transfer.read(async (snapshot) => {
    const tables: Record<string, readonly string[]> = {};
    for (const { name, columns } of snapshot.tables) {
      const rows: string[] = [];
      for await (const page of snapshot.rows(name))
        for (const row of page)
          rows.push(
            JSON.stringify(
              Object.fromEntries(
                columns
                  .map((column, at) => [column.name, show(row[at] ?? null)] as const)
                  .sort(([a], [b]) => (a < b ? -1 : 1)),
              ),
            ),
          );
      tables[name] = rows.sort();
    }
    return tables;
  });

const texts = ['plain', 'naïve ✓ 𝄞', 'a "quoted" \\ line\nbreak', '-0', '1e-05', 'NaN', ' blank '];

/** Something of every kind of value that a table holds. */
const fill = async (storage: SqlStorage, blob: Blob): Promise<string> => {
  const experiment = await addExperiment(storage);
  const { stores } = storage;
  await stores.metrics.append({
    experimentId: experiment.id,
    points: texts.map((text, step) => point({ text, step, timestamp: start + step * 7 })),
    receivedAt: start,
    digest: 'd'.repeat(64),
  });
  await stores.metrics.append({
    experimentId: experiment.id,
    points: Array.from({ length: 3000 }, (_, i) =>
      point({ name: 'long', text: String(Math.sin(i)), step: i }),
    ),
    receivedAt: start,
  });
  await stores.values.write({
    experimentId: experiment.id,
    kind: 'parameter',
    values: texts.map((text, at) => ({
      name: `p${at} ${text}`,
      context: undefined,
      text,
      step: undefined,
      timestamp: start,
    })),
    receivedAt: start,
  });
  const print = (text: string) =>
    stores.texts.appendOutput({
      experimentId: experiment.id,
      lines: [{ text, stderr: false, offset: undefined }],
      receivedAt: start,
      limitBytes: 1_000_000,
    });
  // Some of it packed, and some not yet.
  for (const text of texts) await print(`${text}\n`);
  await stores.texts.queuePacking([experiment.id]);
  await storage.jobs.find(({ name }) => name === 'pack-output')?.run(new AbortController().signal);
  await print('not packed\n');
  await stores.events.append({
    id: freshId(),
    subject: `experiment:${experiment.id}`,
    name: 'experiment.created',
    at: start,
    detail: { texts },
  });
  await stores.alerts.insert(
    anAlert({
      workspaceId: experiment.workspaceId,
      name: texts.join(),
      enabled: false,
      metadata: { routing_key: texts.join() },
      triggers: [{ id: freshId(), eventType: 'prompt:created', configs: [] }],
    }),
  );
  const rowId = freshId();
  const key = `${experiment.workspaceId}/${rowId}`;
  await stores.uploads.noteUpload(key, start);
  const { size, sha256 } = await blob.put(
    key,
    (async function* () {
      yield Buffer.from('bytes of an asset '.repeat(5000));
    })(),
  );
  await stores.assets.insert(
    {
      id: rowId.replaceAll('-', ''),
      rowId,
      experimentId: experiment.id,
      workspaceId: experiment.workspaceId,
      fileName: '../é🦄.txt',
      type: 'asset',
      fileSize: size,
      runContext: undefined,
      step: -4,
      epoch: undefined,
      metadata: '{"a": 1.0}',
      remoteLink: undefined,
      blobKey: key,
      sha256,
      groupingName: undefined,
      artifactVersionId: undefined,
      extension: 'txt',
      tags: ['b'],
      width: undefined,
      height: undefined,
      partOf: undefined,
      createdAt: start,
    },
    { replacing: false, idGiven: true },
  );
  return key;
};

const whole = { withBytes: true };

interface Place {
  readonly opened: OpenedStorage;
  readonly blob: Blob;
  readonly folder: string;
}

describe('orrery export and import', function () {
  this.timeout(120_000);
  const places: Place[] = [];
  let folder: string;
  let key: string;
  let first: Place;

  const openPlace = async (context: Mocha.Context, adapter: StorageAdapter): Promise<Place> => {
    const opened = await adapter.openEmpty();
    if ('missing' in opened) {
      pendingUnlessAll(context, opened.missing);
      throw new Error('left out');
    }
    const own = await mkdtemp(join(folder, 'place-'));
    const place = {
      opened,
      blob: await filesystemBlob({ folder: join(own, 'blobs') }),
      folder: own,
    };
    places.push(place);
    return place;
  };
  const needs = ({ opened, blob }: Place) => ({ opened, plugins: [], blob, tell: () => undefined });
  const adapterOf = (name: string): StorageAdapter => {
    const found = storageAdapters.find((adapter) => adapter.name === name);
    if (found === undefined) throw new Error(`there is no adapter ${name}`);
    return found;
  };
  const bytesOf = async (blob: Blob): Promise<string> => {
    const pieces: Uint8Array[] = [];
    for await (const piece of (await blob.open(key)).stream) pieces.push(piece);
    return Buffer.concat(pieces).toString();
  };

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'orrery-transfer-'));
    first = await openPlace(this, adapterOf('embedded'));
    await first.opened.storage.migrations.up();
    key = await fill(first.opened.storage, first.blob);
  });
  after(async () => {
    for (const { opened } of places) await opened.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('carries every row, value, id and byte from the embedded database to MariaDB and on to Postgres', async function () {
    let from = first;
    const original = await everything(first.opened.storage);
    for (const engine of ['mysql', 'postgres']) {
      const to = await openPlace(this, adapterOf(engine));
      const file = join(folder, `to-${engine}.zip`);
      await exportTo(file, whole, needs(from));
      await importFrom(file, needs(to));

      expect(await everything(to.opened.storage), engine).to.deep.equal(original);
      expect(await bytesOf(to.blob)).to.equal('bytes of an asset '.repeat(5000));
      expect(await to.opened.storage.countBrokenSeries()).to.equal(0);
      from = to;
    }
  });

  it('exports what there was at one moment while more is written, and leaves bytes out when asked to', async function () {
    const [before, file] = [await everything(first.opened.storage), join(folder, 'moment.zip')];
    const tell = () => {
      tell.times++;
      void fill(first.opened.storage, first.blob);
    };
    tell.times = 0;

    const { sentence } = await exportTo(file, { withBytes: false }, { ...needs(first), tell });

    expect(tell.times).to.be.above(3);
    expect(sentence).to.match(/ 0 files exported$/);
    const to = await openPlace(this, adapterOf('embedded'));
    await importFrom(file, needs(to));
    expect(await everything(to.opened.storage)).to.deep.equal(before);
    expect(await rejection(to.blob.stat(key))).to.satisfy(
      (thrown: unknown) => isFailure(thrown) && thrown.kind === 'absent',
    );
  });

  describe('with a plugin on one side only', () => {
    const notes: ImportedPlugin = {
      isOwn: false,
      listed: { name: 'notes', settings: {}, optional: false, trusted: false },
      settings: {},
      plugin: plugin({
        name: 'notes',
        api: 1,
        settings: object({}),
        needs: {},
        tables: [{ create: 'notes', columns: { id: 'key', text: 'text' }, key: ['id'] }],
        contribute: () => ({}),
      }),
    };
    const changes = pluginChanges('notes', notes.plugin.tables ?? []);
    const tablesOf = ({ opened }: Place) => listTables(opened.storage.connection);

    for (const engine of ['embedded', 'postgres', 'mysql'])
      it(`brings rows of a plugin to ${engine} where the plugin is installed, and refuses them before anything is changed where it is not`, async function () {
        const from = await openPlace(this, adapterOf(engine));
        await from.opened.storage.migrations.up();
        await fill(from.opened.storage, from.blob);
        await from.opened.storage.migrations.up('notes', changes);
        await pluginTables(
          from.opened.storage.connection,
          'notes',
          notes.plugin.tables ?? [],
        ).insert('notes', { id: 'a', text: 'kept' });
        const file = join(folder, `plugin-${engine}.zip`);
        await exportTo(file, whole, needs(from));
        const [without, having] = [
          await openPlace(this, adapterOf(engine)),
          await openPlace(this, adapterOf(engine)),
        ];

        expect(await rejection(importFrom(file, needs(without)))).to.match(
          /holds 1 rows of the plugin notes, which is not listed here/,
        );
        expect(await tablesOf(without)).to.deep.equal([]);
        await importFrom(file, { ...needs(having), plugins: [notes] });

        expect(await everything(having.opened.storage)).to.deep.equal(
          await everything(from.opened.storage),
        );
      });

    it('leaves out tables of a plugin that hold nothing, and makes none for a plugin that the file does not know', async function () {
      const from = await openPlace(this, adapterOf('embedded'));
      await from.opened.storage.migrations.up();
      await fill(from.opened.storage, from.blob);
      await from.opened.storage.migrations.up('notes', changes);
      const file = join(folder, 'plugin-empty.zip');
      await exportTo(file, whole, needs(from));
      const [without, having] = [
        await openPlace(this, adapterOf('embedded')),
        await openPlace(this, adapterOf('embedded')),
      ];

      await importFrom(file, needs(without));
      const back = join(folder, 'plugin-none.zip');
      await exportTo(back, whole, needs(without));
      await importFrom(back, { ...needs(having), plugins: [notes] });

      const { [`p_notes_notes`]: empty, ...rest } = await everything(from.opened.storage);
      expect(empty).to.deep.equal([]);
      for (const place of [without, having])
        expect(await everything(place.opened.storage)).to.deep.equal(rest);
    });
  });

  it('leaves the schema of a storage that is in use as it is when it refuses a file', async function () {
    const [used, file] = [
      await openPlace(this, adapterOf('embedded')),
      join(folder, 'for-another.zip'),
    ];
    await exportTo(file, whole, needs(first));
    await used.opened.storage.migrations.up();
    await fill(used.opened.storage, used.blob);
    await used.opened.storage.migrations.undo(1);
    const before = await used.opened.storage.migrations.status();

    expect(await rejection(importFrom(file, needs(used)))).to.match(/not empty/);

    expect(await used.opened.storage.migrations.status()).to.deep.equal(before);
  });

  it('refuses a file that exists, a storage that is not empty, and a file that is damaged, which leaves the storage empty', async function () {
    const [file, damaged] = [join(folder, 'whole.zip'), join(folder, 'damaged.zip')];
    await exportTo(file, whole, needs(first));
    const taken = await stat(file);

    expect(await rejection(exportTo(file, whole, needs(first)))).to.match(/already/);
    expect((await stat(file)).size).to.equal(taken.size);
    expect(await rejection(importFrom(file, needs(first)))).to.match(/not empty/);
    expect(await rejection(importFrom(join(folder, 'none.zip'), needs(first)))).to.match(
      /there is no file/,
    );

    const bytes = await readFile(file);
    const to = await openPlace(this, adapterOf('embedded'));
    for (const at of [bytes.length / 3, bytes.length / 2, bytes.length - 60]) {
      const broken = Buffer.from(bytes);
      broken.fill(0x5a, Math.floor(at), Math.floor(at) + 20);
      await writeFile(damaged, broken);
      expect(isFailure(await rejection(importFrom(damaged, needs(to))))).to.equal(true);
      expect(await to.opened.storage.transfer.isEmpty()).to.equal(true);
      expect((await to.blob.list({ prefix: '', limit: 10 })).entries).to.deep.equal([]);
    }
    await importFrom(file, needs(to));
    expect(await to.opened.storage.transfer.isEmpty()).to.equal(false);
  });
});
