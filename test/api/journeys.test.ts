// Rules that no public client walks through by itself: the life of an experiment and of a project, limits, and what browsers ask.
import { expect } from 'chai';
import { setTimeout as wait } from 'node:timers/promises';
import { calendar } from '#ports/clock';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { send, type Answer } from './sending.js';
import { freshKey, freshName } from './fresh.js';
import { makePeople, type People } from './people.js';

const root = '/api/rest/v2';
const write = `${root}/write`;

describe('journeys', () => {
  let server: StartedServer;
  let people: People;
  let project: string;
  let projectId: string;
  let key: string;

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: {
        ORRERY_CHECK_REPLIES: '1',
        ORRERY_LOG_LEVEL: 'error',
        ORRERY_THROTTLE_METRICS_PER_MINUTE: '100',
        EXPERIMENTS_IN_EM_PROJECT_LIMIT: '2',
        METRICS_PER_EXPERIMENT_LIMIT: '5',
        MIN_SDK_VERSION_PYTHON: '3.47.0',
        MIN_SDK_VERSION_JAVA: '1.1.0',
        MIN_SDK_VERSION_R: '0.4.0',
        ORRERY_CORS_ORIGINS: 'https://notebooks.example',
      },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    people = await makePeople(server);
  });
  after(() => server?.stop());

  const get = (
    path: string,
    query: Readonly<Record<string, unknown>> = {},
    apiKey = people.home.apiKey,
  ): Promise<Answer> => send(server.url, 'GET', path, { query, params: {} }, apiKey);
  const post = (path: string, body: unknown, apiKey = people.home.apiKey): Promise<Answer> =>
    send(server.url, 'POST', path, { query: {}, params: {}, body }, apiKey);
  const metadata = async (experimentKey = key) =>
    (await get(`${root}/experiment/metadata`, { experimentKey })).json;
  const create = async (projectName: string) =>
    (
      await post(`${write}/experiment/create`, {
        workspaceName: people.home.workspace,
        projectName,
      })
    ).json;
  const listed = async (id: string, archived = false) =>
    (
      (await get(`${root}/experiments`, { projectId: id, archived })).json[
        'experiments'
      ] as readonly { experimentKey: string }[]
    ).map((one) => one.experimentKey); // the row's reply
  const refusal = (answer: Answer) => [answer.status, answer.json['sdk_error_code']];

  beforeEach(async () => {
    project = freshName('project');
    projectId = String(
      (
        await post(`${write}/project/create`, {
          workspaceName: people.home.workspace,
          projectName: project,
        })
      ).json['projectId'],
    );
    key = String((await create(project))['experimentKey']);
  });

  describe('an experiment', () => {
    it('runs from its making until it is stopped, and again from a beat', async () => {
      expect(await metadata()).to.include({ running: true, archived: false, hasCrashed: false });
      expect((await get(`${write}/experiment/stop`, { experimentKey: key })).json['msg']).to.equal(
        'Stop Requested',
      );
      expect((await metadata())['running']).to.equal(false);
      expect((await get(`${write}/experiment/set-status`, { experimentKey: key })).json).to.include(
        { isAliveBeatDurationMillis: 10_000 },
      );
      expect((await metadata())['running']).to.equal(true);
    });

    it('takes any state at any time', async () => {
      for (const [isAlive, hasCrashed] of [
        [false, true],
        [true, false],
        [false, false],
        [false, true],
      ]) {
        expect(
          (
            await post(`${write}/experiment/update-status`, {
              experimentKey: key,
              isAlive,
              hasCrashed,
              error: null,
            })
          ).status,
        ).to.equal(200);
        expect(await metadata()).to.include({ running: isAlive, hasCrashed });
      }
    });

    it('stops running by itself in silence, and has crashed where its client would have said that it ends', async function () {
      this.timeout(58_000);
      const live = freshKey();
      await post('/clientlib/logger/add/run', {
        experimentKey: live,
        projectName: freshName('live'),
        teamName: people.home.workspace,
      });
      expect([(await metadata())['running'], (await metadata(live))['running']]).to.deep.equal([
        true,
        true,
      ]);
      for (
        const until = Date.now() + 50_000;
        Date.now() < until &&
        ((await metadata())['running'] !== false || (await metadata(live))['hasCrashed'] !== true);
      )
        await wait(500);
      expect(await metadata()).to.include({ running: false, hasCrashed: false });
      expect(await metadata(live)).to.include({ running: false, hasCrashed: true });
      await post('/clientlib/logger/get/run', { previousExperiment: live });
      expect(await metadata(live)).to.include({ running: true, hasCrashed: false });
    });

    it('has a start and an end from the first moment, a second apart where only one was ever set', async () => {
      const fresh = await metadata();
      expect(fresh['startTimeMillis']).to.be.a('number').and.above(1e12);
      expect(fresh['endTimeMillis']).to.be.a('number');
      const set = (times: object) =>
        post(`${write}/experiment/set-start-end-time`, { experimentKey: key, ...times });
      await set({ endTimeMillis: 5_000_000 });
      expect(await metadata()).to.include({ startTimeMillis: 4_999_000, endTimeMillis: 5_000_000 });
      await set({ startTimeMillis: 1_000_000 });
      await set({ startTimeMillis: null, endTimeMillis: 6_000_000 });
      expect(await metadata()).to.include({
        startTimeMillis: 1_000_000,
        endTimeMillis: 6_000_000,
        durationMillis: 5_000_000,
      });
      await set({ startTimeMillis: 6_000_000 });
      expect(await metadata()).to.include({ startTimeMillis: 6_000_000, endTimeMillis: 6_000_000 });
    });

    it('gets its end a second after its start where only that was set', async () => {
      await post(`${write}/experiment/set-start-end-time`, {
        experimentKey: key,
        startTimeMillis: 7_000_000,
      });
      expect(await metadata()).to.include({ startTimeMillis: 7_000_000, endTimeMillis: 7_001_000 });
    });

    it('keeps no time that has no date, and its page opens at the first and the last that do', async () => {
      const set = (times: object) =>
        post(`${write}/experiment/set-start-end-time`, { experimentKey: key, ...times });
      const opens = async () => (await get(`/${people.home.workspace}/${project}/${key}`)).status;
      for (const time of [-Number.MAX_SAFE_INTEGER, calendar.first - 1, 1e300, 'soon'])
        for (const member of ['startTimeMillis', 'endTimeMillis'])
          expect((await set({ [member]: time })).status, `${member} ${time}`).to.equal(400);
      for (const times of [
        { endTimeMillis: calendar.first },
        { startTimeMillis: calendar.last },
        { startTimeMillis: Number.MAX_SAFE_INTEGER },
        { startTimeMillis: calendar.first },
      ]) {
        expect((await set(times)).status).to.equal(200);
        expect(await opens()).to.equal(200);
      }
      // As the Python client sends some.
      await set({ startTimeMillis: 1_700_000_000_123_456 });
      expect(await metadata()).to.include({ startTimeMillis: 1_700_000_000_123 });
    });

    it('goes to the archive and comes back', async () => {
      expect(
        (await get(`${write}/experiment/archive`, { experimentKey: key })).json['msg'],
      ).to.equal('Archived');
      expect([
        await listed(projectId),
        await listed(projectId, true),
        (await metadata())['archived'],
      ]).to.deep.equal([[], [key], true]);
      expect(
        (await get(`${write}/experiment/restore`, { experimentKey: key })).json['msg'],
      ).to.equal('Restore');
      expect([await listed(projectId), await listed(projectId, true)]).to.deep.equal([[key], []]);
    });

    it('is unknown once it is deleted, and its key cannot be written to', async () => {
      expect(
        (await get(`${write}/experiment/delete`, { experimentKey: key })).json['msg'],
      ).to.equal('Deleted');
      expect(
        refusal(await get(`${root}/experiment/metadata`, { experimentKey: key })),
      ).to.deep.equal([400, 90211]);
      expect(
        refusal(
          await post(`${write}/experiment/metric`, {
            experimentKey: key,
            metricName: 'a',
            metricValue: 1,
          }),
        ),
      ).to.deep.equal([400, 90211]);
      expect(await listed(projectId)).to.deep.equal([]);
    });

    it('is shown in a project that it is linked to, and stays at home', async () => {
      const other = freshName('other');
      expect(
        (await get(`${write}/project/symlink`, { experimentKey: key, projectName: other })).status,
      ).to.equal(400);
      const otherId = String(
        (
          await post(`${write}/project/create`, {
            workspaceName: people.home.workspace,
            projectName: other,
          })
        ).json['projectId'],
      );
      const link = await get(`${write}/project/symlink`, { exerimentKey: key, projectName: other });
      expect(link.json['link']).to.include(other).and.include(key);
      expect([
        await listed(projectId),
        await listed(otherId),
        (await metadata())['projectName'],
      ]).to.deep.equal([[key], [key], project]);
    });

    it('moves with its key, and is nowhere else', async () => {
      const target = freshName('target');
      expect(
        (
          await post(`${write}/experiment/move`, {
            targetWorkspaceName: people.home.workspace,
            targetProjectName: target,
            experimentKeys: [key],
            symlink: false,
          })
        ).status,
      ).to.equal(200);
      expect([await listed(projectId), (await metadata())['projectName']]).to.deep.equal([
        [],
        target,
      ]);
    });
  });

  describe('a project', () => {
    it('leaves its experiments behind when it is deleted without them', async () => {
      expect(
        (await post(`${write}/project/delete`, { projectId, deleteAllExperiments: false })).json[
          'msg'
        ],
      ).to.equal('Deleted');
      expect((await get(`${root}/project`, { projectId })).status).to.equal(404);
      expect((await metadata())['projectName']).to.equal('general');
    });

    it('takes its experiments along when it is deleted with them', async () => {
      await post(`${write}/project/delete`, {
        workspaceName: people.home.workspace,
        projectName: project,
        deleteAllExperiments: true,
      });
      expect(
        refusal(await get(`${root}/experiment/metadata`, { experimentKey: key })),
      ).to.deep.equal([400, 90211]);
    });

    it('changes only what is sent, by id or by names but not both', async () => {
      await post(`${write}/project/update`, { projectId, newProjectDescription: 'why' });
      await post(`${write}/project/update`, {
        workspaceName: people.home.workspace,
        projectName: project,
        isPublic: true,
      });
      expect((await get(`${root}/project`, { projectId })).json).to.include({
        projectName: project,
        projectDescription: 'why',
        public: true,
        isPublic: true,
      });
      expect(
        (
          await post(`${write}/project/update`, {
            projectId,
            projectName: project,
            workspaceName: people.home.workspace,
            isPublic: false,
          })
        ).status,
      ).to.equal(400);
    });

    it('is read by anyone with a key once it is public, and written by nobody else', async () => {
      const asStranger = () =>
        get(`${root}/experiment/metadata`, { experimentKey: key }, people.stranger.apiKey);
      expect(refusal(await asStranger())).to.deep.equal([400, 90211]);
      await post(`${write}/project/update`, { projectId, isPublic: true });
      expect((await asStranger()).status).to.equal(200);
      expect(
        refusal(
          await get(`${write}/experiment/delete`, { experimentKey: key }, people.stranger.apiKey),
        ),
      ).to.deep.equal([400, 90210]);
      expect(
        (
          await send(server.url, 'GET', `${root}/experiment/metadata`, {
            query: { experimentKey: key },
            params: {},
          })
        ).status,
      ).to.equal(401);
    });

    it('keeps notes, share codes and the stores of its panels', async () => {
      expect((await get(`${root}/project/notes`, { projectId })).json['notes']).to.equal('');
      await post(`${write}/project/notes`, { projectId, notes: '# one\n' });
      await post(`${write}/project/notes`, { projectId, notes: 'two' });
      expect((await get(`${root}/project/notes`, { projectId })).json['notes']).to.equal('two');
      const { shareCode } = (await get(`${write}/project/add-share-link`, { projectId })).json;
      const { shareCode: second } = (await get(`${write}/project/add-share-link`, { projectId }))
        .json;
      await get(`${write}/project/delete-project-share-link`, { projectId, shareCode });
      expect(
        (await get(`${root}/project/get-project-share-links`, { projectId })).json['shareCodes'],
      ).to.deep.equal([second]);
      await post(`${write}/project/store`, {
        projectId,
        instanceId: 'i',
        store: { a: { b: [1, null] } },
      });
      expect(
        (await get(`${root}/project/store`, { projectId, instanceId: 'i' })).json,
      ).to.deep.equal({ store: { a: { b: [1, null] } } });
      expect(
        (await get(`${root}/project/store`, { projectId, instanceId: 'j' })).json,
      ).to.deep.equal({ store: {} });
    });

    it('is found on a page, with counts as texts inside and as numbers outside', async () => {
      const page = (
        await get(`${root}/projects/page`, {
          workspaceName: people.home.workspace,
          search: project,
          count: 1,
          offset: 0,
        })
      ).json;
      const [row] = page['rows'] as readonly Record<string, unknown>[]; // the row's reply
      expect(row).to.include({
        projectId,
        projectName: project,
        filteredRowCount: '1',
        experimentCount: 1,
        canEdit: true,
      });
      expect(page['filteredRowCount']).to.equal(1);
      expect(page['totalRowCount']).to.be.above(0);
    });

    it('is not made twice under one name, and not under one too long', async () => {
      expect(
        (
          await post(`${write}/project/create`, {
            workspaceName: people.home.workspace,
            projectName: project,
          })
        ).status,
      ).to.equal(400);
      expect(
        refusal(
          await post(`${write}/project/create`, {
            workspaceName: people.home.workspace,
            projectName: 'n'.repeat(5000),
          }),
        ),
      ).to.deep.equal([400, 1341241]);
      expect(
        refusal(
          await post(`${write}/experiment/create`, {
            workspaceName: people.home.workspace,
            projectName: 'n'.repeat(5000),
          }),
        ),
      ).to.deep.equal([400, 1341241]);
    });

    it('holds runs of one kind', async () => {
      const body = { workspaceName: people.home.workspace, projectName: project, type: 'LLM' };
      expect(refusal(await post(`${write}/experiment/create`, body))).to.deep.equal([400, 34323]);
      const llm = freshName('llm');
      expect(
        (await post(`${write}/experiment/create`, { ...body, projectName: llm })).status,
      ).to.equal(200);
      expect(
        refusal(
          await post(`${write}/experiment/create`, { ...body, projectName: llm, type: undefined }),
        ),
      ).to.deep.equal([400, 34323]);
    });

    it('holds no more experiments than it may', async () => {
      expect((await create(project))['code']).to.equal(200);
      const third = await post(`${write}/experiment/create`, {
        workspaceName: people.home.workspace,
        projectName: project,
      });
      expect(third.json['sdk_error_code']).to.equal(7000020);
      expect(await listed(projectId)).to.have.length(2);
    });

    it('has no room for experiments that are moved in, or left by a deleted project, beyond its limit', async () => {
      const target = freshName('target');
      const targetId = String(
        (
          await post(`${write}/project/create`, {
            workspaceName: people.home.workspace,
            projectName: target,
          })
        ).json['projectId'],
      );
      const others = [
        String((await create(target))['experimentKey']),
        String((await create(target))['experimentKey']),
      ];
      const move = (experimentKeys: readonly string[]) =>
        post(`${write}/experiment/move`, {
          targetWorkspaceName: people.home.workspace,
          targetProjectName: target,
          experimentKeys,
        });

      expect(refusal(await move([key]))).to.deep.equal([400, 7000020]);
      expect((await metadata())['projectName']).to.equal(project);
      expect((await move(others)).status, 'what is there already needs no room').to.equal(200);
      await get(`${write}/experiment/archive`, { experimentKey: others[0] });
      expect(refusal(await move([key])), 'the archive makes no room').to.deep.equal([400, 7000020]);
      await get(`${write}/experiment/delete`, { experimentKey: others[0] });
      expect((await move([key])).status).to.equal(200);

      await create(project);
      await create('general');
      await create('general');
      expect(
        refusal(await post(`${write}/project/delete`, { projectId, deleteAllExperiments: false })),
      ).to.deep.equal([400, 7000020]);
      expect(
        [await listed(projectId), await listed(targetId)].map((keys) => keys.length),
      ).to.deep.equal([1, 2]);
    });
  });

  describe('an LLM run', () => {
    const make = async (projectName: string) =>
      String(
        (
          await post(`${write}/experiment/create`, {
            workspaceName: people.home.workspace,
            projectName,
            type: 'LLM',
          })
        ).json['experimentKey'],
      );
    const move = (targetProjectName: string, experimentKeys: readonly string[], symlink = false) =>
      post(`${write}/experiment/move`, {
        targetWorkspaceName: people.home.workspace,
        targetProjectName,
        experimentKeys,
        symlink,
      });

    it('moves into a project of its kind, made with it, and back', async () => {
      const [home, away] = [freshName('llm'), freshName('llm')];
      const run = await make(home);

      expect((await move(away, [run])).status).to.equal(200);
      await make(away);
      expect((await move(home, [run])).status).to.equal(200);

      expect((await metadata(run))['projectName']).to.equal(home);
    });

    it('is copied into its own project', async () => {
      const [home, copy] = [freshName('llm'), freshKey()];
      const run = await make(home);

      expect(
        (
          await post('/clientlib/logger/copy-steps-from-experiment', {
            copiedExperimentKey: run,
            newExperimentKey: copy,
            stepToCopyTo: 5,
          })
        ).status,
      ).to.equal(200);

      expect((await metadata(copy))['projectName']).to.equal(home);
    });

    it('neither moves nor is linked into a project of the other kind, alone or together with other runs', async () => {
      const run = await make(freshName('llm'));
      const symlink = (projectName: string, experimentKey: string) =>
        get(`${write}/project/symlink`, { experimentKey, projectName });

      for (const answer of [
        await move(project, [run]),
        await move(project, [run], true),
        await move(freshName('new'), [run, key]),
        await symlink(project, run),
      ])
        expect(refusal(answer)).to.deep.equal([400, 34323]);
      expect(await listed(projectId)).to.deep.equal([key]);
    });
  });

  describe('limits', () => {
    it('hold an experiment to its rate, say how long to wait, and tell it of the run until it has caught up', async () => {
      const values = Array.from({ length: 100 }, (_, i) => ({
        metricName: 'loss',
        metricValue: i,
      }));
      let answer = await post('/clientlib/batch/logger/experiment/metric', {
        experimentKey: key,
        values,
      });
      for (let i = 0; i < 4 && answer.status === 200; i++)
        answer = await post('/clientlib/batch/logger/experiment/metric', {
          experimentKey: key,
          values: [...values, { metricName: 'loss', metricValue: i }],
        });
      expect(answer.status).to.equal(429);
      expect(Number(answer.headers.get('retry-after-custom'))).to.be.above(0);
      expect(answer.headers.get('retry-after')).to.match(/^\d+$/);
      const told = await metadata();
      expect([told['throttle'], told['throttleReasons']]).to.deep.equal([true, ['METRIC_RATE']]);
      expect(told['throttleMessage']).to.include('100');
      expect(
        (await post(`${write}/experiment/${key}/mark-not-throttled`, undefined)).status,
      ).to.equal(200);
      expect(await metadata()).to.deep.include({
        throttle: false,
        throttleMessage: null,
        throttleReasons: [],
      });
      expect(
        (
          await post('/clientlib/batch/logger/experiment/metric', {
            experimentKey: key,
            values: [{ metricName: 'sys.cpu', metricValue: 1 }],
          })
        ).status,
        'system metrics count apart',
      ).to.equal(200);
    });

    it('hold an experiment to a number of metrics, and keep those that fit', async () => {
      const answer = await post('/clientlib/batch/logger/experiment/metric', {
        experimentKey: key,
        values: Array.from({ length: 7 }, (_, i) => ({ metricName: `m${i}`, metricValue: i })),
      });
      expect(answer.status).to.equal(200);
      expect(
        (await get(`${root}/experiment/metrics/summary`, { experimentKey: key })).json['values'],
      ).to.have.length(5);
      expect((await metadata())['throttleReasons']).to.deep.equal(['METRIC_COUNT']);
      expect(
        (
          await post(`${write}/experiment/metric`, {
            experimentKey: key,
            metricName: 'm9',
            metricValue: 1,
          })
        ).status,
      ).to.equal(400);
      expect(
        (
          await post(`${write}/experiment/metric`, {
            experimentKey: key,
            metricName: 'm0',
            metricValue: 1,
          })
        ).status,
      ).to.equal(200);
    });

    it('keep clients out that are too old', async () => {
      const open = (libVersion: string) =>
        post('/clientlib/logger/add/run', {
          experimentKey: freshKey(),
          projectName: freshName('old'),
          teamName: people.home.workspace,
          libVersion,
        });
      expect(refusal(await open('3.46.9'))).to.deep.equal([400, 7000008]);
      expect((await open('3.47.0')).status).to.equal(200);
      expect((await open('3.100.0')).status).to.equal(200);
    });

    it('keep clients of every language out that are too old, and let a run go on that has begun', async () => {
      const begin = async (
        headers: Readonly<Record<string, string>>,
        path = `${write}/experiment/create`,
        body: object = { workspaceName: people.home.workspace, projectName: freshName('old') },
      ) => {
        const reply = await fetch(server.url + path, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', ...headers },
          body: JSON.stringify(body),
        });
        return [
          reply.status,
          ((await reply.json()) as Readonly<Record<string, unknown>>)['sdk_error_code'],
        ]; // the envelope
      };
      const key_ = people.home.apiKey;
      const version = 'X-COMET-DEBUG-SDK-VERSION';

      expect(await begin({ Authorization: key_, [version]: '3.46.9' })).to.deep.equal([
        400, 7000008,
      ]);
      expect(await begin({ Authorization: key_, [version]: '3.47.0' })).to.deep.equal([200, 0]);
      expect(await begin({ 'Comet-Sdk-Api': key_, [version]: '1.0.9' })).to.deep.equal([
        400, 7000008,
      ]);
      expect(await begin({ 'Comet-Sdk-Api': key_, [version]: '1.1.14' })).to.deep.equal([200, 0]);
      expect(
        await begin({ Authorization: key_, 'User-Agent': 'Comet API for R cometr/0.3.9' }),
      ).to.deep.equal([400, 7000008]);
      expect(
        await begin({ Authorization: key_, 'User-Agent': 'Comet API for R cometr/0.4.0' }),
      ).to.deep.equal([200, 0]);
      expect(await begin({ Authorization: key_ })).to.deep.equal([200, 0]);
      expect(
        (
          await begin(
            { Authorization: key_, [version]: '3.46.9' },
            '/clientlib/batch/logger/experiment/metric',
            { experimentKey: key, values: [] },
          )
        )[0],
      ).to.equal(200);
    });

    it('keep a view-only member from writing, and allow reading', async () => {
      expect(
        (await get(`${root}/experiment/metadata`, { experimentKey: key }, people.viewer.apiKey))
          .status,
      ).to.equal(200);
      for (const answer of [
        await post(
          `${write}/experiment/tags`,
          { experimentKey: key, addedTags: ['a'] },
          people.viewer.apiKey,
        ),
        await get(`${write}/experiment/stop`, { experimentKey: key }, people.viewer.apiKey),
      ])
        expect(refusal(answer)).to.deep.equal([403, 7000011]);
      expect(
        (await get(`${root}/experiment/tags`, { experimentKey: key })).json['tags'],
      ).to.deep.equal([]);
    });
  });

  describe('browsers', () => {
    const preflight = (origin: string) =>
      fetch(`${server.url}${root}/projects`, {
        method: 'OPTIONS',
        headers: {
          Origin: origin,
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'authorization',
        },
      });

    it('of a known origin may call, those of another may not', async () => {
      const known = await preflight('https://notebooks.example');
      expect([known.status, known.headers.get('access-control-allow-origin')]).to.deep.equal([
        204,
        'https://notebooks.example',
      ]);
      expect(known.headers.get('access-control-allow-headers')?.toLowerCase()).to.include(
        'authorization',
      );
      expect(
        (await preflight('https://evil.example')).headers.get('access-control-allow-origin'),
      ).to.equal(null);
      const reply = await fetch(`${server.url}${root}/projects`, {
        headers: { Origin: 'https://notebooks.example', Authorization: people.home.apiKey },
      });
      expect([
        reply.status,
        reply.headers.get('access-control-allow-origin'),
        reply.headers.get('access-control-allow-credentials'),
      ]).to.deep.equal([200, 'https://notebooks.example', null]);
      expect(reply.headers.get('vary')).to.match(/origin/i);
    });

    it('and scripts may ask for the head alone', async () => {
      const head = await fetch(`${server.url}/health/live`, { method: 'HEAD' });
      expect([head.status, (await head.arrayBuffer()).byteLength]).to.deep.equal([200, 0]);
      const options = await fetch(`${server.url}${root}/projects`, { method: 'OPTIONS' });
      expect(options.status).to.be.oneOf([200, 204, 405]);
      expect(options.headers.get('allow')).to.include('GET');
    });
  });
});
