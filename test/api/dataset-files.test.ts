import { expect } from 'chai';
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it

describe('files of datasets', () => {
  const { ask, read, send, server } = privateClient();
  const open = async (): Promise<string> => {
    const id = v7();
    await send('POST', 'datasets', { id, name: freshName('dataset') }, 201);
    return id;
  };
  const upload = async (
    path: string,
    parts: readonly (readonly [name: string, value: string | Uint8Array<ArrayBuffer>])[],
  ) => {
    const form = new FormData();
    for (const [name, value] of parts)
      if (name === 'file') form.append(name, new Blob([value]), 'items');
      else form.append(name, String(value));
    const reply = await fetch(`${server().url}/api/v1/private/datasets/items/${path}`, {
      method: 'POST',
      headers: { Authorization: server().apiKey },
      body: form,
    });
    return { status: reply.status, text: await reply.text() };
  };
  const dataOf = async (id: string) =>
    rowsOf(await read(`datasets/${id}/items?size=2000`)).map(({ data }) => data);

  it('become items of one version, whichever part comes first', async () => {
    const id = await open();
    const csv = 'q,a\r\n1,"two, 2"\r\n3,\r\n';

    expect(
      await upload('from-csv', [
        ['dataset_id', id],
        ['file', csv],
      ]),
    ).to.deep.equal({
      status: 202,
      text: '',
    });
    const json = '{"n":1}\n{"n":[2]}\n';
    expect(
      (
        await upload('from-json', [
          ['file', json],
          ['dataset_id', id],
        ])
      ).status,
    ).to.equal(202);

    expect(await dataOf(id)).to.deep.equal([
      { n: [2] },
      { n: 1 },
      { q: '3', a: '' },
      { q: '1', a: 'two, 2' },
    ]);
    const versions = rowsOf(await read(`datasets/${id}/versions`));
    expect(versions.map((version) => version['items_total'])).to.deep.equal([4, 2]);
    expect(rowsOf(await read(`datasets/${id}/items`))[0]).to.include({ source: 'manual' });
  });

  it('are taken from a web form that says it is multipart, as one client sends them', async () => {
    const id = await open();
    const by = (body: URLSearchParams, type = 'multipart/form-data') =>
      fetch(`${server().url}/api/v1/private/datasets/items/from-csv`, {
        method: 'POST',
        headers: { Authorization: server().apiKey, 'Content-Type': type },
        body,
      });
    const form = new URLSearchParams({ file: 'a,b\n1,"ä + &"\n', dataset_id: id });

    expect((await by(form)).status).to.equal(202);
    expect(await dataOf(id)).to.deep.equal([{ a: '1', b: 'ä + &' }]);
    expect((await by(form, 'multipart/form-data; boundary=x')).status).to.equal(400);
    expect((await by(form, 'application/x-www-form-urlencoded')).status).to.equal(400);
  });

  it('say more of an item than its data, and change one that is there', async () => {
    const id = await open();
    const itemId = v7();
    const first = { id: itemId, q: 1, tags: ['x'], description: 'd', source: null };
    const file = (...objects: readonly Json[]) => ['file', JSON.stringify(objects)] as const;

    await upload('from-json', [['dataset_id', id], ['format', 'json'], file(first)]);
    const changed = { ...first, q: 2, tags: ['y'] };
    expect((await upload('from-json', [['dataset_id', id], file(first, changed)])).status).to.equal(
      202,
    );
    expect(rowsOf(await read(`datasets/${id}/items`))).to.have.length(1);
    expect(await read(`datasets/items/${itemId}`)).to.deep.include({
      ...{ id: itemId, data: { q: 2 }, tags: ['y'], description: 'd', source: 'manual' },
    });
    const unfit = await upload('from-json', [
      ['dataset_id', id],
      file({ q: 3 }, { id: 'x', q: 4 }),
    ]);
    expect(unfit.status).to.equal(400);
    expect(rowsOf(await read(`datasets/${id}/items`))).to.have.length(1);
  });

  it('leave nothing behind when they cannot be read to their end', async () => {
    const id = await open();
    const rows = Array.from({ length: 1200 }, (_, at) => `${at},x`).join('\n');

    for (const [status, path, parts] of [
      [
        400,
        'from-csv',
        [
          ['dataset_id', id],
          ['file', `a,b\n${rows}\n1,"2`],
        ],
      ],
      [
        400,
        'from-csv',
        [
          ['dataset_id', id],
          ['file', Uint8Array.from([97, 10, 0xff])],
        ],
      ],
      [
        400,
        'from-json',
        [
          ['dataset_id', id],
          ['file', '[{"a":1},'],
        ],
      ],
      [400, 'from-csv', [['dataset_id', id]]],
      [400, 'from-csv', [['file', 'a\n1\n']]],
      [
        404,
        'from-csv',
        [
          ['dataset_id', v7()],
          ['file', 'a\n1\n'],
        ],
      ],
      [
        404,
        'from-csv',
        [
          ['file', 'a\n1\n'],
          ['dataset_id', 'x'],
        ],
      ],
    ] as const)
      expect((await upload(path, parts)).status, path).to.equal(status);
    expect((await ask('POST', 'datasets/items/from-csv', { dataset_id: id })).status).to.equal(400);
    expect(await dataOf(id)).to.deep.equal([]);
    expect(rowsOf(await read(`datasets/${id}/versions`))).to.deep.equal([]);
  });

  it('are written of the version that was the newest, and come back as they were', async () => {
    const id = await open();
    const items = [
      { source: 'sdk', data: { q: 'a "b"\n', n: 1, deep: { x: [null] } } },
      { source: 'sdk', data: { q: '=1+1', flag: false, none: null } },
    ];
    const change = (body: Json) =>
      send('POST', `datasets/${id}/items/changes?override=true`, body, 201);
    await change({ added_items: items });
    const job = await send('POST', `datasets/${id}/export`, {}, 202);
    await change({ added_items: [{ source: 'sdk', data: { late: 1 } }] });

    expect(job).to.include({ dataset_id: id, status: 'COMPLETED' });
    const path = `datasets/export-jobs/${String(job['id'])}`;
    expect(await read(path)).to.deep.equal(job);
    const listed = JSON.parse((await ask('GET', 'datasets/export-jobs')).text) as readonly Json[]; // a list, as the row says
    expect(listed.map((one) => one['id'])).to.include(job['id']);
    const { status, text } = await ask('GET', `${path}/download`);
    expect(status).to.equal(200);
    expect(text.split('\r\n').sort()).to.deep.equal(
      ['', 'q,flag,none,n,deep', "'=1+1,false,,,", '"a ""b""\n",,,1,"{""x"":[null]}"'].sort(),
    );
    const again = await open();
    expect(
      (
        await upload('from-csv', [
          ['dataset_id', again],
          ['file', text],
        ])
      ).status,
    ).to.equal(202);
    expect(await dataOf(again)).to.have.length(2);
    await send('PUT', `${path}/mark-viewed`, undefined);
    expect(await read(path)).to.have.property('viewed_at');
    await send('DELETE', `datasets/${id}`, undefined);
    expect((await ask('GET', path)).status).to.equal(404);
    expect((await ask('GET', `datasets/export-jobs/${v7()}/download`)).status).to.equal(404);
  });
});
