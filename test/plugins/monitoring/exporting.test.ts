// Events as a table with its manifest: all of them, as they were sent, and whoever has both can tell so.
import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { systemZip } from '#adapters/system/zip';
import { exportEvents, type AskedExport } from '#plugins/monitoring/exporting';
import { readItems } from '#plugins/monitoring/items';
import { settleModel } from '#plugins/monitoring/model-settling';
import { findModel } from '#plugins/monitoring/models';
import { hourMs } from '#plugins/monitoring/needs';
import { storeItems } from '#plugins/monitoring/storing';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
type World = Awaited<ReturnType<typeof beginModel>>;

describe('exports of monitored events', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const begin = async (): Promise<World> => {
    const world = await beginModel(tables);
    await world.send(
      Array.from({ length: 40 }, (_, at) => ({
        at: start - hourMs + at,
        version: String(at % 2),
        features: { age: at === 5 ? 'old, "very"' : at / 8, region: ['eu', ' us\n'][at % 2] },
        predictions: { value: at % 3 === 0 ? 'yes' : 'no' },
      })),
    );
    const { items } = readItems(
      [{ workspaceName: 'w', modelName: 'm', predictionId: 'p3', labels: { value: 'yes' } }],
      { onlyLabels: true, now: start },
    );
    await storeItems(world.needs, world.model, items, [], 7);
    return world;
  };
  const bytesOf = async ({ needs, model }: World, asked: AskedExport): Promise<Buffer> => {
    const current = await findModel(tables, model.id);
    if (current === undefined) throw new Error('the model is gone');
    const download = await exportEvents(needs, { model: current, signal: never }, asked);
    const pieces: Uint8Array[] = [];
    for await (const piece of await download.open()) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  const entriesOf = async (world: World, asked: AskedExport) => {
    const limits = { most: 5, bytes: 1_000_000 };
    const [table, manifest] = await systemZip.unpack(await bytesOf(world, asked), limits);
    return {
      text: table?.text ?? '',
      names: [table?.name, manifest?.name],
      manifest: JSON.parse(manifest?.text ?? '{}') as Readonly<Record<string, unknown>>, // written by the export
    };
  };
  const whole = { from: '2026-11-25', to: '2026-11-25' };

  it('hold every event with what came later, and a manifest by which that is told', async () => {
    const { text, names, manifest } = await entriesOf(await begin(), whole);
    expect(names).to.deep.equal(['events.csv', 'manifest.json']);
    const lines = text.split('\r\n');
    expect(lines[0]).to.equal(
      'timestamp,predictionId,modelVersion,feature_age,feature_region,label_value_value,prediction_value',
    );
    expect(lines).to.have.length(42);
    const at = start - hourMs;
    expect(text).to.include(`\r\n${at + 3},p3,1,0.375," us\n",yes,yes\r\n`);
    expect(text).to.include(`\r\n${at + 5},p5,1,"old, ""very"""," us\n",,no\r\n`);
    expect(manifest).to.deep.include({
      ...{ rows: 40, eventsBySums: 40, bytes: Buffer.byteLength(text), cellsLeftOut: 0 },
      sha256: createHash('sha256').update(text).digest('hex'),
      ...{ file: 'events.csv', version: null, filter: null, modelName: 'm' },
    });
  });

  it('may be of a version, a filter and a span of time', async () => {
    const world = await begin();
    const own = await entriesOf(world, { ...whole, version: '1' });
    expect(own.manifest).to.deep.include({ rows: 20, eventsBySums: 20, version: '1' });
    const filtered = await entriesOf(world, { ...whole, filter: 'label = yes' });
    expect(filtered.manifest).to.deep.include({ rows: 1, eventsBySums: null });
    const none = await entriesOf(world, { from: '2026-11-01', to: '2026-11-02' });
    expect([none.manifest['rows'], none.text.split('\r\n').length]).to.deep.equal([0, 2]);
  });

  it('are Parquet where that is asked for, which tells the cells that it leaves out', async () => {
    const world = await begin();
    const zip = await bytesOf(world, { ...whole, format: 'parquet' });
    const { mkdtemp, rm, writeFile } = await import('node:fs/promises');
    const { tmpdir } = await import('node:os');
    const { join } = await import('node:path');
    const folder = await mkdtemp(join(tmpdir(), 'orrery-export-'));
    try {
      await writeFile(join(folder, 'a.zip'), zip);
      const archive = await systemZip.openFile(join(folder, 'a.zip'));
      const read = async (name: string): Promise<Buffer> => {
        const pieces: Uint8Array[] = [];
        const entry = await archive.entries.get(name)?.open();
        for await (const piece of entry ?? []) pieces.push(piece);
        return Buffer.concat(pieces);
      };
      const table = await read('events.parquet');
      const manifest = JSON.parse((await read('manifest.json')).toString()) as object; // as above
      await archive.close();
      const { buffer, byteOffset, length } = table;
      const rows = await parquetReadObjects({
        file: buffer.slice(byteOffset, byteOffset + length) as ArrayBuffer, // of its own memory
      });
      expect(rows).to.have.length(40);
      expect(rows[3]).to.deep.equal({
        ...{ timestamp: start - hourMs + 3, predictionId: 'p3', modelVersion: '1' },
        ...{ feature_age: 0.375, feature_region: ' us\n' },
        ...{ label_value_value: 'yes', prediction_value: 'yes' },
      });
      expect(rows[5]).to.include({ feature_age: null });
      expect(manifest).to.deep.include({
        ...{ rows: 40, bytes: length, cellsLeftOut: 1 },
        sha256: createHash('sha256').update(table).digest('hex'),
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('are refused for models that keep sums alone', async () => {
    const world = await begin();
    await settleModel(tables, world.model, { profileOnly: true });
    const refused = await bytesOf(world, whole).then(String, (thrown: unknown) => String(thrown));
    expect(refused).to.include('profileOnly');
  });
});
