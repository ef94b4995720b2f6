import { expect } from 'chai';
import { isFailure } from '#ports/failure';
import type { TableChange } from '#ports/plugin';
import type { PluginTables } from '#ports/plugin-tables';
import { freshName, rejection } from './builders.js';

/** The changes that `pluginTablesContract` needs. */
export const pluginTablesChanges: readonly TableChange[] = [
  {
    create: 'things',
    columns: {
      owner: 'key',
      place: 'whole',
      words: 'text',
      size: 'real',
      ready: 'flag',
      content: 'bytes',
    },
    key: ['owner', 'place'],
    indexes: { size: ['owner', 'size'] },
  },
  { create: 'marks', columns: { name: 'key' }, key: ['name'] },
  { add: 'things', columns: { later: 'text' } },
  { create: 'sums', columns: { name: 'key', n: 'whole', words: 'text' }, key: ['name'] },
];

/** What the tables of a plugin keep to, made by `pluginTablesChanges`. */
export const pluginTablesContract = (tables: () => PluginTables): void => {
  const whole = (owner: string, place = 1) => ({
    owner,
    place,
    words: 'wörds 😀 ',
    size: 0.1,
    ready: true,
    content: new Uint8Array([0, 255, 7]),
    later: null,
  });
  const kindOf = async (promise: Promise<unknown>) => {
    const thrown = await rejection(promise);
    return isFailure(thrown) ? thrown.kind : thrown;
  };
  const placesOf = (rows: readonly { readonly [column: string]: unknown }[]) =>
    rows.map((row) => row['place']);

  it('returns every kind of column exactly, and null for what was left out', async () => {
    const owner = freshName();
    await tables().insert('things', whole(owner));
    await tables().insert('things', { owner, place: -9_007_199_254_740_991 });
    const found = await tables().find('things', { owner, place: 1 });

    expect({ ...found, content: [...(found?.['content'] as Uint8Array)] }).to.deep.equal({
      ...whole(owner),
      content: [0, 255, 7],
    });
    expect(await tables().find('things', { owner, place: -9_007_199_254_740_991 })).to.deep.equal({
      owner,
      place: -9_007_199_254_740_991,
      words: null,
      size: null,
      ready: null,
      content: null,
      later: null,
    });
    expect(await tables().find('things', { owner, place: 2 })).to.equal(undefined);
  });

  it('keeps texts and bytes of several MiB', async () => {
    const owner = freshName();
    const [words, content] = [
      'w'.repeat(3_000_000),
      Uint8Array.from({ length: 3_000_000 }, (_, at) => at % 251),
    ];
    await tables().insert('things', { owner, place: 1, words, content });

    const found = await tables().find('things', { owner, place: 1 });
    expect([
      found?.['words'] === words,
      Buffer.compare(Buffer.from(found?.['content'] as Uint8Array), content),
    ]).to.deep.equal([true, 0]);
  });

  it('tells keys apart by case and accents', async () => {
    const name = `é${freshName()}`;
    for (const one of [name, name.toUpperCase(), name.replace('é', 'e')])
      await tables().insert('marks', { name: one });

    expect(await tables().find('marks', { name: name.toUpperCase() })).to.deep.equal({
      name: name.toUpperCase(),
    });
  });

  it('refuses a taken key with a conflict, and replaces it by an upsert', async () => {
    const owner = freshName();
    await tables().insert('things', whole(owner));

    expect(await kindOf(tables().insert('things', { owner, place: 1 }))).to.equal('conflict');
    await tables().upsert('things', { owner, place: 1, words: 'new', later: 'x' });
    await tables().upsert('things', { owner, place: 2, words: 'second' });

    const found = await tables().find('things', { owner, place: 1 });
    expect([
      found?.['words'],
      found?.['later'],
      (await tables().find('things', { owner, place: 2 }))?.['words'],
    ]).to.deep.equal(['new', 'x', 'second']);
  });

  it('upserts a table that has only its key', async () => {
    const name = freshName();
    await tables().upsert('marks', { name });
    await tables().upsert('marks', { name });

    expect(await tables().find('marks', { name })).to.deep.equal({ name });
  });

  it('increments a number that starts at 0, so that each of many concurrent callers gets its own', async () => {
    const key = { name: freshName() };
    const add = (by = 1) => tables().increment('sums', key, 'n', by);

    const sums = await Promise.all(Array.from({ length: 50 }, () => add()));
    expect(sums.sort((a, b) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, at) => at + 1));
    await tables().upsert('sums', { ...key, words: 'kept' });
    expect(await add(-60)).to.equal(-10);
    expect(await tables().find('sums', key)).to.deep.equal({ ...key, n: -10, words: 'kept' });
    await tables().upsert('sums', { ...key, n: null });
    expect(await add(2)).to.equal(2);
    expect(await kindOf((async () => tables().increment('sums', key, 'words', 1))())).to.equal(
      'invalid',
    );
  });

  it('lists by the key and by an index, page by page', async () => {
    const owner = freshName();
    for (const [place, size] of [
      [10, 3],
      [9, 1],
      [11, 2],
      [12, 2],
    ] as const)
      await tables().insert('things', { owner, place, size });
    await tables().insert('things', { owner: `${owner}x`, place: 1, size: 2 });

    expect(placesOf(await tables().list('things', 'key', { owner }, { limit: 10 }))).to.deep.equal([
      9, 10, 11, 12,
    ]);
    const first = await tables().list('things', 'size', { owner }, { limit: 2 });
    const rest = await tables().list(
      'things',
      'size',
      { owner },
      { limit: 10, after: first.at(-1) ?? {} },
    );
    expect([placesOf(first), placesOf(rest)]).to.deep.equal([
      [9, 11],
      [12, 10],
    ]);
    expect(
      placesOf(await tables().list('things', 'size', { owner, size: 2 }, { limit: 10 })),
    ).to.deep.equal([11, 12]);
  });

  it('removes a row and says whether it was there', async () => {
    const owner = freshName();
    await tables().insert('things', whole(owner));

    expect([
      await tables().remove('things', { owner, place: 1 }),
      await tables().remove('things', { owner, place: 1 }),
    ]).to.deep.equal([true, false]);
    expect(await tables().find('things', { owner, place: 1 })).to.equal(undefined);
  });

  it('inserts many rows at once, or none of them when a key is taken', async () => {
    const owner = freshName();
    const many = Array.from({ length: 2_500 }, (_, place) => ({ owner, place, size: place / 2 }));
    await tables().insertAll('things', many);
    await tables().insertAll('things', []);

    const found = await tables().list('things', 'key', { owner }, { limit: 3_000 });
    expect(found.map(({ place, size }) => [place, size])).to.deep.equal(
      many.map(({ place, size }) => [place, size]),
    );
    const other = freshName();
    await tables().insert('things', { owner: other, place: 7 });
    expect(
      await kindOf(
        tables().insertAll('things', [
          { owner: other, place: 6, words: 'w' },
          { owner: other, place: 7 },
        ]),
      ),
    ).to.equal('conflict');
    expect(
      placesOf(await tables().list('things', 'key', { owner: other }, { limit: 10 })),
    ).to.deep.equal([7]);
  });

  it('keeps every kind of column of many rows exactly, with and without values', async () => {
    const owner = freshName();
    const sparse = { ...whole(owner, 2), words: null, size: null, ready: null, content: null };
    const rows = [whole(owner), sparse, { ...whole(owner, 3), words: '{"a",\\b}', ready: false }];
    const plain = (found: readonly { readonly [column: string]: unknown }[]) =>
      found.map((row) => ({
        ...row,
        content: row['content'] === null ? null : [...(row['content'] as Uint8Array)], // a column of bytes
      }));
    const list = () => tables().list('things', 'key', { owner }, { limit: 5 });

    await tables().insertAll('things', rows);
    expect(plain(await list())).to.deep.equal(plain(rows));
    const changed = rows.map((row) => ({ ...row, size: -1.5, content: new Uint8Array([9]) }));
    await tables().upsertAll('things', changed);
    expect(plain(await list())).to.deep.equal(plain(changed));
  });

  it('upserts many rows at once, and leaves alone the columns that a row does not name', async () => {
    const owner = freshName();
    await tables().insert('things', whole(owner));
    await tables().upsertAll('things', [
      { owner, place: 1, words: 'new' },
      { owner, place: 2, size: 2 },
      { owner, place: 3, words: 'third' },
    ]);

    expect(
      (await tables().list('things', 'key', { owner }, { limit: 10 })).map(
        ({ place, words, size }) => [place, words, size],
      ),
    ).to.deep.equal([
      [1, 'new', 0.1],
      [2, null, 2],
      [3, 'third', null],
    ]);
  });

  it('finds many rows by their keys, and leaves out those that are not there', async () => {
    const [one, other] = [freshName(), freshName()];
    await tables().insertAll('things', [
      { owner: one, place: 1 },
      { owner: one, place: 2 },
      { owner: other, place: 1 },
    ]);

    const found = await tables().findAll('things', [
      { owner: one, place: 2 },
      { owner: other, place: 1 },
      { owner: other, place: 2 },
    ]);
    expect(found.map(({ owner, place }) => [owner, place])).to.have.deep.members([
      [one, 2],
      [other, 1],
    ]);
    expect(await tables().findAll('things', [])).to.deep.equal([]);
  });

  it('lists between bounds, and backwards', async () => {
    const owner = freshName();
    await tables().insertAll(
      'things',
      [1, 2, 3, 4, 5].map((place) => ({ owner, place, size: place })),
    );
    const list = async (options: object) =>
      placesOf(await tables().list('things', 'size', { owner }, { limit: 10, ...options }));

    expect(await list({ after: { size: 1 }, until: { size: 4 } })).to.deep.equal([2, 3, 4]);
    expect(await list({ descending: true })).to.deep.equal([5, 4, 3, 2, 1]);
    expect(await list({ descending: true, after: { size: 4 }, until: { size: 2 } })).to.deep.equal([
      3, 2,
    ]);
  });

  it('reads no other columns of a list than those that are asked for', async () => {
    const owner = freshName();
    await tables().insert('things', whole(owner));

    const listed = (columns: readonly string[]) =>
      tables().list('things', 'key', { owner }, { limit: 2, columns });
    expect(await listed(['place', 'words'])).to.deep.equal([
      {
        ...whole(owner),
        ...{ owner: null, size: null, ready: null, content: null },
      },
    ]);
    expect(await kindOf((async () => listed(['more']))())).to.equal('invalid');
  });

  it('removes many rows up to a bound, the first ones where there are more than asked for', async () => {
    const [owner, other] = [freshName(), freshName()];
    await tables().insertAll('things', [
      ...[1, 2, 3, 4, 5].map((place) => ({ owner, place, size: place })),
      { owner: other, place: 1, size: 1 },
    ]);
    const left = async (of = owner) =>
      placesOf(await tables().list('things', 'size', { owner: of }, { limit: 10 }));

    expect(
      await tables().removeAll('things', 'size', { owner }, { limit: 2, until: { size: 4 } }),
    ).to.equal(2);
    expect(await left()).to.deep.equal([3, 4, 5]);
    expect(
      await tables().removeAll('things', 'size', { owner }, { limit: 10, until: { size: 4 } }),
    ).to.equal(2);
    expect([await left(), await left(other)]).to.deep.equal([[5], [1]]);
  });

  it('removes the rows of keys, and leaves the others', async () => {
    const [owner, other] = [freshName(), freshName()];
    const places = Array.from({ length: 1500 }, (_, place) => place);
    await tables().insertAll('things', [
      ...places.map((place) => ({ owner, place })),
      ...[3, 4].map((place) => ({ owner: other, place })),
    ]);

    await tables().removeKeys('things', []);
    await tables().removeKeys('things', [
      ...places.filter((place) => place % 500 !== 7).map((place) => ({ owner, place })),
      { owner: other, place: 4 },
      { owner: other, place: 5 },
    ]);

    const left = async (of: string) =>
      placesOf(await tables().list('things', 'key', { owner: of }, { limit: 10 }));
    expect([await left(owner), await left(other)]).to.deep.equal([[7, 507, 1007], [3]]);
    expect(await kindOf((async () => tables().removeKeys('things', [{ more: 1 }]))())).to.equal(
      'invalid',
    );
  });

  it('stores all of a transaction or nothing', async () => {
    const owner = freshName();
    await rejection(
      tables().transaction(async (inside) => {
        await inside.insert('things', whole(owner));
        throw new Error('undo');
      }),
    );
    await tables().transaction((inside) => inside.insert('things', whole(owner, 2)));

    expect(placesOf(await tables().list('things', 'key', { owner }, { limit: 10 }))).to.deep.equal([
      2,
    ]);
  });

  it('knows no table, column or index that was not declared', async () => {
    expect(await kindOf((async () => tables().insert('others', {}))())).to.equal('invalid');
    expect(
      await kindOf((async () => tables().insert('things', { owner: 'a', place: 1, more: 1 }))()),
    ).to.equal('invalid');
    expect(
      await kindOf((async () => tables().list('things', 'words', {}, { limit: 1 }))()),
    ).to.equal('invalid');
  });
};
