// Sums of segments: kept by day, and what their events come to, whatever came since.
import { expect } from 'chai';
import { readItems } from '#plugins/monitoring/items';
import { removeModel, settleModel } from '#plugins/monitoring/model-settling';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { distribution, driftSeries, type Asked } from '#plugins/monitoring/queries';
import {
  createSegment,
  removeSegment,
  updateSegment,
  withSegments,
} from '#plugins/monitoring/segments';
import { storeItems } from '#plugins/monitoring/storing';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;

describe('the sums of a segment', function () {
  this.timeout(120_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const begin = async () => {
    const world = await beginModel(tables);
    const { model, needs } = world;
    await world.send(
      Array.from({ length: 1600 }, (_, at) => ({
        at: start - (at % 10) * dayMs - (at % 7) * hourMs,
        version: String(at % 2),
        features: { age: at % 50, region: ['eu', 'us'][Math.floor(at / 10) % 2] },
        predictions: { value: at % 3 === 0 ? 'yes' : 'no' },
      })),
    );
    const segment = await createSegment(needs, model, {
      name: 'Europe',
      filter: 'region=eu AND (label_value IS NULL OR label_value != bad)',
    });
    let framesRead = 0;
    const counting: PluginTables = {
      ...tables,
      list: (...asked: Parameters<PluginTables['list']>) => {
        if (asked[0] === 'columns') framesRead++;
        return tables.list(...asked);
      },
    };
    const own = { ...needs, tables: counting };
    const question = { model, signal: never };
    /** What the segment comes to, beside what its filter comes to, which is read from events. */
    const both = async (more: object = {}) => {
      const answers = [];
      for (const predicate of [
        { key: 'one', segmentId: segment.segmentId },
        { key: 'one', query: segment.filter },
      ]) {
        framesRead = 0;
        const asked: Asked = await withSegments(own, model.id, {
          ...{ from: '2026-11-16', to: '2026-11-24', intervalType: 'DAILY' as const },
          ...more,
          predicates: [predicate],
        });
        const found = {
          numbers: await distribution(own, question, { ...asked, name: 'age' }),
          texts: await distribution(own, question, {
            ...asked,
            name: 'value',
            source: 'model_output_features',
          }),
          drift: await driftSeries(
            own,
            question,
            { ...asked, name: 'age', algorithmType: 'PSI' },
            true,
          ),
        };
        answers.push({ found: JSON.stringify(found), framesRead });
      }
      const [kept, read] = answers;
      expect(kept?.found).to.equal(read?.found);
      expect(read?.framesRead).to.be.above(0);
      return { found: kept?.found, framesRead: kept?.framesRead };
    };
    const rolled = async () =>
      (await tables.list('profiles', 'key', { model_id: segment.segmentId }, { limit: 1000 }))
        .length;
    return { ...world, segment, both, rolled };
  };

  it('are what its events come to, by hour or day, of all versions or one, and are read once', async () => {
    const { both, rolled } = await begin();
    const first = await both();
    expect(first.framesRead).to.be.above(0);
    expect(await rolled()).to.equal(2 * 9);

    expect(await both()).to.deep.equal({ found: first.found, framesRead: 0 });
    await both({ intervalType: 'HOURLY' });
    await both({ version: '1' });
    await both({
      from: '2026-11-17T05:00:00Z',
      to: '2026-11-25T09:00:00Z',
      intervalType: 'HOURLY',
    });
    expect(await rolled()).to.equal(2 * 9);
  });

  it('are summed up anew where events, labels or upkeep changed a day', async () => {
    const { needs, model, send, both, time, rolled } = await begin();
    const first = await both();
    await send([{ at: start - 3 * dayMs, features: { age: 7, region: 'eu' } }]);
    const second = await both();
    expect(second.found).to.not.equal(first.found);
    expect(second.framesRead).to.be.above(0);

    const ids = { workspaceName: 'w', modelName: 'm', predictionId: 'p22' };
    const { items } = readItems([{ ...ids, labels: { value: 'bad' } }], {
      onlyLabels: true,
      now: time.now,
    });
    await storeItems(needs, model, items, [], 7);
    const third = await both();
    expect(third.found).to.not.equal(second.found);
    await upkeepJob(needs).run(never);
    expect((await both()).found).to.equal(third.found);
    expect((await both()).framesRead).to.equal(0);
    expect(await rolled()).to.equal(2 * 9);
  });

  it('stay when their events are gone, and are never made of events that are gone', async () => {
    const { needs, model, segment, both, time, rolled } = await begin();
    await both({ from: '2026-11-20', to: '2026-11-22' });
    const before = await rolled();
    await settleModel(tables, model, { rawDays: 1 });
    time.now = start + 9 * dayMs;
    await upkeepJob(needs).run(never);
    const asked = await withSegments(needs, model.id, {
      ...{ from: '2026-11-18', to: '2026-11-23', name: 'value' },
      predicates: [{ key: 'one', segmentId: segment.segmentId }],
    });
    const { data } = await distribution(
      needs,
      { model: { ...model, rawDays: 1 }, signal: never },
      asked,
    );
    const no = data[0]?.chartData.find(({ value }) => value === 'no')?.points.map(({ y }) => y);
    expect(no?.map((y) => (y ?? 0) > 0)).to.deep.equal([false, false, true, true, true, false]);
    expect(await rolled()).to.equal(before);
  });

  it('follow its filter, and go with it and with its model', async () => {
    const { needs, model, segment, both, rolled } = await begin();
    const first = await both();
    await updateSegment(needs, segment, { filter: 'region=us' });
    const asked = await withSegments(needs, model.id, {
      ...{ from: '2026-11-16', to: '2026-11-24', name: 'age' },
      predicates: [{ key: 'one', segmentId: segment.segmentId }],
    });
    const changed = await distribution(needs, { model, signal: never }, asked);
    expect(JSON.stringify(changed)).to.not.equal(first.found);
    expect(changed).to.deep.equal(
      await distribution(
        needs,
        { model, signal: never },
        { ...asked, predicates: [{ key: 'one', query: 'region=us' }] },
      ),
    );
    expect(await removeSegment(needs, segment)).to.equal(true);
    expect(await rolled()).to.equal(0);

    const other = await begin();
    await other.both();
    await removeModel(tables, other.model.id);
    expect(await other.rolled()).to.equal(0);
  });
});
