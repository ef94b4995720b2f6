// Lineage: what came of what, held against the steps that were logged, and only as far as the caller sees.
import { expect } from 'chai';
import { v7 } from 'uuid';
import type { Auth } from '#ports/auth';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Experiment } from '#ports/model/experiments';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import {
  addArtifact,
  addExperiment,
  addProject,
  addVersion,
} from '#test/contract/storage/builders';
import {
  addModel,
  addModelFile,
  addVersion as addModelVersion,
} from '#test/contract/storage/registry-builders';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { pendingUnlessAll } from '#test/pending';
import { freshName } from './fresh.js';

interface Reply {
  readonly nodes: readonly {
    readonly type: string;
    readonly id: string;
    readonly name: string;
    readonly version: string | null;
    readonly level: number;
  }[];
  readonly edges: readonly { readonly from: number; readonly to: number; readonly kind: string }[];
  readonly folded: readonly {
    readonly node: number;
    readonly direction: string;
    readonly count: number;
    readonly more: boolean;
  }[];
}

describe('lineage', () => {
  let server: StartedServer;
  let storage: SqlStorage;
  let auth: Auth;
  let close: () => Promise<void>;
  let owner: Awaited<ReturnType<Auth['addUser']>>;
  let workspaceId: string;
  let projectId: string;
  /** A chain: each run makes a version of data, and the next uses it. */
  let runs: readonly Experiment[];
  let data: readonly ArtifactVersion[];
  let modelId: string;
  /** Everything that was logged, as names of what came before and after. */
  let logged: readonly (readonly [string, string, string])[];

  const use = (run: Experiment, version: ArtifactVersion) =>
    storage.stores.artifactUses.noteUse(run.id, version.id, 1);
  const make = async (run: Experiment) => addVersion(storage, run, await addArtifact(storage, run));

  before(async function () {
    const started = await startServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    ({ storage, auth, close } = await openBeside(server));
    owner = await auth.addUser({ name: freshName('owner'), workspace: freshName('space') });
    workspaceId = owner.user.defaultWorkspaceId ?? '';
    projectId = (await addProject(storage, { workspaceId })).id;
    const made: Experiment[] = [];
    const versions: ArtifactVersion[] = [];
    const steps: [string, string, string][] = [];
    for (let at = 0; at < 5; at++) {
      const run = await addExperiment(storage, { projectId });
      const before = versions.at(-1);
      if (before !== undefined) {
        await use(run, before);
        steps.push([before.id, run.key, 'used']);
      }
      const version = await make(run);
      steps.push([run.key, version.id, 'made']);
      made.push(run);
      versions.push(version);
    }
    const [first, , third, , last] = made;
    if (first === undefined || third === undefined || last === undefined) throw new Error('none');
    const side = versions[0];
    if (side !== undefined) await use(last, side);
    steps.push([side?.id ?? '', last.key, 'used']);
    await addModelFile(storage, third.id);
    const model = await addModel(storage, { workspaceId, userId: owner.user.id });
    ({ id: modelId } = await addModelVersion(storage, model, { source: third }));
    steps.push([third.key, modelId, 'registered']);
    [runs, data, logged] = [made, versions, steps];
  });
  after(async () => {
    await close?.();
    await server?.stop();
  });

  const ask = async (asked: Readonly<Record<string, string>>, key = owner.apiKey) => {
    const query = new URLSearchParams(asked).toString();
    const reply = await fetch(`${server.url}/v1/private/ui/lineage?${query}`, {
      headers: { authorization: key },
    });
    return { status: reply.status, body: (await reply.json()) as Reply };
  };
  const edgesOf = ({ nodes, edges }: Reply) =>
    edges.map(({ from, to, kind }) => [nodes[from]?.id, nodes[to]?.id, kind].join(' ')).sort();
  /** What lies within so many steps one way, by walking through everything that was logged. */
  const walk = (root: string, up: boolean, depth: number) => {
    let last = [root];
    const [seen, edges] = [new Set(last), new Set<string>()];
    for (let step = 0; step < depth; step++) {
      const next: string[] = [];
      for (const [from, to, kind] of logged)
        if (last.includes(up ? to : from)) {
          edges.add(`${from} ${to} ${kind}`);
          const other = up ? from : to;
          if (!seen.has(other)) next.push(other);
          seen.add(other);
        }
      last = next;
    }
    return { seen, edges };
  };

  it('gives what lies up and down of a run or version, as far as is asked', async () => {
    const roots = [
      ...runs.map(({ key }) => ['run', key] as const),
      ...data.map(({ id }) => ['artifactVersion', id] as const),
      ['modelVersion', modelId] as const,
    ];
    for (const [type, id] of roots)
      for (const depth of [1, 2, 3, 10]) {
        const [up, down] = [walk(id, true, depth), walk(id, false, depth)];
        const { body: both } = await ask({ [type]: id, depth: String(depth) });
        const { body: upward } = await ask({ [type]: id, depth: String(depth), direction: 'up' });

        expect(edgesOf(both)).to.deep.equal([...new Set([...up.edges, ...down.edges])].sort());
        expect(both.nodes.map((node) => node.id)).to.have.members([
          ...new Set([...up.seen, ...down.seen]),
        ]);
        expect(edgesOf(upward)).to.deep.equal([...up.edges].sort());
        expect(both.folded).to.deep.equal([]);
      }
  });

  it('tells of each node what it is and how far it lies away', async () => {
    const { body } = await ask({ run: runs[2]?.key ?? '', depth: '1' });

    const workspace = (await storage.stores.workspaces.findById(workspaceId))?.name;
    expect(body.nodes).to.have.deep.members([
      { type: 'run', id: runs[2]?.key, name: runs[2]?.name, version: null, workspace, level: 0 },
      ...[1, 2].map((at) => ({
        type: 'artifactVersion',
        id: data[at]?.id,
        name: data[at]?.artifact.name,
        version: '1.0.0',
        workspace,
        level: at === 1 ? -1 : 1,
      })),
      {
        ...body.nodes.find(({ type }) => type === 'modelVersion'),
        id: modelId,
        workspace,
        level: 1,
      },
    ]);
  });

  it('folds a step that is too wide, with a count', async () => {
    const source = await addExperiment(storage, { projectId });
    const version = await make(source);
    for (let at = 0; at < 130; at++)
      await use(await addExperiment(storage, { projectId }), version);
    const { body } = await ask({ artifactVersion: version.id, direction: 'down' });

    expect(body.nodes).to.have.length(101);
    expect(body.folded).to.deep.equal([{ node: 0, direction: 'down', count: 30, more: false }]);
  });

  it('shows only what its reader reaches, and nothing that was deleted', async () => {
    const stranger = await auth.addUser({ name: freshName('stranger') });
    const issue = async (project: string) =>
      (
        await auth.issueKey(owner.user.id, {
          scope: { readOnly: true, workspaceId, projectId: project },
        })
      ).apiKey;
    const narrow = await issue(projectId);
    const away = await issue((await addProject(storage, { workspaceId })).id);
    const run = runs[2]?.key ?? '';
    const ids = async (key: string) =>
      (await ask({ run, depth: '10' }, key)).body.nodes.map(({ id }) => id);

    for (const key of [stranger.apiKey, away])
      expect((await ask({ run }, key)).status).to.be.oneOf([400, 403, 404]);
    expect((await ask({ artifactVersion: data[0]?.id ?? '' }, narrow)).status).to.equal(403);
    expect(await ids(narrow)).to.deep.equal([run]);
    await storage.stores.projects.update(projectId, { public: true, updatedAt: 1 });
    expect(await ids(stranger.apiKey)).to.deep.equal([run]);
    await storage.stores.projects.update(projectId, { public: false, updatedAt: 1 });
    await storage.stores.experiments.markDeleted(runs[3]?.id ?? '', 1);
    const seen = await ids(owner.apiKey);
    expect(seen).not.to.include(runs[3]?.key);
    expect(seen).to.include(data[2]?.id);
  });

  it('leads from datasets and versions of prompts to the evaluations of them, and back', async () => {
    const stranger = await auth.addUser({ name: freshName('stranger') });
    const send = async (path: string, body: object): Promise<Record<string, unknown>> => {
      const reply = await fetch(`${server.url}/v1/private/${path}`, {
        method: 'POST',
        headers: { authorization: owner.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(reply.status).to.be.within(200, 204);
      const text = await reply.text();
      return (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>; // an object, as the rows say
    };
    const [dataset, first, second, name] = [v7(), v7(), v7(), freshName('graded')];
    await send('datasets', { id: dataset, name });
    const versions: string[] = [];
    const commits: unknown[] = [];
    let prompt = '';
    for (const template of ['Say {{it}}.', 'Tell {{it}}.']) {
      const made = await send('prompts/versions', { name, version: { template } });
      versions.push(String(made['id']));
      commits.push(made['commit']);
      prompt = String(made['prompt_id']);
    }
    const [used = '', unused = ''] = versions;
    await send('experiments', {
      ...{ id: first, name: 'first', dataset_name: name },
      prompt_versions: [{ id: used }],
    });
    await send('experiments', { id: second, name: 'second', dataset_name: name });
    const nodes = async (asked: Readonly<Record<string, string>>, key?: string) => {
      const { status, body } = await ask(asked, key);
      expect(status).to.equal(200);
      return body.nodes.map(({ type, id, level }) => [type, id, level]);
    };

    expect(await nodes({ dataset })).to.have.deep.members([
      ['dataset', dataset, 0],
      ['evaluation', first, 1],
      ['evaluation', second, 1],
    ]);
    expect(await nodes({ evaluation: first })).to.have.deep.members([
      ['evaluation', first, 0],
      ['dataset', dataset, -1],
      ['promptVersion', used, -1],
    ]);
    expect(await nodes({ promptVersion: used })).to.have.deep.members([
      ['promptVersion', used, 0],
      ['evaluation', first, 1],
    ]);
    expect(await nodes({ promptVersion: unused })).to.deep.equal([['promptVersion', unused, 0]]);
    const { body } = await ask({ promptVersion: used });
    expect(body.nodes[0]).to.deep.include({ name, version: commits[0], prompt });
    expect(edgesOf(body)).to.deep.equal([`${used} ${first} used`]);
    for (const asked of [{ dataset }, { evaluation: first }, { promptVersion: used }]) {
      expect((await ask(asked, stranger.apiKey)).status).to.equal(404);
      const [member] = Object.keys(asked);
      expect((await ask({ [member ?? '']: v7() })).status).to.equal(404);
    }
    const { apiKey: narrow } = await auth.issueKey(owner.user.id, {
      scope: { readOnly: true, workspaceId, projectId },
    });
    // What is the whole workspace's is more than a key of one project reaches.
    expect((await ask({ dataset }, narrow)).status).to.be.oneOf([403, 404]);
  });

  it('is refused in one sentence when nothing is named or the depth is no depth', async () => {
    expect(await ask({})).to.deep.include({ status: 400 });
    expect((await ask({ run: runs[0]?.key ?? '', depth: '11' })).status).to.equal(400);
    expect((await ask({ run: runs[0]?.key ?? '', direction: 'left' })).status).to.equal(400);
    expect((await ask({ run: 'no-such-run' })).status).to.be.oneOf([400, 404]);
  });
});
