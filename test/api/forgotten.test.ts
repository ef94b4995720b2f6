// No route is forgotten: whatever the running server says that it serves refuses who shows no credential, unless it is listed with its reason.
import { expect } from 'chai';
import { toggleRows, toggleVariable } from '#config/toggles';
import { anonymousOperations, claimPages } from '#plugins/anonymous-mode/rows';
import type { Family } from '#ports/api/families/family';
import { pageFamily } from '#ports/api/families/page';
import { numberOf, trackingFamily } from '#ports/api/families/tracking';
import type { Operation } from '#ports/api/operation';
import { startServer, type StartedServer } from '#test/clients/server';
import { allFixtures } from './all-fixtures.js';
import { fixedRows, rowFixture } from './fixtures.js';
import { pathsOf, rows } from './rows.js';
import { send, type Answer, type Input } from './sending.js';

interface Served {
  readonly method: string;
  readonly path: string;
}

const listed: Readonly<Record<string, string>> = Object.fromEntries(
  fixedRows(allFixtures).flatMap(([id, { open }]) => (open === undefined ? [] : [[id, open]])),
);
const isInsteadOfPlugin = (id: string): boolean =>
  rowFixture(allFixtures, id).insteadOfPlugin === true;
interface Row {
  readonly id: string;
  readonly family: Family;
  readonly operation: Operation;
}
const rowsOf = (table: Readonly<Record<string, Operation>>, family: Family): readonly Row[] =>
  Object.entries(table).map(([id, operation]) => ({ id, family, operation }));
const known: readonly Row[] = [
  ...rows.filter(({ id }) => !isInsteadOfPlugin(id)),
  ...rowsOf(anonymousOperations, trackingFamily),
  ...rowsOf(claimPages, pageFamily),
];
const idOf = ({ method, path }: Served): string | undefined =>
  known.find(({ operation }) => operation.method === method && pathsOf(operation).includes(path))
    ?.id;

/** Nothing but what leads past the reading of a body. */
const inputOf = (method: string, operation?: Operation): Input => ({
  query: {},
  params: {},
  ...(operation?.body !== undefined && 'multipart' in operation.body
    ? { parts: [{ name: 'file', fileName: 'a', content: 'a' }], lead: {} }
    : method === 'GET'
      ? {}
      : { body: {}, form: operation?.body !== undefined && 'form' in operation.body }),
});
/** Whether that is the refusal of who is not known: the usual one, the row's own, or of a page the way to sign-in. */
const isRefused = ({ status, headers, text }: Answer, row?: Row): boolean => {
  const { status: own = row?.family === pageFamily ? 303 : 401, reason } =
    row?.operation.wire?.refusals?.unauthenticated ?? {};
  if (status !== own) return false;
  if (own === 303)
    return new URL(headers.get('location') ?? '', 'http://own.invalid').pathname === '/login';
  return (
    own === 401 ||
    own === 403 ||
    (reason !== undefined &&
      (JSON.parse(text) as { readonly sdk_error_code?: unknown }).sdk_error_code ===
        numberOf(reason))
  ); // a refusal of that wire
};

describe('without a credential', () => {
  let server: StartedServer;
  let served: readonly Served[];

  before('start a server on which everything is on', async () => {
    const toggles = Object.fromEntries(
      Object.keys(toggleRows).map((name) => [toggleVariable(name), 'on']),
    );
    const started = await startServer({
      storage: 'embedded',
      env: { ...toggles, SWAGGER_ENABLED: '1', ORRERY_SIGN_UP: 'on', ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    const { paths } = (await (await fetch(`${server.url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
    }; // checked by the test of that document
    served = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
    );
  });
  after(() => server?.stop());

  it('every route refuses, but those that are listed', async () => {
    const strays: string[] = [];
    for (const { method, path } of served) {
      const id = idOf({ method, path });
      if (id !== undefined && id in listed) continue;
      const row = known.find((one) => one.id === id);
      const answer = await send(server.url, method, path, inputOf(method, row?.operation));
      if (!isRefused(answer, row))
        strays.push(
          `${method} ${path} (${id ?? 'of no known row'}) answers ${answer.status} ${answer.text.slice(0, 100)}`,
        );
    }
    expect(strays).to.deep.equal([]);
    expect(served.length).to.be.greaterThan(300);
  });

  it('every route that is listed is there, and every row is a route', () => {
    const there = new Set(served.flatMap((one) => idOf(one) ?? []));

    expect(
      Object.keys(listed).filter((id) => !there.has(id) && !isInsteadOfPlugin(id)),
    ).to.deep.equal([]);
    expect(known.filter(({ id }) => !there.has(id)).map(({ id }) => id)).to.deep.equal([]);
    expect(served.filter((one) => idOf(one) === undefined)).to.deep.equal([]);
  });

  it('each of those has its reason', () => {
    for (const [id, reason] of Object.entries(listed)) expect(reason, id).to.match(/\w+ \w+/);
  });
});
