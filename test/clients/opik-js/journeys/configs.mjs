import { agentConfigContext, Opik, track } from 'opik';
import { check, fresh, journey } from './journey.mjs';

await journey(async () => {
  const projectName = fresh('js-config');
  const client = new Opik({ projectName });
  /** What an agent gets that asks for its configuration; a client of its own remembers nothing. */
  const read = async (options = {}) => {
    const of = new Opik({ projectName: options.projectName ?? projectName });
    let got;
    // Nothing of it is logged: a prompt in it holds the client, and that the key.
    await track({ name: 'agent', projectName }, async () => {
      got = await of.getOrCreateConfig(options);
    })();
    return got;
  };
  const thrown = (promise) =>
    promise.then(
      () => 'nothing',
      (error) => error.name,
    );
  const fallback = {
    temperature: 0.7,
    steps: 3,
    model: 'm',
    eager: true,
    hint: null,
    stops: ['a'],
  };

  const first = await read({ fallback });
  check('the fallback begins a configuration', [first.temperature, first.isFallback], [0.7, false]);
  const again = await read({ fallback: { ...fallback, temperature: 0.1 } });
  check(
    'and is found again',
    [again.temperature, again.steps, again.eager, again.model],
    [0.7, 3, true, 'm'],
  );
  check('without a fallback', (await read()).temperature, 0.7);
  check(
    'a change is another version',
    await client.createConfig({ ...fallback, temperature: 0.2 }),
    'v2',
  );
  check('the newest one', (await read({ fallback, version: 'latest' })).temperature, 0.2);
  check('one by its name', (await read({ fallback, version: 'v2' })).temperature, 0.2);
  await client.setConfigEnv({ version: 'v2', env: 'staging' });
  check('an environment', (await read({ fallback, env: 'staging' })).temperature, 0.2);
  check('a version that is not there', (await thrown(read({ version: 'v9' }))) !== 'nothing');
  check('no environment', (await thrown(read({ env: fresh('none') }))) !== 'nothing');
  check(
    'a project without a configuration',
    (await thrown(read({ projectName: fresh('none') }))) !== 'nothing',
  );

  const racing = fresh('js-racing');
  const names = await Promise.all(
    [1, 2, 3, 4].map((steps) => client.createConfig({ steps }, { projectName: racing })),
  );
  check('writers at once make a version each', names.sort(), ['v1', 'v2', 'v3', 'v4']);

  const { id: projectId } = await client.api.projects.retrieveProject({ name: projectName });
  const { agentConfigs } = client.api;
  const mask = '01890000-0000-7000-8000-' + String(Date.now()).slice(-12).padStart(12, '0');
  await agentConfigs.updateAgentConfig({
    projectName,
    blueprint: {
      id: mask,
      type: 'mask',
      values: [{ key: 'temperature', type: 'float', value: '0.9' }],
    },
  });
  const masked = await agentConfigContext({ maskId: mask }, () => read({ fallback }));
  check('a mask lies over the version', [masked.temperature, masked.steps], [0.9, 3]);
  await agentConfigs.createBlueprintFromMask(projectId, mask);
  const latest = await agentConfigs.getLatestBlueprint(projectId);
  check('a mask is applied', [latest.name, latest.envs], ['v3', []]);
  await agentConfigs.removeConfigKeys({ projectName, keys: ['hint'] });
  await agentConfigs.removeConfigKeys({ projectName, keys: ['hint'] });
  const history = await agentConfigs.getBlueprintHistory(projectId, { page: 1, size: 2 });
  check('history', [history.total, history.content.map(({ name }) => name)], [4, ['v4', 'v3']]);

  const promptProject = fresh('js-prompted');
  const prompt = await client.createPrompt({
    ...{ name: fresh('system'), prompt: 'Be {{how}}', projectName: promptProject },
  });
  const withPrompt = { fallback: { system: prompt }, projectName: promptProject };
  await read(withPrompt);
  const prompted = await read(withPrompt);
  check(
    'a prompt is resolved by its commit',
    [prompted.system.commit, prompted.system.format({ how: 'kind' })],
    [prompt.commit, 'Be kind'],
  );
  const newer = await client.createPrompt({
    ...{ name: prompt.name, prompt: 'Be very {{how}}', projectName: promptProject },
  });
  const newest = await read({ ...withPrompt, version: 'latest' });
  check('the newest version has the newest prompt', newest.system.commit, newer.commit);

  const { dashboards } = client.api;
  const name = fresh('costs');
  const made = await dashboards.createDashboard({ name, config: { sections: [] }, projectName });
  check('a dashboard is made', [made.name, made.projectId], [name, projectId]);
  const changed = await dashboards.updateDashboard(made.id, {
    body: { name: `${name}2`, config: { sections: [{ id: 's' }] } },
  });
  check('and changed', [changed.name, changed.config], [`${name}2`, { sections: [{ id: 's' }] }]);
  const found = await dashboards.findDashboards({ name: name.toUpperCase() });
  check('found by name', [found.total, found.content[0]?.id], [1, made.id]);
  const ofProject = await client.api.projects.findDashboardsByProject(projectId);
  check(
    'and by project',
    ofProject.content.map(({ id }) => id),
    [made.id],
  );
  await dashboards.deleteDashboard(made.id);
  await dashboards.deleteDashboardsBatch({ ids: [made.id] });
  const gone = await thrown(dashboards.getDashboardById(made.id));
  check('a deleted dashboard', gone !== 'nothing');
  await client.flush();
});
