import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { PbfWriter } from 'pbf';
import { startServer, type StartedServer } from '#test/clients/server';

type Json = Record<string, unknown>;

/** A UUID of version 7, which is of now. */
const freshId = (): string => {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
};
const trace = (project = 'limited') => ({
  id: freshId(),
  project_name: project,
  name: 'one',
  start_time: new Date().toISOString(),
});

describe('limits of how often users and workspaces may call', () => {
  let server: StartedServer;
  before(async function () {
    const started = await startServer({
      storage: 'embedded',
      env: {
        ORRERY_RATE_LIMITS: 'true',
        ORRERY_RATE_USER_EVENTS_PER_MINUTE: '200',
        ORRERY_RATE_WORKSPACE_EVENTS_PER_MINUTE: '100',
        ORRERY_RATE_SINGLE_WRITES_PER_MINUTE: '3',
        ORRERY_RATE_SPAN_READS_PER_MINUTE: '2',
        ORRERY_RATE_TRACE_LISTS_PER_MINUTE: '2',
        ORRERY_RATE_TRACE_STREAMS_PER_MINUTE: '2',
        ORRERY_RATE_TRACE_STATISTICS_PER_MINUTE: '0',
      },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server.stop());

  const call = async (method: string, path: string, body?: unknown, workspace?: string) => {
    const reply = await fetch(`${server.url}/api/v1/private${path}`, {
      method,
      headers: {
        Authorization: server.apiKey,
        'Content-Type': 'application/json',
        ...(workspace === undefined ? {} : { 'Comet-Workspace': workspace }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    return { status: reply.status, headers: reply.headers, text };
  };
  const left = ({ headers }: { readonly headers: Headers }, bucket: string) =>
    Number(headers.get(`Opik-${bucket}-Remaining-Limit`) ?? Number.NaN);
  const batch = (count: number) => ({ traces: Array.from({ length: count }, () => trace()) });

  it('count a batch by its items, of the user and of the workspace, and say what is left', async () => {
    const first = await call('POST', '/traces/batch', batch(30));
    expect(first.status).to.equal(204);
    const { headers } = first;
    expect(headers.get('Opik-User-Limit')).to.equal('general_events');
    expect(headers.get('Opik-Workspace-Limit')).to.equal('workspace_events');
    expect([left(first, 'User'), left(first, 'Workspace')]).to.deep.equal([170, 70]);
    expect(Number(headers.get('Opik-Workspace-Remaining-Limit-TTL-Millis'))).to.be.within(
      1,
      60_000,
    );

    const second = await call('POST', '/traces/batch', batch(95));
    expect(second.status).to.equal(429);
    const { code, message } = JSON.parse(second.text) as Json;
    expect([code, message]).to.deep.equal([
      429,
      'Too Many Requests: at most 100 events of a workspace a minute are allowed',
    ]);
    for (const name of ['RateLimit-Reset', 'Retry-After'])
      expect(second.headers.get(name), name).to.match(/^[1-9]\d?$/);
    // Nothing was taken of what the user has, nor stored.
    expect(left(second, 'User')).to.be.at.least(170);
    const page = await call('GET', '/traces?project_name=limited&size=1');
    expect(JSON.parse(page.text)).to.deep.include({ total: 30 });
  });

  it('count a request of an OpenTelemetry exporter by its spans, in either form', async () => {
    const created = await fetch(`${server.url}/api/rest/v2/write/workspace/new`, {
      method: 'POST',
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'exports' }),
    });
    expect(created.ok, await created.text()).to.equal(true);
    const send = async (type: string, body: string | Buffer<ArrayBuffer>) => {
      const reply = await fetch(`${server.url}/api/v1/private/otel/v1/traces`, {
        method: 'POST',
        headers: {
          ...{ Authorization: server.apiKey, 'Content-Type': type, 'Comet-Workspace': 'exports' },
        },
        body,
      });
      await reply.arrayBuffer();
      return [reply.status, left(reply, 'Workspace')];
    };
    const spans = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...{ traceId: '0af7651916cd43dd8448eb211c80319c', name: `n${at}` },
        spanId: `00f067aa0ba90${String(at + 100)}`,
        startTimeUnixNano: '1777629600000000000',
      }));
    const resourceSpans = [
      { scopeSpans: [{ spans: spans(3) }, { spans: spans(2) }] },
      { scopeSpans: [{ spans: spans(2) }] },
    ];
    expect(await send('application/json', JSON.stringify({ resourceSpans }))).to.deep.equal([
      200, 93,
    ]);

    const writer = new PbfWriter();
    for (let groups = 0; groups < 2; groups++)
      writer.writeMessage(
        1,
        (_, group) => {
          group.writeMessage(
            2,
            (__, scoped) => {
              for (let at = 0; at < 15; at++)
                scoped.writeMessage(
                  2,
                  (___, span) => span.writeStringField(5, 'no ids'),
                  undefined,
                );
            },
            undefined,
          );
        },
        undefined,
      );
    expect(await send('application/x-protobuf', Buffer.from(writer.finish()))).to.deep.equal([
      200, 63,
    ]);
    const many = { resourceSpans: [{ scopeSpans: [{ spans: spans(80) }] }] };
    expect((await send('application/json', JSON.stringify(many)))[0]).to.equal(429);
    expect((await send('application/json', '{'))[0]).to.equal(400);
    expect((await send('text/plain', 'x'))[0]).to.equal(415);
  });

  it('count what is written in another workspace for the user alone', async () => {
    const created = await fetch(`${server.url}/api/rest/v2/write/workspace/new`, {
      method: 'POST',
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'elsewhere' }),
    });
    expect(created.ok, await created.text()).to.equal(true);
    const reply = await call('POST', '/traces/batch', batch(40), 'elsewhere');
    expect(reply.status).to.equal(204);
    expect(left(reply, 'Workspace')).to.equal(60);
    expect(left(reply, 'User')).to.be.below(171);
  });

  it('refuse single writes beyond what is left, and take them again later', async () => {
    const statuses = [];
    for (let at = 0; at < 8; at++) statuses.push((await call('POST', '/traces', trace())).status);
    expect(statuses.slice(0, 3)).to.deep.equal([201, 201, 201]);
    expect(statuses).to.include(429);
  });

  it('limit reading lists, searches and spans each by its own, and nothing else', async () => {
    const span = { ...trace(), trace_id: freshId(), type: 'general' };
    expect((await call('POST', '/spans/batch', { spans: [span] })).status).to.equal(204);
    const reads = {
      getTraces: () => call('GET', '/traces?project_name=limited'),
      searchTraces: () => call('POST', '/traces/search', { project_name: 'limited' }),
      'Get-Span-Id': () => call('GET', `/spans/${String(span.id)}`),
    };
    for (const [bucket, read] of Object.entries(reads)) {
      const replies = [];
      for (let at = 0; at < 8; at++) replies.push(await read());
      expect(
        replies.map(({ status }) => status === 429),
        bucket,
      ).to.include(true);
      expect(replies.at(-1)?.headers.get(`Opik-${bucket}-Limit`)).to.equal(bucket);
    }
    for (let at = 0; at < 8; at++) {
      expect((await call('GET', '/traces/stats?project_name=limited')).status).to.equal(200);
      expect((await call('GET', '/projects')).status).to.equal(200);
    }
  });
});
