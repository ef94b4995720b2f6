// Links that SDKs print: where a browser is led by them, and whose.
import { expect } from 'chai';
import { datasets } from '#test/areas/datasets/things';
import { evaluations } from '#test/areas/evaluations/things';
import { optimizations } from '#test/areas/optimizations/things';
import { traces } from '#test/areas/traces/things';
import type { Making } from './fixtures.js';
import { ask, openWorld, type Browser } from './oauth/browsing.js';
import { makingFor } from './world.js';

describe('links that SDKs print', () => {
  const world = openWorld();
  let home: Making;
  let browser: Browser;

  before(async () => {
    home = makingFor(world().url, world().people.home);
    browser = await world().signIn(world().people.home);
  });

  const base64 = (address: string) => Buffer.from(address).toString('base64');
  const linkTo = (
    what: string,
    query: Readonly<Record<string, string>>,
    { prefix = '/api', slash = '/', base = `${world().url}/api` } = {},
  ) =>
    `${prefix}/v1/session/redirect/${what}${slash}?${new URLSearchParams({ path: base64(base), ...query })}`;
  const led = async (link: string, by: Browser = browser) => {
    const { status, location } = await by.get(link);
    return [status, location?.pathname];
  };

  it('lead to where the web UI shows what they name, with a slash and without', async () => {
    const { traceId, projectId } = await home.of(traces);
    const { datasetId: dataset_id } = await home.of(datasets);
    const { evaluationId: experiment_id } = await home.of(evaluations);
    const { optimizationId: optimization_id } = await home.of(optimizations);
    const project = await world().storage.stores.projects.findById(projectId);
    const workspace = `/w/${home.owner.workspace}`;
    const trace = `${workspace}/p/${encodeURIComponent(project?.name ?? '')}/trace/${traceId}`;

    for (const slash of ['', '/'])
      for (const prefix of ['', '/api', '/opik/api'])
        expect(
          await led(linkTo('projects', { trace_id: traceId }, { slash, prefix })),
        ).to.deep.equal([303, trace]);
    for (const [what, query, place] of [
      ['datasets', { dataset_id }, `datasets/${dataset_id}`],
      ['experiments', { dataset_id, experiment_id }, `experiments/${experiment_id}`],
      ['optimizations', { dataset_id, optimization_id }, `optimizations/${optimization_id}`],
    ] as const)
      expect(await led(linkTo(what, query))).to.deep.equal([303, `${workspace}/${place}`]);
  });

  it('lead there too where the SDK puts them together by itself', async () => {
    const { projectId } = await home.of(traces);
    const { datasetId } = await home.of(datasets);
    const { evaluationId } = await home.of(evaluations);
    const name = (await world().storage.stores.projects.findById(projectId))?.name ?? '';
    const { workspace } = home.owner;
    const compared = (ids: readonly string[]) =>
      `experiments/${datasetId}/compare?experiments=${encodeURIComponent(JSON.stringify(ids))}`;
    const unknown = '01890000-0000-7000-8000-000000000000';
    const project = `/p/${encodeURIComponent(name)}/traces`;

    for (const prefix of ['', '/opik'])
      for (const [link, place] of [
        [compared([evaluationId]), `/experiments/${evaluationId}`],
        [compared([evaluationId, unknown]), `/experiments/${evaluationId}`],
        [`projects/${projectId}/datasets/${datasetId}/items`, `/datasets/${datasetId}`],
        [`projects/${projectId}/test-suites/${datasetId}/items`, `/datasets/${datasetId}`],
        [`projects/${projectId}/agent-playground`, '/playground'],
        [`projects/${projectId}/`, project],
        [`redirect/projects?name=${encodeURIComponent(name)}`, project],
      ] as const)
        expect([link, await led(`${prefix}/${workspace}/${link}`)]).to.deep.equal([
          link,
          [302, `/w/${workspace}${place}`],
        ]);
    const stranger = await world().signIn(world().people.stranger);
    for (const [link, status] of [
      [compared([unknown]), 404],
      ['experiments/none/compare?experiments=[]', 404],
      [`experiments/${datasetId}/compare?experiments=x`, 400],
      [`experiments/${datasetId}/compare?experiments=[1]`, 400],
      [`projects/${projectId}/datasets/${unknown}/items`, 404],
      [`projects/${unknown}/`, 404],
      ['redirect/projects?name=none', 404],
    ] as const)
      expect([link, (await led(`/${workspace}/${link}`))[0]]).to.deep.equal([link, status]);
    for (const link of [compared([evaluationId]), `projects/${projectId}/`])
      expect((await led(`/${workspace}/${link}`, stranger))[0]).to.equal(404);
  });

  it('lead to the workspace that has it among those of who opens it', async () => {
    const { traceId: trace_id } = await home.of(traces);
    const member = await world().signIn(world().people.member);
    const { workspace: workspace_name } = home.owner;

    for (const more of [{}, { workspace_name }]) {
      const [status, path] = await led(linkTo('projects', { trace_id, ...more }), member);
      expect([status, String(path).split('/')[2]]).to.deep.equal([303, workspace_name]);
    }
    const elsewhere = { trace_id, workspace_name: world().people.stranger.workspace };
    expect((await led(linkTo('projects', elsewhere), member))[0]).to.equal(404);
  });

  it('tell nobody of what is not theirs to read, and ask who has no session to sign in', async () => {
    const { traceId: trace_id } = await home.of(traces);
    const stranger = await world().signIn(world().people.stranger);
    const unknown = { trace_id: '01890000-0000-7000-8000-000000000000' };

    for (const query of [{ trace_id }, { trace_id, workspace_name: home.owner.workspace }, unknown])
      expect((await led(linkTo('projects', query), stranger))[0]).to.equal(404);
    for (const trace of ['x', unknown.trace_id])
      expect((await led(linkTo('projects', { trace_id: trace })))[0]).to.equal(404);
    const link = linkTo('projects', { trace_id });
    const { status, location } = await ask(world().url + link);
    expect([status, location?.pathname, location?.searchParams.get('returnTo')]).to.deep.equal([
      303,
      '/login',
      link,
    ]);
  });

  it('refuse the address of another server', async () => {
    const { traceId: trace_id } = await home.of(traces);

    for (const base of [
      'https://evil.example/api',
      `${world().url}@evil.example/api`,
      'javascript:alert(1)//127.0.0.1',
      '//evil.example',
      '',
      'none',
    ])
      expect((await led(linkTo('projects', { trace_id }, { base })))[0], base).to.equal(400);
    expect((await led(linkTo('projects', { trace_id, path: '%%%' })))[0]).to.equal(400);
    const urlSafe = base64(`${world().url}/api`).replaceAll('+', '-').replaceAll('/', '_');
    expect((await led(linkTo('projects', { trace_id, path: urlSafe })))[0]).to.equal(303);
  });
});
