// A run as the R client makes it, and its reads: JSON that it parses only when the media type says so.
import { expect } from 'chai';
import { isRefused, isSaved, onEveryStorage, rest, rowOf, write } from './stage.js';

const at = 1_795_212_302_573;

onEveryStorage('a run of the R client', (stage) => {
  const post = (path: string, body: object) =>
    stage.r.send('POST', `${write}/experiment/${path}`, body);
  const create = async (projectName: string) => {
    const reply = await stage.r.send('POST', `${write}/experiment/create`, {
      workspaceName: stage.server.workspace,
      projectName,
      experimentName: 'r run',
    });
    isSaved(reply);
    expect([typeof reply.json['experimentKey'], typeof reply.json['link']]).to.deep.equal([
      'string',
      'string',
    ]);
    return String(reply.json['experimentKey']);
  };

  it('makes a project, finds a run in it by names and by id, and deletes it', async () => {
    const made = await stage.r.send('POST', `${write}/project/create`, {
      workspaceName: stage.server.workspace,
      projectName: 'r project',
      projectDescription: null,
      isPublic: false,
    });
    isSaved(made);
    const key = await create('r project');
    isSaved(
      await post('metric', { experimentKey: key, metricName: 'm', metricValue: 1, timestamp: at }),
    );
    const names = `workspaceName=${stage.server.workspace}&projectName=r%20project`;
    const id = `projectId=${String(made.json['projectId'])}`;
    const list = async (path: string) => {
      const reply = await stage.r.get(`${rest}/${path}`);
      expect([reply.status, reply.type]).to.deep.equal([200, 'application/json']);
      return reply.json;
    };

    for (const by of [names, id])
      expect(
        (
          (await list(`experiments?${by}&archived=FALSE`))['experiments'] as readonly Record<
            string,
            unknown
          >[]
        ).map((one) => one['experimentKey']),
      ).to.deep.equal([key]); // a list of experiments
    expect((await list(`experiments?${names}&archived=TRUE`))['experiments']).to.deep.equal([]);
    const columns = await list(`project/column-names?${names}&archived=FALSE`);
    expect(columns).to.deep.equal(await list(`project/column-names?${id}`));
    expect(
      (columns['columns'] as readonly Record<string, unknown>[]).map((column) => column['name']),
    ).to.include.members(['duration', 'experimentKey', 'm']); // a list of columns

    isSaved(
      await stage.r.send('POST', `${write}/project/delete`, {
        workspaceName: stage.server.workspace,
        projectName: 'r project',
        deleteAllExperiments: true,
      }),
      'Deleted',
    );
    expect(
      (
        (await list(`projects?workspaceName=${stage.server.workspace}`))[
          'projects'
        ] as readonly Record<string, unknown>[]
      ).map((one) => one['projectName']),
    ).not.to.include('r project'); // a list of projects
    isRefused(await stage.r.get(`${rest}/experiment/metadata?experimentKey=${key}`), 400, 90211);
  });

  it('logs numbers, tags, texts and output, and reads each back', async () => {
    const key = await create('r values');
    isSaved(
      await post('log-other', {
        experimentKey: key,
        key: 'Created from',
        value: 'cometr',
        timestamp: at,
      }),
    );
    for (const [metricValue, step] of [
      [5.5, 1],
      [2, 2],
    ] as const)
      isSaved(
        await post('metric', {
          experimentKey: key,
          metricName: 'score',
          metricValue,
          step,
          timestamp: at,
        }),
      );
    isSaved(
      await post('parameter', {
        experimentKey: key,
        parameterName: 'rate',
        parameterValue: 0.001,
        timestamp: at,
      }),
    );
    isSaved(await post('tags', { experimentKey: key, addedTags: ['one', 'two'] }));
    isSaved(await post('html', { experimentKey: key, html: '<b>é</b>', timestamp: at }));
    isSaved(await post('code', { experimentKey: key, code: 'x <- 1\ny <- "é"' }));
    isSaved(await post('graph', { experimentKey: key, graph: '{"nodes":[]}' }));
    isSaved(
      await post('git/metadata', {
        experimentKey: key,
        user: 'ann',
        root: 'r',
        branch: 'b',
        parent: 'p',
        origin: 'o',
      }),
    );
    expect((await stage.get('output', key))['output']).to.equal('');
    isSaved(
      await post('output', {
        experimentKey: key,
        outputLines: [
          { offset: 0, output: 'first ' },
          { offset: 1, output: 'second' },
        ],
      }),
    );

    const score = rowOf(await stage.get('metrics/summary', key), 'score');
    expect([score?.['valueMin'], score?.['valueMax'], score?.['valueCurrent']]).to.deep.equal([
      '2',
      '5.5',
      '2',
    ]);
    expect(rowOf(await stage.get('parameters', key), 'rate')?.['valueCurrent']).to.equal('0.001');
    expect([
      rowOf(await stage.get('log-other', key), 'Created from')?.['valueCurrent'],
      rowOf(await stage.get('log-other', key), 'Name')?.['valueCurrent'],
    ]).to.deep.equal(['cometr', 'r run']);
    expect(await stage.get('tags', key)).to.deep.equal({ tags: ['one', 'two'] });
    expect([
      await stage.get('html', key),
      await stage.get('code', key),
      await stage.get('graph', key),
    ]).to.deep.equal([
      { html: '<b>é</b>' },
      { code: 'x <- 1\ny <- "é"' },
      { graph: '{"nodes":[]}' },
    ]);
    expect(await stage.get('git/metadata', key)).to.deep.equal({
      user: 'ann',
      root: 'r',
      branch: 'b',
      parent: 'p',
      origin: 'o',
    });
    expect((await stage.get('output', key))['output']).to.match(/^first ?\n?second\n?$/);
  });

  it('sends one text for a list, and a process id as a number', async () => {
    const key = await create('r values');
    isSaved(
      await post('system-details', {
        experimentKey: key,
        pid: 4711,
        command: 'script.R',
        osPackages: 'libc 2',
        installedPackages: ['a 1', 'b 2'],
        env: { HOME: '/root' },
      }),
    );

    const details = await stage.get('system-details', key);
    expect([
      details['pid'],
      details['command'],
      details['osPackages'],
      details['installedPackages'],
      details['env'],
    ]).to.deep.equal([4711, ['script.R'], ['libc 2'], ['a 1', 'b 2'], { HOME: '/root' }]);
  });

  it('keeps a file and a link, says booleans in capitals, and reads text as text', async () => {
    const key = await create('r files');
    const file = await stage.r.sendFile(
      `${write}/experiment/upload-asset?experimentKey=${key}`,
      Buffer.from('some text\n'),
      'notes.txt',
    );
    isSaved(file);
    const form = new FormData();
    form.set('link', 's3://bucket/thing');
    form.set('metadata', '{"a":1}');
    const remote = await fetch(
      `${stage.server.url}${write}/experiment/upload-asset?experimentKey=${key}&isRemote=TRUE&fileName=thing`,
      { method: 'POST', headers: { Authorization: stage.server.apiKey }, body: form },
    );
    expect(remote.status).to.equal(200);

    const assets = (await stage.get('asset/list', key))['assets'] as readonly Record<
      string,
      unknown
    >[]; // a list of assets
    expect(
      assets.map((asset) => [asset['fileName'], asset['remote'], asset['metadata']]),
    ).to.deep.equal([
      ['notes.txt', false, null],
      ['thing', true, '{"a":1}'],
    ]);
    expect(assets[1]?.['link']).to.equal('s3://bucket/thing');
    const read = await stage.r.get(
      `${rest}/experiment/asset/get-asset?experimentKey=${key}&assetId=${String(assets[0]?.['assetId'])}`,
    );
    expect([read.type?.split(';')[0], read.bytes.toString()]).to.deep.equal([
      'text/plain',
      'some text\n',
    ]);
  });

  it('archives, restores and links a run, at once', async () => {
    const key = await create('r life');
    const archived = async () => (await stage.get('metadata', key))['archived'];
    isSaved(await stage.r.get(`${write}/experiment/archive?experimentKey=${key}`), 'Archived');
    expect(await archived()).to.equal(true);
    isSaved(await stage.r.get(`${write}/experiment/restore?experimentKey=${key}`), 'Restore');
    expect(await archived()).to.equal(false);
    isSaved(
      await stage.r.send('POST', `${write}/project/create`, {
        workspaceName: stage.server.workspace,
        projectName: 'r other',
        projectDescription: '',
        isPublic: true,
      }),
    );

    const linked = await stage.r.get(
      `${write}/project/symlink?experimentKey=${key}&projectName=r%20other`,
    );
    isSaved(linked);
    expect(linked.json['link']).to.match(/\/r(%20|\+| )other\//);
    const there = (
      await stage.r.get(
        `${rest}/experiments?workspaceName=${stage.server.workspace}&projectName=r%20other&archived=FALSE`,
      )
    ).json['experiments'] as readonly Record<string, unknown>[]; // a list of experiments
    expect(there.map((one) => one['experimentKey'])).to.deep.equal([key]);
    expect(
      (await stage.r.get(`${write}/project/symlink?exerimentKey=${key}&projectName=nowhere`))
        .status,
    ).to.equal(400);
  });

  it('beats until its run is told to be unknown', async () => {
    const key = await create('r life');
    const beat = await stage.r.get(`${write}/experiment/set-status?experimentKey=${key}`);

    expect([beat.status, beat.json['isAliveBeatDurationMillis']]).to.deep.equal([200, 10_000]);
    expect((await stage.get('metadata', key))['running']).to.equal(true);
    isRefused(
      await stage.r.get(`${write}/experiment/set-status?experimentKey=${'1'.repeat(32)}`),
      400,
      90211,
    );
  });

  it('asks for charts of nothing without an error', async () => {
    const key = await create('r charts');

    for (const body of [{ metrics: [], params: [] }, { metrics: ['none'], params: null }, {}]) {
      const reply = await stage.r.send('POST', `${rest}/experiments/multi-metric-chart`, {
        targetedExperiments: [key],
        independentMetrics: true,
        fetchFull: true,
        ...body,
      });
      expect([reply.status, reply.type, reply.json]).to.deep.equal([
        200,
        'application/json',
        { experiments: {}, empty: true },
      ]);
    }
  });
});
