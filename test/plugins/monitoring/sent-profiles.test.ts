// Sums that a client made itself: they count as its events would, once, and what cannot be is refused whole.
import { expect } from 'chai';
import { deleteEvents } from '#plugins/monitoring/deleting';
import { readItems } from '#plugins/monitoring/items';
import { settleModel } from '#plugins/monitoring/model-settling';
import { fieldKey, fieldsOf, findModel, modelIdOf } from '#plugins/monitoring/models';
import { dayMs, hourMs } from '#plugins/monitoring/needs';
import { eventsField, hourOf, joinProfiles, readProfiles } from '#plugins/monitoring/profiles';
import type { Profile } from '#plugins/monitoring/profile-packing';
import { driftSeries, metricSeries } from '#plugins/monitoring/queries';
import {
  storeSentProfiles,
  type SentField,
  type SentProfile,
} from '#plugins/monitoring/sent-profiles';
import { storeItems } from '#plugins/monitoring/storing';
import { upkeepJob } from '#plugins/monitoring/upkeep';
import { isFailure } from '#ports/failure';
import type { PluginTables } from '#ports/plugin-tables';
import { freshName } from '#test/contract/storage/builders';
import { plainSketch } from './plain.js';
import { beginModel, start, withTables } from './world.js';

const never = new AbortController().signal;
type World = Awaited<ReturnType<typeof beginModel>>;

describe('sums that a client sends', function () {
  this.timeout(60_000);
  let tables: PluginTables;
  withTables((given) => {
    tables = given;
  });

  const send = ({ needs, model }: World, profiles: readonly SentProfile[], profileId = 'one') =>
    storeSentProfiles(needs, model.workspaceId, {
      ...{ modelName: 'm', modelVersion: '1', profileId, profiles },
    });
  const sumsOf = async ({ needs, model }: World) => {
    const found: Record<string, unknown> = {};
    const span = { from: start - 30 * dayMs, to: start + dayMs };
    for (const column of [eventsField, ...(await fieldsOf(tables, model.id)).keys()]) {
      const key = column === eventsField ? column : fieldKey(needs, column);
      const all: Profile[] = [];
      for await (const profile of readProfiles(tables, model.id, key, span)) all.push(profile);
      for (const { hour, version, sketch } of joinProfiles(all))
        found[`${column} ${hour} ${version}`] = plainSketch(sketch);
    }
    return found;
  };
  const labelOf = (predictionId: string) => ({
    ...{ workspaceName: 'w', modelName: 'm', modelVersion: '1', predictionId },
  });
  /** What a client makes of events of an hour. */
  const fieldFrom = (
    source: SentField['source'],
    name: string,
    values: readonly (number | string | undefined)[],
  ): SentField => {
    const [numbers, texts] = [new Map<number, number>(), new Map<string, number>()];
    for (const value of values)
      if (typeof value === 'number') numbers.set(value, (numbers.get(value) ?? 0) + 1);
      else if (value !== undefined) texts.set(value, (texts.get(value) ?? 0) + 1);
    const centroids = [...numbers].sort(([one], [other]) => one - other);
    return {
      ...{ source, name, texts: Object.fromEntries(texts) },
      ...(centroids.length === 0 ? {} : { numbers: { centroids, exact: true } }),
    };
  };
  const eventsAt = (hour: number) =>
    Array.from({ length: 60 }, (_, at) => ({
      at: start - hour * hourMs + at * 1000,
      features: {
        age: ((at * 7 + hour) % 40) - 5,
        region: ['eu', 'us', 'é'][(at + hour) % 3],
        ...(at % 4 === 0 ? {} : { size: at / 8 }),
      },
      predictions: { value: at % 2 },
      ...(at % 3 === 0 ? { labels: { value: at % 5 === 0 ? 'yes' : 'no' } } : {}),
    }));
  const hours = [1, 2, 30];
  const profileAt = (hour: number): SentProfile => {
    const events = eventsAt(hour);
    const of = <T>(read: (event: (typeof events)[number]) => T) => events.map(read);
    return {
      timestamp: start - hour * hourMs,
      events: events.length,
      fields: [
        fieldFrom(
          'feature',
          'age',
          of(({ features }) => features.age),
        ),
        fieldFrom(
          'feature',
          'region',
          of(({ features }) => features.region),
        ),
        fieldFrom(
          'feature',
          'size',
          of(({ features }) => features.size),
        ),
        fieldFrom(
          'prediction',
          'value',
          of(({ predictions }) => predictions.value),
        ),
        fieldFrom(
          'label',
          'value',
          of(({ labels }) => labels?.value),
        ),
      ],
    };
  };

  it('count as the events that they were made of', async () => {
    const [world, other] = [await beginModel(tables), await beginModel(tables)];
    await settleModel(tables, world.model, { profileOnly: true });
    // From the first on, as fields are missed by events that come after their first value.
    for (const hour of [...hours].reverse()) await other.send(eventsAt(hour));
    await send(world, hours.map(profileAt));

    const [sums, others] = [await sumsOf(world), await sumsOf(other)];
    expect(Object.keys(sums).sort()).to.deep.equal(Object.keys(others).sort());
    for (const [name, sum] of Object.entries(sums)) expect(sum, name).to.deep.equal(others[name]);
    const asked = { from: '2026-11-23', to: '2026-11-25', cometSql: 'SELECT count(*) FROM model' };
    const { data } = await metricSeries(world.needs, { model: world.model, signal: never }, asked);
    expect(data[0]?.data.map(({ y }) => y)).to.deep.equal([0, 60, 120]);
  });

  it('stand beside events, and drift is told of both', async () => {
    const world = await beginModel(tables);
    const ages = Array.from({ length: 2000 }, (_, at) => at % 100);
    await world.send(ages.map((age, at) => ({ at: start - 8 * dayMs + at, features: { age } })));
    const moved = ages.map((age) => age + 50);
    await send(world, [
      {
        ...{ timestamp: start - hourMs, events: moved.length },
        fields: [fieldFrom('feature', 'age', moved)],
      },
    ]);
    const told = JSON.parse(
      JSON.stringify(
        await driftSeries(
          world.needs,
          { model: { ...world.model, changes: 2 }, signal: never },
          { from: '2026-11-25', to: '2026-11-25', name: 'age', algorithmType: 'PSI' },
          true,
        ),
      ),
    ) as { readonly data: readonly { readonly data: readonly object[] }[] }; // as that row answers
    expect(told.data[0]?.data[0]).to.include({ sampleCount: 2000, significant: true });
  });

  it('count once, also where two come at once, and an id brings the same ones only', async () => {
    const world = await beginModel(tables);
    const first = [profileAt(1)];
    const became = await Promise.all([send(world, first), send(world, first)]);
    expect(became.map(({ isNew }) => isNew).sort()).to.deep.equal([false, true]);
    const before = await sumsOf(world);
    expect((await send(world, first)).isNew).to.equal(false);
    const kind = await send(world, [profileAt(2)]).then(
      () => 'stored',
      (thrown: unknown) => isFailure(thrown) && thrown.kind,
    );
    expect(kind).to.equal('conflict');
    expect(await sumsOf(world)).to.deep.equal(before);
    expect((await send(world, [profileAt(2)], 'two')).isNew).to.equal(true);
  });

  it('outlast a deletion of events of their day, upkeep, and labels that take the place of others', async () => {
    const [world, other] = [await beginModel(tables), await beginModel(tables)];
    const [upkeep, otherUpkeep] = [upkeepJob(world.needs), upkeepJob(other.needs)];
    await settleModel(tables, world.model, { labelPolicy: 'latest' });
    for (const one of [world, other]) await send(one, [profileAt(1)], 'one');
    await world.send(eventsAt(1));
    for (const one of [world, other]) await send(one, [profileAt(2)], 'two');
    // Pieces of a day become one, those of clients apart from the others.
    for (const job of [upkeep, otherUpkeep]) await job.run(never);
    const labels = [{ ...labelOf('p0'), timestamp: start, labels: { value: 'other' } }];
    const { items } = readItems(labels, { onlyLabels: true, now: start });
    expect(await storeItems(world.needs, world.model, items, [], 7)).to.include({ accepted: 1 });
    const both = await sumsOf(world);
    expect(both[`${eventsField} ${hourOf(start) - 1} 1`]).to.include({ events: 120 });

    const current = await findModel(tables, world.model.id);
    if (current === undefined) throw new Error('the model is gone');
    const { deleted } = await deleteEvents(world.needs, current, { filter: 'age >= -9' }, never);

    expect(deleted).to.equal(60);
    expect(await sumsOf(world)).to.deep.equal(await sumsOf(other));
    await upkeep.run(never);
    expect(await sumsOf(world)).to.deep.equal(await sumsOf(other));
  });

  it('count once for as long as the model keeps them, and are refused from then on', async () => {
    const world = await beginModel(tables);
    const sent = [profileAt(1)];
    await send(world, sent);
    const before = await sumsOf(world);
    for (const days of [31, 400, 1822]) {
      world.time.now = start + days * dayMs;
      await upkeepJob(world.needs).run(never);
      expect((await send(world, sent)).isNew, `${days} days later`).to.equal(false);
    }
    expect(await sumsOf(world)).to.deep.equal(before);
    const left = () =>
      tables.list('sent_profiles', 'key', { model_id: world.model.id }, { limit: 9 });
    expect(await left()).to.have.length(1);
    world.time.now = start + 1827 * dayMs;
    await upkeepJob(world.needs).run(never);
    expect(await left()).to.have.length(0);
    const again: unknown = await send(world, sent).catch((thrown: unknown) => thrown);
    expect(String(again)).to.include('older than 1825 days');
    expect(await sumsOf(world)).to.deep.equal({});
  });

  const field = (more: Partial<SentField>): SentProfile => ({
    ...{ timestamp: start, events: 3 },
    fields: [{ name: 'age', source: 'feature', ...more }],
  });
  const digest = (centroids: readonly (readonly number[])[], more: object = {}) =>
    field({ numbers: { centroids, ...more } });
  for (const [what, sent, words] of [
    ['more values than events', digest([[1, 4]]), 'has 4 values of 3 events'],
    ['means that do not ascend', digest([[2, 1], [1, 1]]), 'means ascend'], // prettier-ignore
    ['a mean that is no number', digest([[NaN, 1]]), 'means ascend'],
    ['a centroid of three', digest([[1, 1, 1]]), 'means ascend'],
    ['half a value', digest([[1, 0.5]]), 'whole numbers from 1 on'],
    ['a least number above the first mean', digest([[1, 1]], { min: 2 }), 'around its centroids'],
    ['a greatest number below the last mean', digest([[1, 1]], { max: 0 }), 'around its centroids'],
    ['a text that stood there minus once', field({ texts: { a: -1 } }), 'by a whole number'],
    ['other texts below nothing', field({ otherTexts: -1 }), 'otherTexts from 0 on'],
    ['a time of next week', { ...field({}), timestamp: start + 7 * dayMs }, '24 hours ahead'],
    ['a time of 1970', { ...field({}), timestamp: 0 }, 'older than 1825 days'],
    [
      'a field twice',
      { ...field({}), fields: [...field({}).fields, ...field({}).fields] },
      'stands twice',
    ],
  ] as const)
    it(`are refused with ${what}, and make no model`, async () => {
      const { needs } = await beginModel(tables);
      const workspaceId = freshName();
      const given = { modelName: 'none', modelVersion: '1', profileId: 'p', profiles: [sent] };
      const failed: unknown = await storeSentProfiles(needs, workspaceId, given).catch(
        (thrown: unknown) => thrown,
      );
      expect(String(failed)).to.include(words);
      const id = modelIdOf(needs, workspaceId, 'none');
      expect(await tables.find('models', { model_id: id })).to.equal(undefined);
    });

  it('of numbers are refused for a field that holds texts, with all that came along', async () => {
    const world = await beginModel(tables);
    await world.send([{ at: start, features: { age: 'old' } }]);
    const before = await sumsOf(world);
    const failed: unknown = await send(world, [profileAt(1)]).catch((thrown: unknown) => thrown);
    expect(String(failed)).to.include('feature_age holds texts');
    expect(await sumsOf(world)).to.deep.equal(before);
  });
});
