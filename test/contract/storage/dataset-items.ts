import { expect } from 'chai';
import type { DatasetItem, DatasetVersion } from '#ports/model/datasets';
import type { ItemChange, ItemListing, VersionTarget } from '#ports/storage/dataset-items';
import type { Storage } from '#ports/storage/storage';
import { freshId, rejection } from './builders.js';
import { addDataset } from './datasets.js';
import { byAnn, byBob } from './environments.js';

/** What every store of items keeps to. */
export const datasetItemContract = (storage: () => Storage): void => {
  const items = () => storage().stores.datasetItems;

  /** A dataset, and what is done with it by short names: `a` is an item's id in the order of the alphabet. */
  const open = async () => {
    const { workspaceId, id: datasetId } = await addDataset(storage());
    const of = { workspaceId, datasetId };
    const ids = new Map<string, string>();
    const idOf = (name: string): string => {
      const id = ids.get(name) ?? freshId();
      ids.set(name, id);
      return id;
    };
    const nameOf = (id: string) => [...ids].find(([, one]) => one === id)?.[0] ?? id;
    const item = (name: string, given: Partial<DatasetItem> = {}): DatasetItem => ({
      datasetId,
      id: idOf(name),
      traceId: undefined,
      spanId: undefined,
      source: 'sdk',
      data: `{"n":1}`,
      description: undefined,
      tags: undefined,
      evaluators: undefined,
      executionPolicy: undefined,
      ...byAnn,
      ...given,
    });
    const change = async (
      put: readonly DatasetItem[],
      removed: readonly string[] = [],
      target: VersionTarget = { into: 'fresh' },
      more: Partial<ItemChange> = {},
    ): Promise<DatasetVersion> => {
      const made = await items().change({
        ...of,
        target,
        ids: [...put.map(({ id }) => id), ...removed.map(idOf)],
        versionId: freshId(),
        touch: byBob,
        decide: () => ({ put, removed: removed.map(idOf), columns: [] }),
        ...more,
      });
      if (made === undefined) throw new Error('the dataset is not there');
      return made;
    };
    /** Names and numbers of the items of a version, as `a1b2`. */
    const state = async (version?: number): Promise<string> =>
      (
        await items().list({
          ...of,
          filters: [],
          limit: 100,
          ...(version === undefined ? {} : { version }),
        })
      )
        .map(({ id, data }) => `${nameOf(id)}${String((JSON.parse(data) as { n: number }).n)}`)
        .sort()
        .join('');
    const n = (name: string, value: number) => item(name, { data: `{"n":${value}}` });
    return { of, idOf, item, n, change, state };
  };
  const countsOf = ({ itemsTotal, itemsAdded, itemsModified, itemsDeleted }: DatasetVersion) => [
    itemsTotal,
    itemsAdded,
    itemsModified,
    itemsDeleted,
  ];

  it('returns items as they were stored', async () => {
    const { of, item, idOf, change } = await open();
    const made = item('a', {
      traceId: freshId(),
      spanId: freshId(),
      source: 'span',
      data: `{"z":"näme \u{1f600} \\"{},NULL\\\\","a":[null,0.1,12345678901234567890]}`,
      description: ' words ',
      tags: ['b', 'a'],
      evaluators: '[]',
      executionPolicy: '{"runs_per_item":2}',
    });
    await change([made, item('b')]);

    expect(await items().findMany(of.workspaceId, [made.id])).to.deep.equal([made]);
    expect(await items().findMany(freshId(), [made.id])).to.deep.equal([]);
    expect(await items().findMany(of.workspaceId, ['no-such-id'])).to.deep.equal([]);
    const described = [made.id, idOf('b'), 'no-such-id'];
    expect([...(await items().findDescriptions(of.workspaceId, described))]).to.deep.equal([
      [made.id, ' words '],
    ]);
    expect((await items().findDescriptions(freshId(), described)).size).to.equal(0);
  });

  it('keeps every version as it was, and counts what changed in each', async () => {
    const { change, n, state } = await open();
    const first = await change([n('a', 1), n('b', 1), n('c', 1)]);
    const second = await change([n('b', 2), n('d', 1)], ['a']);
    const third = await change([n('a', 3)], ['d', 'c']);
    const fourth = await change([], []);

    expect([await state(1), await state(2), await state(3), await state(4)]).to.deep.equal([
      'a1b1c1',
      'b2c1d1',
      'a3b2',
      'a3b2',
    ]);
    expect(await state()).to.equal('a3b2');
    expect([first, second, third, fourth].map(countsOf)).to.deep.equal([
      [3, 3, 0, 0],
      [3, 1, 1, 1],
      [2, 1, 0, 2],
      [2, 0, 0, 0],
    ]);
    expect([first, fourth].map(({ number, newest }) => [number, newest])).to.deep.equal([
      [1, true],
      [4, true],
    ]);
  });

  it('changes the newest version in place, making the first where there is none', async () => {
    const { of, change, n, state } = await open();
    const into: VersionTarget = { into: 'newest' };
    const first = await change([n('a', 1), n('b', 1)], [], into);
    await change([n('c', 1)], ['a'], into);
    await change([n('b', 2), n('c', 2)], [], into);
    expect(countsOf(first)).to.deep.equal([2, 2, 0, 0]);
    await change([], []);
    await change([n('b', 5)], [], into);
    const last = await change([n('b', 6), n('d', 1)], ['c'], into);

    expect([await state(1), await state(2)]).to.deep.equal(['b2c2', 'b6d1']);
    expect(last.number).to.equal(2);
    // Each change by itself: b was modified twice.
    expect(countsOf(last)).to.deep.equal([2, 1, 2, 1]);
    const gone = await change([], ['d'], into);
    expect(countsOf(gone)).to.deep.equal([1, 1, 2, 2]);
    await change([n('d', 1)], [], into);
    expect(
      (await items().findVersion(of.workspaceId, of.datasetId, { number: 1 }))?.itemsTotal,
    ).to.equal(2);
  });

  it('makes one version of a group of changes, also of many at once', async () => {
    const { of, change, n, state } = await open();
    await change([n('z', 1)]);
    const group: VersionTarget = { into: 'group', groupId: 'one' };
    const names = [...'abcdefghijkl'];
    const made = await Promise.all(names.map((name) => change([n(name, 1)], [], group)));
    await change([], ['a', 'z'], group);

    const { total } = await items().listVersions(of.workspaceId, of.datasetId, {
      page: 1,
      size: 1,
    });
    expect(total).to.equal(2);
    expect(new Set(made.map(({ id }) => id)).size).to.equal(1);
    expect(await state()).to.equal('b1c1d1e1f1g1h1i1j1k1l1');
    expect(
      countsOf(
        (await items().findVersion(of.workspaceId, of.datasetId, 'newest')) as DatasetVersion, // it was just made
      ),
    ).to.deep.equal([11, 11, 0, 1]);
  });

  it('adds to the version of a group that is no more the newest, and to those behind it', async () => {
    const { of, change, n, state } = await open();
    await change([n('x', 1), n('y', 1)]);
    const group: VersionTarget = { into: 'group', groupId: 'one' };
    await change([n('a', 1)], [], group);
    await change([n('y', 3), n('b', 3)]);
    await change([n('y', 2), n('b', 2), n('c', 2)], ['x'], group);

    expect([await state(1), await state(2), await state(3)]).to.deep.equal([
      'x1y1',
      'a1b2c2y2',
      'a1b3c2y3',
    ]);
    const totals = await Promise.all(
      [1, 2, 3].map(
        async (number) =>
          (await items().findVersion(of.workspaceId, of.datasetId, { number }))?.itemsTotal,
      ),
    );
    expect(totals).to.deep.equal([2, 4, 4]);
  });

  it('changes nothing for what is there already, and makes no version of nothing', async () => {
    const { of, change, n, state } = await open();
    const first = await change([n('a', 1)]);
    const same = await change([n('a', 1)], ['b'], { into: 'group', groupId: 'g' });
    const again = await change([{ ...n('a', 1), ...byBob }], [], { into: 'newest' });

    expect([same.id, again.id]).to.deep.equal([first.id, first.id]);
    expect((await items().findMany(of.workspaceId, [n('a', 1).id]))[0]?.lastUpdatedBy).to.equal(
      'ann',
    );
    expect(await state()).to.equal('a1');
    expect(
      await items().change({
        ...of,
        datasetId: freshId(),
        target: { into: 'fresh' },
        ids: [],
        versionId: freshId(),
        touch: byBob,
        decide: () => ({ put: [], removed: [], columns: [] }),
      }),
    ).to.equal(undefined);
  });

  it('decides with the items as they are', async () => {
    const { of, idOf, change, n } = await open();
    await change([n('a', 1), n('b', 1)]);
    const seen: (readonly string[])[] = [];

    await items().change({
      ...of,
      target: { into: 'fresh' },
      ids: [idOf('a'), freshId()],
      versionId: freshId(),
      touch: byBob,
      decide: (stored) => {
        seen.push([...stored.values()].map(({ data }) => data));
        return {
          put: [...stored.values()].map((one) => ({ ...one, data: '{"n":9}' })),
          removed: [],
          columns: [],
        };
      },
    });

    expect(seen.at(-1)).to.deep.equal(['{"n":1}']);
    expect((await items().findMany(of.workspaceId, [idOf('a')]))[0]?.data).to.equal('{"n":9}');
  });

  it('refuses a stale base, and takes what a version does not say from the one before', async () => {
    const { change, n } = await open();
    const first = await change(
      [n('a', 1)],
      [],
      { into: 'fresh', base: { id: undefined } },
      {
        settings: { evaluators: '[1]', executionPolicy: '{"a":1}', changeDescription: 'first' },
      },
    );
    const base = { id: first.id };
    const second = await change([n('b', 1)], [], { into: 'fresh', base });
    expect(second).to.include({ evaluators: '[1]', executionPolicy: '{"a":1}' });
    expect(second.changeDescription).to.equal(undefined);
    const third = await change(
      [],
      [],
      { into: 'newest' },
      {
        settings: { executionPolicy: null, evaluators: '[2]' },
      },
    );
    expect([third.id, third.evaluators, third.executionPolicy]).to.deep.equal([
      second.id,
      '[2]',
      undefined,
    ]);

    for (const stale of [base, { id: undefined }, { id: freshId() }])
      expect(await rejection(change([n('c', 1)], [], { into: 'fresh', base: stale }))).to.include({
        kind: 'conflict',
      });
  });

  it('finds versions by id, number, hash and tag, the newest first in a list', async () => {
    const { of, change, n } = await open();
    const first = await change(
      [n('a', 1)],
      [],
      { into: 'fresh' },
      {
        settings: { tags: ['one', 'two'] },
      },
    );
    const second = await change([n('b', 1)]);
    const find = async (by: Parameters<ReturnType<typeof items>['findVersion']>[2]) =>
      (await items().findVersion(of.workspaceId, of.datasetId, by))?.number;

    expect([
      await find({ id: first.id }),
      await find({ number: 2 }),
      await find({ hash: first.hash }),
      await find({ hash: second.hash }),
      await find({ tag: 'two' }),
      await find('newest'),
      await find({ tag: 'three' }),
      await find({ hash: '' }),
      await find({ id: 'no-such-id' }),
    ]).to.deep.equal([1, 2, 1, 2, 1, 2, undefined, undefined, undefined]);
    const page = await items().listVersions(of.workspaceId, of.datasetId, { page: 1, size: 10 });
    expect(page.content).to.deep.equal([second, { ...first, newest: false }]);
    expect(
      (await items().listVersions(of.workspaceId, of.datasetId, { page: 2, size: 1 })).content.map(
        ({ tags }) => tags,
      ),
    ).to.deep.equal([['one', 'two']]);
    expect([
      ...(await items().findNewest(of.workspaceId, [of.datasetId, freshId()])).keys(),
    ]).to.deep.equal([of.datasetId]);
    expect(
      (await items().findVersions(of.workspaceId, [first.id, freshId(), 'no-such-id'])).map(
        ({ number }) => number,
      ),
    ).to.deep.equal([1]);
    expect(await items().findVersions(freshId(), [first.id])).to.deep.equal([]);
  });

  it('gives a tag to one version of a dataset', async () => {
    const { of, change, n } = await open();
    await change([n('a', 1)]);
    await change([n('b', 1)]);
    const { workspaceId, datasetId } = of;
    await items().tagVersion(workspaceId, datasetId, 1, ['x', 'y']);
    await items().tagVersion(workspaceId, datasetId, 1, ['x']);
    await items().tagVersion(workspaceId, datasetId, 9, ['nine']);

    expect(await rejection(items().tagVersion(workspaceId, datasetId, 2, ['y']))).to.include({
      kind: 'conflict',
    });
    await items().untagVersion(workspaceId, datasetId, 2, 'x');
    await items().untagVersion(workspaceId, datasetId, 1, 'y');
    await items().tagVersion(workspaceId, datasetId, 2, ['y']);
    await items().describeVersion(workspaceId, datasetId, 2, {
      changeDescription: 'told',
      ...byBob,
    });
    const tagged = await items().listVersions(workspaceId, datasetId, { page: 1, size: 9 });
    expect(
      tagged.content.map(({ number, tags, changeDescription }) => [
        number,
        tags,
        changeDescription,
      ]),
    ).to.deep.equal([
      [2, ['y'], 'told'],
      [1, ['x'], undefined],
    ]);
  });

  it('restores the items of an older version in a new one', async () => {
    const { of, change, n, state } = await open();
    await change(
      [n('a', 1), n('b', 1), n('c', 1)],
      [],
      { into: 'fresh' },
      {
        settings: { evaluators: '[1]' },
      },
    );
    await change(
      [n('b', 2), n('d', 2)],
      ['a'],
      { into: 'fresh' },
      {
        settings: { evaluators: '[2]' },
      },
    );
    await change([n('e', 3)]);
    const restore = (number: number) =>
      items().restore({
        ...of,
        number,
        versionId: freshId(),
        changeDescription: `like ${number}`,
        touch: byBob,
      });
    const restored = await restore(1);

    expect(await state()).to.equal('a1b1c1');
    expect([await state(1), await state(2), await state(3), await state(4)]).to.deep.equal([
      'a1b1c1',
      'b2c1d2',
      'b2c1d2e3',
      'a1b1c1',
    ]);
    expect(restored).to.include({ number: 4, evaluators: '[1]', changeDescription: 'like 1' });
    expect(restored && countsOf(restored)).to.deep.equal([3, 1, 1, 2]);
    expect((await restore(4))?.number).to.equal(4);
    expect(await restore(9)).to.equal(undefined);
    await change([n('b', 7)]);
    await restore(2);
    expect([await state(), await state(5)]).to.deep.equal(['b2c1d2', 'a1b7c1']);
  });

  it('finds items as a version has them, else as they were last', async () => {
    const { of, idOf, change, n } = await open();
    await change([n('a', 1), n('b', 1), n('c', 1)]);
    await change([n('a', 2), n('d', 2)], ['b']);
    const { workspaceId, datasetId } = of;
    const find = async (version?: number) =>
      (
        await items().findAsOf(
          workspaceId,
          datasetId,
          [...[...'abcd'].map(idOf), freshId(), 'no-such-id'],
          version,
        )
      )
        .map(({ data }) => (JSON.parse(data) as { readonly n: number }).n)
        .join('');

    expect([await find(1), await find(2), await find()]).to.deep.equal(['1112', '2112', '2112']);
    expect(await items().findAsOf(freshId(), datasetId, [idOf('a')], 1)).to.deep.equal([]);
  });

  it('compares two versions', async () => {
    const { of, change, n } = await open();
    await change([n('a', 1), n('b', 1), n('c', 1)]);
    await change([n('b', 2), n('d', 2), n('e', 2)], ['a']);
    const compare = (from: number, to: number) =>
      items().compare(of.workspaceId, of.datasetId, from, to);

    expect(await compare(1, 2)).to.deep.equal({ added: 2, modified: 1, deleted: 1, unchanged: 1 });
    expect(await compare(2, 1)).to.deep.equal({ added: 1, modified: 1, deleted: 2, unchanged: 1 });
    expect(await compare(2, 2)).to.deep.equal({ added: 0, modified: 0, deleted: 0, unchanged: 4 });
  });

  it('lists the greatest id first, from an offset or behind an id, as filters ask', async () => {
    const { of, idOf, item, change } = await open();
    const names = [...'abcdef'];
    await change(
      names.map((name, at) =>
        item(name, {
          data: `{"n":${at},"k.x":"${name.toUpperCase()}z"}`,
          tags: at % 2 === 0 ? ['even'] : ['odd'],
        }),
      ),
    );
    await change([], ['f']);
    const list = async (more: Partial<ItemListing>) =>
      (await items().list({ ...of, filters: [], limit: 10, ...more })).map(({ id }) => id);
    const ids = (text: string) => [...text].map(idOf);

    expect(await list({})).to.deep.equal(ids('edcba'));
    expect(await list({ version: 1 })).to.deep.equal(ids('fedcba'));
    expect(await list({ version: 2 })).to.deep.equal(ids('edcba'));
    expect(await list({ offset: 1, limit: 2 })).to.deep.equal(ids('dc'));
    expect(await list({ version: 1, offset: 1, limit: 2 })).to.deep.equal(ids('ed'));
    expect(await list({ beforeId: idOf('c') })).to.deep.equal(ids('ba'));
    const even: ItemListing['filters'] = [
      { field: 'tags', is: 'list', operator: 'equals', value: 'even' },
    ];
    expect(await list({ filters: even })).to.deep.equal(ids('eca'));
    expect(await items().count({ ...of, filters: even })).to.equal(3);
    expect(await items().count({ ...of, filters: [], version: 1 })).to.equal(6);
    expect(
      await list({
        filters: [{ field: 'data', path: ['k.x'], is: 'text', operator: 'startsWith', value: 'b' }],
      }),
    ).to.deep.equal(ids('b'));
    expect(
      await list({
        filters: [{ field: 'full_data', is: 'text', operator: 'contains', value: 'dZ' }],
      }),
    ).to.deep.equal(ids('d'));
  });

  it('reads no more data at once than there is room for', async () => {
    const { of, change, item, idOf } = await open();
    const data = JSON.stringify({ text: 'é'.repeat(50_000) });
    for (const name of ['a', 'b', 'c']) await change([item(name, { data })]);
    const list = async (more: Partial<ItemListing>) =>
      (await items().list({ ...of, filters: [], limit: 9, ...more })).map(({ id }) => id);
    const [a, b, c] = ['a', 'b', 'c'].map(idOf);

    expect(await list({ mostBytes: 250_000 })).to.deep.equal([c, b]);
    expect(await list({ mostBytes: 1, beforeId: c ?? '' })).to.deep.equal([b]);
    expect(await list({ mostBytes: 1, beforeId: a ?? '' })).to.deep.equal([]);
    expect(await list({ mostBytes: 250_000, offset: 1 })).to.deep.equal([b, a]);
    expect(await rejection(list({ mostBytes: 250_000, offset: 0 }))).to.have.property(
      'kind',
      'invalid',
    );
    expect(await list({ mostBytes: 400_000, offset: 0 })).to.deep.equal([c, b, a]);
  });

  it('remembers the members that the data of items has had', async () => {
    const { of, change, item } = await open();
    const columns = [
      { name: 'b', type: 'number' as const },
      { name: 'a', type: 'string' as const },
      { name: 'b', type: 'number' as const },
      { name: 'b', type: 'null' as const },
    ];
    for (const name of ['a', 'b'])
      await change(
        [item(name)],
        [],
        { into: 'fresh' },
        {
          decide: () => ({ put: [item(name)], removed: [], columns }),
        },
      );

    expect(await items().listColumns(of.workspaceId, of.datasetId)).to.deep.equal([
      { name: 'a', type: 'string' },
      { name: 'b', type: 'null' },
      { name: 'b', type: 'number' },
    ]);
    expect(await items().listColumns(freshId(), of.datasetId)).to.deep.equal([]);
  });
};
