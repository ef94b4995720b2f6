// What a project holds against what was logged to it, and what pages are told of the server.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { encodeParts, send } from './sending.js';
import { freshName } from './fresh.js';
import { makePeople, type People } from './people.js';

const write = '/api/rest/v2/write';

describe('what pages are told of a project and of the server', () => {
  let server: StartedServer;
  let people: People;

  const get = (path: string, key?: string) =>
    send(server.url, 'GET', path, { query: {}, params: {} }, key);
  const post = async (path: string, body: unknown) =>
    (await send(server.url, 'POST', path, { query: {}, params: {}, body }, people.home.apiKey))
      .json;
  const create = async (projectName: string) =>
    String(
      (
        await post(`${write}/experiment/create`, {
          workspaceName: people.home.workspace,
          projectName,
        })
      )['experimentKey'],
    );
  const upload = async (run: string, content: string) => {
    const { type, body } = encodeParts([{ name: 'file', fileName: 'a.txt', content }]);
    const reply = await fetch(
      `${server.url}${write}/experiment/upload-asset?experimentKey=${run}&fileName=${freshName('a')}`,
      {
        method: 'POST',
        headers: { Authorization: people.home.apiKey, 'Content-Type': type },
        body: Uint8Array.from(body),
      },
    );
    expect(reply.status).to.equal(200);
  };

  before('start a server', async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
  });
  after(() => server?.stop());

  it('are the runs, points and bytes that were logged, without those of deleted runs', async () => {
    const name = freshName('project');
    const [one, two, gone] = [await create(name), await create(name), await create(name)];
    const { projectId } = (
      await get(`/api/rest/v2/experiment/metadata?experimentKey=${one}`, people.home.apiKey)
    ).json;
    for (const [run, points] of [
      [one, 5],
      [two, 3],
      [gone, 7],
    ] as const)
      for (let i = 0; i < points; i++)
        await post(`${write}/experiment/metric`, {
          experimentKey: run,
          metricName: i % 2 === 0 ? 'loss' : 'accuracy',
          metricValue: String(i),
        });
    await upload(one, 'x'.repeat(1000));
    await upload(two, 'x'.repeat(234));
    await post(`${write}/experiment/output`, {
      experimentKey: two,
      outputLines: [{ output: 'é\n' }],
    });
    await get(`${write}/experiment/delete?experimentKey=${gone}`, people.home.apiKey);
    await get(`${write}/experiment/archive?experimentKey=${two}`, people.home.apiKey);

    const { status, json } = await get(
      `/v1/private/ui/projects/${String(projectId)}/usage`,
      people.home.apiKey,
    );

    expect(status).to.equal(200);
    expect(json).to.include({
      runs: 2,
      archivedRuns: 1,
      points: 8,
      series: 4,
      assets: 2,
      assetBytes: 1234,
      textBytes: 3,
      workspaceBytesLimit: null,
    });
    expect(json['workspaceBytes']).to.be.at.least(1234);
    expect(
      (await get(`/v1/private/ui/projects/${String(projectId)}/usage`, people.stranger.apiKey))
        .status,
    ).to.equal(404);
  });

  it('are the version, toggles, limits and ways of signing in, to anybody and without secrets', async () => {
    const { status, text, json } = await get('/v1/private/ui/config');

    expect(status).to.equal(200);
    expect(json['basePath']).to.equal('/');
    expect(json['version']).to.match(/^\d+\.\d+/);
    expect(json['toggles']).to.include({ '3d-panel': true });
    expect(json['limits']).to.include({ MAX_ASSETS_IN_PANEL: 100, ORRERY_LISTENERS_PER_USER: 50 });
    expect(json['signIn']).to.deep.include({
      ...(json['signIn'] as readonly object[])[0],
      kind: 'password',
    });
    expect(text).to.not.match(/SECRET|TOKEN|_KEY|URL"|ORRERY_DATA|orrery_/);
  });
});
