// Assets of many runs side by side over HTTP.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { makePng } from '#test/contract/images';
import { freshName } from './fresh.js';
import { makePeople, type People } from './people.js';
import { send } from './sending.js';

describe('the assets of many runs', () => {
  let server: StartedServer;
  let people: People;
  const runs: string[] = [];

  const post = (path: string, body: unknown, key = people.home.apiKey) =>
    send(server.url, 'POST', path, { query: {}, params: {}, body }, key);
  const upload = async (
    run: string,
    fileName: string,
    step?: number,
    bytes: Uint8Array = Buffer.from(`${fileName} ${step ?? ''}`),
    metadata?: object,
  ): Promise<string> => {
    const form = new FormData();
    if (metadata !== undefined) form.append('metadata', JSON.stringify(metadata));
    form.append('file', new Blob([Buffer.from(bytes)]), fileName);
    const query = new URLSearchParams({
      experimentKey: run,
      fileName,
      type: 'image',
      ...(step === undefined ? {} : { step: String(step) }),
    });
    const reply = await fetch(`${server.url}/api/rest/v2/write/experiment/upload-asset?${query}`, {
      method: 'POST',
      headers: { authorization: people.home.apiKey },
      body: form,
    });
    expect(reply.status).to.equal(200);
    return String(((await reply.json()) as { assetId: unknown }).assetId); // the reply of an upload
  };
  const rows = (body: object, key?: string) => post('/v1/private/ui/assets/rows', body, key);
  const matrix = (body: object, key?: string) =>
    post('/v1/private/ui/assets/matrix', { runs, type: 'image', ...body }, key);
  const places = (json: Readonly<Record<string, unknown>>) =>
    (json['assets'] as readonly { run: string; name: string; step: number | null }[]).map(
      ({ run, name, step }) => [runs.indexOf(run), name, step],
    );

  before('start a server', async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
    const projectName = freshName('project');
    for (let run = 0; run < 2; run++) {
      const made = await post('/api/rest/v2/write/experiment/create', {
        workspaceName: people.home.workspace,
        projectName,
      });
      runs.push(String(made.json['experimentKey']));
    }
    const [one = '', other = ''] = runs;
    for (const step of [0, 100, 200]) await upload(one, 'sample', step);
    for (const step of [50, 100]) await upload(other, 'sample', step);
    await upload(other, 'plan.png');
    for (const step of [1, 2]) await upload(one, `out/epoch-${step}.png`, step);
  });
  after(() => server?.stop());

  it('are told by name and by folder, a page at a time', async () => {
    const named = (await rows({ runs })).json;
    const first = (await rows({ runs, limit: 1 })).json;
    const foldered = (await rows({ runs, by: 'folder', type: 'image' })).json;

    const plan = {
      type: 'image',
      name: 'plan.png',
      runs: 1,
      assets: 1,
      firstStep: null,
      lastStep: null,
    };
    const sample = {
      type: 'image',
      name: 'sample',
      runs: 2,
      assets: 5,
      firstStep: 0,
      lastStep: 200,
    };
    const ofEpoch = (step: number) => ({
      type: 'image',
      name: `out/epoch-${step}.png`,
      runs: 1,
      assets: 1,
      firstStep: step,
      lastStep: step,
    });
    expect(named).to.deep.equal({
      rows: [ofEpoch(1), ofEpoch(2), plan, sample],
      more: false,
      lookedAt: null,
    });
    expect(first).to.deep.equal({ rows: [ofEpoch(1)], more: true, lookedAt: null });
    expect(
      (await rows({ runs, after: { type: 'image', name: 'out/epoch-1.png' }, search: 'SAMP' }))
        .json['rows'],
    ).to.deep.equal([sample]);
    expect(foldered['rows']).to.deep.equal([
      { type: 'image', name: 'out', runs: 1, assets: 2, firstStep: 1, lastStep: 2 },
    ]);
  });

  it('stand side by side at one step', async () => {
    const { json } = await matrix({ names: ['sample', 'plan.png'], at: 99 });

    expect(json['steps']).to.deep.equal([0, 50, 100, 200]);
    expect(places(json)).to.have.deep.members([
      [0, 'sample', 0],
      [1, 'sample', 50],
      [1, 'plan.png', null],
    ]);
    expect(json).to.include({ more: false, cursor: null, stepsCut: false });
    expect(places((await matrix({ folder: 'out', at: 1 })).json)).to.deep.equal([
      [0, 'out/epoch-1.png', 1],
    ]);
    const [cell] = json['assets'] as readonly { link: string; contentType: string }[];
    const bytes = await fetch(cell?.link ?? '', { headers: { authorization: people.home.apiKey } });
    expect(bytes.status).to.equal(200);
  });

  it('are paged through in the order of their steps', async () => {
    const seen: unknown[] = [];
    let cursor: unknown;
    do {
      const { json } = await matrix({
        names: ['sample'],
        limit: 2,
        ...(cursor === undefined ? {} : { cursor }),
      });
      seen.push(...places(json).map(([, , step]) => step));
      cursor = json['cursor'];
    } while (cursor !== null && seen.length < 10);

    expect(seen).to.deep.equal([0, 50, 100, 100, 200]);
  });

  it('come with what their metadata holds under a key, and with the keys that there are', async () => {
    const [run = ''] = runs;
    const bytes = Buffer.from('x');
    await upload(run, 'told', 1, bytes, { scene: 'harbour', camera: { angle: 10 }, boxes: [1] });
    await upload(run, 'told', 2, bytes, { scene: null, day: true });
    await upload(run, 'told', 3, bytes, { scene: 'x'.repeat(17_000) });
    await upload(run, 'told', 4);
    const ask = async (metadata?: string) => {
      const { json } = await matrix({
        names: ['told'],
        ...(metadata === undefined ? {} : { metadata }),
      });
      const cells = json['assets'] as readonly { readonly value: string | null }[];
      return [cells.map(({ value }) => value), json['metadataKeys']];
    };
    const keys = ['camera.angle', 'day', 'scene'];

    expect(await ask()).to.deep.equal([[null, null, null, null], keys]);
    expect(await ask('scene')).to.deep.equal([['harbour', null, null, null], keys]);
    expect(await ask('camera.angle')).to.deep.equal([['10', null, null, null], keys]);
    expect(await ask('day')).to.deep.equal([[null, 'true', null, null], keys]);
    expect(await ask('camera')).to.deep.equal([[null, null, null, null], keys]);
    expect((await matrix({ names: ['told'], metadata: '' })).status).to.equal(422);
  });

  it('have parts, told with their types to who may read the run', async () => {
    const [run = '', other = ''] = runs;
    const begun = await post('/clientlib/asset', {
      ...{ experimentKey: run, userFileName: 'scene', assetType: '3d-image' },
    });
    const asset = String(begun.json['assetId']);
    const form = new FormData();
    form.set(
      'requestParams',
      JSON.stringify({ experimentKey: run, assetId: asset, assetItemType: 'boxes' }),
    );
    form.set('assetItemContent', new Blob(['{}\n']), 'boxes.jsonl');
    await fetch(`${server.url}/clientlib/asset/asset-item`, {
      method: 'POST',
      headers: { authorization: people.home.apiKey },
      body: form,
    });
    const parts = (of: string, key = people.home.apiKey) =>
      send(
        ...([server.url, 'GET', `/v1/private/ui/runs/${of}/asset-parts`] as const),
        { query: { asset }, params: {} },
        key,
      );

    expect((await parts(run)).json).to.deep.equal({
      parts: [{ asset: `${asset}-boxes`, type: '3d-boxes', size: 3 }],
    });
    expect((await parts(other)).status).to.be.within(400, 404);
    expect((await parts(run, people.stranger.apiKey)).status).to.be.within(400, 404);
  });

  it('do not go on behind a cursor of other names, or of other runs', async () => {
    const { cursor } = (await matrix({ names: ['sample'], limit: 2 })).json;

    for (const other of [{ names: ['plan.png'] }, { names: ['sample'], runs: runs.slice(1) }]) {
      const { status, json } = await matrix({ ...other, cursor });
      expect([status, json['message']]).to.deep.equal([
        400,
        'the cursor belongs to other runs, another type or other names; begin again without one',
      ]);
    }
    expect((await matrix({ names: ['sample'], limit: 1, cursor })).status).to.equal(200);
  });

  it('are refused without names and folder, with both, and behind a cursor of nothing', async () => {
    for (const body of [
      {},
      { names: ['a'], folder: 'b' },
      { names: ['a'], cursor: 'x' },
      { names: ['a'], at: 1, cursor: 'x' },
    ])
      expect((await matrix(body)).status).to.equal(400);
    const many = { names: Array.from({ length: 21 }, String) };
    expect((await matrix(many)).status).to.equal(422);
  });

  it('are nothing to who may not read the runs', async () => {
    const told = await matrix({ names: ['sample'], at: 99 }, people.stranger.apiKey);

    expect(told.json).to.deep.include({ runs: [], assets: [], steps: [] });
    expect((await rows({ runs }, people.stranger.apiKey)).json['rows']).to.deep.equal([]);
  });

  describe('made smaller', () => {
    const thumbnail = (
      asset: string,
      { size, key = people.home.apiKey, held }: { size?: number; key?: string; held?: string } = {},
    ) =>
      fetch(
        `${server.url}/v1/private/ui/runs/${runs[0]}/thumbnail?${new URLSearchParams({ asset, ...(size === undefined ? {} : { size: String(size) }) })}`,
        {
          headers: { authorization: key, ...(held === undefined ? {} : { 'if-none-match': held }) },
        },
      );
    const upload1 = (name: string, bytes: Uint8Array) => upload(runs[0] ?? '', name, 1, bytes);

    it('are small pictures, kept by the page for as long as they stand', async () => {
      const asset = await upload1('large.png', makePng(800, 400));

      const small = await thumbnail(asset, { size: 64 });
      const bytes = Buffer.from(await small.arrayBuffer());
      const held = small.headers.get('etag') ?? '';
      const again = await thumbnail(asset, { size: 64, held });

      expect([small.status, small.headers.get('content-type')]).to.deep.equal([200, 'image/webp']);
      expect(bytes.toString('latin1', 8, 12)).to.equal('WEBP');
      expect(small.headers.get('cache-control')).to.include('private');
      expect(again.status).to.equal(304);
      expect((await thumbnail(asset, { size: 512, held })).status).to.equal(200);
    });

    it('are refused of what is no picture, of a bomb, and in other sizes', async () => {
      const bomb = await upload1('bomb.png', makePng(30_000, 30_000, 10));
      const words = await upload1('words.png', Buffer.from('words'));
      const drawing = await upload1('drawing.svg', Buffer.from('<svg/>'));

      expect((await thumbnail(bomb)).status).to.equal(422);
      expect((await thumbnail(words)).status).to.equal(422);
      expect((await thumbnail(drawing)).status).to.equal(422);
      expect((await thumbnail(words, { size: 65 })).status).to.equal(400);
    });

    it('are not there for who may not read the run, and after the asset is deleted', async () => {
      const asset = await upload1('secret.png', makePng(80, 40));

      expect((await thumbnail(asset)).status).to.equal(200);
      expect((await thumbnail(asset, { key: people.stranger.apiKey })).status).to.equal(404);
      await fetch(
        `${server.url}/api/rest/v2/write/experiment/asset/delete?${new URLSearchParams({ experimentKey: runs[0] ?? '', assetId: asset })}`,
        { headers: { authorization: people.home.apiKey } },
      );
      expect((await thumbnail(asset)).status).to.equal(404);
    });
  });
});
