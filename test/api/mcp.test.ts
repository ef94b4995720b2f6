// The tools of the Model Context Protocol, called by the official client: each is held to the rules of its operation.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import { expect } from 'chai';
import { datasets } from '#test/areas/datasets/things';
import { experiments } from '#test/areas/experiments/things';
import { libraryPrompts } from '#test/areas/prompt-library/things';
import { models } from '#test/areas/registry/things';
import { traces } from '#test/areas/traces/things';
import { projects } from '#test/areas/workspaces/things';
import { neverStored } from '#test/clients/secrets';
import type { Making } from './fixtures.js';
import { obtainPair, ask as askPage, openWorld, consentBody, postJson } from './oauth/browsing.js';
import { makingFor } from './world.js';

type Json = Readonly<Record<string, unknown>>;
interface Answer {
  readonly refused: boolean;
  readonly text: string;
}

describe('tools of the Model Context Protocol', () => {
  const world = openWorld();
  const clients: Client[] = [];
  let home: Making;

  before(() => {
    home = makingFor(world().url, world().people.home);
  });
  after(async () => {
    for (const client of clients) await client.close();
  });

  it('are called by pages of any origin, which show a credential of their own', async () => {
    const origin = 'https://agents.example';
    const preflight = await fetch(endpoint(), {
      method: 'OPTIONS',
      headers: {
        ...{ Origin: origin, 'Access-Control-Request-Method': 'POST' },
        'Access-Control-Request-Headers':
          'authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id',
      },
    });
    const listed = (reply: Response, name: string) =>
      (reply.headers.get(name) ?? '').toLowerCase().split(', ');
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).to.deep.equal([
      204,
      '*',
    ]);
    expect(listed(preflight, 'access-control-allow-methods')).to.include('post');
    expect(listed(preflight, 'access-control-allow-headers')).to.include.members(
      'authorization,content-type,last-event-id,mcp-method,mcp-name,mcp-protocol-version,mcp-session-id'.split(
        ',',
      ),
    );
    // A cookie is no credential here, and no page may have a browser send one.
    expect(preflight.headers.get('access-control-allow-credentials')).to.equal(null);

    const ping = (headers: Readonly<Record<string, string>>, method = 'POST') =>
      fetch(endpoint(), {
        method,
        headers: { Origin: origin, 'Content-Type': 'application/json', ...headers },
        ...(method === 'POST'
          ? { body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }) }
          : {}),
      });
    const answered = await ping({ Authorization: home.owner.apiKey });
    expect([answered.status, answered.headers.get('access-control-allow-origin')]).to.deep.equal([
      200,
      '*',
    ]);
    // What says where tokens are given out is read by the page.
    const refused = await ping({});
    expect([refused.status, refused.headers.get('access-control-allow-origin')]).to.deep.equal([
      401,
      '*',
    ]);
    expect(refused.headers.get('www-authenticate')).to.include('resource_metadata');
    expect(listed(refused, 'access-control-expose-headers')).to.include('www-authenticate');
    // Streams and sessions, which clients ask for first, are told to be none in a way that they can read.
    for (const method of ['GET', 'DELETE']) {
      const none = await ping({ Authorization: home.owner.apiKey }, method);
      expect([none.status, none.headers.get('access-control-allow-origin')], method).to.deep.equal([
        405,
        '*',
      ]);
    }
  });

  const endpoint = () => new URL(`${world().url}/api/v1/mcp`);
  const connect = async (
    credential: string,
    mode: 'legacy' | 'auto' = 'legacy',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Client> => {
    const client = new Client(
      { name: 'a test', version: '1.0.0' },
      { versionNegotiation: { mode } },
    );
    await client.connect(
      new StreamableHTTPClientTransport(endpoint(), {
        requestInit: { headers: { Authorization: `Bearer ${credential}`, ...headers } },
      }),
    );
    clients.push(client);
    return client;
  };
  const call = async (client: Client, name: string, given: Json = {}): Promise<Answer> => {
    const { content, isError } = await client.callTool({ name, arguments: { ...given } });
    const [first] = content;
    return {
      refused: isError === true,
      text: first?.type === 'text' ? first.text : '',
    };
  };
  const told = async (client: Client, name: string, given: Json = {}): Promise<Json> => {
    const { refused, text } = await call(client, name, given);
    expect(refused, `${name}: ${text}`).to.equal(false);
    return (text === 'done' ? {} : JSON.parse(text)) as Json; // every operation of a tool replies an object
  };
  const refusal = async (client: Client, name: string, given: Json = {}): Promise<string> => {
    const { refused, text } = await call(client, name, given);
    expect(refused, `${name}: ${text}`).to.equal(true);
    return text;
  };
  const narrowKey = async (scope: Json): Promise<string> => {
    const { auth, storage, people } = world();
    const user = await storage.stores.users.findUser({ name: people.home.name });
    const { apiKey } = await auth.issueKey(user?.id ?? '', {
      name: 'narrow',
      scope: { readOnly: false, workspaceId: undefined, projectId: undefined, ...scope },
    });
    return neverStored(apiKey);
  };

  for (const mode of ['legacy', 'auto'] as const)
    it(`are listed and called by a client that begins in the way ${mode}`, async () => {
      const client = await connect(home.owner.apiKey, mode);
      const { tools } = await client.listTools();

      expect(client.getServerVersion()?.name).to.equal('orrery');
      expect(client.getInstructions()).to.match(/^Orrery tracks/);
      expect(tools.map(({ name }) => name)).to.include.members(['query_runs', 'score_trace']);
      const isRead = new Map(
        tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint]),
      );
      expect([isRead.get('query_runs'), isRead.get('get_run_curves')]).to.deep.equal([true, true]);
      expect([isRead.get('tag_run'), isRead.get('score_trace')]).to.deep.equal([false, false]);
      const { projectName } = await home.of(projects);
      const { content } = await told(client, 'list_projects', { name: projectName });
      expect((content as readonly Json[]).map(({ name }) => name)).to.deep.equal([projectName]);
    });

  it('read runs, and say something of them', async () => {
    const client = await connect(home.owner.apiKey);
    const { experimentKey: run } = await home.of(experiments);
    const { projectId: project } = await home.of(projects);
    const write = '/api/rest/v2/write/experiment';
    for (const [step, metricValue] of [3, 1, 2].entries())
      await home.ask(`${write}/metric`, {
        ...{ experimentKey: run, metricName: 'loss', metricValue, step },
      });
    await home.ask(`${write}/parameter`, {
      ...{ experimentKey: run, parameterName: 'rate', parameterValue: 0.5 },
    });

    const loss = { kind: 'metric', name: 'loss' };
    const rule = {
      source: 'params',
      field: 'rate',
      operator: 'greater',
      type: 'double',
      value: 0.1,
    };
    const found = await told(client, 'query_runs', {
      project,
      query: { condition: 'AND', rules: [rule] },
      columns: [{ ...loss, value: 'min' }],
      sort: [loss],
    });
    expect(found['keys']).to.deep.equal([run]);
    expect((found['columns'] as readonly Json[])[0]?.['values']).to.deep.equal([1]);
    const columns = await told(client, 'list_run_columns', { project, part: 'los' });
    expect((columns['columns'] as readonly Json[])[0]).to.include({ name: 'loss', kind: 'metric' });
    expect(await told(client, 'get_run', { run })).to.include({ experimentKey: run });
    const metrics = await told(client, 'get_run_metrics', { run });
    expect((metrics['values'] as readonly Json[])[0]).to.include({ name: 'loss', valueMax: '3' });
    const parameters = await told(client, 'get_run_parameters', { run });
    expect((parameters['values'] as readonly Json[])[0]).to.include({ name: 'rate' });
    const curves = await told(client, 'get_run_curves', { runs: [run], metrics: ['loss'] });
    expect((curves['series'] as readonly Json[])[0]).to.include({ run, metric: 'loss', points: 3 });

    await told(client, 'tag_run', { run, tags: ['good', 'small'] });
    expect((await told(client, 'get_run_tags', { run }))['tags']).to.deep.equal(['good', 'small']);
    await told(client, 'comment_on_run', { run, text: 'worth a look', firstStep: 1, lastStep: 2 });
    const { comments } = await home.read(`/v1/private/ui/runs/${run}/comments`);
    expect((comments as readonly Json[]).at(-1)).to.include({ text: 'worth a look', firstStep: 1 });
    expect(await told(client, 'list_run_comments', { run })).to.deep.equal(
      await home.read(`/v1/private/ui/runs/${run}/comments`),
    );
  });

  it('read registered models, and say something of their versions', async () => {
    const client = await connect(home.owner.apiKey);
    const { registryModelName: model, modelVersionId: version } = await home.of(models);
    const { workspace } = home.owner;

    const { registryModels } = await told(client, 'list_models', { workspace });
    expect((registryModels as readonly Json[]).map((one) => one['modelName'])).to.include(model);
    await told(client, 'tag_model_version', { version, tag: 'canary' });
    await told(client, 'comment_on_model_version', { version, text: 'ready' });
    const { versions } = await told(client, 'get_model', { model, workspace });
    expect((versions as readonly Json[])[0]?.['stages']).to.include('canary');
    const { comments } = await home.read(`/v1/private/ui/model-versions/${version}/comments`);
    expect((comments as readonly Json[]).at(-1)).to.include({ text: 'ready' });
  });

  it('read traces and spans, and score, comment and tag them', async () => {
    const client = await connect(home.owner.apiKey);
    const { traceId, spanId, projectId: project_id } = await home.of(traces);

    const filters = [{ field: 'id', operator: '=', value: traceId }];
    const listed = await told(client, 'list_traces', { project_id, filters, size: 5 });
    expect((listed['content'] as readonly Json[]).map(({ id }) => id)).to.deep.equal([traceId]);
    const spans = await told(client, 'list_spans', { project_id, trace_id: traceId, type: 'llm' });
    expect((spans['content'] as readonly Json[]).map(({ id }) => id)).to.deep.equal([spanId]);
    expect((await told(client, 'trace_statistics', { project_id }))['stats']).to.be.an('array');

    for (const [noun, id] of [
      ['trace', traceId],
      ['span', spanId],
    ] as const) {
      await told(client, `score_${noun}`, { id, name: 'accuracy', value: 0.75, reason: 'close' });
      await told(client, `comment_on_${noun}`, { id, text: `about the ${noun}` });
      await told(client, `tag_${noun}s`, { ids: [id], add: ['kept', 'gone'] });
      await told(client, `tag_${noun}s`, { ids: [id], remove: ['gone'] });
      const shown = await home.read(`/v1/private/${noun}s/${id}`);
      expect(await told(client, `get_${noun}`, { id })).to.deep.equal(shown);
      expect((shown['feedback_scores'] as readonly Json[])[0]).to.include({
        ...{ name: 'accuracy', value: 0.75, reason: 'close', created_by: home.owner.name },
      });
      expect((shown['comments'] as readonly Json[]).map(({ text }) => text)).to.include(
        `about the ${noun}`,
      );
      expect(shown['tags']).to.deep.equal(['kept']);
    }
  });

  it('read prompts and datasets', async () => {
    const client = await connect(home.owner.apiKey);
    const { promptId, promptName, commit } = await home.of(libraryPrompts);
    const { datasetId, datasetName, versionHash } = await home.of(datasets);

    const prompts = await told(client, 'list_prompts', { name: promptName });
    expect((prompts['content'] as readonly Json[])[0]).to.include({ id: promptId });
    const { latest_version: latest } = await told(client, 'get_prompt', { id: promptId });
    expect(latest).to.include({ commit, template: 'Hello {{name}}' });
    const versions = await told(client, 'list_prompt_versions', { id: promptId });
    expect((versions['content'] as readonly Json[])[0]).to.include({ commit });
    expect(await told(client, 'get_prompt_version', { name: promptName, commit })).to.include({
      template: 'Hello {{name}}',
    });
    const listed = await told(client, 'list_datasets', { name: datasetName });
    expect((listed['content'] as readonly Json[])[0]).to.include({ id: datasetId });
    const items = await told(client, 'list_dataset_items', { id: datasetId, version: versionHash });
    expect((items['content'] as readonly Json[])[0]?.['data']).to.deep.equal({ city: 'Rome' });
  });

  it('are in the workspace of the connection where a call names none', async () => {
    const { workspace } = home.owner;
    const { promptName } = await home.of(libraryPrompts);
    const client = await connect(world().people.member.apiKey, 'legacy', {
      'Comet-Workspace': workspace,
    });

    const { content } = await told(client, 'list_prompts', { name: promptName });
    expect(content).to.have.length(1);
    const elsewhere = await connect(world().people.member.apiKey);
    const none = await told(elsewhere, 'list_prompts', { name: promptName });
    expect(none['content']).to.have.length(0);
    const named = await told(elsewhere, 'list_prompts', { name: promptName, workspace });
    expect(named['content']).to.have.length(1);
  });

  it('write nothing by a key that may only read, nor for a view-only member', async () => {
    const { traceId: id } = await home.of(traces);
    const { experimentKey: run } = await home.of(experiments);
    const reader = await connect(await narrowKey({ readOnly: true }));
    const viewer = await connect(world().people.viewer.apiKey);
    const { workspace } = home.owner;

    for (const [client, sentence] of [
      [reader, /may only read/],
      [viewer, /a view-only member cannot change anything/],
    ] as const) {
      expect(await told(client, 'get_trace', { id, workspace })).to.include({ id });
      for (const [name, given] of [
        ['score_trace', { id, workspace, name: 'refused', value: 1 }],
        ['comment_on_trace', { id, workspace, text: 'refused' }],
        ['tag_traces', { ids: [id], workspace, add: ['refused'] }],
        ['tag_run', { run, tags: ['refused'] }],
        ['comment_on_run', { run, text: 'refused' }],
      ] as const)
        expect(await refusal(client, name, given), name).to.match(sentence);
    }
    expect(JSON.stringify(await home.read(`/v1/private/traces/${id}`))).to.not.include('refused');
    expect(
      JSON.stringify(await home.read(`/api/rest/v2/experiment/tags?experimentKey=${run}`)),
    ).to.not.include('refused');
  });

  it('tell a stranger of what exists what they tell of what does not', async () => {
    const { traceId: id } = await home.of(traces);
    const { experimentKey: run } = await home.of(experiments);
    const { projectId: project } = await home.of(projects);
    const stranger = await connect(world().people.stranger.apiKey);
    const unknown = '0196f0b2-0000-7000-8000-000000000000';

    for (const [name, given, other] of [
      ['get_trace', { id }, { id: unknown }],
      ['score_trace', { id, name: 'a', value: 1 }, { id: unknown, name: 'a', value: 1 }],
      ['get_run', { run }, { run: 'f'.repeat(32) }],
      ['tag_run', { run, tags: ['a'] }, { run: 'f'.repeat(32), tags: ['a'] }],
      ['query_runs', { project }, { project: unknown }],
    ] as const) {
      const hide = (text: string) => text.replaceAll(/[0-9a-f-]{32,36}/g, 'ID');
      expect(hide(await refusal(stranger, name, given)), name).to.equal(
        hide(await refusal(stranger, name, other)),
      );
    }
    for (const workspace of [home.owner.workspace, 'nowhere'])
      expect(await refusal(stranger, 'list_prompts', { workspace })).to.equal(
        `workspace ${workspace} does not exist or is out of reach`,
      );
  });

  it('reach one project by a key that is narrowed to it', async () => {
    const { traceId: id, projectId } = await home.of(traces);
    const { projectId: other, projectName } = await home.of(projects);
    const { experimentKey: run } = await home.of(experiments);
    const project = await world().storage.stores.projects.findById(projectId);
    const narrow = await connect(await narrowKey({ workspaceId: project?.workspaceId, projectId }));

    expect(await told(narrow, 'get_trace', { id })).to.include({ id });
    await told(narrow, 'score_trace', { id, name: 'narrow', value: 1 });
    const listed = await told(narrow, 'list_traces', { project_id: projectId });
    expect((listed['content'] as readonly Json[]).map((one) => one['id'])).to.deep.equal([id]);
    expect(await refusal(narrow, 'list_projects')).to.equal('this key reaches one project only');
    await refusal(narrow, 'list_traces', { project_name: projectName });
    await refusal(narrow, 'query_runs', { project: other });
    await refusal(narrow, 'tag_run', { run, tags: ['narrow'] });
  });

  it('refuse what they do not take, in a sentence', async () => {
    const client = await connect(home.owner.apiKey);
    const { traceId: id, projectId: project_id } = await home.of(traces);

    expect(await refusal(client, 'delete_trace', { id })).to.equal('there is no tool delete_trace');
    expect(await refusal(client, 'get_trace')).to.equal('get_trace needs the argument id');
    expect(await refusal(client, 'get_trace', { id, page: 1 })).to.equal(
      'get_trace takes no argument page',
    );
    expect(await refusal(client, 'list_traces', { project_id, page: 'first' })).to.equal(
      'page must be a whole number',
    );
    expect(await refusal(client, 'list_traces')).to.be.a('string');
    expect(
      await refusal(client, 'list_traces', {
        project_id,
        filters: [{ field: 'no', operator: '=' }],
      }),
    ).to.be.a('string');
    expect(await refusal(client, 'comment_on_trace', { id, text: ['a'] })).to.match(/text must be/);
    expect(await refusal(client, 'score_trace', { id, name: 'a', value: 'high' })).to.equal(
      'value must be a number',
    );
  });

  it('name where the metadata is to whoever shows no credential that counts', async () => {
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const metadata = `${world().url}/.well-known/oauth-protected-resource/api/v1/mcp`;
    for (const headers of [{}, { Authorization: 'Bearer orrery_at_none' }]) {
      const refused = await postJson(endpoint().href, message, headers);
      expect([refused.status, refused.headers.get('WWW-Authenticate')]).to.deep.equal([
        401,
        `Bearer resource_metadata="${metadata}"`,
      ]);
    }
    const { json, headers } = await askPage(metadata, { headers: { Origin: 'https://a.example' } });
    expect(json).to.deep.include({
      resource: endpoint().href,
      authorization_servers: [world().url],
    });
    expect(headers.get('Access-Control-Allow-Origin')).to.equal('*');
  });

  it('answer every message by a message, however odd it is', async () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'a', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const messages: readonly (readonly [Json, Readonly<Record<string, string>>?])[] = [
      [{}],
      [{ id: 1 }],
      [{ id: {}, method: 'ping' }],
      [{ id: null, method: 'ping' }],
      [{ id: 1, method: 'no/such' }],
      [{ id: 1, method: 'tools/call' }],
      [{ id: 1, method: 'tools/call', params: { name: 5 } }],
      [{ id: 1, method: 'tools/call', params: { name: 'get_trace', arguments: 'all' } }],
      [{ id: 1, method: 'initialize', params: { protocolVersion: 'none' } }],
      [{ id: 1, result: {} }],
      [{ method: 'notifications/cancelled', params: { requestId: 1 } }],
      [{ id: 1, method: 'ping' }, { 'Mcp-Protocol-Version': 'never' }],
      [{ id: 1, method: 'ping' }, { 'Mcp-Protocol-Version': '2026-07-28' }],
      [
        { id: 1, method: 'ping' },
        { 'Mcp-Session-Id': 'mine', 'Last-Event-ID': '5' },
      ],
      [{ id: 1, method: 'tools/list', params: { _meta: meta } }, { 'Mcp-Method': 'ping' }],
      [
        { id: 1, method: 'subscriptions/listen', params: { _meta: meta, notifications: {} } },
        { 'Mcp-Protocol-Version': '2026-07-28', 'Mcp-Method': 'subscriptions/listen' },
      ],
    ];
    for (const [message, headers] of messages) {
      const { status, text } = await postJson(
        endpoint().href,
        { jsonrpc: '2.0', ...message },
        { Authorization: home.owner.apiKey, ...headers },
      );
      expect(status, `${JSON.stringify(message)}: ${text}`).to.be.oneOf([200, 202, 400, 404]);
      if (status !== 202) expect(JSON.parse(text)).to.include({ jsonrpc: '2.0' });
    }
    for (const body of [[], '"ping"', 7, null, [[]], [{}, 1]]) {
      const { status, text } = await postJson(endpoint().href, body, {
        Authorization: home.owner.apiKey,
      });
      expect(status, text).to.be.oneOf([200, 400]);
      for (const answer of [JSON.parse(text)].flat() as readonly Json[])
        expect(answer, text).to.have.nested.property('error.code');
    }
  });

  it('are called several at once by a client of version 2025-03-26', async () => {
    const { projectName } = await home.of(projects);
    const list = { name: 'list_projects', arguments: { name: projectName } };
    const { status, text } = await postJson(
      endpoint().href,
      [
        { jsonrpc: '2.0', id: 1, method: 'ping' },
        { jsonrpc: '2.0', method: 'notifications/initialized' },
        { jsonrpc: '2.0', id: 'two', method: 'tools/call', params: list },
      ],
      { Authorization: home.owner.apiKey },
    );

    expect(status, text).to.equal(200);
    const answers = JSON.parse(text) as readonly Json[]; // as version 2025-03-26 has it
    expect(answers.map(({ id }) => id)).to.deep.equal([1, 'two']);
    expect(JSON.stringify(answers[1])).to.include(projectName);
  });

  it('take no session of a browser, and are only posted to', async () => {
    const browser = await world().signIn(world().people.home);
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

    expect((await browser.postJson('/api/v1/mcp', message)).status).to.equal(403);
    const headers = { Authorization: home.owner.apiKey };
    for (const method of ['GET', 'DELETE'])
      expect((await askPage(endpoint().href, { method, headers })).status, method).to.equal(405);
  });

  it('are called with the token of an earlier consent', async () => {
    const { access } = await obtainPair(world(), world().people.home);
    const { traceId: id } = await home.of(traces);

    const client = await connect(access);

    expect(await told(client, 'get_trace', { id })).to.include({ id });
  });

  it('are reached by a program that knows their address alone, once its user consents', async () => {
    const browser = await world().signIn(world().people.home);
    const kept: {
      client?: unknown;
      tokens?: unknown;
      discovered?: unknown;
      verifier?: string;
      consent?: URL;
    } = {};
    const redirectUrl = 'http://127.0.0.1:9/callback';
    const provider = {
      redirectUrl,
      clientMetadata: { client_name: 'Agent', redirect_uris: [redirectUrl] },
      clientInformation: () => kept.client,
      saveClientInformation: (client: unknown) => {
        kept.client = client;
      },
      tokens: () => kept.tokens,
      saveTokens: (tokens: { readonly access_token: string }) => {
        kept.tokens = tokens;
        neverStored(tokens.access_token);
      },
      redirectToAuthorization: (url: URL) => {
        kept.consent = url;
      },
      saveCodeVerifier: (verifier: string) => {
        kept.verifier = verifier;
      },
      codeVerifier: () => kept.verifier ?? '',
      saveDiscoveryState: (state: unknown) => {
        kept.discovered = state;
      },
      discoveryState: () => kept.discovered,
    } as OAuthClientProvider; // what is kept is what it was given
    const transport = () =>
      new StreamableHTTPClientTransport(endpoint(), { authProvider: provider });
    const first = transport();
    const refused = await new Client({ name: 'agent', version: '1' })
      .connect(first)
      .then(() => undefined)
      .catch((thrown: unknown) => thrown);
    expect(refused).to.be.an('error');

    const asked = Object.fromEntries(kept.consent?.searchParams ?? []);
    const allowed = await browser.postJson(
      '/oauth/authorize',
      await consentBody(world(), browser, {
        clientId: asked['client_id'] ?? '',
        redirectUri: redirectUrl,
        challenge: asked['code_challenge'] ?? '',
        state: asked['state'] ?? '',
        verifier: '',
      }),
    );
    const back = new URL(String(allowed.json['redirect_to'])).searchParams;
    await first.finishAuth(back);
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(transport());
    clients.push(client);

    const { traceId: id } = await home.of(traces);
    expect(await told(client, 'get_trace', { id })).to.include({ id });
  });
});
