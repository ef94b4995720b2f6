// The table of runs as pages ask for it: who sees what, whose cursor it is, and what is refused in which words.
import { expect } from 'chai';
import type { Auth } from '#ports/auth';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { addExperiment, addProject, addWorkspace, point } from '#test/contract/storage/builders';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { freshName } from './fresh.js';

interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}
interface Column {
  readonly values: readonly unknown[];
}

describe('the table of runs', () => {
  let server: StartedServer;
  let storage: SqlStorage;
  let auth: Auth;
  let close: () => Promise<void>;
  let owner: Awaited<ReturnType<Auth['addUser']>>;
  let stranger: Awaited<ReturnType<Auth['addUser']>>;
  let mine: Project;
  let second: Project;
  let runs: readonly Experiment[];

  const log = (run: Experiment, name: string, text: string) =>
    storage.stores.values.write({
      experimentId: run.id,
      kind: 'parameter',
      values: [{ name, context: undefined, text, step: undefined, timestamp: 1 }],
      receivedAt: 1,
    });

  before(async () => {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    ({ storage, auth, close } = await openBeside(server));
    owner = await auth.addUser({ name: freshName('owner'), workspace: freshName('space') });
    stranger = await auth.addUser({ name: freshName('stranger'), workspace: freshName('away') });
    const workspaceId = owner.user.defaultWorkspaceId ?? '';
    mine = await addProject(storage, { workspaceId, name: 'needle one' });
    second = await addProject(storage, { workspaceId, name: 'needle two' });
    const made: Experiment[] = [];
    for (let at = 0; at < 5; at++) {
      const run = await addExperiment(storage, { projectId: mine.id, name: `needle ${at}` });
      await log(run, 'lr', String(at));
      await log(run, 'same', 'x');
      made.push(run);
    }
    runs = made;
    await addExperiment(storage, { projectId: second.id, name: 'needle elsewhere' });
  });
  after(async () => {
    await close?.();
    await server?.stop();
  });

  const ask = async (
    path: string,
    body: unknown,
    apiKey: string = owner.apiKey,
  ): Promise<Answer> => {
    const reply = await fetch(`${server.url}/v1/private/ui/${path}`, {
      headers: { authorization: apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return { status: reply.status, body: (await reply.json()) as Answer['body'] }; // an object, as every reply of the API
  };
  const query = (body: Readonly<Record<string, unknown>> = {}, apiKey?: string) =>
    ask('runs/query', { project: mine.id, ...body }, apiKey);
  const lr = { kind: 'parameter', name: 'lr' };
  const narrowed = async (projectId: string | undefined): Promise<string> => {
    const scope = { readOnly: true, workspaceId: mine.workspaceId, projectId };
    return (await auth.issueKey(owner.user.id, { scope })).apiKey;
  };

  it('gives runs in columns, page by page, in both forms of the query', async () => {
    const rulesTree = {
      condition: 'AND',
      rules: [{ source: 'params', field: 'lr', operator: 'greater', value: 0, type: 'double' }],
    };
    const predicates = [{ source: 'params', query: { condition: 'AND', rules: rulesTree.rules } }];
    for (const asked of [rulesTree, predicates]) {
      const wish = { query: asked, columns: [lr], sort: [{ ...lr, descending: true }], limit: 3 };
      const first = (await query(wish)).body;
      const { body: next } = await query({ ...wish, cursor: first['cursor'] });

      expect([first['total'], first['keys'], next['keys'], next['cursor']]).to.deep.equal([
        4,
        [runs[4]?.key, runs[3]?.key, runs[2]?.key],
        [runs[1]?.key],
        null,
      ]);
      expect((first['columns'] as readonly Column[])[0]?.values).to.deep.equal([4, 3, 2]);
    }
  });

  it('refuses the cursor of another query, order or project', async () => {
    const { body } = await query({ sort: [lr], limit: 2 });
    const cursor = body['cursor'];
    const others = [
      { sort: [{ ...lr, descending: true }], cursor },
      { cursor },
      { sort: [lr], archived: true, cursor },
      { sort: [lr], project: second.id, cursor },
      {
        sort: [lr],
        query: [
          {
            source: 'params',
            query: { condition: 'AND', rules: [{ field: 'lr', operator: 'is_not_null' }] },
          },
        ],
        cursor,
      },
      { sort: [lr], cursor: 'nonsense' },
      { sort: [lr], cursor: Buffer.from('["a","b"]').toString('base64url') },
    ];
    for (const other of others)
      expect(await query(other), JSON.stringify(other)).to.deep.include({
        status: 400,
        body: {
          code: 400,
          message:
            'the cursor belongs to another query, project or workspace; begin again without one',
          errors: [
            'the cursor belongs to another query, project or workspace; begin again without one',
          ],
        },
      });
    expect((await query({ sort: [lr], columns: [lr], cursor })).status).to.equal(200);
  });

  describe('of names that a regular expression describes', () => {
    const rule = (operator: string, value: unknown, field = 'Name', source = 'log_other') => ({
      condition: 'AND',
      rules: [{ source, field, operator, value, type: 'string' }],
    });
    const named = async (asked: unknown) => {
      const { status, body } = await query({
        query: asked,
        columns: [{ kind: 'metadata', name: 'name' }],
      });
      return status === 200 ? (body['columns'] as readonly Column[])[0]?.values : body['message'];
    };

    it('are those that it finds, or those that it does not', async () => {
      expect(await named(rule('matches', 'needle [13]$'))).to.deep.equal(['needle 3', 'needle 1']);
      expect(await named(rule('not_matches', '^needle [0-3]$|^run-'))).to.deep.equal(['needle 4']);
      expect(
        await named({
          condition: 'OR',
          rules: [
            ...rule('matches', 'needle 0$').rules,
            { source: 'params', field: 'lr', operator: 'greater', value: 3, type: 'double' },
          ],
        }),
      ).to.deep.equal(['needle 4', 'needle 0']);
      expect(await named(rule('matches', 'elsewhere'))).to.deep.equal([]);
    });

    it('come page by page, in groups, as a file and for acts like any others', async () => {
      const asked = rule('matches', '^needle [0-3]$');
      const first = (await query({ query: asked, limit: 3 })).body;
      const rest = (await query({ query: asked, limit: 3, cursor: first['cursor'] })).body;
      expect([...(first['keys'] as string[]), ...(rest['keys'] as string[])]).to.have.length(4);
      const by = [{ kind: 'parameter', name: 'same' }];
      const grouped = await ask('runs/groups', { project: mine.id, query: asked, by });
      expect(grouped.body['groups']).to.deep.equal([{ keys: ['x'], runs: 4 }]);
      const acted = { action: 'tag', tags: ['found'], dryRun: true };
      const counted = await ask('actions', { project: mine.id, query: asked, ...acted });
      expect(counted.body['runs']).to.equal(4);
    });

    it('are refused in a sentence where the expression is none, and asked by pages alone', async () => {
      expect(await named(rule('matches', 'a(?=b)'))).to.equal(
        'the regular expression must not look ahead or behind',
      );
      expect(await named(rule('matches', 7))).to.equal(
        'value of Name must be a regular expression',
      );
      expect(await named(rule('matches', 'x', 'lr', 'params'))).to.equal(
        'only Name is matched by a regular expression, not lr',
      );
      const many = Array.from({ length: 6 }, (_, at) => rule('matches', `${at}`).rules[0]);
      expect(await named({ condition: 'OR', rules: many })).to.equal(
        'a query has at most 5 regular expressions',
      );
      const search = await fetch(`${server.url}/api/rest/v2/experiments/search`, {
        method: 'POST',
        headers: { authorization: owner.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ projectId: mine.id, rulesTree: rule('matches', 'a') }),
      });
      expect(search.status).to.equal(400);
      expect(await search.text()).to.contain('is unknown');
    });
  });

  it('shows a run with what was logged a moment ago, metrics too', async () => {
    const live = await addExperiment(storage, { projectId: second.id });
    for (const [step, text] of ['3', '1', '2'].entries()) {
      const reply = await fetch(`${server.url}/api/rest/v2/write/experiment/metric`, {
        method: 'POST',
        headers: { authorization: owner.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({
          experimentKey: live.key,
          metricName: 'loss',
          metricValue: text,
          step,
          timestamp: point().timestamp,
        }),
      });
      expect(reply.status).to.equal(200);
    }
    const loss = { kind: 'metric', name: 'loss' };
    const { body } = await query({
      project: second.id,
      sort: [loss],
      columns: [loss, { ...loss, value: 'max' }, { ...loss, value: 'best', direction: 'minimize' }],
    });

    expect((body['keys'] as readonly string[])[0]).to.equal(live.key);
    expect((body['columns'] as readonly Column[]).map(({ values }) => values[0])).to.deep.equal([
      2, 3, 1,
    ]);
  });

  it('answers a stranger as if the project were not there, unless it is public', async () => {
    const paths = (id: string): readonly (readonly [string, unknown])[] => [
      ['runs/query', { project: id }],
      ['runs/groups', { project: id, by: [lr] }],
      [`runs/columns?project=${id}`, undefined],
      [`runs/columns/values?project=${id}&kind=parameter&name=lr`, undefined],
    ];
    const open = await addProject(storage, { workspaceId: mine.workspaceId, public: true });
    for (const [path, body] of paths(mine.id))
      expect((await ask(path, body, stranger.apiKey)).status, path).to.equal(404);
    for (const [path, body] of paths(open.id))
      expect((await ask(path, body, stranger.apiKey)).status, path).to.equal(200);
    const keys = runs.slice(0, 2).map(({ key }) => key);
    expect((await ask('diff', { runs: keys }, stranger.apiKey)).status).to.equal(404);
    expect((await ask('diff', { runs: keys })).status).to.equal(200);
  });

  it('shows a key that is narrowed to one project no other one', async () => {
    const key = await narrowed(mine.id);
    expect((await query({}, key)).body['total']).to.equal(5);
    expect((await query({ project: second.id }, key)).status).to.equal(404);
    const found = (await ask('search?q=needle', undefined, key)).body['things'] as readonly {
      readonly kind: string;
      readonly projectId: string;
    }[]; // the row's reply
    expect(found.map(({ kind, projectId }) => [kind, projectId])).to.deep.equal([
      ['project', mine.id],
      ...runs.map(() => ['run', mine.id]),
    ]);
  });

  it('draws curves of the runs that the caller reaches, and of no others', async () => {
    const [here, there] = await Promise.all(
      [mine, second].map(({ id }) => addExperiment(storage, { projectId: id })),
    );
    const open = await addProject(storage, { workspaceId: mine.workspaceId, public: true });
    const seen = await addExperiment(storage, { projectId: open.id });
    const all = [here, there, seen].flatMap((run) => run ?? []);
    for (const { id } of all)
      await storage.stores.metrics.append({
        experimentId: id,
        points: [point({ text: '1', step: 1 })],
        receivedAt: 1,
      });
    const drawn = async (apiKey?: string) => {
      const asked = { runs: all.map(({ key }) => key), metrics: ['loss'] };
      const { series } = (await ask('series', asked, apiKey)).body;
      return (series as readonly { readonly run: string }[]).map(({ run }) => run); // the row's reply
    };

    expect(await drawn()).to.deep.equal(all.map(({ key }) => key));
    expect(await drawn(await narrowed(mine.id))).to.deep.equal([here?.key]);
    expect(await drawn(stranger.apiKey)).to.deep.equal([seen.key]);
    await storage.stores.experiments.markDeleted(seen.id, 1);
    expect(await drawn(stranger.apiKey)).to.deep.equal([]);
  });

  it('finds by name what the caller may read, and no more', async () => {
    const namesOf = async (apiKey: string, also = '') =>
      (
        (await ask(`search?q=needle${also}`, undefined, apiKey)).body['things'] as readonly {
          readonly name: string;
        }[]
      ).map(({ name }) => name); // the row's reply
    expect(await namesOf(owner.apiKey)).to.include.members(['needle one', 'needle elsewhere']);
    expect(await namesOf(stranger.apiKey)).to.deep.equal([]);

    const away = await addWorkspace(storage);
    await addProject(storage, { workspaceId: away.id, name: 'needle in the open', public: true });
    expect(await namesOf(stranger.apiKey)).to.deep.equal(['needle in the open']);
    expect(await namesOf(owner.apiKey, `&workspace=${away.name}`)).to.deep.equal([
      'needle in the open',
    ]);
    const key = await narrowed(undefined);
    expect(await namesOf(key)).to.not.include('needle in the open');
    expect((await ask(`search?q=needle&workspace=${away.name}`, undefined, key)).status).to.equal(
      404,
    );
    expect((await ask('search?q=needle&workspace=none', undefined)).status).to.equal(404);
  });

  it('shows nothing of a project or a run whose deletion is under way', async () => {
    const gone = await addProject(storage, { workspaceId: mine.workspaceId, name: 'needle gone' });
    const run = await addExperiment(storage, { projectId: gone.id });
    expect((await query({ project: gone.id })).body['total']).to.equal(1);
    await storage.stores.experiments.markDeleted(run.id, 1);
    expect((await query({ project: gone.id })).body['total']).to.equal(0);
    expect((await ask('diff', { runs: [runs[0]?.key, run.key] })).status).to.equal(404);
    await storage.stores.projects.markDeleted(gone.id, 1);
    expect((await query({ project: gone.id })).status).to.equal(404);
  });

  it('tells what differs among runs, and how much is equal', async () => {
    const { body } = await ask('diff', { runs: runs.slice(0, 2).map(({ key }) => key) });

    expect(body['runs']).to.deep.equal([runs[0]?.key, runs[1]?.key]);
    expect((body['sections'] as readonly unknown[])[0]).to.deep.equal({
      section: 'parameter',
      equal: 1,
      differing: 1,
      differences: [{ name: 'lr', values: ['0', '1'], bytes: null }],
    });
  });

  it('says in a sentence what is wrong with a question', async () => {
    const many = (count: number) => Array.from({ length: count }, () => lr);
    const wrong: readonly (readonly [string, unknown, string])[] = [
      [
        'runs/query',
        { columns: [{ kind: 'metadata', name: 'nose' }] },
        'metadata "nose" is unknown',
      ],
      [
        'runs/query',
        { columns: [{ kind: 'metric', name: 'a', value: 'best' }] },
        'needs a direction',
      ],
      ['runs/query', { columns: many(201) }, 'columns'],
      ['runs/query', { sort: many(4) }, 'sort'],
      ['runs/query', { limit: 1001 }, 'limit'],
      ['runs/query', { limit: 1000, columns: many(101) }, 'a page holds at most 100000 values'],
      ['runs/query', { query: 5 }, 'rulesTree must be an object'],
      ['runs/groups', { by: [] }, 'by must name at least one column'],
      ['runs/groups', { by: [{ kind: 'metadata', name: 'tags' }] }, 'a run has many tags'],
      ['diff', { runs: [] }, 'runs must name the runs that are compared'],
    ];
    for (const [path, body, sentence] of wrong) {
      const answer = await ask(path, { project: mine.id, ...(body as object) }); // each is an object
      const isBounded = ['columns', 'sort', 'limit'].includes(sentence);
      expect(answer.status, sentence).to.equal(isBounded ? 422 : 400);
      expect(answer.body['message']).to.include(sentence);
    }
  });
});
