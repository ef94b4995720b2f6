import { expect } from 'chai';
import { v7 } from 'uuid';
import { startReceiver, type Receiver } from '#test/clients/receiver';
import { startMailServer, type MailServer } from '#test/clients/smtp';
import { freshName } from '#test/contract/storage/builders';
import { mayCallNowhere } from './fresh.js';
import { privateClient, type Json } from './private-client.js';

const rowsOf = (page: Json): readonly Json[] => (page['content'] ?? []) as readonly Json[]; // as every page has it
const secret = 'token-0123456789abcdef';
const at = (path: string) => `http://127.0.0.1:9/${path}`;

describe('alerts', () => {
  const { ask, read, send, refusal } = privateClient({
    ...mayCallNowhere,
    ORRERY_ALERT_EVENTS_SECONDS: '1',
    ORRERY_ALERT_WINDOW_SECONDS: '0',
    ORRERY_ALERT_METRICS_SECONDS: '1',
  });
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  after(() => receiver.stop());

  const create = async (body: Json): Promise<string> => {
    const { status, text, location } = await ask('POST', 'alerts', {
      name: freshName('alert'),
      webhook: { url: at('hook') },
      ...body,
    });
    expect([status, text], text).to.deep.equal([201, '']);
    return location?.split('/').at(-1) ?? '';
  };
  const projectOf = async (): Promise<string> => {
    const name = freshName('project');
    await send('POST', 'projects', { name }, 201);
    const page = await read(`projects?${new URLSearchParams({ name }).toString()}`);
    return String(rowsOf(page)[0]?.['id']);
  };

  it('are made, shown, replaced and deleted, and their secrets never given back', async () => {
    const [id, triggerId, configId, webhookId] = [v7(), v7(), v7(), v7()];
    const made = {
      name: 'Costs ',
      enabled: null,
      alert_type: 'slack',
      metadata: { base_url: 'https://ui.example' },
      webhook: {
        id: webhookId,
        url: at('costs'),
        secret_token: secret,
        headers: { 'X-Team': 'secret-team' },
      },
      triggers: [
        {
          id: triggerId,
          event_type: 'trace:cost',
          trigger_configs: [
            {
              id: configId,
              type: 'threshold:cost',
              config_value: { threshold: '10.5', window_seconds: '3600' },
              group_index: 1,
            },
          ],
        },
        { event_type: 'prompt:created' },
      ],
    };
    expect(await create({ id, ...made })).to.equal(id);

    const shown = await read(`alerts/${id}`);
    expect(shown).to.deep.include({
      ...{ id, name: 'Costs ', enabled: true, alert_type: 'slack', metadata: made.metadata },
    });
    expect(shown).not.to.have.property('project_id');
    expect(shown['webhook']).to.deep.include({
      ...{ id: webhookId, name: 'Costs ', url: at('costs'), secret_token: '…cdef' },
      headers: { 'X-Team': '…' },
    });
    const [cost, prompt] = shown['triggers'] as readonly Json[]; // as every alert has them
    expect(cost).to.deep.include({ id: triggerId, alert_id: id, event_type: 'trace:cost' });
    const [config] = cost?.['trigger_configs'] as readonly Json[]; // as every trigger has them
    expect(config).to.deep.include({
      ...{ id: configId, alert_trigger_id: triggerId, type: 'threshold:cost', group_index: 1 },
      config_value: { threshold: '10.5', window: '3600' },
    });
    expect(prompt).to.deep.include({ event_type: 'prompt:created', trigger_configs: [] });
    const list = await ask('GET', 'alerts');
    expect(rowsOf(JSON.parse(list.text) as Json)).to.deep.include(shown);
    expect(list.text).not.to.include(secret).and.not.to.include('secret-team');
    expect((await refusal('POST', 'alerts', { id, ...made }))[0]).to.equal(409);

    await send('PUT', `alerts/${id}`, {
      ...{ id: v7(), name: 'Other', enabled: false },
      webhook: { url: at('other'), secret_token: '…cdef', headers: { 'X-Team': '…' } },
    });
    const replaced = await read(`alerts/${id}`);
    expect(replaced).to.deep.include({
      ...{ id, name: 'Other', enabled: false, alert_type: 'general', triggers: [] },
      ...{ created_at: shown['created_at'], created_by: shown['created_by'] },
    });
    expect(replaced).not.to.have.property('metadata');
    expect(replaced['webhook']).to.deep.include({
      ...{ url: at('other'), secret_token: '…cdef', headers: { 'X-Team': '…' } },
    });
    await send('PUT', `alerts/${id}`, { name: 'Other', webhook: { url: at('other') } });
    const [bare] = [(await read(`alerts/${id}`))['webhook']];
    expect(bare).not.to.have.any.keys('secret_token', 'headers');

    await send('POST', 'alerts/delete', { ids: [id, v7(), id] });
    await send('POST', 'alerts/delete', { ids: [id] });
    expect((await refusal('GET', `alerts/${id}`))[0]).to.equal(404);
    expect(
      (await refusal('PUT', `alerts/${id}`, { name: 'x', webhook: { url: at('x') } }))[0],
    ).to.equal(404);
  });

  it('of a project are listed with it, and go with it', async () => {
    const [projectId, other] = [await projectOf(), await projectOf()];
    const triggers = [{ event_type: 'trace:errors' }];
    const [a, b, c] = [
      await create({ name: 'a', project_id: projectId, triggers }),
      await create({ name: 'b', project_id: projectId, alert_type: 'pagerduty' }),
      await create({ name: 'c' }),
    ];
    const list = async (path: string, query: Readonly<Record<string, string>> = {}) => {
      const page = await read(`${path}?${new URLSearchParams(query).toString()}`);
      return [page['total'], ...rowsOf(page).map(({ id }) => id)];
    };
    const below = `projects/${projectId}/alerts`;

    expect(await list(below)).to.deep.equal([2, b, a]);
    expect(await list(`projects/${other}/alerts`)).to.deep.equal([0]);
    expect(await list(below, { page: '2', size: '1' })).to.deep.equal([2, a]);
    const sorting = JSON.stringify([{ field: 'name', direction: 'ASC' }]);
    expect(await list(below, { sorting })).to.deep.equal([2, a, b]);
    const filter = (field: string, operator: string, value: string) => ({
      filters: JSON.stringify([{ field, operator, value }]),
    });
    expect(await list(below, filter('alert_type', '=', 'pagerduty'))).to.deep.equal([1, b]);
    expect(await list('alerts', filter('id', '=', c))).to.deep.equal([1, c]);
    expect(await list(below, filter('webhook_url', 'contains', 'nothing'))).to.deep.equal([0]);
    for (const query of ['sorting=%5B%7B%22field%22%3A%22url%22%7D%5D', 'page=0', 'filters=x'])
      expect((await refusal('GET', `alerts?${query}`))[0], query).to.equal(400);

    const shown = await read(`alerts/${a}`);
    expect(shown['project_id']).to.equal(projectId);
    const [trigger] = shown['triggers'] as readonly Json[]; // as every alert has them
    expect((trigger?.['trigger_configs'] as readonly Json[])[0]).to.deep.include({
      type: 'scope:project',
      config_value: { project_ids: JSON.stringify([projectId]) },
    });
    await send('PUT', `alerts/${b}`, {
      ...{ name: 'b', webhook: { url: at('hook') }, project_id: other },
    });
    expect(await list(`projects/${other}/alerts`)).to.deep.equal([1, b]);

    await send('DELETE', `projects/${projectId}`, undefined);
    expect((await refusal('GET', `alerts/${a}`))[0]).to.equal(404);
    expect((await read(`alerts/${b}`))['project_id']).to.equal(other);
  });

  it('are refused where they could not be told of anything, or not be sent', async () => {
    const projectId = await projectOf();
    const config = (type: string, config_value: Json | null, more: Json = {}): Json => ({
      ...{ type, config_value, ...more },
    });
    const of = (event_type: string, ...trigger_configs: readonly Json[]): Json => ({
      triggers: [{ event_type, trigger_configs }],
    });
    const score = { name: 'accuracy', threshold: '0.5', operator: '<', window: '60' };
    const scope = (ids: unknown): Json =>
      config('scope:project', { project_ids: JSON.stringify(ids) });
    const twice = { event_type: 'trace:errors' };
    const url = at('hook');
    const many = Array.from({ length: 40 }, (_, n) => n);

    for (const [status, body] of [
      [422, { name: ' ' }],
      [422, { name: 'x'.repeat(256) }],
      [400, { id: '00000000-0000-4000-8000-000000000000' }],
      [400, { alert_type: 'teams' }],
      [422, { metadata: { base_url: 'ui.example' } }],
      [422, { webhook: { url: 'ftp://hooks.example' } }],
      [400, { webhook: { url: 'mailto:ann@orrery.example' } }], // no mail is sent here
      [422, { webhook: { url: 'http://ann:pass@127.0.0.1/' } }],
      [400, { webhook: { url: 'http://169.254.169.254/latest' } }],
      [400, { webhook: { url: 'http://192.168.0.1/hook' } }],
      [422, { webhook: { url, headers: { 'a b': 'c' } } }],
      [422, { webhook: { url, headers: { 'X-A': ' ' } } }],
      [422, { webhook: { url, headers: { 'X-A': '…' } } }],
      [422, { webhook: { url, secret_token: 'x'.repeat(251) } }],
      [422, { webhook: { url, secret_token: 'a\nb' } }],
      [422, { metadata: Object.fromEntries(many.map((at) => [`m${at}`, 'x'.repeat(9000)])) }],
      [400, { triggers: [twice, twice] }],
      [400, of('trace:unknown')],
      [400, of('trace:cost', config('threshold:errors', { threshold: '1', window: '60' }))],
      [400, of('trace:errors', config('filter:guardrail_type', {}))],
      [422, of('trace:errors', config('threshold:errors', null))],
      [422, of('trace:errors', config('threshold:errors', { threshold: 'x', window: '60' }))],
      [422, of('trace:errors', config('threshold:errors', { threshold: '1', window: '0' }))],
      [422, of('trace:feedback_score', config('threshold:feedback_score', { ...score, name: '' }))],
      [
        422,
        of('trace:feedback_score', config('threshold:feedback_score', { ...score, operator: '=' })),
      ],
      [400, of('trace:errors', config('scope:project', { project_ids: 'x' }))],
      [400, of('trace:errors', scope(['x']))],
      [404, of('trace:errors', scope([v7()]))],
      [400, of('trace:errors', scope(Array.from({ length: 101 }, () => v7())))],
      [400, of('trace:errors', scope([projectId]), scope([projectId]))],
      [400, { project_id: projectId, ...of('trace:errors', scope([projectId])) }],
      [404, { project_id: v7() }],
    ] as const)
      expect(
        (await refusal('POST', 'alerts', { name: 'x', webhook: { url }, ...body }))[0],
        JSON.stringify(body),
      ).to.equal(status);
    expect((await refusal('POST', 'alerts', { name: 'x' }))[0]).to.equal(422);
    expect((await refusal('POST', 'alerts/delete', { ids: [] }))[0]).to.equal(422);
    await create(of('trace:feedback_score', config('threshold:feedback_score', score)));
    await create(of('trace:errors', scope([projectId])));
  });

  it('keep a secret for the host alone that it was given for', async () => {
    const id = await create({
      webhook: { url: at('a'), secret_token: secret, headers: { 'X-A': 'one' } },
    });
    const elsewhere = 'http://127.0.0.1:10/a';

    for (const webhook of [
      { url: elsewhere, secret_token: '…cdef' },
      { url: elsewhere, headers: { 'X-A': '…' } },
    ])
      for (const [method, path] of [
        ['PUT', `alerts/${id}`],
        ['POST', 'alerts/webhooks/tests'],
      ] as const)
        expect((await refusal(method, path, { id, name: 'x', webhook }))[0], path).to.equal(422);
    await send('PUT', `alerts/${id}`, { name: 'x', webhook: { url: elsewhere } });
  });

  it('show what they send for every type of event, in each form', async () => {
    const examples = async (query: string) =>
      (await read(`alerts/webhooks/examples${query}`))['response_examples'] as Readonly<
        Record<string, Json>
      >; // as the wire has it
    const general = await examples('');

    expect(Object.keys(general)).to.have.length(10);
    expect(await examples('?alert_type=general')).to.have.all.keys(Object.keys(general));
    for (const [type, example] of Object.entries(general)) {
      expect(example['eventType']).to.equal(type);
      const payload = example['payload'] as Json; // as every example has it
      expect(payload['metadata'], type).to.be.an('array').with.length(1);
      expect(payload).to.include({ eventCount: 1, aggregationType: 'consolidated' });
    }
    for (const example of Object.values(await examples('?alert_type=slack')))
      expect(example).to.have.all.keys('blocks');
    for (const example of Object.values(await examples('?alert_type=pagerduty')))
      expect(example).to.include({ event_action: 'trigger' });
    expect((await refusal('GET', 'alerts/webhooks/examples?alert_type=teams'))[0]).to.equal(400);
  });

  it('are tested by what is really sent, with the secrets that are stored', async () => {
    const url = `${receiver.url}/tested`;
    const headers = { 'X-Team': 'ours', 'User-Agent': 'mine', authorization: 'mine' };
    const id = await create({
      webhook: { url, secret_token: secret, headers },
      triggers: [{ event_type: 'prompt:deleted' }],
    });
    const { webhook, triggers, name } = await read(`alerts/${id}`);

    const result = await send(
      'POST',
      'alerts/webhooks/tests',
      { ...{ id, name, webhook, triggers, project_id: v7() } },
      200,
    );

    const [got] = await receiver.until('/tested', 1);
    expect(result).to.deep.equal({
      ...{ status: 'success', status_code: 200, request_body: got?.body },
    });
    expect(got?.json).to.deep.include({ eventType: 'prompt:deleted', alertId: id });
    expect(got?.headers).to.include({
      ...{ authorization: `Bearer ${secret}`, 'x-team': 'ours', accept: 'application/json' },
      'content-type': 'application/json',
    });
    expect(got?.headers['user-agent']).to.match(/^Orrery\//i);
  });

  it('tell what came of a test that failed, after one more attempt where that may go better', async () => {
    const test = (path: string) =>
      send('POST', 'alerts/webhooks/tests', { webhook: { url: `${receiver.url}${path}` } }, 200);
    receiver.answer('/refuses', () => ({ status: 403 }));
    receiver.answer('/fails', () => ({ status: 500 }));
    receiver.answer('/recovers', (_, place) => ({ status: place === 0 ? 503 : 202 }));

    expect(await test('/refuses')).to.deep.include({ status: 'failure', status_code: 403 });
    expect(await test('/fails')).to.deep.include({ status: 'failure', status_code: 500 });
    expect(await test('/recovers')).to.deep.include({ status: 'success', status_code: 200 });
    const counts = ['/refuses', '/fails', '/recovers'].map((path) => receiver.got(path).length);
    expect(counts).to.deep.equal([1, 2, 2]);
    const nobody = await send(
      'POST',
      'alerts/webhooks/tests',
      { name: 'n', webhook: { url: at('nobody') } },
      200,
    );
    expect(nobody).to.include({ status: 'failure', status_code: 0 });
    expect(nobody['error_message']).to.be.a('string').that.is.not.equal('');
    const own = await send(
      'POST',
      'alerts/webhooks/tests',
      { webhook: { url: 'http://10.0.0.1/' } },
      200,
    );
    expect(own).to.include({ status: 'failure', status_code: 0 });
    let status = 200;
    for (let tests = 0; tests < 10 && status === 200; tests++)
      [status] = await refusal('POST', 'alerts/webhooks/tests', { webhook: { url: at('x') } });
    expect(status).to.equal(429);
  });

  it('fire when prompts, guardrails and experiments change, and show what they told', async () => {
    const path = '/fired';
    const eventTypes = [
      ...['prompt:created', 'prompt:committed', 'prompt:deleted'],
      ...['trace:guardrails_triggered', 'experiment:finished'],
    ];
    const id = await create({
      webhook: { url: `${receiver.url}${path}` },
      triggers: eventTypes.map((event_type) => ({ event_type })),
    });
    const name = freshName('fired');
    const idOf = async (kind: string, body: Json) =>
      (await ask('POST', kind, body)).location?.split('/').at(-1) ?? '';
    const guardrail = { entity_id: v7(), secondary_id: v7(), project_name: name, config: {} };

    const promptId = await idOf('prompts', { name, template: 'Hello' });
    await send('POST', 'prompts/versions', { name, version: { template: 'Bye' } }, 200);
    await send('DELETE', `prompts/${promptId}`, undefined);
    await send('POST', 'guardrails', {
      guardrails: [
        { ...guardrail, name: 'PII', result: 'failed', details: { found: 1 } },
        { ...guardrail, name: 'TOPIC', result: 'passed', details: {} },
      ],
    });
    const experimentId = await idOf('experiments', { dataset_name: name, name });
    await send('POST', 'experiments/finish', { ids: [experimentId] });

    let told: readonly Json[] = [];
    for (let count = 1; new Set(told.map((one) => one['eventType'])).size < 5; count++)
      told = (await receiver.until(path, count)).map(({ json }) => json);
    const metadataOf = (eventType: string) =>
      told
        .filter((one) => one['eventType'] === eventType)
        .flatMap(({ payload }) => (payload as { metadata: readonly Json[] }).metadata)
        .flat();
    expect(metadataOf('prompt:created')[0]).to.include({ id: promptId, name });
    expect(metadataOf('prompt:committed').map(({ template }) => template)).to.have.members([
      'Hello',
      'Bye',
    ]);
    expect(metadataOf('prompt:deleted')[0]?.['latest_version']).to.include({ template: 'Bye' });
    expect(metadataOf('trace:guardrails_triggered')).to.have.length(1);
    expect(metadataOf('trace:guardrails_triggered')[0]).to.deep.include({
      ...{ name: 'PII', result: 'failed', project_name: name, details: { found: 1 } },
    });
    expect(metadataOf('experiment:finished')[0]).to.include({ id: experimentId, name });
    const page = await read(`alerts/${id}/firings?size=2`);
    expect(page['total']).to.be.at.least(5);
    expect(rowsOf(page)).to.have.length(2);
    for (const firing of rowsOf(page)) expect(firing).to.include({ alert_id: id });
    expect((await refusal('GET', `alerts/${v7()}/firings`))[0]).to.equal(404);
    await send('POST', 'alerts/delete', { ids: [id] });
    expect((await refusal('GET', `alerts/${id}/firings`))[0]).to.equal(404);
  });
});

describe('alerts by mail', () => {
  let mail: MailServer;
  const settings: Record<string, string> = {
    ORRERY_ALERT_EVENTS_SECONDS: '1',
    ORRERY_ALERT_WINDOW_SECONDS: '0',
    ORRERY_SMTP_HOST: '127.0.0.1',
    ORRERY_SMTP_TLS: 'none',
    ORRERY_SMTP_FROM: 'orrery@orrery.example',
  };
  before(async () => {
    mail = await startMailServer();
    settings['ORRERY_SMTP_PORT'] = String(mail.port);
  });
  const { read, send, ask, refusal } = privateClient(settings);
  after(() => mail.stop());
  const alert = (url: string, more: Json = {}): Json => ({
    ...{ name: 'Prompts', webhook: { url }, triggers: [{ event_type: 'prompt:created' }] },
    ...more,
  });

  it('are told to a mailbox, and tried there first', async () => {
    const made = await ask('POST', 'alerts', alert('mailto:ann@orrery.example'));
    const id = made.location?.split('/').at(-1) ?? '';
    const tested = await send(
      'POST',
      'alerts/webhooks/tests',
      alert('mailto:try@orrery.example'),
      200,
    );
    const name = freshName('prompt');
    await send('POST', 'prompts', { name, template: 'Hello' }, 201);
    const [told] = await mail.until('ann@orrery.example', 1);
    const [tried] = await mail.until('try@orrery.example', 1);
    const prompt = rowsOf(await read(`prompts?${new URLSearchParams({ name }).toString()}`))[0];

    expect(tested['status']).to.equal('success');
    expect(told?.headers.get('subject')).to.equal('Prompts');
    expect(told?.body.replaceAll('=\r\n', '')).to.contain(String(prompt?.['id']));
    expect(tried?.headers.get('subject')).to.equal('Prompts');
    const shown = await read(`alerts/${id}`);
    expect((shown['webhook'] as Json)['url']).to.equal('mailto:ann@orrery.example');
    expect(mail.got('ann@orrery.example')).to.have.length(1);
  });

  it('are refused for what is no mailbox, in other forms, and with secrets', async () => {
    for (const [status, body] of [
      [400, alert('mailto:ann@orrery.example,bob@orrery.example')],
      [400, alert('mailto:')],
      [422, alert('mailto:ann@orrery.example', { alert_type: 'slack' })],
      [422, alert('', { webhook: { url: 'mailto:ann@orrery.example', secret_token: 'x' } })],
      [422, alert('', { webhook: { url: 'mailto:ann@orrery.example', headers: { 'X-A': 'b' } } })],
    ] as const)
      for (const path of ['alerts', 'alerts/webhooks/tests'])
        expect((await refusal('POST', path, body))[0], JSON.stringify(body)).to.equal(status);
  });
});
