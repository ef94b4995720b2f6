// What is done to many runs at once: which runs a query means, under whose rights, how far it came, and what is refused.
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Auth } from '#ports/auth';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import type { Project } from '#ports/model/projects';
import type { RunActionWish } from '#ports/model/run-actions';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addExperiment, addProject, addWorkspace, freshKey } from '#test/contract/storage/builders';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';
import { freshName } from './fresh.js';
import { send, type Answer } from './sending.js';

interface Progress {
  readonly id: string;
  readonly state: string;
  readonly runs: number;
  readonly done: number;
  readonly failed: number;
  readonly failures: readonly { readonly run: string; readonly message: string }[];
  readonly reason: string | null;
}

const root = '/v1/private/ui/actions';

describe('actions on many runs', () => {
  let server: StartedServer;
  let storage: SqlStorage;
  let auth: Auth;
  let close: () => Promise<void>;
  let owner: Awaited<ReturnType<Auth['addUser']>>;
  let workspaceId: string;
  let project: Project;
  let runs: readonly Experiment[];

  before(async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    ({ storage, auth, close } = await openBeside(server));
    owner = await auth.addUser({ name: freshName('owner'), workspace: freshName('space') });
    workspaceId = owner.user.defaultWorkspaceId ?? '';
  });
  after(async () => {
    await close?.();
    await server?.stop();
  });
  /** A project of runs, each with its place as `lr`. */
  const fill = async (many: number): Promise<void> => {
    project = await addProject(storage, { workspaceId, name: freshName('project') });
    const made: Experiment[] = [];
    for (let at = 0; at < many; at++) {
      const run = await addExperiment(storage, { projectId: project.id });
      await storage.stores.values.write({
        experimentId: run.id,
        kind: 'parameter',
        values: [
          { name: 'lr', context: undefined, text: String(at), step: undefined, timestamp: 1 },
        ],
        receivedAt: 1,
      });
      made.push(run);
    }
    runs = made;
  };
  beforeEach(() => fill(6));

  const ask = (method: string, path: string, body?: unknown, key = owner.apiKey): Promise<Answer> =>
    send(
      server.url,
      method,
      path,
      { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
      key,
    );
  const query = (most: number) => [
    {
      source: 'params',
      query: { condition: 'AND', rules: [{ field: 'lr', operator: 'less', value: most }] },
    },
  ];
  const begin = (given: object, key?: string) =>
    ask('POST', root, { project: project.id, ...given }, key);
  const through = async (id: string, key?: string): Promise<Progress> => {
    for (let tries = 0; ; tries++) {
      const { json } = await ask('GET', `${root}/${id}`, undefined, key);
      const progress = json as unknown as Progress; // as the row replies
      if (progress.state !== 'running' || tries === 300) return progress;
      await wait(100);
    }
  };
  const finish = async (given: object, key?: string): Promise<Progress> => {
    const answer = await begin(given, key);
    expect(answer.status, answer.text).to.equal(200);
    return through((answer.json['begun'] as Progress).id, key);
  };
  const keys = (some: readonly Experiment[]) => some.map(({ key }) => key);
  const found = async () =>
    new Map((await storage.stores.experiments.listByKeys(keys(runs))).map((one) => [one.key, one]));
  /** The keys of the runs that are so, in the order they were made. */
  const those = async (are: (run: Experiment) => boolean) => {
    const now = await found();
    return keys(runs).filter((key) => {
      const run = now.get(key);
      return run !== undefined && are(run);
    });
  };
  /** Begins an action without the API, in the name of a caller. */
  const insert = async (
    caller: Caller | undefined,
    wish: Partial<RunActionWish> & Pick<RunActionWish, 'action'>,
    about: readonly string[],
  ): Promise<string> => {
    if (caller === undefined) throw new Error('nobody has this key');
    const id = v7();
    const { userId, via, keyId, scope } = caller;
    await storage.stores.runActions.insert({
      id,
      projectId: project.id,
      userId,
      via,
      keyId,
      scope,
      wish: { tags: [], target: undefined, ...wish },
      createdAt: 1,
      runs: about,
    });
    return id;
  };
  const tagsOf = async ({ id }: Experiment) => storage.stores.values.listTags(id);
  const noted = async (id: string) =>
    (await storage.stores.audit.list({ workspaceId, action: 'applyToRuns' }, 1000))
      .filter(({ detail }) => detail['runAction'] === id)
      .map(({ thing, outcome, actorName }) => [thing?.id, outcome, actorName]);

  it('archive and restore what a query means, as many as were counted', async () => {
    const meant = keys(runs.slice(0, 4));
    const counted = await begin({ action: 'archive', query: query(4), dryRun: true });

    expect(counted.json).to.deep.equal({ runs: 4, begun: null });
    expect(await those(({ archived }) => archived)).to.deep.equal([]);
    const done = await finish({ action: 'archive', query: query(4) });
    expect(done).to.deep.include({ state: 'done', runs: 4, done: 4, failed: 0, failures: [] });
    expect(await those(({ archived }) => archived)).to.deep.equal(meant);
    expect((await finish({ action: 'archive', query: query(4) })).runs).to.equal(0);
    expect((await finish({ action: 'restore', query: query(2) })).runs).to.equal(2);
    expect(await those(({ archived }) => archived)).to.deep.equal(meant.slice(2));
  });

  it('tag and untag the runs that are named', async () => {
    const [first, second] = runs;
    if (first === undefined || second === undefined) throw new Error('there are no runs');
    await finish({ action: 'tag', runs: [first.key, second.key], tags: ['a', 'b'] });
    const { id } = await finish({ action: 'untag', runs: [second.key], tags: ['a'] });

    expect([await tagsOf(first), await tagsOf(second)]).to.deep.equal([['a', 'b'], ['b']]);
    expect(await noted(id)).to.deep.equal([[second.key, 'done', owner.user.name]]);
  });

  it('move and delete runs, and note each in the audit log', async () => {
    const target = await addProject(storage, { workspaceId, name: freshName('target') });
    const { name = '' } = (await storage.stores.workspaces.findById(workspaceId)) ?? {};
    const where = { targetWorkspaceName: name, targetProjectName: target.name };
    const moved = await finish({ action: 'move', query: query(3), ...where });

    expect([moved.state, moved.done, moved.failed]).to.deep.equal(['done', 3, 0]);
    const meant = keys(runs.slice(0, 3));
    expect(await those(({ projectId }) => projectId === target.id)).to.deep.equal(meant);
    expect((await noted(moved.id)).map(([run]) => run)).to.have.members(meant);
    const gone = await finish({ action: 'delete', query: query(1000) });
    expect([gone.state, gone.done, gone.failed]).to.deep.equal(['done', 3, 0]);
    expect(await those(() => true)).to.deep.equal(meant);
    expect(await noted(gone.id)).to.have.length(3);
  });

  it('go on where they stood, and pass over runs that were deleted before', async () => {
    await storage.stores.experiments.markDeleted(runs[4]?.id ?? '', 1);
    const caller = await auth.identify(owner.apiKey);
    const about = keys(runs);
    const archived = await storage.transaction(async (stores) => {
      const id = v7();
      await stores.runActions.insert({
        id,
        projectId: project.id,
        userId: caller?.userId ?? '',
        via: 'key',
        keyId: caller?.keyId ?? '',
        scope: undefined,
        wish: { action: 'archive', tags: [], target: undefined },
        createdAt: 1,
        runs: about,
      });
      await stores.runActions.advance(id, { from: 0, to: 3, failures: [], at: 1 });
      return id;
    });

    const done = await through(archived);
    expect([done.state, done.done, done.failed]).to.deep.equal(['done', 6, 1]);
    expect(done.failures.map(({ run }) => run)).to.deep.equal([about[4]]);
    expect(await those((run) => run.archived)).to.deep.equal([about[3], about[5]]);
    const deleted = await through(await insert(caller, { action: 'delete' }, about));
    expect([deleted.done, deleted.failed]).to.deep.equal([6, 0]);
  });

  it('do nothing that their caller may not do by then', async () => {
    const member = await auth.addUser({ name: freshName('member') });
    await auth.setRole(workspaceId, member.user.id, 'member');
    const caller = await auth.identify(member.apiKey);
    await auth.setRole(workspaceId, member.user.id, 'view-only');
    const viewing = await insert(caller, { action: 'delete' }, keys(runs));
    const progress = async (id: string) => {
      for (let tries = 0; ; tries++) {
        const action = await storage.stores.runActions.find(id);
        if (action?.state !== 'running' || tries === 300) return action;
        await wait(100);
      }
    };

    expect(await progress(viewing)).to.deep.include({ state: 'done', done: 6, failed: 6 });
    await auth.setRole(workspaceId, member.user.id, 'member');
    await auth.revokeKey(caller?.keyId ?? '');
    const revoked = await insert(caller, { action: 'delete' }, keys(runs));
    expect(await progress(revoked)).to.deep.include({
      state: 'refused',
      reason: 'the account or key that it was begun with is there no more',
      done: 0,
    });
    expect(await those(() => true)).to.deep.equal(keys(runs));
  });

  it('tell which runs they were done to, so that they can be taken back', async () => {
    await storage.stores.experiments.update(runs[5]?.id ?? '', { archived: true });
    const { id } = await finish({ action: 'archive', query: query(3) });

    const { json } = await ask('GET', `${root}/${id}/runs`);
    await finish({ action: 'restore', runs: json['runs'] });
    const rest = await send(
      server.url,
      'GET',
      `${root}/${id}/runs`,
      { query: { after: '1' }, params: {} },
      owner.apiKey,
    );

    expect(json).to.deep.equal({ runs: keys(runs).slice(0, 3).reverse(), next: null });
    expect(await those((run) => run.archived)).to.deep.equal([runs[5]?.key]);
    expect(rest.json['runs']).to.deep.equal((json['runs'] as string[]).slice(1));
  });

  it('tell of no run to which they were not done', async () => {
    const about = keys(runs);
    await storage.stores.experiments.markDeleted(runs[1]?.id ?? '', 1);
    const caller = await auth.identify(owner.apiKey);
    const id = await insert(caller, { action: 'archive' }, about);
    await through(id);

    const { json } = await ask('GET', `${root}/${id}/runs`);

    expect(json['runs']).to.deep.equal(about.filter((key) => key !== about[1]));
  });

  it('end when they are cancelled, and keep what was done', async () => {
    const many = Array.from({ length: 50_000 }, freshKey);
    const id = await insert(await auth.identify(owner.apiKey), { action: 'archive' }, many);
    const cancelled = await ask('POST', `${root}/${id}/cancel`, {});

    expect(cancelled.json).to.deep.include({ state: 'cancelled', runs: 50_000 });
    await wait(1500);
    const after = await through(id);
    expect(after.state).to.equal('cancelled');
    expect(after.done).to.be.lessThan(50_000);
    expect((await ask('POST', `${root}/${id}/cancel`, {})).json['done']).to.equal(after.done);
  });

  it('are seen by who sees the project, ended by whoever began them, and gone with the project', async () => {
    const member = await auth.addUser({ name: freshName('member') });
    await auth.setRole(workspaceId, member.user.id, 'member');
    const { id } = await finish({ action: 'archive', runs: [] });

    const stranger = await auth.addUser({ name: freshName('stranger') });
    const statuses = async (key: string) => [
      (await ask('GET', `${root}/${id}`, undefined, key)).status,
      (await ask('POST', `${root}/${id}/cancel`, {}, key)).status,
    ];

    expect(await statuses(member.apiKey)).to.deep.equal([200, 403]);
    expect(await statuses(stranger.apiKey)).to.deep.equal([404, 404]);
    expect(await statuses(owner.apiKey)).to.deep.equal([200, 200]);
    await storage.stores.projects.markDeleted(project.id, 1);
    expect((await ask('GET', `${root}/${id}`)).status).to.equal(404);
  });

  it('reach no further than a narrowed key, and are not begun by readers', async () => {
    const other = await addProject(storage, { workspaceId });
    const foreign = await addExperiment(storage, { projectId: other.id });
    const issue = async (scope: { readonly readOnly: boolean; readonly projectId?: string }) =>
      (
        await auth.issueKey(owner.user.id, {
          scope: { workspaceId, projectId: undefined, ...scope },
        })
      ).apiKey;
    const [narrow, reading] = [
      await issue({ readOnly: false, projectId: project.id }),
      await issue({ readOnly: true }),
    ];
    const { name = '' } = (await storage.stores.workspaces.findById(workspaceId)) ?? {};
    const archive = { action: 'archive', query: query(2) };

    expect((await finish(archive, narrow)).done).to.equal(2);
    const [run = ''] = keys(runs);
    for (const refused of [
      { project: other.id, ...archive },
      { action: 'archive', runs: [run, foreign.key] },
      {
        action: 'move',
        runs: [run],
        targetWorkspaceName: name,
        targetProjectName: other.name,
      },
    ])
      expect((await begin(refused, narrow)).status).to.be.oneOf([403, 404]);
    expect((await begin(archive, reading)).status).to.equal(403);
    await storage.stores.projects.update(project.id, { public: true, updatedAt: 1 });
    const stranger = await auth.addUser({ name: freshName('stranger') });
    expect((await begin(archive, stranger.apiKey)).status).to.be.oneOf([403, 404]);
  });

  it('are refused, in one sentence, when they say too little or too much', async () => {
    const far = await addWorkspace(storage);
    const cases: readonly (readonly [object, number, string])[] = [
      [{ action: 'archive' }, 400, 'query or runs must say which runs are meant'],
      [
        { action: 'archive', query: query(1), runs: [] },
        400,
        'runs are named, or asked for by a query, not both',
      ],
      [{ action: 'tag', runs: [] }, 400, 'tags must name at least one tag'],
      [{ action: 'delete', runs: [], tags: ['a'] }, 400, 'tags have no meaning for delete'],
      [
        { action: 'delete', runs: [], targetProjectName: 'a' },
        400,
        'a target has no meaning for delete',
      ],
      [
        { action: 'move', runs: [], targetProjectName: 'a' },
        400,
        'targetWorkspaceName and targetProjectName must say where to',
      ],
      [{ action: 'archive', query: 5 }, 400, 'rulesTree must be an object'],
    ];
    for (const [given, status, message] of cases) {
      const answer = await begin(given);
      expect([answer.status, answer.json['message']]).to.deep.equal([status, message]);
    }
    const away = { targetWorkspaceName: far.name, targetProjectName: 'p' };
    expect((await begin({ action: 'move', runs: [], ...away })).status).to.be.oneOf([
      400, 403, 404,
    ]);
    expect((await begin({ action: 'archive', runs: [freshKey()] })).status).to.be.oneOf([400, 404]);
  });

  it('are at most twenty of a project at once', async () => {
    const many = Array.from({ length: 30_000 }, freshKey);
    const caller = await auth.identify(owner.apiKey);
    const under: string[] = [];
    for (let at = 0; at < 20; at++) under.push(await insert(caller, { action: 'archive' }, many));
    const [run = ''] = keys(runs);
    const more = async () => (await begin({ action: 'archive', runs: [run] })).status;

    expect(await more()).to.equal(409);
    for (const id of under) await ask('POST', `${root}/${id}/cancel`, {});
    expect(await more()).to.equal(200);
  });
});
