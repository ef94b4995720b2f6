// What the private wire promises of traces and spans that are written several times, in any order.
import { expect } from 'chai';
import { v7, v4 } from 'uuid';
import { startServer, type StartedServer } from '#test/clients/server';
import { freshName } from '#test/contract/storage/builders';

type Json = Readonly<Record<string, unknown>>;
const start_time = '2026-05-01T10:00:00.123456Z';
const end_time = '2026-05-01T10:00:01.623456Z';

describe('traces and spans', () => {
  let server: StartedServer;
  before(async () => {
    const started = await startServer({ storage: 'embedded' });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server?.stop());

  const ask = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ readonly status: number; readonly text: string }> => {
    const reply = await fetch(`${server.url}/api/v1/private/${path}`, {
      method,
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: reply.status, text: await reply.text() };
  };
  const read = async (path: string): Promise<Json> => {
    const { status, text } = await ask('GET', path);
    expect(status, text).to.equal(200);
    return JSON.parse(text) as Json;
  };
  const accept = async (method: string, path: string, body: unknown, expected = 204) => {
    const { status, text } = await ask(method, path, body);
    expect(status, text).to.equal(expected);
  };
  const search = async (path: string, body: Json): Promise<readonly Json[]> => {
    const { status, text } = await ask('POST', `${path}/search`, body);
    expect(status, text).to.equal(200);
    return text
      .split('\r\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Json);
  };

  it('show a trace that was updated before it came as if it had come first', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const nulls = { name: null, tags: null, error_info: null };
    await accept('PATCH', `traces/${id}`, { project_name, output: { n: 0.1 }, end_time, ...nulls });
    expect(await read(`traces/${id}`)).to.include({ start_time: '1970-01-01T00:00:00.000000Z' });
    const trace = { id, project_name, name: 'a', start_time, input: ['x'], output: 'too late' };
    await accept('POST', 'traces/batch', { traces: [trace] });
    await accept('POST', 'traces/batch', { traces: [{ ...trace, last_updated_at: start_time }] });

    const shown = await read(`traces/${id}`);
    expect(shown).to.deep.include({ name: 'a', input: ['x'], output: { n: 0.1 }, start_time });
    expect(shown).to.deep.include({ end_time, duration: 1500, span_count: 0 });
    expect(shown).not.to.have.any.keys('tags', 'error_info', 'metadata', 'usage');
  });

  for (const order of ['older first', 'newer first', 'at once'])
    it(`keep the later of two whole rows, ${order}`, async () => {
      const [id, project_name] = [v7(), freshName('project')];
      const older = { id, project_name, start_time, name: 'older', input: { n: 1 } };
      const stamped = { ...older, last_updated_at: '2026-05-01T10:00:00.000001Z' };
      const newer = {
        ...{ id, project_name, start_time, end_time, name: 'newer' },
        last_updated_at: '2026-05-01T10:00:00.000002Z',
      };
      const batches = order === 'newer first' ? [newer, stamped] : [stamped, newer];
      const send = (one: Json) => accept('POST', 'traces/batch', { traces: [one] });
      if (order === 'at once') await Promise.all([...batches, ...batches].map(send));
      else for (const one of batches) await send(one);

      const shown = await read(`traces/${id}`);
      expect(shown['name']).to.equal('newer');
      expect(shown).not.to.have.property('input');
      expect(await search('traces', { project_name })).to.have.lengthOf(1);
    });

  it('keep one row of an id that stands twice in a batch', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const row = (name: string, last_updated_at?: string) => ({
      ...{ id, project_name, start_time, name },
      ...(last_updated_at === undefined ? {} : { last_updated_at }),
    });
    await accept('POST', 'traces/batch', {
      traces: [row('late', '2026-05-01T10:00:09Z'), row('early', '2026-05-01T10:00:01Z')],
    });
    expect((await read(`traces/${id}`))['name']).to.equal('late');
    await accept('POST', 'traces/batch', { traces: [row('first'), row('second')] });
    expect((await read(`traces/${id}`))['name']).to.equal('second');
  });

  it('are refused one by one where they are there as a whole, or in another project', async () => {
    const [id, spanId, trace_id] = [v7(), v7(), v7()];
    const [project_name, other] = [freshName('project'), freshName('project')];
    await accept('POST', 'traces', { id, project_name, start_time }, 201);
    await accept('POST', 'spans', { id: spanId, project_name, trace_id, start_time }, 201);

    const again = await ask('POST', 'traces', { id, project_name, start_time });
    expect([again.status, (JSON.parse(again.text) as Json)['errors']]).to.deep.equal([
      409,
      ['Trace already exists'],
    ]);
    for (const [method, path, body] of [
      ['POST', 'traces', { id, project_name: other, start_time }],
      ['PATCH', `traces/${id}`, { project_name: other, name: 'x' }],
      ['POST', 'spans', { id: spanId, project_name, trace_id, start_time }],
      ['PATCH', `spans/${spanId}`, { project_name, trace_id: v7() }],
      ['PATCH', `spans/${spanId}`, { project_name, trace_id, parent_span_id: v7() }],
      ['PATCH', `spans/${spanId}`, { project_name: other, trace_id }],
    ] as const)
      expect((await ask(method, path, body)).status, `${method} ${path}`).to.equal(409);
    expect((await ask('PATCH', `spans/${spanId}`, { project_name })).status).to.equal(400);
    await accept('PATCH', `spans/${spanId}`, { project_name, trace_id, output: { ok: true } });
    expect(await read(`spans/${spanId}`)).to.deep.include({ output: { ok: true }, start_time });
  });

  it('add and remove tags, up to fifty', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const tags = Array.from({ length: 49 }, (_, n) => `t${n}`);
    await accept('POST', 'traces', { id, project_name, start_time, tags }, 201);
    await accept('PATCH', `traces/${id}`, {
      project_name,
      tags_to_add: ['new'],
      tags_to_remove: ['t0'],
    });
    expect((await read(`traces/${id}`))['tags']).to.deep.equal([...tags.slice(1), 'new']);
    const most = await ask('PATCH', `traces/${id}`, { project_name, tags_to_add: ['x', 'y', 'z'] });
    expect(most.status).to.equal(422);
  });

  it('take ids of version 7 alone, and store nothing of a batch with another', async () => {
    const project_name = freshName('project');
    const { status, text } = await ask('POST', 'traces/batch', {
      traces: [
        { id: v7(), project_name, start_time },
        { id: v4(), project_name, start_time },
      ],
    });

    expect([status, (JSON.parse(text) as Json)['message']]).to.deep.equal([
      400,
      'trace id must be a version 7 UUID',
    ]);
    expect(await search('traces', { project_name })).to.deep.equal([]);
  });

  it('are streamed behind a cursor without a hole, and an unknown project is empty or absent', async () => {
    const project_name = freshName('project');
    const ids = Array.from({ length: 450 }, () => v7())
      .sort()
      .reverse();
    await accept('POST', 'traces/batch', {
      traces: ids.map((id) => ({ id, project_name, start_time })),
    });
    const seen: unknown[] = [];
    for (let after: unknown = null; ; after = seen.at(-1)) {
      const page = await search('traces', {
        project_name: ` ${project_name.toUpperCase()} `,
        ...{ project_id: null, filters: null, exclude: null },
        ...{ limit: 200, last_retrieved_id: after },
      });
      seen.push(...page.map((row) => row['id']));
      if (page.length < 200) break;
    }

    expect(seen).to.deep.equal(ids);
    expect(await search('traces', { project_name: freshName() })).to.deep.equal([]);
    expect((await ask('POST', 'traces/search', { project_id: v7() })).status).to.equal(404);
    expect((await ask('POST', 'traces/search', {})).status).to.equal(400);
    expect((await ask('POST', 'spans/search', { project_name, limit: 2001 })).status).to.equal(422);
  });

  it('cut long members where they are asked to, and give them whole by the id', async () => {
    const [id, project_name] = [v7(), freshName('project')];
    const input = { text: 'é'.repeat(20_000) };
    await accept('POST', 'traces', { id, project_name, start_time, input }, 201);

    const [cut] = await search('traces', { project_name });
    expect(cut?.['input']).to.equal(JSON.stringify(input).slice(0, 10_001));
    expect(await search('traces', { project_name, truncate: false })).to.have.nested.property(
      '0.input.text',
      input.text,
    );
    expect((await read(`traces/${id}`))['input']).to.deep.equal(input);
  });

  it('are gone with their trace, and stay where an id is of nothing', async () => {
    const [id, spanId, project_name] = [v7(), v7(), freshName('project')];
    await accept('POST', 'traces', { id, project_name, start_time }, 201);
    await accept('POST', 'spans', { id: spanId, trace_id: id, project_name, start_time }, 201);
    await accept('POST', 'traces/delete', { ids: [v7(), id] });

    expect((await ask('GET', `traces/${id}`)).status).to.equal(404);
    expect((await ask('GET', `spans/${spanId}`)).status).to.equal(404);
    expect((await ask('POST', 'traces/delete', { ids: [] })).status).to.equal(422);
  });

  it('are asked for by SDKs that wait, without a key', async () => {
    const alive = await fetch(`${server.url}/opik/api/is-alive/ping`);
    const version = await fetch(`${server.url}/api/is-alive/ver`);

    expect(await alive.json()).to.deep.equal({ message: 'Healthy Server', healthy: true });
    const [major = 0, minor = 0, patch = 0] = (
      (await version.json()) as { version: string }
    ).version
      .split('.')
      .map(Number);
    expect(major * 1e6 + minor * 1e3 + patch).to.be.at.least(2_002_008); // below it, one SDK sends items one after another
  });
});
