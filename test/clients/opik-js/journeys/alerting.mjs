import { createServer } from 'node:http';
import { generateId, Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

/** A receiver that keeps what it is sent. */
const receive = async () => {
  const got = [];
  const server = createServer((request, reply) => {
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      got.push({ headers: request.headers, body });
      reply.writeHead(204).end();
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { got, url: `http://127.0.0.1:${server.address().port}/hook` };
};

await journey(async () => {
  const client = new Opik();
  const { alerts, projects } = client.api;
  const { got, url } = await receive();
  const [name, id] = [fresh('js-alerts'), generateId()];
  await projects.createProject({ name });
  const { id: projectId } = await projects.retrieveProject({ name });
  const webhook = { url, secretToken: 'a-token-of-some-length', headers: { 'X-Team': 'ours' } };
  const configValue = { threshold: '5', window: '300' };
  const triggers = [
    {
      eventType: 'trace:latency',
      triggerConfigs: [{ type: 'threshold:latency', configValue }],
    },
  ];

  await alerts.createAlert({ id, name, alertType: 'general', webhook, triggers, projectId });
  const made = await alerts.getAlertById(id);
  check(
    'an alert is made',
    [made.name, made.alertType, made.enabled, made.projectId, made.webhook.secretToken],
    [name, 'general', true, projectId, '…ngth'],
  );
  const [latency, scope] = made.triggers[0].triggerConfigs;
  check('with what narrows it', latency.configValue, configValue);
  check('in the project', JSON.parse(scope.configValue['project_ids']), [projectId]);
  const found = await projects.findAlertsByProject(projectId, { page: 1, size: 10 });
  check(
    'found by project',
    found.content.map((one) => one.id),
    [id],
  );
  const filters = JSON.stringify([{ field: 'alert_type', operator: '=', value: 'slack' }]);
  check('filtered', (await projects.findAlertsByProject(projectId, { filters })).total, 0);

  const body = { name, enabled: false, alertType: 'pagerduty', webhook: made.webhook, triggers };
  await alerts.updateAlert(id, { body });
  const changed = await alerts.getAlertById(id);
  check(
    'an alert is replaced',
    [changed.enabled, changed.alertType, changed.projectId],
    [false, 'pagerduty', undefined],
  );
  const examples = await alerts.getWebhookExamples({ alertType: 'pagerduty' });
  check('examples', Object.keys(examples.responseExamples).length, 10);
  const result = await alerts.testWebhook({ ...body, id, metadata: { routing_key: 'r' } });
  check(
    'a test is sent',
    [result.status, result.statusCode, result.requestBody],
    ['success', 200, got[0]?.body],
  );
  check('with its token', got[0]?.headers.authorization, 'Bearer a-token-of-some-length');
  check('with its header', got[0]?.headers['x-team'], 'ours');
  check('in its form', JSON.parse(got[0]?.body ?? '{}')['routing_key'], 'r');

  const fired = generateId();
  const eventTypes = ['prompt:created', 'prompt:committed'];
  const waiting = eventTypes.map((eventType) => ({ eventType }));
  await alerts.createAlert({ id: fired, name, webhook, triggers: waiting, projectId });
  await client.createPrompt({ name, prompt: 'Hello {{who}}', projectName: name });
  const ofFired = () =>
    got.map((one) => JSON.parse(one.body)).filter((one) => one['alertId'] === fired);
  const until = Date.now() + 20_000;
  while (ofFired().length < eventTypes.length && Date.now() < until)
    await new Promise((wake) => setTimeout(wake, 100));
  check(
    'an alert fires',
    ofFired()
      .map((one) => one['eventType'])
      .sort(),
    [...eventTypes].sort(),
  );
  const created = ofFired().find((one) => one['eventType'] === 'prompt:created');
  check('with what happened', created?.payload.metadata[0].name, name);

  await alerts.deleteAlertBatch({ ids: [id, fired] });
  const gone = await alerts.getAlertById(id).then(
    () => 'there',
    (error) => error.statusCode,
  );
  check('a deleted alert', gone, 404);
});
