// Writes of one run in any order, repeated and at once: the same rows come of them.
import { expect } from 'chai';
import fc from 'fast-check';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';

type Members = Readonly<Record<string, unknown>>;
interface Write {
  readonly method: 'POST' | 'PATCH';
  readonly path: string;
  readonly body: Members;
}

let made = 0;
/** Ids that no other case has. */
const freshId = (): string => {
  made += 1;
  return `01930000-0000-7000-8000-${String(made).padStart(12, '0')}`;
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

const makeRun = (): readonly Write[] => {
  const traceId = freshId();
  const ofTrace = { trace_id: traceId };
  return [
    ...decorated('traces', {}),
    ...updated('traces', {}),
    ...decorated('spans', ofTrace),
    ...updated('spans', ofTrace),
  ];
};

describe('writes of traces and spans', () => {
  let server: StartedServer;
  before('start a server', async function () {
    const started = await startServer({ storage: 'embedded' });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
  });
  after(() => server?.stop());

  const ask = (method: string, path: string, body?: unknown): Promise<Response> =>
    fetch(server.url + path, {
      method,
      headers: { Authorization: server.apiKey, 'Content-Type': 'application/json' },
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
  /** The rows of a run without what tells one run from another. */
  const rowsOf = async (run: readonly Write[]): Promise<readonly unknown[]> => {
    const rows: unknown[] = [];
    for (const kind of ['traces', 'spans'])
      for (const id of idsOf(run, kind)) {
        const row = (await (await ask('GET', `/v1/private/${kind}/${id}`)).json()) as Members;
        const { id: _, trace_id: __, created_at: ___, last_updated_at: ____, ...rest } = row;
        rows.push(rest);
      }
    return rows;
  };

  it('come to the same rows in any order, however often they are sent, and at once', async function () {
    this.timeout(120_000);
    const plain = makeRun();
    for (const { method, path, body } of plain) await ask(method, path, body);
    const expected = await rowsOf(plain);
    expect(expected).to.have.length(4);

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
          const send = async ({ method, path, body }: Write): Promise<number> =>
            (await ask(method, path, body)).status;
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
