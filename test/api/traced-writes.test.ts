// Writes of one run in any order, repeated and at once, on each database: the same rows come of them.
import { expect } from 'chai';
import fc from 'fast-check';
import { pendingUnlessAll } from '#test/pending';
import { startServer, triedStorages, type StartedServer } from '#test/clients/server';

type Members = Readonly<Record<string, unknown>>;
interface Write {
  readonly method: 'POST' | 'PATCH' | 'PUT';
  readonly path: string;
  readonly body: Members;
}

let made = 0;
/** Ids that no other case has. */
const idStart = '01930000-0000-7000-8000-';
const freshId = (): string => {
  made += 1;
  return `${idStart}${String(made).padStart(12, '0')}`;
};
const instant = (ms: number): string => new Date(1_700_000_000_000 + ms).toISOString();
const project = { project_name: 'orders' };

/** What the decorator of the Python SDK sends of a call: how it began, and the whole of it at its end. */
const decorated = (kind: 'traces' | 'spans', beside: Members): readonly Write[] => {
  const id = freshId();
  const begun = {
    ...project,
    ...beside,
    id,
    name: 'call',
    start_time: instant(0),
    input: { n: 1 },
  };
  const sent = (one: Members): Write => ({
    method: 'POST',
    path: `/v1/private/${kind}/batch`,
    body: { [kind]: [one] },
  });
  return [
    sent({ ...begun, last_updated_at: instant(1) }),
    sent({
      ...begun,
      output: { big: 1.5 },
      end_time: instant(7),
      tags: ['a'],
      last_updated_at: instant(8),
    }),
  ];
};

/** What its client object sends: a create, which updates may overtake. */
const updated = (kind: 'traces' | 'spans', beside: Members): readonly Write[] => {
  const id = freshId();
  return [
    {
      method: 'POST',
      path: `/v1/private/${kind}/batch`,
      body: {
        [kind]: [
          {
            ...{ ...project, ...beside, id, name: 'client', start_time: instant(3) },
            ...{ input: 'in', last_updated_at: instant(4) },
          },
        ],
      },
    },
    {
      method: 'PATCH',
      path: `/v1/private/${kind}/${id}`,
      body: { ...project, ...beside, output: [1, 2], end_time: instant(9) },
    },
    {
      method: 'PATCH',
      path: `/v1/private/${kind}/${id}`,
      body: { ...project, ...beside, metadata: { k: 'v' } },
    },
  ];
};

const idOf = ([first]: readonly Write[], kind: 'traces' | 'spans'): string => {
  const [one] = first?.body[kind] as readonly { readonly id: string }[]; // as they are made above
  return one?.id ?? '';
};

/** What is said of a trace and of a span of it, which may be said before they come: each once, since the last one of a name stays. */
const judged = (traceId: string, spanId: string): readonly Write[] => {
  const score = (id: string, name: string, value: number): Members => ({
    ...{ ...project, id, name, value, source: 'sdk', reason: `as ${name}` },
  });
  const put = (path: string, scores: readonly Members[]): Write => ({
    ...{ method: 'PUT', path: `/v1/private/${path}`, body: { scores } },
  });
  return [
    put('traces/feedback-scores', [score(traceId, 'good', 0.1), score(traceId, 'brief', 1)]),
    put('traces/feedback-scores', [score(traceId, 'kind', -1.5)]),
    put('spans/feedback-scores', [score(spanId, 'fast', 0.25)]),
    {
      method: 'POST',
      path: '/v1/private/guardrails',
      body: {
        guardrails: [
          {
            ...{ ...project, entity_id: traceId, secondary_id: spanId, name: 'PII' },
            ...{ result: 'failed', config: {}, details: {} },
          },
        ],
      },
    },
  ];
};

const makeRun = (): readonly Write[] => {
  const ofTrace = { trace_id: freshId() };
  const [traces, spans] = [decorated('traces', {}), decorated('spans', ofTrace)];
  return [
    ...traces,
    ...updated('traces', {}),
    ...spans,
    ...updated('spans', ofTrace),
    ...judged(idOf(traces, 'traces'), idOf(spans, 'spans')),
  ];
};

/** The ids of a run by their order, which are others in every run, and nothing of when the server was told what. */
const comparable = (rows: readonly Members[]): readonly unknown[] => {
  const ids = new Map<string, string>();
  return JSON.parse(JSON.stringify(rows), (name, value: unknown) => {
    if (name === 'created_at' || name === 'last_updated_at') return undefined;
    if (typeof value !== 'string' || !value.startsWith(idStart)) return value;
    const known = ids.get(value) ?? `id ${ids.size}`;
    ids.set(value, known);
    return known;
  }) as readonly unknown[]; // as it was before
};

for (const storage of triedStorages)
  describe(`writes of traces and spans on ${storage} storage`, () => {
    let server: StartedServer | undefined;
    let missing: string | undefined;
    before('start a server', async () => {
      const started = await startServer({ storage });
      if ('missing' in started) missing = started.missing;
      else server = started;
    });
    after(() => server?.stop());

    const ask = (method: string, path: string, body?: unknown): Promise<Response> =>
      fetch((server?.url ?? '') + path, {
        method,
        headers: { Authorization: server?.apiKey ?? '', 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const idsOf = (run: readonly Write[], kind: string): readonly string[] => [
      ...new Set(
        run.flatMap(({ path, body }) => {
          const [first] = (body[kind] ?? []) as readonly { readonly id: string }[]; // as they are made above
          return path.startsWith(`/v1/private/${kind}/`) && first !== undefined ? [first.id] : [];
        }),
      ),
    ];
    const rowsOf = async (run: readonly Write[]): Promise<readonly unknown[]> => {
      const rows: Members[] = [];
      for (const kind of ['traces', 'spans'])
        for (const id of idsOf(run, kind))
          rows.push((await (await ask('GET', `/v1/private/${kind}/${id}`)).json()) as Members);
      return comparable(rows);
    };

    it('come to the same rows in any order, however often they are sent, and at once', async function () {
      if (server === undefined) return pendingUnlessAll(this, missing ?? 'no server');
      this.timeout(120_000);
      const plain = makeRun();
      for (const { method, path, body } of plain) await ask(method, path, body);
      const expected = await rowsOf(plain);
      expect(expected).to.have.length(4);
      expect(JSON.stringify(expected)).to.match(/"kind".*"PII".*"fast"/);

      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.nat(), { minLength: 30, maxLength: 30 }),
          fc.boolean(),
          async (picks, together) => {
            const run = makeRun();
            const writes = [...run, ...picks.slice(0, 6).map((n) => run[n % run.length]!)]
              .map((write, at) => ({ write, at: picks[6 + (at % 24)] ?? 0 }))
              .sort((one, other) => one.at - other.at)
              .map(({ write }) => write);
            const send = async ({ method, path, body }: Write): Promise<number> => {
              const reply = await ask(method, path, body);
              await reply.arrayBuffer();
              return reply.status;
            };
            const statuses = together ? await Promise.all(writes.map(send)) : [];
            if (!together) for (const write of writes) statuses.push(await send(write));

            expect([...new Set(statuses)]).to.deep.equal([204]);
            expect(await rowsOf(run)).to.deep.equal(expected);
          },
        ),
        { numRuns: 25 },
      );
    });
  });
