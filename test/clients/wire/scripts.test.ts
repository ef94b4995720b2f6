// Hand-written scripts and small clients: every carrier of a key, numbers as texts, charts, life cycle, and pages of projects.
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { isRefused, isSaved, onEveryStorage, rest, rowOf, write } from './stage.js';

const at = 1_795_212_302_573;
type Row = Readonly<Record<string, unknown>>;
const rowsOf = (json: Row, member: string) => json[member] as readonly Row[]; // the caller names a list of objects

onEveryStorage('scripts', (stage) => {
  const post = (path: string, body: object) => stage.python.send('POST', `${write}/${path}`, body);
  const raw = async (path: string, init: RequestInit) => {
    const reply = await fetch(stage.server.url + path, init);
    return { status: reply.status, json: (await reply.json()) as Row }; // every JSON reply is an object
  };

  describe('a key', () => {
    const keys = () => [
      stage.server.apiKey,
      `${stage.server.apiKey}*${Buffer.from(JSON.stringify({ baseUrl: stage.server.url })).toString('base64')}`,
      `${stage.server.apiKey}*`,
    ];
    const json = { 'Content-Type': 'application/json' };

    it('is known in every header, short and smart', async () => {
      for (const key of keys())
        for (const headers of [
          { Authorization: key },
          { 'Comet-Sdk-Api': key },
          { 'X-API-KEY': key },
          { 'X-API-KEY': key, Authorization: key, 'PYTHON-SDK-VERSION': '3.58.8' },
        ] as readonly Record<string, string>[])
          for (const path of [
            `${rest}/workspaces`,
            '/clientlib/rest/v2/workspaces',
            '/optimizer/algorithms',
          ])
            expect(
              (await fetch(stage.server.url + path, { headers })).status,
              `${Object.keys(headers).join('+')} ${path}`,
            ).to.equal(200);
    });

    it('is known in a JSON body, of a live call and of a notification, and in the query', async () => {
      for (const apiKey of keys()) {
        const made = await raw('/clientlib/logger/add/run', {
          method: 'POST',
          headers: json,
          body: JSON.stringify({
            apiKey,
            local_timestamp: at,
            experimentKey: randomBytes(16).toString('hex'),
            offline: false,
            projectName: 'keys',
            teamName: null,
            libVersion: '3.58.8',
            getOrCreateEnabled: true,
          }),
        });
        expect([made.status, typeof made.json['runId']], JSON.stringify(made.json)).to.deep.equal([
          200,
          'string',
        ]);
        expect(
          (
            await fetch(`${stage.server.url}/clientlib/notify/event`, {
              method: 'POST',
              headers: json,
              body: JSON.stringify({ api_key: apiKey, event_name: 'sdk_x', timestamp: at }),
            })
          ).status,
        ).to.equal(200);
        expect(
          (await raw(`${rest}/workspaces?apiKey=${encodeURIComponent(apiKey)}`, {})).status,
        ).to.equal(200);
      }
    });

    it('counts in the header before anything in body or query', async () => {
      expect(
        (
          await raw(`${rest}/workspaces?apiKey=${stage.server.apiKey}`, {
            headers: { Authorization: 'wrong' },
          })
        ).status,
      ).to.equal(401);
      expect(
        (
          await raw(`${rest}/workspaces?apiKey=wrong`, {
            headers: { Authorization: stage.server.apiKey },
          })
        ).status,
      ).to.equal(200);
    });

    it('is refused with 401 where it is wrong or missing, and with 400 and a code where a run begins', async () => {
      expect((await raw(`${rest}/workspaces`, {})).status).to.equal(401);
      expect(
        (await raw(`${rest}/workspaces`, { headers: { Authorization: 'wrong' } })).status,
      ).to.equal(401);
      const begun = await raw('/clientlib/logger/add/run', {
        method: 'POST',
        headers: json,
        body: JSON.stringify({
          apiKey: 'wrong',
          local_timestamp: at,
          experimentKey: 'a'.repeat(32),
        }),
      });
      expect([begun.status, begun.json['sdk_error_code']]).to.deep.equal([400, 90212]);
    });
  });

  describe('values', () => {
    it('takes numbers as texts, and texts where numbers are usual', async () => {
      const experimentKey = await stage.make();
      isSaved(
        await post('experiment/metric', {
          experimentKey,
          metricName: 'm',
          metricValue: '0.25',
          step: '-7',
          epoch: '2',
          timestamp: String(at),
        }),
      );
      isSaved(
        await post('experiment/metric', {
          experimentKey,
          metricName: 'm',
          metricValue: 'free text',
          step: '8',
          timestamp: at + 1,
        }),
      );

      expect(
        rowsOf(await stage.get('metrics/get-all', experimentKey), 'metrics').map((one) => [
          one['metricName'],
          one['metricValue'],
          one['step'],
          one['epoch'],
          one['timestamp'],
        ]),
      ).to.deep.equal([
        ['m', '0.25', -7, 2, at],
        ['m', 'free text', 8, null, at + 1],
      ]);
      const summary = rowOf(await stage.get('metrics/summary', experimentKey), 'm');
      expect([
        summary?.['valueMin'],
        summary?.['valueMax'],
        summary?.['valueCurrent'],
      ]).to.deep.equal(['0.25', '0.25', 'free text']);
    });

    it('keeps the digits of whole numbers beyond 2^53, sent as numbers', async () => {
      const experimentKey = await stage.make();
      const reply = await stage.python.send(
        'POST',
        `${write}/experiment/metric`,
        `{"experimentKey":"${experimentKey}","metricName":"big","metricValue":123456789012345678,"timestamp":${String(at)}}`,
      );
      isSaved(reply);

      expect(
        rowOf(await stage.get('metrics/summary', experimentKey), 'big')?.['valueCurrent'],
      ).to.equal('123456789012345678');
    });

    it('appends points of one step and one time, and merges none', async () => {
      const experimentKey = await stage.make();
      for (let i = 0; i < 5; i++)
        isSaved(
          await post('experiment/metric', {
            experimentKey,
            metricName: 'same',
            metricValue: 1,
            step: 1,
            timestamp: at,
          }),
        );

      expect(
        rowsOf(await stage.get('metrics/get-metric', experimentKey, '&metricName=same'), 'metrics'),
      ).to.have.length(5);
    });

    it('gives a point without a time the time of the server', async () => {
      const experimentKey = await stage.make();
      const before = Date.now();
      isSaved(
        await post('experiment/metric', { experimentKey, metricName: 'now', metricValue: 1 }),
      );

      expect(
        rowsOf(
          await stage.get('metrics/get-metric', experimentKey, '&metricName=now'),
          'metrics',
        )[0]?.['timestamp'],
      ).to.be.within(before - 1000, Date.now() + 1000);
    });

    it('drops a metric with all its points', async () => {
      const experimentKey = await stage.make();
      for (const metricName of ['goes', 'stays'])
        isSaved(
          await post('experiment/metric', {
            experimentKey,
            metricName,
            metricValue: 1,
            timestamp: at,
          }),
        );
      isSaved(await post('experiment/metric/delete', { experimentKey, metricName: 'goes' }));

      expect(
        rowsOf(await stage.get('metrics/summary', experimentKey), 'values').map(
          (row) => row['name'],
        ),
      ).to.deep.equal(['stays']);
    });

    it('inflates a packed body on any path, and ignores members it does not know', async () => {
      const experimentKey = await stage.make();
      isSaved(
        await stage.python.sendPacked(`${write}/experiment/tags`, {
          experimentKey,
          addedTags: ['packed'],
          unknown: { a: [1] },
        }),
      );
      const broken = await fetch(`${stage.server.url}${write}/experiment/tags`, {
        method: 'POST',
        headers: {
          Authorization: stage.server.apiKey,
          'Content-Type': 'application/json',
          'Content-Encoding': 'gzip',
        },
        body: gzipSync('{}').subarray(0, 9),
      });

      expect(await stage.get('tags', experimentKey)).to.deep.equal({ tags: ['packed'] });
      expect(broken.status).to.equal(400);
    });

    it('stores system metrics under their names', async () => {
      const experimentKey = await stage.make();
      isSaved(
        await post('experiment/gpu-metrics', {
          experimentKey,
          gpus: [{ gpuId: 0, freeMemory: 1, usedMemory: 2, gpuUtilization: 50, totalMemory: 3 }],
          timestamp: at,
        }),
      );
      isSaved(
        await post('experiment/ram-metrics', {
          experimentKey,
          totalRam: 16,
          usedRam: 8,
          timestamp: at,
        }),
      );
      isSaved(
        await post('experiment/cpu-metrics', {
          experimentKey,
          cpuPercentUtilization: [10, 20],
          timestamp: at,
        }),
      );
      isSaved(
        await post('experiment/load-metrics', { experimentKey, loadAverage: 0.5, timestamp: at }),
      );

      const names = rowsOf(await stage.get('metrics/summary', experimentKey), 'values').map((row) =>
        String(row['name']),
      );
      for (const prefix of [
        'sys.gpu.0.',
        'sys.ram.total',
        'sys.ram.used',
        'sys.cpu.percent.01',
        'sys.cpu.percent.02',
        'sys.load.avg',
      ])
        expect(
          names.some((name) => name.startsWith(prefix)),
          prefix,
        ).to.equal(true);
    });
  });

  describe('charts', () => {
    it('keep experiments apart by both spellings of the key, with values as numbers', async () => {
      const keys = [
        await stage.make({ experimentName: 'one' }),
        await stage.make({ experimentName: 'two' }),
      ];
      for (const [place, experimentKey] of keys.entries()) {
        for (let step = 0; step < 3; step++)
          isSaved(
            await post('experiment/metric', {
              experimentKey,
              metricName: 'loss',
              metricValue: `${10 * place + step}.0`,
              step,
              epoch: 1,
              timestamp: at + 1000 * step,
            }),
          );
        isSaved(
          await post('experiment/parameter', {
            experimentKey,
            parameterName: 'lr',
            parameterValue: 0.1 * (place + 1),
          }),
        );
      }

      const reply = await stage.python.send('POST', `${rest}/experiments/multi-metric-chart`, {
        targetedExperiments: keys,
        metrics: ['loss', 'none'],
        params: ['lr'],
        independentMetrics: true,
        fetchFull: false,
      });

      expect([reply.status, reply.json['empty']]).to.deep.equal([200, false]);
      const charts = reply.json['experiments'] as Readonly<Record<string, Row>>; // charts by key
      for (const [place, key] of keys.entries()) {
        const chart = charts[key];
        expect([
          chart?.['experiment_key'],
          chart?.['experimentKey'],
          chart?.['experimentName'],
          Object.keys(chart?.['params'] as object),
        ]).to.deep.equal([key, key, place === 0 ? 'one' : 'two', ['lr']]);
        const [metric, ...others] = rowsOf(chart ?? {}, 'metrics');
        expect([
          metric?.['metricName'],
          metric?.['values'],
          metric?.['steps'],
          metric?.['epochs'],
          metric?.['timestamps'],
          others,
        ]).to.deep.equal([
          'loss',
          [0, 1, 2].map((step) => 10 * place + step),
          [0, 1, 2],
          [1, 1, 1],
          [at, at + 1000, at + 2000],
          [],
        ]);
        expect(metric?.['durations']).to.have.length(3).and.to.include(1000);
      }
    });

    it('leave out values that are no numbers, and stay readable', async () => {
      const experimentKey = await stage.make();
      for (const metricValue of ['NaN', '1', 'text', 'Infinity', '2'])
        isSaved(
          await post('experiment/metric', {
            experimentKey,
            metricName: 'mixed',
            metricValue,
            timestamp: at,
          }),
        );

      const reply = await stage.python.send('POST', `${rest}/experiments/multi-metric-chart`, {
        targetedExperiments: [experimentKey],
        metrics: ['mixed'],
        params: null,
        independentMetrics: true,
        fetchFull: true,
      });
      const [metric] = rowsOf(
        (reply.json['experiments'] as Readonly<Record<string, Row>>)[experimentKey] ?? {},
        'metrics',
      ); // charts by key
      expect(
        (metric?.['values'] as readonly unknown[]).every(
          (value) => value === null || typeof value === 'number',
        ),
      ).to.equal(true);
      expect(metric?.['values']).to.include.members([1, 2]);
    });
  });

  describe('a run', () => {
    const stateOf = async (key: string) => {
      const { running, hasCrashed } = await stage.get('metadata', key);
      return [running, hasCrashed];
    };

    it('takes any state at any time', async () => {
      const experimentKey = await stage.make();
      for (const [isAlive, hasCrashed] of [
        [true, false],
        [false, true],
        [true, false],
        [false, false],
        [false, true],
      ]) {
        isSaved(
          await post('experiment/update-status', {
            experimentKey,
            isAlive,
            hasCrashed,
            error: null,
          }),
        );
        expect(await stateOf(experimentKey)).to.deep.equal([isAlive, hasCrashed]);
      }
    });

    it('stops, and is gone for every read once it is deleted', async () => {
      const experimentKey = await stage.make();
      isSaved(
        await stage.python.get(`${write}/experiment/stop?experimentKey=${experimentKey}`),
        'Stop Requested',
      );
      expect((await stateOf(experimentKey))[0]).to.equal(false);
      isSaved(
        await stage.python.get(`${write}/experiment/delete?experimentKey=${experimentKey}`),
        'Deleted',
      );

      isRefused(
        await stage.python.get(`${rest}/experiment/metadata?experimentKey=${experimentKey}`),
        400,
        90211,
      );
      isRefused(
        await post('experiment/metric', { experimentKey, metricName: 'm', metricValue: 1 }),
        400,
        90211,
      );
    });

    it('moves to another project, and is linked into one', async () => {
      const keys = [
        await stage.make({ projectName: 'from' }),
        await stage.make({ projectName: 'from' }),
      ];
      const keysIn = async (name: string) =>
        rowsOf(
          (
            await stage.python.get(
              `${rest}/experiments?workspaceName=${stage.server.workspace}&projectName=${name}&archived=False`,
            )
          ).json,
          'experiments',
        ).map((one) => one['experimentKey']);
      isSaved(
        await post('project/create', {
          workspaceName: stage.server.workspace,
          projectName: 'to',
          projectDescription: null,
          isPublic: false,
        }),
      );
      isSaved(
        await post('experiment/move', {
          targetWorkspaceName: stage.server.workspace,
          targetProjectName: 'to',
          experimentKeys: [keys[0]],
          symlink: false,
        }),
      );
      isSaved(
        await post('experiment/move', {
          targetWorkspaceName: stage.server.workspace,
          targetProjectName: 'to',
          experimentKeys: [keys[1]],
          symlink: true,
        }),
      );

      expect([await keysIn('from'), (await keysIn('to')).sort()]).to.deep.equal([
        [keys[1]],
        [...keys].sort(),
      ]);
      expect((await stage.get('metadata', keys[0] ?? ''))['projectName']).to.equal('to');
      isSaved(
        await post('project/delete', {
          workspaceName: stage.server.workspace,
          projectName: 'from',
          deleteAllExperiments: false,
        }),
        'Deleted',
      );
      expect((await stage.get('metadata', keys[1] ?? ''))['experimentKey']).to.equal(keys[1]);
    });
  });

  describe('a project that moves to another workspace', () => {
    const move = (projectId: string, targetWorkspaceName: string, contents?: string) =>
      post('project/move', {
        projectId,
        targetWorkspaceName,
        ...(contents === undefined ? {} : { contents }),
      });
    const makeWorkspace = async () => {
      const name = `moved-${randomBytes(5).toString('hex')}`;
      expect((await post('workspace/new', { name })).status).to.equal(200);
      return name;
    };
    /** A project with one experiment, which has made an artifact and a registered model. */
    const make = async () => {
      const [projectName, artifactName, registryModelName] = ['project', 'artifact', 'Net'].map(
        (word) => `${word}-${randomBytes(5).toString('hex')}`,
      );
      const experimentKey = await stage.make({ projectName });
      const { projectId } = await stage.get('metadata', experimentKey);
      const { artifactVersionId } = (
        await post('artifacts/upsert', { experimentKey, artifactName, artifactType: 'data' })
      ).json;
      isSaved(
        await stage.python.sendFile(
          `${write}/experiment/upload-asset?experimentKey=${experimentKey}&type=model-element&groupingName=net&fileName=weights.bin`,
          Buffer.from('weights'),
          'file',
        ),
      );
      const [model] = rowsOf(
        (await stage.python.get(`${rest}/experiment/model?experimentKey=${experimentKey}`)).json,
        'models',
      );
      expect(
        (
          await post('registry-model', {
            experimentModelId: model?.['experimentModelId'],
            registryModelName,
          })
        ).status,
      ).to.equal(200);
      return {
        projectId: String(projectId),
        projectName,
        experimentKey,
        artifactVersionId: String(artifactVersionId),
        artifactName,
        registryModelName,
      };
    };
    const placeOf = async (
      {
        projectId,
        experimentKey,
        artifactVersionId,
        registryModelName,
      }: Awaited<ReturnType<typeof make>>,
      workspace: string,
    ) => {
      const models = (await stage.python.get(`${rest}/registry-model?workspaceName=${workspace}`))
        .json;
      return {
        project: (await stage.python.get(`${rest}/project?projectId=${projectId}`)).json[
          'workspaceName'
        ],
        run: (await stage.get('metadata', experimentKey))['workspaceName'],
        artifact: (
          (
            await stage.python.get(
              `${rest}/artifacts/version?artifactVersionId=${artifactVersionId}`,
            )
          ).json['artifact'] as Row
        )['workspaceName'], // the row's reply
        model: rowsOf(models, 'registryModels').some(
          (one) => one['modelName'] === registryModelName,
        ),
      };
    };

    it('is refused before anything moved when its runs made artifacts or models and nothing says what becomes of them', async () => {
      const [world, target, from] = [await make(), await makeWorkspace(), stage.server.workspace];

      const reply = await move(world.projectId, target);

      expect([reply.status, String(reply.json['msg'])]).to.deep.equal([
        400,
        `experiments of project ${world.projectName} made 1 artifact and 1 registered model of workspace ${from}: contents must say whether they move along (move) or stay there (leave)`,
      ]);
      expect(await placeOf(world, from)).to.deep.equal({
        project: from,
        run: from,
        artifact: from,
        model: true,
      });
    });

    it('takes along what its runs made, or leaves it, as is asked', async () => {
      const [one, other, target, from] = [
        await make(),
        await make(),
        await makeWorkspace(),
        stage.server.workspace,
      ];

      const [along, without] = [
        await move(one.projectId, target, 'move'),
        await move(other.projectId, target, 'leave'),
      ];

      expect([
        along.json['artifacts'],
        along.json['models'],
        without.json['artifacts'],
        without.json['models'],
      ]).to.deep.equal([1, 1, 0, 0]);
      expect(await placeOf(one, target)).to.deep.equal({
        project: target,
        run: target,
        artifact: target,
        model: true,
      });
      expect(await placeOf(other, from)).to.deep.equal({
        project: target,
        run: target,
        artifact: from,
        model: true,
      });
    });

    it('takes nothing along that other projects have versions of, and does not move then', async () => {
      const [world, target, from] = [await make(), await makeWorkspace(), stage.server.workspace];
      const elsewhere = await stage.make();
      expect(
        (
          await post('artifacts/upsert', {
            experimentKey: elsewhere,
            artifactName: world.artifactName,
            artifactType: 'data',
          })
        ).status,
      ).to.equal(200);

      const reply = await move(world.projectId, target, 'move');

      expect([reply.status, String(reply.json['msg'])]).to.deep.equal([
        400,
        `artifact ${world.artifactName} has versions of other projects too, so it cannot move along: leave it, or move those versions' experiments into the project first`,
      ]);
      expect(await placeOf(world, from)).to.deep.equal({
        project: from,
        run: from,
        artifact: from,
        model: true,
      });
    });

    it('moves without a word when its runs made nothing', async () => {
      const [target, projectName] = [
        await makeWorkspace(),
        `bare-${randomBytes(5).toString('hex')}`,
      ];
      const key = await stage.make({ projectName });
      const { projectId } = await stage.get('metadata', key);

      expect((await move(String(projectId), target)).json).to.include({ artifacts: 0, models: 0 });

      expect((await stage.get('metadata', key))['workspaceName']).to.equal(target);
    });
  });

  describe('projects', () => {
    it('are refused with a code when their name is too long, wherever it comes from', async () => {
      const projectName = 'p'.repeat(5000);
      isRefused(
        await post('project/create', {
          workspaceName: stage.server.workspace,
          projectName,
          projectDescription: null,
          isPublic: false,
        }),
        400,
        1341241,
      );
      isRefused(
        await post('experiment/create', { workspaceName: stage.server.workspace, projectName }),
        400,
        1341241,
      );
    });

    it('come page by page, with counts as texts inside rows and as numbers outside', async () => {
      for (const name of ['page a', 'page b', 'page c'])
        isSaved(
          await post('project/create', {
            workspaceName: stage.server.workspace,
            projectName: name,
            projectDescription: 'd',
            isPublic: false,
          }),
        );
      await stage.make({ projectName: 'page b' });

      const reply = await stage.python.get(
        `${rest}/projects/page?workspaceName=${stage.server.workspace}&offset=1&count=1&search=page&sort=projectName&order=asc`,
      );

      const [row, ...others] = rowsOf(reply.json, 'rows');
      expect([
        reply.status,
        reply.json['filteredRowCount'],
        typeof reply.json['totalRowCount'],
        others,
      ]).to.deep.equal([200, 3, 'number', []]);
      expect([
        row?.['projectName'],
        row?.['projectDesc'],
        row?.['filteredRowCount'],
        row?.['totalRowCount'],
        row?.['experimentCount'],
        row?.['isPublic'],
        row?.['owner'],
        row?.['canEdit'],
        row?.['teamName'],
      ]).to.deep.equal([
        'page b',
        'd',
        '3',
        String(reply.json['totalRowCount']),
        1,
        false,
        true,
        true,
        stage.server.workspace,
      ]);
    });

    it('are found by name and by id, and absent by 404', async () => {
      isSaved(
        await post('project/create', {
          workspaceName: stage.server.workspace,
          projectName: 'known',
          projectDescription: null,
          isPublic: true,
        }),
      );
      const named = (
        await stage.python.get(
          `${rest}/project?workspaceName=${stage.server.workspace}&projectName=known`,
        )
      ).json;

      expect([named['projectName'], named['public'], named['isPublic']]).to.deep.equal([
        'known',
        true,
        true,
      ]);
      expect(
        (await stage.python.get(`${rest}/project?projectId=${String(named['projectId'])}`)).json,
      ).to.deep.equal(named);
      expect(
        (
          await stage.python.get(
            `${rest}/project?workspaceName=${stage.server.workspace}&projectName=unknown`,
          )
        ).status,
      ).to.equal(404);
    });

    it('have notes, share codes and an owner', async () => {
      isSaved(
        await post('project/create', {
          workspaceName: stage.server.workspace,
          projectName: 'noted',
          projectDescription: null,
          isPublic: false,
        }),
      );
      const { projectId } = (
        await stage.python.get(
          `${rest}/project?workspaceName=${stage.server.workspace}&projectName=noted`,
        )
      ).json;
      isSaved(await post('project/notes', { projectId, notes: 'é\nnotes' }));
      const shared = await stage.python.get(
        `${write}/project/add-share-link?projectId=${String(projectId)}`,
      );
      isSaved(shared);

      expect(
        (await stage.python.get(`${rest}/project/notes?projectId=${String(projectId)}`)).json,
      ).to.deep.equal({ notes: 'é\nnotes' });
      expect(
        (
          await stage.python.get(
            `${rest}/project/get-project-share-links?projectId=${String(projectId)}`,
          )
        ).json,
      ).to.deep.equal({ shareCodes: [shared.json['shareCode']] });
      isSaved(
        await stage.python.get(
          `${write}/project/delete-project-share-link?projectId=${String(projectId)}&shareCode=${String(shared.json['shareCode'])}`,
        ),
      );
      isSaved(await post('project/update', { projectId, newProjectName: 'renamed' }), 'Updated');
      expect(
        (await stage.python.get(`${rest}/project?projectId=${String(projectId)}`)).json[
          'projectName'
        ],
      ).to.equal('renamed');
    });
  });

  describe('workspaces', () => {
    it('are made by whoever asks, and theirs from then on', async () => {
      const name = `w${String(Date.now())}`;
      const made = await post('workspace/new', { name });
      expect([
        made.status,
        made.json['workspace_name'],
        typeof made.json['workspace_id'],
      ]).to.deep.equal([200, name, 'string']);

      expect((await stage.python.get(`${rest}/workspaces`)).json['workspaceNames']).to.include(
        name,
      );
    });
  });

  it('answers JSON with exactly the media type that clients parse, also in refusals', async () => {
    for (const path of [
      `${rest}/workspaces`,
      `${rest}/nothing/here`,
      '/clientlib/isAlive/ver',
      '/optimizer/algorithms',
      `${rest}/experiment/metadata`,
    ])
      expect((await stage.python.get(path)).type, path).to.equal('application/json');
  });
});
