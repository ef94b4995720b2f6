// The thread beside that takes in batches and files: what it stores is what the thread that answers would have stored.
import { expect } from 'chai';
import { Beside } from '#plugins/monitoring/beside';
import { layItems, liftItems } from '#plugins/monitoring/laid-items';
import { readItems } from '#plugins/monitoring/items';
import { ensureModel } from '#plugins/monitoring/models';
import { dayMs } from '#plugins/monitoring/needs';
import { storeItems } from '#plugins/monitoring/storing';
import { Failure } from '#ports/failure';
import type { PluginRow, PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const given = (from: number, count: number) =>
  Array.from({ length: count }, (_, row) => ({
    ...{ workspaceName: 'w', modelName: 'm', modelVersion: String(row % 2) },
    predictionId: `p${from + row}`,
    timestamp: start - (row % 3) * dayMs,
    features: {
      age: row / 7,
      region: ['eu', 'us'][row % 2],
      ...(row % 5 === 0 ? {} : { height: row }),
      ...(row % 11 === 0 ? { mixed: 'é' } : { mixed: row }),
    },
    prediction: { value: 'yes', probability: 0.5 },
    ...(row % 7 === 0 ? { labels: { value: 'no' } } : {}),
  }));
const itemsOf = (events: readonly object[], onlyLabels = false) =>
  readItems(events, { onlyLabels, now: start }).items;

describe('the thread that takes in monitored events', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  /** Everything of a model but the names of what was made at random. */
  const rowsOf = async (model: string) => {
    const all: Record<string, PluginRow[]> = {};
    for (const table of [
      'frames',
      'columns',
      'events',
      'additions',
      'profiles',
      'fields',
      'faults',
    ])
      all[table] = (await tables.list(table, 'key', { model_id: model }, { limit: 10_000 }))
        .map(({ model_id: _, frame: __, piece: ___, fault: ____, ...row }) => row)
        .sort((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    return all;
  };

  async function* rowByRow(rows: number): AsyncGenerator<Uint8Array> {
    yield Buffer.from('timestamp,feature_a\n');
    for (let row = 0; row < rows; row++) yield Buffer.from(`${start},${row}\n`);
  }
  /** Has a file of so many rows taken in. */
  const takeRows = (
    rows: number | AsyncIterable<Uint8Array>,
    beside: Beside,
    { needs, model }: Awaited<ReturnType<typeof beginModel>>,
  ): Promise<string> => {
    const content = typeof rows === 'number' ? rowByRow(rows) : rows;
    const ingesting = {
      ...needs,
      dedupDays: 7,
      reach: async () => ({ id: model.workspaceId }),
      store: beside.store,
    };
    const fields = {
      ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', datasetName: undefined },
      missing: new Set(['']),
    };
    return beside.takeFile(ingesting, content, fields, { of: 'events' });
  };

  it('stores what would have been stored here, labels that come late and repetitions too', async () => {
    const [one, other] = [await beginModel(tables), await beginModel(tables)];
    const beside = new Beside(one.needs);
    const batches = [
      itemsOf(given(0, 600)),
      itemsOf(given(300, 600)),
      itemsOf(
        given(0, 900).map(({ features: _, prediction: __, ...ids }) => ({
          ...ids,
          labels: { value: 'no', more: 1, third: 2 },
        })),
        true,
      ),
      itemsOf(given(0, 600)),
    ];
    for (const items of batches) {
      const there = await beside.store(one.model, items, [], 7);
      expect(there).to.deep.equal(await storeItems(other.needs, other.model, items, [], 7));
    }

    const [stored, expected] = [await rowsOf(one.model.id), await rowsOf(other.model.id)];
    expect(expected['columns']).to.have.length.above(10);
    expect(stored).to.deep.equal(expected);
  });

  it('gives items as they were given', async () => {
    const items = itemsOf([
      ...given(0, 50),
      { ...given(50, 1)[0], prediction: { a: 1 }, predictions: { a: 2, b: 'x' } },
    ]);
    const lifted = liftItems(structuredClone(await layItems(items)));
    expect(lifted.map(({ values, ...item }) => [item, [...values]])).to.deep.equal(
      items.map(({ values, ...item }) => [item, [...values]]),
    );
  });

  it('takes in a file, and answers as it would be answered here', async () => {
    const { needs } = await beginModel(tables);
    const beside = new Beside(needs);
    const workspace = { id: `w${start}` };
    const ingesting = {
      ...needs,
      dedupDays: 7,
      reach: async (name: string) => (name === 'mine' ? workspace : undefined),
      store: beside.store,
    };
    const fields = {
      ...{ workspaceName: 'mine', modelName: 'm', modelVersion: '1', datasetName: undefined },
      missing: new Set(['']),
    };
    async function* content() {
      yield Buffer.from('timestamp,feature_a,feature_b\n');
      for (let row = 0; row < 3000; row++) yield Buffer.from(`${start},${row},x${row % 3}\n`);
    }
    const told = await beside.takeFile(ingesting, content(), fields, { of: 'events' });
    expect(told).to.equal(
      '{"rows":3000,"accepted":3000,"duplicates":0,"rejected":0,"pendingLabels":0}\n',
    );
    const { id } = await ensureModel(needs, workspace.id, 'm');
    const events = await tables.list('events', 'key', { model_id: id }, { limit: 5000 });
    expect(events).to.have.length(3000);
    expect(String(events[0]?.['event'])).to.match(/^=[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab]/);

    const failing = (what: () => AsyncIterable<Uint8Array>, workspaceName = 'mine') =>
      beside
        .takeFile(ingesting, what(), { ...fields, workspaceName }, { of: 'events' })
        .then(String, (thrown: unknown) => thrown);
    const foreign = await failing(content, 'theirs');
    expect(foreign).to.be.instanceOf(Failure).and.include({ kind: 'forbidden' });
    const broken = await failing(async function* () {
      yield Buffer.from('feature_a\n"1');
    });
    expect(broken).to.be.instanceOf(Failure).and.include({ kind: 'invalid' });
    const cut = await failing(async function* () {
      yield Buffer.from('feature_a\n1\n');
      throw new Failure('invalid', 'the body ends early');
    });
    expect(cut).to.include({ kind: 'invalid', message: 'the body ends early' });
  });

  it('tells of every 50,000 rows of a file before it reads on', async () => {
    const { needs, model } = await beginModel(tables);
    const beside = new Beside(needs);
    const ingesting = {
      ...{ ...needs, dedupDays: 7, store: beside.store },
      reach: async () => ({ id: model.workspaceId }),
    };
    const fields = {
      ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', datasetName: 'set' },
      missing: new Set(['']),
    };
    const told: number[] = [];
    const seen: number[] = [];
    async function* content() {
      yield Buffer.from('feature_a\n');
      for (let thousand = 0; thousand < 110; thousand++) {
        yield Buffer.from('1\n'.repeat(1000));
        seen.push(told.length);
      }
    }
    const of = { of: 'training', replace: false } as const;
    const last = await beside.takeFile(ingesting, content(), fields, of, (rows) => told.push(rows));
    expect(told).to.deep.equal([50_000, 100_000]);
    expect(JSON.parse(last)).to.include({ rows: 110_000, accepted: 110_000 });
    // One portion of 2,500 rows may be read ahead.
    expect([seen[47], seen[53], seen[103]]).to.deep.equal([0, 1, 2]);
  });

  it('stands back with a file while others are answered, and goes on behind them', async () => {
    const begun = await beginModel(tables);
    const { needs, model } = begun;
    const waiting: (() => void)[] = [];
    let [isBusy, asked] = [true, 0];
    const traffic = {
      begun: () => 0,
      quiet: () =>
        new Promise<boolean>((resolve) => {
          asked++;
          const go = (): void => {
            resolve(true);
          };
          if (isBusy) waiting.push(go);
          else go();
        }),
    };
    const beside = new Beside({ ...needs, traffic });
    const taken = takeRows(1500, beside, begun);
    while (asked === 0) await new Promise((next) => setTimeout(next, 5));
    // It asks once, and does nothing until it is told.
    await new Promise((next) => setTimeout(next, 50));
    expect([asked, waiting.length]).to.deep.equal([1, 1]);
    expect(await tables.list('events', 'key', { model_id: model.id }, { limit: 9 })).to.have.length(
      0,
    );
    isBusy = false;
    for (const go of waiting.splice(0)) go();
    expect(await taken).to.include('"accepted":1500');
    // Before each of the 1,501 pieces that came, and before each of those that are stored.
    expect(asked).to.be.above(1520);
    const events = await tables.list('events', 'key', { model_id: model.id }, { limit: 5000 });
    expect(events).to.have.length(1500);
  });

  it('rests between the portions of a file while others ask', async () => {
    const opened = await beginModel(tables);
    const { needs } = opened;
    const times: { from: number; to: number }[] = [];
    const timed: PluginTables = {
      ...tables,
      async transaction(work) {
        const from = performance.now();
        const done = await tables.transaction(work);
        times.push({ from, to: performance.now() });
        return done;
      },
    };
    let begun = 0;
    const traffic = { quiet: () => Promise.resolve(true), begun: () => ++begun };
    const beside = new Beside({ ...needs, tables: timed, traffic });
    const done = await takeRows(3000, beside, opened);

    expect(done).to.include('"accepted":3000');
    const rests = times.slice(1).map(({ from }, at) => {
      const { from: before, to } = times[at] ?? { from: 0, to: 0 };
      return { rested: from - to, worked: to - before };
    });
    expect(rests.length).to.be.at.least(2);
    for (const { rested, worked } of rests)
      expect(rested).to.be.at.least(Math.min(2 * worked, 500) - 2); // a timer may be early by one
  });

  it('does not rest for the time in which it waited for its sender', async () => {
    const opened = await beginModel(tables);
    const rests: number[] = [];
    let [begun, restFrom] = [0, 0];
    const timed: PluginTables = {
      ...tables,
      transaction(work) {
        rests.push(performance.now() - restFrom);
        return tables.transaction(work);
      },
    };
    const traffic = {
      quiet: () => Promise.resolve(true),
      begun() {
        restFrom = performance.now();
        return ++begun;
      },
    };
    const waitMs = 300;
    // The first rows are read before any is stored.
    const [first, portions] = [10_000, 5];
    async function* slowly() {
      const rows = (count: number, from: number): Uint8Array =>
        Buffer.from(Array.from({ length: count }, (_, row) => `${start},${from + row}\n`).join(''));
      yield Buffer.from('timestamp,feature_a\n');
      yield rows(first, 0);
      for (let portion = 0; portion < portions; portion++) {
        await new Promise((next) => setTimeout(next, waitMs));
        yield rows(1000, first + portion * 1000);
      }
    }
    const beside = new Beside({ ...opened.needs, tables: timed, traffic });
    const done = await takeRows(slowly(), beside, opened);

    expect(done).to.include(`"accepted":${first + portions * 1000}`);
    // With the wait of its sender each of the last ones would have been the longest that there is.
    expect(Math.min(...rests.slice(-portions + 1))).to.be.below(450);
  });

  it('stores nothing of a transaction that fails', async () => {
    const { needs, model } = await beginModel(tables);
    const refusing: PluginTables = {
      ...tables,
      transaction: (work) =>
        tables.transaction((inside) =>
          work({
            ...inside,
            upsertAll: () => Promise.reject(new Failure('unavailable', 'the store is down')),
          }),
        ),
    };
    const failed = await new Beside({ ...needs, tables: refusing })
      .store(model, itemsOf(given(0, 600)), [], 7)
      .then(String, (thrown: unknown) => thrown);
    expect(failed).to.include({ kind: 'unavailable', message: 'the store is down' });
    const { frames, events } = await rowsOf(model.id);
    expect([frames, events]).to.deep.equal([[], []]);
  });
});
