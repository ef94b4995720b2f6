// What is kept between requests, and what upkeep makes of small frames: answers stay those of the tables.
import { expect } from 'chai';
import { findModel } from '#plugins/monitoring/models';
import { DriftDays } from '#plugins/monitoring/drift-days';
import { baselineSketch, findBaseline } from '#plugins/monitoring/baselines';
import { algorithmOf, algorithms, driftOf } from '#plugins/monitoring/measures';
import { mergeFrames } from '#plugins/monitoring/merging';
import { removeModel } from '#plugins/monitoring/model-settling';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { driftSeries, metricSeries, sumsBy } from '#plugins/monitoring/queries';
import { bucketsOf } from '#plugins/monitoring/series';
import { readItems } from '#plugins/monitoring/items';
import { readEvents } from '#plugins/monitoring/reading';
import { storeItems } from '#plugins/monitoring/storing';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import type { PluginTables } from '#ports/plugin-tables';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
interface Point {
  readonly x: string;
  readonly y: number | null;
}
const span = { from: '2026-11-01', to: '2026-11-25' };

describe('what is kept of monitored events', () => {
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const eventsOf = (days: number, perDay: number, shift = 0) =>
    Array.from({ length: days * perDay }, (_, at) => ({
      at: start - (1 + Math.floor(at / perDay)) * dayMs + ((at % perDay) * dayMs) / perDay,
      version: String(at % 2),
      features: {
        age: ((at * 7919) % 97) / 3 + shift,
        region: ['eu', 'us', 'ap'][(at + shift) % 3],
      },
    }));

  describe('series of drift', () => {
    const begin = async () => {
      const world = await beginModel(tables);
      await world.send(eventsOf(20, 160));
      const kept = new DriftDays();
      const ask = async (more: object, days?: DriftDays) => {
        const model = await findModel(tables, world.model.id);
        if (model === undefined) throw new Error('the model is gone');
        const asked = { ...span, name: 'age', ...more };
        return driftSeries(world.needs, { model, signal: never }, asked, true, days);
      };
      const expectSame = async (title: string) => {
        for (const intervalType of ['HOURLY', 'DAILY'] as const)
          for (const more of [
            ...algorithms.map((algorithmType) => ({ algorithmType })),
            { name: 'region', algorithmType: 'JS' },
            { algorithmType: 'PSI', smoothing: 'floor' },
            { algorithmType: 'PSI', binning: 'WIDTH' },
            { algorithmType: 'PSI', edges: [5, 10, 20] },
            { algorithmType: 'PSI', edges: [5, 10] },
            { algorithmType: 'PSI', includeMissing: true },
            { version: '1' },
            { to: '2026-11-24T10:00:00Z' },
          ])
            expect(
              await ask({ intervalType, ...more }, kept),
              `${title} ${intervalType} ${JSON.stringify(more)}`,
            ).to.deep.equal(await ask({ intervalType, ...more }));
      };
      return { ...world, ask, kept, expectSame };
    };

    it('are those of the tables, also after events, labels and upkeep have changed days', async function () {
      this.timeout(120_000);
      const { needs, send, time, expectSame, ask, kept } = await begin();
      await expectSame('first');
      await expectSame('again');
      const before = await ask({ algorithmType: 'PSI' }, kept);
      await send(eventsOf(3, 200, 500));
      await expectSame('with more events');
      expect(await ask({ algorithmType: 'PSI' }, kept)).to.not.deep.equal(before);
      time.now = start + 1;
      await upkeepJob(needs).run(never);
      await expectSame('after upkeep');
    });

    it('are written as any JSON is, with each point as it is measured', async () => {
      const { needs, model, ask, kept } = await begin();
      for (const algorithmType of algorithms)
        for (const intervalType of ['HOURLY', 'DAILY'] as const) {
          const text = JSON.stringify((await ask({ algorithmType, intervalType }, kept)).data);
          const [series] = JSON.parse(text) as { readonly data: readonly Point[] }[];
          const points = series?.data ?? [];
          expect(points).to.have.length(intervalType === 'DAILY' ? 25 : 25 * 24);
          expect(points.filter(({ y }) => y !== null)).to.have.length.above(19);

          const current = await findModel(tables, model.id);
          const baseline = current && (await findBaseline(needs, current, undefined, undefined));
          if (baseline === undefined) throw new Error('there is no baseline');
          const before = await baselineSketch(needs, baseline, 'feature_age', 0);
          const [at, point] = [...points.entries()].find(([, { y }]) => y !== null) ?? [0];
          const begins = Date.parse(span.from) + at * (intervalType === 'DAILY' ? dayMs : hourMs);
          const buckets = bucketsOf(
            {
              from: new Date(begins).toISOString(),
              to: new Date(begins + 1).toISOString(),
              intervalType,
            },
            start,
          );
          const [held] = await sumsBy(
            needs,
            { model, signal: never },
            '=feature_age',
            { ...buckets, to: begins + buckets.widthMs },
            undefined,
          );
          const drift = held && driftOf(algorithmOf(algorithmType), before, held);
          expect(point).to.deep.equal({
            x: new Date(begins).toISOString(),
            y: drift?.value,
            sampleCount: drift?.sampleCount,
            noiseFloor95: drift?.noiseFloor95,
            significant: drift?.significant,
            ...(drift?.relative === undefined ? {} : { relative: drift.relative }),
            ...(algorithmType === 'KS' || algorithmType === 'CHI2'
              ? { pValue: drift?.pValue() }
              : {}),
          });
        }
    });

    it('say how values were counted, and are refused where that does not go together', async () => {
      const { ask } = await begin();
      const counted = async (more: object) => {
        const { smoothing, binning, includeMissing } = await ask(more);
        return [smoothing, binning, includeMissing];
      };
      expect(await counted({})).to.deep.equal(['none', null, false]);
      expect(await counted({ algorithmType: 'KL' })).to.deep.equal(['half', 'QUANTILE', false]);
      const floor = { algorithmType: 'PSI', smoothing: 'floor' };
      expect(await counted({ ...floor, binning: 'FREEDMAN_DIACONIS' })).to.deep.equal([
        ...['floor', 'FREEDMAN_DIACONIS', false],
      ]);
      const asText = { name: 'region', algorithmType: 'JS', includeMissing: true };
      expect(await counted({ ...asText, smoothing: 'floor' })).to.deep.equal(['none', null, true]);
      const refused = (more: object): Promise<string> => ask(more).then(() => 'answered', String);
      for (const [more, words] of [
        [{ edges: [1, 1] }, 'must ascend'],
        [{ binning: 'EDGES' }, '1 to 100 numbers'],
        [{ binning: 'WIDTH', edges: [1] }, 'EDGES alone'],
        [{ algorithmType: 'KS', includeMissing: true }, 'KS of numbers is not'],
        [
          { ...floor, includeMissing: true, predicates: [{ key: 'a', query: 'region=eu' }] },
          'without filters',
        ],
      ] as const)
        expect(await refused(more), words).to.include(words);
    });

    it('read no sums again while nothing changed', async () => {
      const { needs, model, kept } = await begin();
      let sums = 0;
      const counting: PluginTables = {
        ...tables,
        list: (...asked: Parameters<PluginTables['list']>) => {
          if (asked[0] === 'profiles') sums++;
          return tables.list(...asked);
        },
      };
      const current = await findModel(tables, model.id);
      if (current === undefined) throw new Error('the model is gone');
      const again = () =>
        driftSeries(
          { ...needs, tables: counting },
          { model: current, signal: never },
          { ...span, name: 'age', intervalType: 'HOURLY' },
          true,
          kept,
        );
      await again();
      expect(sums).to.be.above(0);
      sums = 0;
      await again();
      expect(sums).to.equal(0);
    });

    it('are of the new model where one was removed and came again', async () => {
      const { needs, model, ask, kept, time } = await begin();
      const before = await ask({}, kept);
      await removeModel(tables, model.id);
      time.now = start + 1000;
      const given = eventsOf(20, 170).map(({ at, version, features }, number) => ({
        ...{ workspaceName: 'w', modelName: 'm', modelVersion: version, timestamp: at },
        ...{ predictionId: `n${number}`, features },
      }));
      const { items } = readItems(given, { onlyLabels: false, now: time.now });
      await storeItems(needs, model, items, [], 7);

      const after = await ask({}, kept);
      expect(after).to.deep.equal(await ask({}));
      expect(after).to.not.deep.equal(before);
    });
  });

  it('is joined with what came later of the columns that are read alone', async () => {
    const { needs, model, send, time } = await beginModel(tables);
    await send([{ at: start - hourMs, features: { age: 1 }, labels: { first: 'a' } }]);
    for (const [later, labels] of [
      [1, { value: 'yes' }],
      [2, { comment: 'long' }],
    ] as const) {
      const label = { workspaceName: 'w', modelName: 'm', predictionId: 'p0', labels };
      const { items } = readItems([{ ...label, timestamp: start + later }], {
        onlyLabels: true,
        now: time.now + 10,
      });
      await storeItems(needs, model, items, [], 7);
    }
    const span = { from: start - dayMs, to: start + dayMs };
    const read = async (columns?: readonly string[]) => {
      const found: unknown[] = [];
      for await (const batch of readEvents(needs, model.id, span, never, columns))
        for (const column of columns ?? ['feature_age', 'label_first', 'label_value'])
          found.push(batch.column(column)(0), batch.addedAt(0));
      return found;
    };
    expect(await read(['feature_age'])).to.deep.equal([1, undefined]);
    expect(await read(['label_first'])).to.deep.equal(['a', undefined]);
    expect(await read(['label_value'])).to.deep.equal(['yes', start + 2]);
    const at = start + 2;
    expect(await read()).to.deep.equal([1, at, 'a', at, 'yes', at]);
  });

  describe('small frames of a day', () => {
    const begin = async () => {
      const world = await beginModel(tables);
      const { needs, model } = world;
      const day = start - 3 * dayMs;
      const store = async (given: readonly object[], onlyLabels = false) => {
        const names = { workspaceName: 'w', modelName: 'm', modelVersion: '1' };
        const { items } = readItems(
          given.map((one) => ({ ...names, ...one })),
          { onlyLabels, now: world.time.now },
        );
        return storeItems(needs, model, items, [], 7);
      };
      for (let batch = 0; batch < 12; batch++)
        await store(
          Array.from({ length: 20 }, (_, at) => ({
            predictionId: `p${batch}-${at}`,
            timestamp: day + ((at * 12 + batch) * hourMs) / 60,
            features: {
              age: batch * 20 + at,
              ...(batch % 3 === 0 ? { region: at % 2 === 0 ? 'eu' : 'us' } : {}),
              ...(batch === 5 ? { mixed: 'a text' } : { mixed: at }),
            },
            ...(at % 5 === 0 ? { labels: { value: 'yes' } } : {}),
          })),
        );
      await store([{ predictionId: 'p3-1', timestamp: day, labels: { value: 'no' } }], true);
      await store([{ predictionId: 'p4-2', timestamp: day, features: { height: 7 } }]);
      const answers = async () => {
        const found = [];
        for (const cometSql of [
          "SELECT avg(age) FROM model WHERE region = 'eu' OR age > 100",
          'SELECT count(region) FROM model',
          "SELECT count(*) FROM model WHERE mixed = 'a text' AND NOT (region IS NULL AND age < 110)",
          'SELECT count(label) FROM model',
          'SELECT sum(height) FROM model',
          'SELECT count(distinct prediction_id) FROM model',
        ])
          for (const intervalType of ['HOURLY', 'DAILY'] as const)
            for (const { x, y } of (
              await metricSeries(
                needs,
                { model, signal: never },
                { ...span, intervalType, cometSql },
              )
            ).data[0]?.data ?? [])
              // A mean depends on the order of its numbers in its last digits.
              found.push([cometSql, x, y === null ? null : Number(y.toPrecision(12))]);
        return found;
      };
      const frames = async () =>
        (await tables.list('frames', 'key', { model_id: model.id }, { limit: 100 })).map(
          ({ events, replaced_at }) => [events, replaced_at === null],
        );
      return { ...world, store, answers, frames, day };
    };

    it('become one, which answers the same, also to who reads meanwhile', async () => {
      const { needs, model, answers, frames, time } = await begin();
      const before = await answers();
      expect(JSON.stringify(before)).to.contain('240');

      await mergeFrames(needs, model.id, never);
      expect((await frames()).filter(([, isShown]) => isShown)).to.deep.equal([[240, true]]);
      expect(await answers()).to.deep.equal(before);

      await mergeFrames(needs, model.id, never);
      expect(await frames()).to.have.length(13);
      time.now = start + hourMs;
      await mergeFrames(needs, model.id, never);
      expect(await frames()).to.deep.equal([[240, true]]);
      expect(await answers()).to.deep.equal(before);
      const columns = await tables.list('columns', 'key', { model_id: model.id }, { limit: 100 });
      expect(columns.map(({ field }) => field).sort()).to.deep.equal([
        '=feature_age',
        '=feature_mixed',
        '=feature_region',
        '=label_value',
        'ids',
      ]);
    });

    it('become one where two do it at once', async () => {
      const { needs, model, answers, frames } = await begin();
      const before = await answers();

      await Promise.all([1, 2, 3].map(() => mergeFrames(needs, model.id, never)));

      expect((await frames()).filter(([, isShown]) => isShown)).to.deep.equal([[240, true]]);
      expect(await answers()).to.deep.equal(before);
    });

    it('still tell what an event holds when more comes of it', async () => {
      const { needs, model, store, time, day } = await begin();
      await mergeFrames(needs, model.id, never);
      time.now = start + hourMs;
      await mergeFrames(needs, model.id, never);

      const same = { predictionId: 'p1-3', timestamp: day, features: { age: 23 } };
      expect(await store([same])).to.include({ accepted: 0, duplicates: 1 });
      const against = { ...same, features: { age: 24 } };
      expect(await store([against])).to.include({ accepted: 0, duplicates: 1 });
      const more = { ...same, features: { age: 23, weight: 5 } };
      expect(await store([more])).to.include({ accepted: 1, duplicates: 0 });
    });
  });
});
