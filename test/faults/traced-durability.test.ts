// The same of traces, spans and their scores: writers that resend what was not answered, a server that is killed at random, alone and with its database.
import { setTimeout as wait } from 'node:timers/promises';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { makeDatabase } from '#test/servers/databases';
import { findServer, type MissingServer } from '#test/servers/servers';
import { callJson, mortalServer, type MortalServer } from './server.js';

const rounds = process.env['ORRERY_TEST_ALL'] === '1' ? 12 : 4;
const writers = 6;
const spansOfTrace = 20;
const project = { project_name: 'kills' };

/** Ids of version 7, each of one writer and turn. */
const idOf = (writer: number, turn: number, at: number): string =>
  `01930000-00${String(writer).padStart(2, '0')}-7${String(turn % 1000).padStart(3, '0')}-8000-${String(turn * 1000 + at).padStart(12, '0')}`;
/** Long enough to be packed on a thread of its own. */
const body = (writer: number, turn: number, at: number) => ({
  text: `${writer}.${turn}.${at} é `.padEnd(4000, `word ${writer * 7 + turn * 3 + at} `),
});

/** What was answered with success of one trace. */
interface Acknowledged {
  readonly writer: number;
  readonly turn: number;
  begun: boolean;
  spans: boolean;
  ended: boolean;
  scored: boolean;
}

/** Sends until it is answered with success; every other answer, and none, means once more. */
const insist = async (send: () => Promise<Response>, over: () => boolean): Promise<boolean> => {
  while (!over()) {
    const reply = await send().catch(() => undefined);
    await reply?.arrayBuffer().catch(() => undefined);
    if (reply?.ok === true) return true;
    await wait(50);
  }
  return false;
};

const write = async (
  server: MortalServer,
  writer: number,
  written: Acknowledged[],
  over: () => boolean,
): Promise<void> => {
  const send = (method: string, path: string, sent: unknown) =>
    insist(
      () =>
        fetch(server.url + path, {
          method,
          headers: { authorization: server.key, 'content-type': 'application/json' },
          body: JSON.stringify(sent),
        }),
      over,
    );
  for (let turn = 0; !over(); turn++) {
    const id = idOf(writer, turn, 0);
    const one: Acknowledged = {
      ...{ writer, turn, begun: false, spans: false, ended: false, scored: false },
    };
    written.push(one);
    const begun = { ...project, id, name: `trace ${turn}`, start_time: '2026-01-01T00:00:00Z' };
    one.begun = await send('POST', '/v1/private/traces/batch', {
      traces: [{ ...begun, input: body(writer, turn, 0), last_updated_at: '2026-01-01T00:00:01Z' }],
    });
    one.spans = await send('POST', '/v1/private/spans/batch', {
      spans: Array.from({ length: spansOfTrace }, (_, at) => ({
        ...{ ...project, id: idOf(writer, turn, at + 1), trace_id: id, name: `step ${at}` },
        start_time: '2026-01-01T00:00:00Z',
        input: body(writer, turn, at),
        output: body(writer, turn, at + 500),
      })),
    });
    one.ended = await send('PATCH', `/v1/private/traces/${id}`, {
      ...{ ...project, output: body(writer, turn, 999), end_time: '2026-01-01T00:00:09Z' },
    });
    one.scored = await send('PUT', '/v1/private/traces/feedback-scores', {
      scores: [{ ...project, id, name: 'good', value: turn, source: 'sdk' }],
    });
  }
};

interface ShownTrace {
  readonly input?: unknown;
  readonly output?: unknown;
  readonly end_time?: string;
  readonly feedback_scores?: readonly { readonly name: string; readonly value: number }[];
}
interface ShownSpan {
  readonly id: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

const verify = async (server: MortalServer, one: Acknowledged): Promise<void> => {
  const { writer, turn } = one;
  const id = idOf(writer, turn, 0);
  const what = `trace ${turn} of writer ${writer}`;
  const { body: found, status } = await callJson(server, `/v1/private/traces/${id}`);
  const trace = found as ShownTrace; // the row's reply
  if (one.begun) {
    expect(status, what).to.equal(200);
    expect(trace.input, what).to.deep.equal(body(writer, turn, 0));
  }
  if (one.ended) {
    expect(trace.output, what).to.deep.equal(body(writer, turn, 999));
    expect(trace.end_time, what).to.equal('2026-01-01T00:00:09.000000Z');
  }
  if (one.scored)
    expect(trace.feedback_scores?.map(({ name, value }) => [name, value])).to.deep.equal([
      ['good', turn],
    ]);
  const { body: page } = await callJson(
    server,
    `/v1/private/spans?project_name=kills&trace_id=${id}&size=100`,
  );
  const spans = [...((page['content'] ?? []) as ShownSpan[])].sort((some, other) =>
    some.id < other.id ? -1 : 1,
  );
  // All of a batch or none.
  if (one.spans || spans.length > 0)
    expect(
      spans.map((span) => [span.id, span.input, span.output]),
      what,
    ).to.deep.equal(
      Array.from({ length: spansOfTrace }, (_, at) => [
        ...[idOf(writer, turn, at + 1), body(writer, turn, at), body(writer, turn, at + 500)],
      ]),
    );
};

/** A server of each database; one that is not embedded stays while the server is killed. */
const openMortal = async (
  storage: 'embedded' | 'postgres' | 'mysql',
): Promise<(MortalServer & { readonly remove: () => Promise<void> }) | MissingServer> => {
  if (storage === 'embedded') return { ...(await mortalServer()), remove: () => Promise.resolve() };
  const found = await findServer(storage);
  if ('missing' in found) return found;
  const database = await makeDatabase(found.url);
  const server = await mortalServer({
    ORRERY_STORAGE: storage,
    [`ORRERY_${storage.toUpperCase()}_URL`]: database.url,
  });
  return { ...server, remove: database.remove };
};

for (const [storage, kills] of [
  ['embedded', rounds],
  ['postgres', rounds / 2],
  ['mysql', rounds / 2],
] as const)
  describe(`durability of traces on ${storage} storage`, function () {
    this.timeout(600_000);
    let opened: Awaited<ReturnType<typeof openMortal>>;
    before(async () => {
      opened = await openMortal(storage);
      if (!('missing' in opened)) await opened.start();
    });
    after(async () => {
      if ('missing' in opened) return;
      await opened.destroy();
      await opened.remove();
    });

    it(`keeps traces, spans and scores that were acknowledged, whole and once, over ${kills} kills of the server, ${storage === 'embedded' ? 'alone and with its database' : 'which finds its database as it was'}`, async function () {
      if ('missing' in opened) return pendingUnlessAll(this, opened.missing);
      const server = opened;
      const written: Acknowledged[] = [];
      let over = false;
      const writing = Array.from({ length: writers }, (_, writer) =>
        write(server, writer, written, () => over),
      );

      for (let round = 0; round < kills; round++) {
        await wait(400 + Math.random() * 1200);
        await server.kill(round % 2 === 1);
        await server.start();
      }
      await wait(500);
      over = true;
      await Promise.all(writing);

      for (const one of written) await verify(server, one);
      const { body: all } = await callJson(server, '/v1/private/spans/stats?project_name=kills');
      const count = (all['stats'] as { name: string; value: unknown }[]).find(
        ({ name }) => name === 'span_count',
      );
      expect(count?.value).to.be.oneOf(
        // What was not acknowledged may be there, too: the last batch of each writer.
        Array.from(
          { length: writers + 1 },
          (_, more) => (written.filter(({ spans }) => spans).length + more) * spansOfTrace,
        ),
      );
      expect(written.filter(({ scored }) => scored).length).to.be.greaterThan(kills);
    });
  });
