// Traces and spans as nobody means to send them: parents in a circle, clocks that are wrong, very many spans, and readers that leave.
import { expect } from 'chai';
import { request } from 'node:http';
import { v7 } from 'uuid';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

const start_time = '2026-05-01T10:00:00.000000Z';

describe('traces and spans that are odd', function () {
  this.timeout(240_000);
  const { ask, read, send, lines, server } = privateClient();
  const accept = (path: string, body: Json, expected = 204) => send('POST', path, body, expected);
  const search = (path: string, body: Json) => lines(`${path}/search`, body);

  it('keep parents that go in a circle, or are not there, as they were sent', async () => {
    const [trace_id, project_name] = [v7(), freshName('project')];
    const [a, b, own, orphan, absent] = [v7(), v7(), v7(), v7(), v7()];
    const parents = { [a]: b, [b]: a, [own]: own, [orphan]: absent };
    await accept('traces', { id: trace_id, project_name, start_time }, 201);
    await accept('spans/batch', {
      spans: Object.entries(parents).map(([id, parent_span_id]) => ({
        ...{ id, trace_id, project_name, start_time, parent_span_id },
      })),
    });

    const stored = await search('spans', { project_name, trace_id });
    expect(
      Object.fromEntries(stored.map((one) => [one['id'], one['parent_span_id']])),
    ).to.deep.equal(parents);
    expect(await read(`traces/${trace_id}`)).to.include({ span_count: 4 });
    await accept('traces/delete', { ids: [trace_id] });
    expect(await search('spans', { project_name })).to.deep.equal([]);
  });

  it('of one id that are sent to two projects at once are there once where they were taken, and nowhere else', async () => {
    const projects = [freshName('project'), freshName('project')];
    for (const [kind, more] of [
      ['traces', {}],
      ['spans', { trace_id: v7() }],
    ] as const) {
      const id = v7();
      const replies = await Promise.all(
        Array.from({ length: 8 }, async (_, at) => {
          const project_name = projects[at % 2] ?? '';
          const { status } = await ask('POST', kind, { id, project_name, start_time, ...more });
          return { status, project_name };
        }),
      );

      expect([...new Set(replies.map(({ status }) => status))].sort()).to.deep.equal([201, 409]);
      for (const project_name of projects) {
        const taken = replies.filter((one) => one.project_name === project_name);
        const stored = await search(kind, { project_name }).catch(() => []);
        expect(
          stored.map((one) => one['id']),
          `${kind} ${JSON.stringify(replies)}`,
        ).to.deep.equal(taken.some(({ status }) => status === 201) ? [id] : []);
        expect(taken.filter(({ status }) => status === 201).length).to.be.at.most(1);
      }
    }
  });

  it('are stored, sorted and counted whatever their clocks say', async () => {
    const project_name = freshName('project');
    const times = ['1970-01-01T00:00:00.000000Z', start_time, '2100-12-31T23:59:59.999999Z'];
    const traces = times.map((time, at) => ({
      ...{ project_name, start_time: time, end_time: times[times.length - 1 - at] },
      id: v7({ msecs: Math.max(0, Date.parse(time)) }),
      name: `n${at}`,
    }));
    await accept('traces/batch', { traces });

    const page = async (query: Json) => {
      const asked = new URLSearchParams({ project_name, ...query });
      const { content, total } = await read(`traces?${asked}`);
      return { names: (content as readonly Json[]).map((one) => one['name']), total };
    };
    const sorting = JSON.stringify([{ field: 'start_time', direction: 'DESC' }]);
    expect(await page({ sorting })).to.deep.equal({ names: ['n2', 'n1', 'n0'], total: 3 });
    expect(await page({ from_time: '2099-01-01T00:00:00Z' })).to.deep.equal({
      names: ['n2'],
      total: 1,
    });
    expect(await page({ to_time: '1970-01-02T00:00:00Z' })).to.deep.equal({
      names: ['n0'],
      total: 1,
    });
    const [first] = traces;
    expect(await read(`traces/${String(first?.id)}`)).to.include({
      start_time: times[0],
      end_time: times[2],
    });
    const { stats } = await read(`traces/stats?${new URLSearchParams({ project_name })}`);
    expect((stats as readonly Json[])[0]).to.include({ name: 'trace_count', value: 3 });
  });

  it('leave nothing behind of readers that go in the middle of a stream', async () => {
    const project_name = freshName('project');
    const ids = Array.from({ length: 400 }, () => v7());
    const output = { text: 'x'.repeat(9000) };
    for (let at = 0; at < ids.length; at += 100)
      await accept('traces/batch', {
        traces: ids.slice(at, at + 100).map((id) => ({ id, project_name, start_time, output })),
      });
    const body = JSON.stringify({ project_name, limit: 400, truncate: false });
    const leave = () =>
      new Promise<number>((resolve, reject) => {
        const asked = request(
          `${server().url}/api/v1/private/traces/search`,
          {
            method: 'POST',
            headers: { Authorization: server().apiKey, 'Content-Type': 'application/json' },
          },
          (reply) => {
            reply.once('data', (piece: Buffer) => {
              reply.destroy();
              resolve(piece.length);
            });
          },
        );
        asked.on('error', reject);
        asked.end(body);
      });

    // Many more than there are connections to the database.
    for (let turn = 0; turn < 5; turn++) {
      const lengths = await Promise.all(Array.from({ length: 20 }, leave));
      expect(Math.min(...lengths)).to.be.above(0);
    }

    const whole = await search('traces', { project_name, limit: 400, truncate: false });
    expect(whole.map((one) => one['id']).sort()).to.deep.equal([...ids].sort());
    expect(whole[0]?.['output']).to.deep.equal(output);
  });

  it('are a hundred thousand spans of one trace: stored once each, counted, streamed and removed', async () => {
    const [trace_id, project_name] = [v7(), freshName('project')];
    const ids = Array.from({ length: 100_000 }, () => v7());
    await accept('traces', { id: trace_id, project_name, start_time }, 201);
    const log = (from: number) =>
      accept('spans/batch', {
        spans: ids.slice(from, from + 1000).map((id) => ({
          ...{ id, trace_id, project_name, start_time, name: 'step', type: 'general' },
          parent_span_id: id === ids[0] ? undefined : ids[0],
        })),
      });
    for (let from = 0; from < ids.length; from += 4000)
      await Promise.all([0, 1000, 2000, 3000].map((more) => log(from + more)));
    await log(0); // once more

    expect(await read(`traces/${trace_id}`)).to.include({ span_count: 100_000 });
    const seen = new Set<unknown>();
    for (let after: unknown = undefined; ;) {
      const page = await search('spans', {
        ...{ project_name, trace_id, limit: 2000 },
        ...(after === undefined ? {} : { last_retrieved_id: after }),
      });
      for (const one of page) seen.add(one['id']);
      if (page.length < 2000) break;
      after = page.at(-1)?.['id'];
    }
    expect(seen.size).to.equal(ids.length);

    await accept('traces/delete', { ids: [trace_id] });
    expect((await ask('GET', `traces/${trace_id}`)).status).to.equal(404);
    expect(await search('spans', { project_name, trace_id })).to.deep.equal([]);
  });
});
