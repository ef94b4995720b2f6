import { expect } from 'chai';
import fc from 'fast-check';
import { isFailure } from '#ports/failure';
import type { MetricPoint, Series } from '#ports/storage/metrics';
import type { Storage } from '#ports/storage/storage';
import { addExperiment, gather, gatherPoints, point, rejection, start } from './builders.js';

/** What every metric store keeps to. */
export const metricContract = (storage: () => Storage): void => {
  const metrics = () => storage().stores.metrics;
  const append = (experimentId: string, points: readonly MetricPoint[], digest?: string) =>
    metrics().append({
      experimentId,
      points,
      receivedAt: Date.now(),
      ...(digest === undefined ? {} : { digest }),
    });
  const textsOf = async (experimentId: string, name = 'loss') =>
    (await gatherPoints(metrics().readPoints(experimentId, name))).map((one) => one.text);

  it('gives points back in the order of arrival, whatever their steps and times', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [
      point({ text: '3', step: 9, timestamp: start + 9 }),
      point({ text: '1', step: 1, timestamp: start + 1 }),
    ]);
    await append(id, [point({ text: '2', step: -5, timestamp: start + 5, epoch: 4 })]);

    expect(await gatherPoints(metrics().readPoints(id, 'loss'))).to.deep.equal([
      { context: undefined, text: '3', step: 9, epoch: undefined, timestamp: start + 9 },
      { context: undefined, text: '1', step: 1, epoch: undefined, timestamp: start + 1 },
      { context: undefined, text: '2', step: -5, epoch: 4, timestamp: start + 5 },
    ]);
  });

  it('writes every point as text, of few and of many, as they are read', async () => {
    const { id } = await addExperiment(storage());
    const many = Array.from({ length: 30_000 }, (_, at) =>
      point({
        name: 'long',
        text:
          at % 1000 === 7 ? (['NaN', '1.0', 'a "text"'][(at / 1000) | 0] ?? '2') : String(at / 7),
        step: at % 9 === 0 ? undefined : at,
        epoch: Math.floor(at / 1000),
        timestamp: start + at,
      }),
    );
    const few = [
      point({ name: 'few', context: 'train', text: '-1e-7', step: 3 }),
      point({ name: 'few', context: undefined, text: 'é', timestamp: 0 }),
    ];
    for (let at = 0; at < many.length; at += 10_000) await append(id, many.slice(at, at + 10_000));
    await append(id, few);

    const expectSame = async (name: string): Promise<void> => {
      const pieces: string[] = [];
      for await (const piece of metrics().readPointTexts(id, name))
        pieces.push(Buffer.from(piece).toString());
      expect(JSON.parse(`[${pieces.join(',')}]`)).to.deep.equal(
        (await gatherPoints(metrics().readPoints(id, name))).map((one) => ({
          metricName: name,
          metricValue: one.text,
          timestamp: one.timestamp,
          step: one.step ?? null,
          epoch: one.epoch ?? null,
          runContext: one.context ?? null,
        })),
      );
    };
    for (const name of ['long', 'few', 'none']) await expectSame(name);
    // What was read before is read again, and what came since too.
    for (let time = 0; time < 3; time++) {
      await expectSame('long');
      await append(id, [point({ name: 'long', text: String(time), step: 30_000 + time })]);
    }
    await expectSame('long');
  });

  it('keeps the text of any value', async () => {
    const { id } = await addExperiment(storage());
    const texts = [
      '122.0',
      'True',
      '123456789012345678',
      'NaN',
      'Infinity',
      '-Infinity',
      '1e-05',
      '-0',
      '',
      'naïve ✓ 𝄞',
      '0.1',
      '1E-7',
    ];
    await append(
      id,
      texts.map((text) => point({ text })),
    );

    expect(await textsOf(id)).to.deep.equal(texts);
  });

  it('sums up each series exactly', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [
      point({ text: '5.0', step: 1 }),
      point({ text: '-2', step: 2, timestamp: start + 2 }),
    ]);
    await append(id, [
      point({ text: '7e0', step: 3, timestamp: start + 3 }),
      point({ text: 'NaN', step: 4, timestamp: start + 4 }),
    ]);

    const [series] = await metrics().listSeries(id);

    expect(series).to.deep.equal({
      name: 'loss',
      context: undefined,
      count: 4,
      min: { text: '-2', step: 2, epoch: undefined, timestamp: start + 2 },
      max: { text: '7e0', step: 3, epoch: undefined, timestamp: start + 3 },
      last: { text: 'NaN', step: 4, epoch: undefined, timestamp: start + 4 },
    });
  });

  it('takes the newest value for the extremes while there is no number', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [point({ text: 'on' })]);
    await append(id, [point({ text: 'off' })]);

    const [before] = await metrics().listSeries(id);
    await append(id, [point({ text: '3' }), point({ text: 'off' })]);
    const [after] = await metrics().listSeries(id);

    expect([before?.min.text, before?.max.text, before?.last.text]).to.deep.equal([
      'off',
      'off',
      'off',
    ]);
    expect([after?.min.text, after?.max.text, after?.last.text]).to.deep.equal(['3', '3', 'off']);
  });

  it('tells series apart by the case of their names, and by context', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [
      point({ name: 'Loss' }),
      point({ name: 'loss' }),
      point({ name: 'train_loss', context: 'train' }),
      point({ name: 'loss ' }),
    ]);

    expect(
      (await metrics().listSeries(id)).map((series) => [series.name, series.context]),
    ).to.deep.equal([
      ['Loss', undefined],
      ['loss', undefined],
      ['loss ', undefined],
      ['train_loss', 'train'],
    ]);
    expect(
      (await gatherPoints(metrics().readPoints(id, 'train_loss'))).map((one) => one.context),
    ).to.deep.equal(['train']);
    expect(
      (await metrics().listSeries(id, { names: ['train_loss', 'none'] })).map(
        (series) => series.name,
      ),
    ).to.deep.equal(['train_loss']);
  });

  it('lists series whose names begin with a text, to the letter', async () => {
    const { id } = await addExperiment(storage());
    await append(
      id,
      ['sys.cpu', 'sys.gpu', 'Sys.cpu', 'sysXcpu', 'a.sys.'].map((name) => point({ name })),
    );

    const found = await metrics().listSeries(id, { startsWith: 'sys.' });

    expect(found.map(({ name }) => name)).to.deep.equal(['sys.cpu', 'sys.gpu']);
  });

  it('stores a batch of the same digest once', async () => {
    const { id } = await addExperiment(storage());
    const other = await addExperiment(storage());
    const digest = 'a'.repeat(64);

    expect((await append(id, [point()], digest)).outcome).to.equal('stored');
    expect((await append(id, [point()], digest)).outcome).to.equal('duplicate');
    expect((await append(other.id, [point()], digest)).outcome).to.equal('stored');
    expect(
      (await Promise.all([1, 2, 3].map(() => append(id, [point()], 'b'.repeat(64)))))
        .map((one) => one.outcome)
        .sort(),
    ).to.deep.equal(['duplicate', 'duplicate', 'stored']);
    expect(await textsOf(id)).to.have.length(2);
  });

  it('refuses points of a deleted experiment and keeps those of its neighbours', async () => {
    const [gone, there] = [await addExperiment(storage()), await addExperiment(storage())];
    await storage().stores.experiments.markDeleted(gone.id, start);

    const [refused] = await Promise.all([
      rejection(append(gone.id, [point()])),
      append(there.id, [point()]),
    ]);

    expect(isFailure(refused) && refused.kind).to.equal('absent');
    expect(await textsOf(there.id)).to.deep.equal(['0.5']);
  });

  it('refuses points of an experiment that was deleted between two batches, and stores those of its neighbours once', async () => {
    const [gone, there] = [await addExperiment(storage()), await addExperiment(storage())];
    for (const digest of ['a'.repeat(64), 'b'.repeat(64)])
      await Promise.all([append(gone.id, [point()], digest), append(there.id, [point()], digest)]);
    await storage().stores.experiments.markDeleted(gone.id, start);

    const [refused, repeated, fresh] = await Promise.all([
      rejection(append(gone.id, [point()], 'c'.repeat(64))),
      append(there.id, [point()], 'b'.repeat(64)),
      append(there.id, [point({ text: '0.75' })], 'c'.repeat(64)),
    ]);

    expect(isFailure(refused) && refused.kind).to.equal('absent');
    expect([repeated.outcome, fresh.outcome]).to.deep.equal(['duplicate', 'stored']);
    expect(await textsOf(there.id)).to.deep.equal(['0.5', '0.5', '0.75']);
    expect((await metrics().listSeries(there.id))[0]?.count).to.equal(3);
  });

  it('numbers points on when a batch brings more of a series than one chunk holds, and when it is small again', async () => {
    const { id } = await addExperiment(storage());
    const texts = Array.from({ length: 2052 }, (_, i) => String(i));
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [2, 1026],
      [1026, 2051],
      [2051, 2052],
    ] as const)
      await append(
        id,
        texts
          .slice(from, to)
          .map((text, i) => point({ text, step: from + i, timestamp: start + from + i })),
      );

    expect(await textsOf(id)).to.deep.equal(texts);
  });

  it('keeps every point of many writers once, each in its own order', async () => {
    const { id } = await addExperiment(storage());
    const writers = Array.from({ length: 8 }, (_, writer) => async () => {
      for (let i = 0; i < 25; i++)
        await append(id, [
          point({ text: `${writer}.${i}x` }),
          point({ name: `own-${writer}`, text: String(i) }),
        ]);
    });

    await Promise.all(writers.map((write) => write()));

    const all = await textsOf(id);
    expect(all).to.have.length(200);
    expect(new Set(all).size).to.equal(200);
    expect(await textsOf(id, 'own-3')).to.deep.equal(
      Array.from({ length: 25 }, (_, i) => String(i)),
    );
    expect((await metrics().listSeries(id, { names: ['loss'] }))[0]?.count).to.equal(200);
  });

  it('leaves out names beyond the limit of an experiment and tells them', async () => {
    const { id } = await addExperiment(storage());
    await metrics().append({
      experimentId: id,
      points: [point({ name: 'a' }), point({ name: 'b' })],
      receivedAt: start,
      seriesLimit: 2,
    });

    const { overLimit } = await metrics().append({
      experimentId: id,
      points: [point({ name: 'a' }), point({ name: 'c' })],
      receivedAt: start,
      seriesLimit: 2,
    });

    expect(overLimit).to.deep.equal(['c']);
    expect(
      (await metrics().listSeries(id)).map((series) => [series.name, series.count]),
    ).to.deep.equal([
      ['a', 2],
      ['b', 1],
    ]);
    expect(await metrics().countSeries(id)).to.equal(2);
  });

  it('stores new names of a run that goes on as long as there is room for them', async () => {
    const { id } = await addExperiment(storage());
    const log = (...names: readonly string[]) =>
      metrics().append({
        experimentId: id,
        points: names.map((name) => point({ name })),
        receivedAt: start,
        seriesLimit: 4,
      });
    await log('a');

    const told = [
      await log('a', 'b'),
      await log('b', 'c', 'd'),
      await log('d', 'e'),
      await log('a'),
    ];

    expect(told.map(({ overLimit }) => overLimit)).to.deep.equal([[], [], ['e'], []]);
    expect(
      (await metrics().listSeries(id)).map((series) => [series.name, series.count]),
    ).to.deep.equal([
      ['a', 3],
      ['b', 2],
      ['c', 1],
      ['d', 2],
    ]);
    expect((await textsOf(id, 'b')).length).to.equal(2);
  });

  it('removes a metric with all its points', async () => {
    const { id } = await addExperiment(storage());
    await append(id, [point(), point({ name: 'other' })]);

    expect(await metrics().remove(id, 'loss')).to.equal(true);
    expect(await metrics().remove(id, 'loss')).to.equal(false);

    expect(await textsOf(id)).to.deep.equal([]);
    expect((await metrics().listSeries(id)).map((series) => series.name)).to.deep.equal(['other']);
    await append(id, [point({ text: 'again' })]);
    expect(await textsOf(id)).to.deep.equal(['again']);
  });

  it('stores one batch of thousands of points whole', async () => {
    const { id } = await addExperiment(storage());
    const texts = Array.from({ length: 5000 }, (_, i) => String(i / 8));
    await append(
      id,
      texts.map((text, step) => point({ text, step })),
    );

    expect(await textsOf(id)).to.deep.equal(texts);
    expect((await metrics().listSeries(id))[0]?.count).to.equal(5000);
  });

  it('charts every point of a short series, and extremes and ends of a long one', async () => {
    const { id } = await addExperiment(storage());
    await append(
      id,
      Array.from({ length: 3000 }, (_, step) =>
        point({
          text: String(step === 1500 ? 99 : step === 700 ? -99 : 0),
          step,
          timestamp: start + step,
        }),
      ),
    );

    expect(await metrics().readChart(id, 'loss', 3000)).to.have.length(3000);
    const thin = await metrics().readChart(id, 'loss', 300);
    expect(thin.length).to.be.at.most(300);
    expect(thin.find((one) => one.value === 99)?.step).to.equal(1500);
    expect(thin.find((one) => one.value === -99)?.step).to.equal(700);
    expect(thin.at(-1)?.step).to.equal(2999);
  });

  it('charts every point of a series that is too long for the arguments of one call', async function () {
    this.timeout(60_000);
    const { id } = await addExperiment(storage());
    for (let from = 0; from < 150_000; from += 50_000)
      await append(
        id,
        Array.from({ length: 50_000 }, (_, i) => point({ text: String(from + i) })),
      );

    const chart = await metrics().readChart(id, 'loss', Number.MAX_SAFE_INTEGER);

    expect([chart.length, chart[0]?.value, chart.at(-1)?.value]).to.deep.equal([
      150_000, 0, 149_999,
    ]);
  });

  it('reads the points that a series had and none that came since, and says when it was removed', async () => {
    const { id } = await addExperiment(storage());
    const name = 'train_loss';
    await append(id, [
      point({ name, text: '1', step: 7 }),
      point({ name, text: 'nan' }),
      point({ name, text: '3', context: 'train' }),
    ]);
    const [one, other] = await metrics().listSeries(id);
    await append(id, [point({ name, text: '4' })]);
    const values = async (series: Series | undefined) =>
      (await gather(metrics().readSeries(id, series!))).map(({ value }) => value); // listed above

    expect(await values(one)).to.deep.equal([1, Number.NaN]);
    expect(await values(other)).to.deep.equal([3]);
    expect((await gather(metrics().readSeries(id, one!)))[0]).to.deep.equal({
      value: 1,
      step: 7,
      epoch: undefined,
      timestamp: start,
    });
    await metrics().remove(id, name);
    const refusal = await rejection(values(one));
    expect(isFailure(refusal) && refusal.kind).to.equal('absent');
  });

  it('joins a transaction of its caller, and is undone with it', async () => {
    const { id } = await addExperiment(storage());

    await rejection(
      storage().transaction(async (stores) => {
        await stores.metrics.append({ experimentId: id, points: [point()], receivedAt: start });
        throw new Error('undo');
      }),
    );
    await storage().transaction((stores) =>
      stores.metrics.append({
        experimentId: id,
        points: [point({ text: 'kept' })],
        receivedAt: start,
      }),
    );

    expect(await textsOf(id)).to.deep.equal(['kept']);
  });

  it('returns any names, texts, steps and times', async () => {
    const texts = fc.oneof(
      fc.double().map(String),
      fc
        .string({ unit: 'binary', maxLength: 40 })
        .filter((text) => !text.includes('\0') && text.isWellFormed()),
    );
    const whole = fc.option(fc.maxSafeInteger(), { nil: undefined });
    const points = fc.array(
      fc.record({
        text: texts,
        step: whole,
        epoch: whole,
        timestamp: fc.integer({ min: 0, max: 1e14 }),
      }),
      { minLength: 1, maxLength: 30 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
          .filter((name) => !name.includes('\0') && name.isWellFormed()),
        points,
        async (name, some) => {
          const { id } = await addExperiment(storage());
          await append(
            id,
            some.map((one) => ({ ...one, name, context: undefined })),
          );
          expect(await gatherPoints(metrics().readPoints(id, name))).to.deep.equal(
            some.map((one) => ({ context: undefined, ...one })),
          );
        },
      ),
      { numRuns: 15 },
    );
  });
};
