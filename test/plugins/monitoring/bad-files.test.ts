// Files that are not as they should be: what is wrong is said, what was stored stays and counts once, and a file that comes twice at once is one.
import { expect } from 'chai';
import { baselinesOf } from '#plugins/monitoring/baselines';
import { listFaults } from '#plugins/monitoring/faults';
import { ensureModel, fieldsOf, findModel, modelIdOf } from '#plugins/monitoring/models';
import { metricSeries } from '#plugins/monitoring/queries';
import { storeItems } from '#plugins/monitoring/storing';
import { defaultMissing, takeFile, type UploadOf } from '#plugins/monitoring/uploading';
import { isFailure } from '#ports/failure';
import type { PluginTables } from '#ports/plugin-tables';
import { freshName } from '#test/contract/storage/builders';
import { beginModel, start, withTables } from './world.js';

describe('files of monitored events', function () {
  this.timeout(60_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const begin = async () => {
    const { needs } = await beginModel(tables);
    const workspace = { id: freshName() };
    const ingesting = {
      ...{ ...needs, dedupDays: 7, reach: async () => workspace },
      store: (...given: Parameters<typeof storeItems> extends [unknown, ...infer R] ? R : never) =>
        storeItems(needs, ...given),
    };
    const fields = {
      ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', datasetName: undefined },
      missing: new Set(defaultMissing),
    };
    const take = async (
      pieces: readonly (string | Uint8Array)[],
      of: UploadOf = { of: 'events' },
    ): Promise<string> => {
      const content = async function* () {
        for (const piece of pieces) yield Buffer.from(piece);
      };
      const named = of.of === 'training' ? { ...fields, datasetName: 'set' } : fields;
      return takeFile(ingesting, content(), named, of).catch((thrown: unknown) => {
        if (!isFailure(thrown) || thrown.kind !== 'invalid') throw thrown;
        return `refused: ${thrown.message}`;
      });
    };
    const count = async (cometSql = 'SELECT count(*) FROM model'): Promise<number> => {
      const model = await ensureModel(needs, workspace.id, 'm');
      const question = { model, signal: new AbortController().signal };
      const { data } = await metricSeries(needs, question, { cometSql });
      return data[0]?.data.reduce((sum, { y }) => sum + (y ?? 0), 0) ?? 0;
    };
    const read = async () => {
      const model = await ensureModel(needs, workspace.id, 'm');
      return {
        faults: await listFaults(needs, tables, model.id),
        fields: await fieldsOf(tables, model.id),
      };
    };
    const modelIs = () => findModel(tables, modelIdOf(needs, workspace.id, 'm'));
    return { take, count, read, modelIs };
  };
  const header = 'predictionId,timestamp,feature_a,feature_b\n';
  const rowsOf = (count: number) =>
    Array.from({ length: count }, (_, row) => `p${row},${start - 1000},${row},"x, ${row % 3}"\n`);

  for (const [title, pieces, says] of [
    ['an empty file', [], 'has no header line'],
    ['text of another encoding', [header, Buffer.from('a,1,2,caf\u00e9\n', 'latin1')], 'not UTF-8'],
    ['text of UTF-16', [Buffer.from(`\ufeff${header}`, 'utf16le')], 'not UTF-8'],
    ['a character that is cut', [header, Buffer.from('a,1,2,é').subarray(0, -1)], 'not UTF-8'],
    [
      'a quote that stays open',
      [header, 'a,1,2,"x\n'],
      'ends within the quotes of a cell, in row 2',
    ],
    ['a quote within a cell', [header, 'a,1,2,x"y"\n'], 'has a quote within a cell'],
    ['text behind quotes', [header, 'a,1,2,"x"y\n'], 'goes on behind the quotes of a cell'],
    ['semicolons for commas', ['feature_a;feature_b\n', '1;2\n'], 'must be separated by commas'],
    ['names of no column', ['a,b\n', '1,2\n'], 'begins with feature_'],
    ['a column twice', ['feature_a,feature_a\n', '1,2\n'], 'has the column feature_a twice'],
    ['too many columns', ['a,'.repeat(5000), '\n'], 'has more than 4000 columns'],
  ] as const)
    it(`refuse ${title}, and store nothing`, async () => {
      const { take, count, modelIs } = await begin();
      for (const of of [
        { of: 'events' },
        { of: 'labels' },
        { of: 'training', replace: true },
      ] as const)
        expect(await take(pieces, of), of.of)
          .to.match(/^refused: /)
          .and.include(says);
      expect(await modelIs()).to.equal(undefined);
      expect(await count()).to.equal(0);
    });

  it('are read with a mark of their order, blank lines, lines of either kind, and cells that are missing or too many', async () => {
    const { take, count } = await begin();
    const text = `\ufeff${header.replace('\n', '\r\n')}a,${start},NaN,\r\n\nb,${start},inf\nc,${start},3,x,4,5\n,${start},NA,y`;
    expect(await take([text])).to.include('"rows":4,"accepted":4');
    expect(await count()).to.equal(4);
    expect(await count('SELECT count(feature_b) FROM model')).to.equal(2);
  });

  it('that break far behind keep what came before, which counts once when they come again whole', async () => {
    const { take, count } = await begin();
    const rows = rowsOf(12_500);
    const broken = [header, ...rows.slice(0, 12_000), 'p12000,1,"x"y\n', ...rows.slice(12_001)];
    expect(await take(broken)).to.include('goes on behind the quotes of a cell, in row 12002');
    expect(await count()).to.be.within(1, 12_000);
    const told = JSON.parse(await take([header, ...rows])) as Readonly<Record<string, number>>; // the last line of a reply
    expect((told['accepted'] ?? 0) + (told['duplicates'] ?? 0)).to.equal(12_500);
    expect([await count(), await count('SELECT sum(feature_a) FROM model')]).to.deep.equal([
      12_500,
      (12_500 * 12_499) / 2,
    ]);
  });

  it('of training may be of any time, and take the place of a set only where they can be read', async () => {
    const { take, modelIs, read } = await begin();
    const training = { of: 'training', replace: true } as const;
    const rows = ['a,1000,1,x\n', `b,${start},2,y\n`, 'c,2100-01-01,3,z\n'];
    expect(await take([header, ...rows], training)).to.include('"rows":3,"accepted":3');
    const sets = async () => {
      const model = await modelIs();
      const found = await baselinesOf(tables, model?.id ?? '');
      return found.map(({ datasetName, sampleCount }) => [datasetName, sampleCount]);
    };
    expect(await sets()).to.deep.equal([['set', 3]]);

    expect(await take([header, 'a,1,2,"x"y\n'], training)).to.include('refused: ');
    const wrong = [header, `${'y'.repeat(300)},1,1,x\n`];
    expect(await take(wrong, training)).to.include('"accepted":0,"duplicates":0,"rejected":1');
    expect(await sets()).to.deep.equal([['set', 3]]);
    expect((await read()).faults.map(({ reason }) => reason)).to.deep.equal(['NAME_TOO_LONG']);
    expect(await take([header, ...rows.slice(1)], training)).to.include('"accepted":2');
    expect(await sets()).to.deep.equal([['set', 2]]);
    await take([header, ...rows], { ...training, replace: false });
    expect(await sets()).to.deep.equal([['set', 5]]);
  });

  it('decide by all of their first rows what holds numbers, and not by the first one', async () => {
    const { take, count, read } = await begin();
    const rows = rowsOf(500).map((row, at) => (at === 0 ? row.replace(',0,', ',none yet,') : row));
    await take([header, ...rows]);
    const { fields, faults } = await read();
    expect(fields.get('feature_a')?.numeric).to.equal(true);
    expect(faults.map(({ reason, predictionId }) => [reason, predictionId])).to.deep.equal([
      ['TYPE_CHANGED', 'p0'],
    ]);
    expect(await count('SELECT sum(feature_a) FROM model')).to.equal((499 * 500) / 2);
  });

  it('keep the types that fields have already, and what texts look like', async () => {
    const { take, count, read } = await begin();
    const first = ['predictionId,feature_zip,feature_age\n', 'a,x07,1\n', 'b,007,2\n'];
    await take(first);
    const second = 'predictionId,feature_zip,feature_age\nc,007,3\nd,08,old\ne,1.0,none\n';
    expect(await take([second])).to.include('"accepted":3');
    expect(await count("SELECT count(*) FROM model WHERE feature_zip = '007'")).to.equal(2);
    expect(await count("SELECT count(*) FROM model WHERE feature_zip = '1.0'")).to.equal(1);
    expect(await count('SELECT sum(feature_age) FROM model')).to.equal(6);
    const { fields, faults } = await read();
    expect(
      [...fields.values()].map(({ column, numeric }) => [column, numeric]),
    ).to.have.deep.members([
      ['feature_zip', false],
      ['feature_age', true],
    ]);
    // Of the same reason, field and second there is one row.
    expect(faults.map(({ reason, field, times }) => [reason, field, times])).to.deep.equal([
      ['TYPE_CHANGED', 'feature_age', 2],
    ]);
  });

  it('keep a reason for each row that is wrong, and the rows around it', async () => {
    const { take, count, read } = await begin();
    const times = { good: start, past: 1000, future: Date.parse('2100-01-01'), none: 'soon' };
    const rows = Object.entries(times).map(([id, at]) => `${id},${at},1,x\n`);
    const long = 'y'.repeat(300);
    const told = await take([header, ...rows, `${long},${start},1,x\n`, `,${start},2,x\n`]);
    expect(told).to.include('"rows":6,"accepted":2,"duplicates":0,"rejected":4');
    expect(await count()).to.equal(2);
    const { faults } = await read();
    expect(faults.map(({ reason, predictionId }) => [reason, predictionId])).to.have.deep.members([
      ['TIMESTAMP_TOO_OLD', 'past'],
      ['TIMESTAMP_FUTURE', 'future'],
      ['WRONG_TYPE', 'none'],
      ['NAME_TOO_LONG', 'y'.repeat(256)],
    ]);
  });

  it('that come three times at once are one', async () => {
    const { take, count } = await begin();
    const rows = rowsOf(3000);
    const replies = await Promise.all([0, 1, 2].map(() => take([header, ...rows])));
    const sum = (name: string): number =>
      replies.reduce(
        (all, text) => all + ((JSON.parse(text) as Readonly<Record<string, number>>)[name] ?? 0), // as above
        0,
      );
    expect([sum('accepted'), sum('duplicates')]).to.deep.equal([3000, 6000]);
    expect(await count()).to.equal(3000);
    expect(await count("SELECT count(*) FROM model WHERE feature_b = 'x, 1'")).to.equal(1000);
  });
});
