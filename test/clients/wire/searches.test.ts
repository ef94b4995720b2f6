// The optimizer service and the batches of the prompt-logging client.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { onEveryStorage, rest, rowOf, write } from './stage.js';

type Row = Readonly<Record<string, unknown>>;
const rowsOf = (json: Row, member: string) => json[member] as readonly Row[]; // the caller names a list of objects
const freshKey = () => randomBytes(16).toString('hex');

onEveryStorage('searches for parameters', (stage) => {
  const send = (path: string, body: object) =>
    stage.python.send('POST', `/optimizer/${path}`, body);
  const parameters = {
    a: { type: 'discrete', values: [1, 2] },
    b: { type: 'categorical', values: ['x', 'y'] },
  };
  const begin = async (more: object = {}) => {
    const made = await send('create', {
      algorithm: 'grid',
      name: 'search',
      parameters,
      trials: 1,
      spec: { maxCombo: 0, metric: 'loss', objective: 'minimize' },
      ...more,
    });
    expect(made.json['code'], made.bytes.toString()).to.equal(200);
    return String(made.json['id']);
  };
  const next = async (id: string) => (await stage.python.get(`/optimizer/next?id=${id}`)).json;
  const dashboard = async (id: string, more = '') =>
    (await (
      await fetch(`${stage.server.url}/optimizer/dashboard/data?id=${id}${more}`, {
        headers: { 'X-API-KEY': stage.server.apiKey },
      })
    ).json()) as Row; // an object

  it('tell what they can be told, and a fault in a member of the reply', async () => {
    const spec = await stage.python.get('/optimizer/spec?algorithmName=bayes');
    expect(JSON.parse(spec.bytes.toString()))
      .to.be.an('array')
      .and.to.satisfy(
        (rows: readonly Row[]) =>
          rows.length > 0 && rows.every((row) => 'name' in row && 'default' in row),
      );
    const refused = await send('create', {
      algorithm: 'none',
      parameters: {},
      trials: 1,
      spec: {},
    });
    expect(refused.json['code']).to.not.equal(200);
    expect(refused.json['message']).to.be.a('string');
  });

  it('give each set to one of many that ask at once, and end', async () => {
    const id = await begin();
    const taken = await Promise.all(Array.from({ length: 7 }, () => next(id)));

    const sets = taken
      .filter((one) => one['code'] === 200)
      .map((one) => JSON.stringify((one['parameters'] as Row)['parameters'])); // an object
    expect([sets.length, new Set(sets).size]).to.deep.equal([4, 4]);
    expect((await stage.python.get(`/optimizer/status?id=${id}`)).json).to.include({
      id,
      algorithm: 'grid',
      name: 'search',
      trials: 1,
      status: 'running',
      endTime: null,
    });
    for (const one of taken.filter(({ code }) => code === 200)) {
      const { pid, trial } = one['parameters'] as Row; // as above
      expect(
        (await send('update', { id, pid, trial, status: 'completed', score: 0.5, epoch: 1 })).json[
          'code'
        ],
      ).to.equal(200);
    }
    const over = (await stage.python.get(`/optimizer/status?id=${id}`)).json;
    expect(over).to.include({ status: 'completed', comboCount: 4, maxCombo: 0 });
    expect(Number(over['endTime'])).to.be.at.least(Number(over['startTime'])).and.above(0);
    expect(Number(over['lastUpdateTime'])).to.equal(Number(over['endTime']));
  });

  it('give an aborted set out again as often as they are told to', async () => {
    const id = await begin({
      parameters: { a: { type: 'discrete', values: [1] } },
      spec: { maxCombo: 0, metric: 'loss', objective: 'minimize', retryLimit: 1 },
    });
    const first = (await next(id))['parameters'] as Row; // an object
    const abort = (trial: Row) =>
      send('update', {
        id,
        pid: trial['pid'],
        trial: trial['trial'],
        status: 'aborted',
        score: null,
        epoch: null,
      });
    await abort(first);

    const second = (await next(id))['parameters'] as Row; // as above
    expect([second['pid'], second['parameters']]).to.deep.equal([
      first['pid'],
      first['parameters'],
    ]);
    await abort(second);
    expect((await next(id))['code']).to.not.equal(200);
  });

  it('show their trials page by page, also those that a client brought', async () => {
    const id = await begin();
    const trial = (count: number, status: string) => ({
      id,
      pid: `p${count}`,
      trial: 1,
      status,
      score: count === 2 ? null : 0.25 * count,
      epoch: 3,
      parameters: { a: count },
      tries: 1,
      retries: 0,
      startTime: 5,
      endTime: 9,
      lastUpdateTime: 9,
      count,
      metadata: { experiment_id: `e${count}` },
    });
    for (const [count, status] of [
      [1, 'completed'],
      [2, 'aborted'],
      [3, 'completed'],
    ] as const)
      expect((await send('insert', trial(count, status))).json['code']).to.equal(200);

    const all = await dashboard(id);
    expect([
      all['code'],
      all['max_jobs'],
      all['completed_count'],
      all['failed_count'],
      (all['pagination'] as Row)['total_pages'],
    ]).to.deep.equal([200, 4, 2, 1, 1]); // an object
    expect(
      rowsOf(all, 'jobs').map((job) => [
        job['pid'],
        job['trial'],
        job['status'],
        job['score'],
        job['startTime'],
        job['endTime'],
        job['metadata'],
      ]),
    ).to.deep.equal([
      ['p1', 1, 'completed', 0.25, 5, 9, { experiment_id: 'e1' }],
      ['p2', 1, 'aborted', null, 5, 9, { experiment_id: 'e2' }],
      ['p3', 1, 'completed', 0.75, 5, 9, { experiment_id: 'e3' }],
    ]);
    const page = await dashboard(id, '&page=2&page_size=1&status=completed&status=running');
    expect([rowsOf(page, 'jobs').map((job) => job['pid']), page['pagination']]).to.deep.equal([
      ['p3'],
      { page: 2, page_size: 1, total: 2, total_pages: 2 },
    ]);
  });
});

onEveryStorage('a batch of prompts', (stage) => {
  const run = (experimentKey: string, more: object = {}) => ({
    experimentKey,
    createExperimentRequest: {
      workspaceName: stage.server.workspace,
      projectName: 'llm-general',
      type: 'LLM',
    },
    parameters: [{ parameterName: 'model', parameterValue: 'm' }],
    metrics: [{ metricName: 'chain_duration', metricValue: 12.5 }],
    others: [{ key: 'prompt', value: 'é' }],
    tags: ['t'],
    jsonAsset: {
      extension: 'json',
      type: 'llm_data',
      fileName: 'comet_llm_data.json',
      file: { chain: [1] },
    },
    ...more,
  });
  const send = (runs: readonly object[]) =>
    stage.python.send('POST', `${write}/experiment/llm`, runs);
  const statusOf = (json: Row, key: string) => (json[key] as Row | undefined)?.['status']; // an object for each key

  it('is stored run by run, with values, tags and its document', async () => {
    const [one, two] = [freshKey(), freshKey()];
    const reply = await send([run(one), run(two)]);

    expect(
      [reply.status, statusOf(reply.json, one), statusOf(reply.json, two)],
      reply.bytes.toString(),
    ).to.deep.equal([200, 200, 200]);
    expect(((reply.json[one] as Row)['content'] as Row)['link']).to.include(one); // objects both
    expect([
      rowOf(await stage.get('parameters', one), 'model')?.['valueCurrent'],
      rowOf(await stage.get('metrics/summary', one), 'chain_duration')?.['valueCurrent'],
      rowOf(await stage.get('log-other', one), 'prompt')?.['valueCurrent'],
      await stage.get('tags', one),
    ]).to.deep.equal(['m', '12.5', 'é', { tags: ['t'] }]);
    const [asset] = rowsOf(await stage.get('asset/list', one), 'assets');
    expect([asset?.['type'], asset?.['fileName']]).to.deep.equal([
      'llm_data',
      'comet_llm_data.json',
    ]);
    expect(
      (
        await stage.python.get(
          `${rest}/experiment/asset/get-asset?experimentKey=${one}&assetId=${String(asset?.['assetId'])}`,
        )
      ).json,
    ).to.deep.equal({ chain: [1] });
    expect((await stage.get('metadata', two))['projectName']).to.equal('llm-general');
  });

  it('is stored once when it comes again', async () => {
    const key = freshKey();
    for (let i = 0; i < 2; i++) expect(statusOf((await send([run(key)])).json, key)).to.equal(200);

    expect(rowsOf(await stage.get('metrics/get-all', key), 'metrics')).to.have.length(1);
  });

  it('refuses one run and keeps the other', async () => {
    await stage.make({ projectName: 'plain project' });
    const [bad, good] = [freshKey(), freshKey()];
    const reply = await send([
      run(bad, {
        createExperimentRequest: {
          workspaceName: stage.server.workspace,
          projectName: 'plain project',
          type: 'LLM',
        },
      }),
      run(good),
    ]);

    const { status, content } = reply.json[bad] as {
      readonly status: number;
      readonly content: Row;
    }; // each key has both
    expect([
      reply.status,
      status,
      content['sdk_error_code'],
      statusOf(reply.json, good),
    ]).to.deep.equal([200, 400, 34323, 200]);
    expect(
      (await stage.python.get(`${rest}/experiment/metadata?experimentKey=${bad}`)).status,
    ).to.equal(400);
  });
});
