// Lines of a run's output over HTTP, held against the whole output that the public call gives.
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { freshName } from './fresh.js';
import { makePeople, type People } from './people.js';
import { send } from './sending.js';

describe('the output of a run by lines', () => {
  let server: StartedServer;
  let people: People;
  let run: string;
  let lines: readonly string[];

  const get = (path: string, query: Readonly<Record<string, unknown>> = {}) =>
    send(server.url, 'GET', path, { query, params: {} }, people.home.apiKey);
  const post = (path: string, body: unknown) =>
    send(
      server.url,
      'POST',
      `/api/rest/v2/write${path}`,
      { query: {}, params: {}, body },
      people.home.apiKey,
    );
  const read = (query: Readonly<Record<string, unknown>>) =>
    get(`/v1/private/ui/runs/${run}/output`, query);
  const numbered = (from: number, to: number) =>
    lines.slice(from - 1, to).map((text, i) => ({
      ...{ number: from + i, text },
      ...((from + i - 1) % 3 === 0 ? { stderr: true } : {}),
    }));

  before('start a server', async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
    const made = await post('/experiment/create', {
      workspaceName: people.home.workspace,
      projectName: freshName('project'),
    });
    run = String(made.json['experimentKey']);
    for (let batch = 0; batch < 5; batch++)
      await post('/experiment/output', {
        experimentKey: run,
        outputLines: Array.from({ length: 300 }, (_, i) => ({
          output: `line ${batch * 300 + i} ${i % 50 === 0 ? 'Wärning' : ''}\n`,
          stderr: i % 3 === 0,
        })),
      });
    const whole = (await get('/api/rest/v2/experiment/output', { experimentKey: run })).json;
    lines = String(whole['output']).split('\n').slice(0, -1);
  });
  after(() => server?.stop());

  it('is told from the first line on, up to the limit', async () => {
    expect(lines).to.have.length(1500);
    expect((await read({ limit: 3 })).json).to.deep.equal({
      lines: numbered(1, 3),
      total: 1500,
      next: 4,
    });
    expect((await read({})).json).to.deep.equal({
      lines: numbered(1, 1000),
      total: 1500,
      next: 1001,
    });
  });

  it('is told by numbers of lines, and nothing behind the last one', async () => {
    expect((await read({ from: 700, to: 720 })).json['lines']).to.deep.equal(numbered(700, 720));
    expect((await read({ from: 1499, to: 9999 })).json).to.deep.equal({
      lines: numbered(1499, 1500),
      total: 1500,
      next: null,
    });
    expect((await read({ from: 5000 })).json).to.deep.equal({ lines: [], total: 1500, next: null });
  });

  it('is told of standard error alone, with a text that is looked for or without', async () => {
    const errors = numbered(1, 1500).filter((line) => 'stderr' in line);
    expect((await read({ stderr: true })).json).to.deep.equal({
      lines: errors,
      total: 1500,
      next: null,
    });
    expect((await read({ stderr: true, from: 700, limit: 2 })).json).to.deep.equal({
      lines: errors.filter(({ number }) => number >= 700).slice(0, 2),
      total: 1500,
      next: 706,
    });
    expect((await read({ stderr: true, search: 'line 3 ' })).json['lines']).to.deep.equal(
      numbered(4, 4),
    );
    expect((await read({ stderr: true, search: 'line 4 ' })).json['lines']).to.deep.equal([]);
    expect((await read({ stderr: true, tail: 5 })).status).to.equal(400);
  });

  it('is told from its end', async () => {
    expect((await read({ tail: 5 })).json).to.deep.equal({
      lines: numbered(1496, 1500),
      total: 1500,
      next: null,
    });
  });

  it('is searched for a text, in its case or in any, and the search goes on', async () => {
    const truth = numbered(1, 1500).filter(({ text }) => text.includes('Wärning'));

    expect((await read({ search: 'Wärning' })).json['lines']).to.deep.equal(truth);
    expect((await read({ search: 'wÄRNING' })).json['lines']).to.deep.equal([]);
    expect((await read({ search: 'wÄRNING', ignoreCase: true })).json['lines']).to.deep.equal(
      truth,
    );
    const { lines: first, next } = (await read({ search: 'Wärning', limit: 2 })).json;
    expect(first).to.deep.equal(truth.slice(0, 2));
    expect((await read({ search: 'Wärning', limit: 2, from: next })).json['lines']).to.deep.equal(
      truth.slice(2, 4),
    );
  });

  it('refuses what makes no sense, in a sentence', async () => {
    const sentence = async (query: Readonly<Record<string, unknown>>) => {
      const { status, json } = await read(query);
      return [status, json['message']];
    };

    expect(await sentence({ from: 9, to: 3 })).to.deep.equal([
      400,
      'to must be at least from, and 3 is below 9',
    ]);
    expect(await sentence({ from: 0 })).to.deep.equal([
      400,
      'from must be from 1 to 9007199254740991',
    ]);
    expect(await sentence({ tail: 5001 })).to.deep.equal([400, 'tail must be from 1 to 5000']);
    expect(await sentence({ tail: 5, search: 'x' })).to.deep.equal([
      400,
      'tail goes without from, to, search and stderr',
    ]);
    expect(await sentence({ limit: 100_000 })).to.deep.equal([400, 'limit must be from 1 to 5000']);
  });

  it('is no concern of strangers', async () => {
    const { status } = await send(
      server.url,
      'GET',
      `/v1/private/ui/runs/${run}/output`,
      { query: {}, params: {} },
      people.stranger.apiKey,
    );

    expect(status).to.equal(404);
  });
});
