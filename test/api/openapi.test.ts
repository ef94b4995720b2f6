// The description of the API: whole, well formed, and about every row and mount path.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { isRestricted, pathsOf, rows } from './rows.js';

type Json = Readonly<Record<string, unknown>>;
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters: readonly {
    readonly name: string;
    readonly in: string;
    readonly required: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<Record<string, { readonly schema?: object }>>;
  };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
      }
    >
  >;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly securitySchemes: Json; readonly schemas: Json };
}

const ownWords = ['lenient', 'shown', 'envelope', 'literals', 'absentAsNull'];

describe('the description of the API', () => {
  let server: StartedServer;
  let document: Document;

  before('start a server', async function () {
    const started = await startServer({
      storage: 'embedded',
      env: { SWAGGER_ENABLED: '1', ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) return pendingUnlessAll(this, started.missing);
    server = started;
    document = (await (await fetch(`${server.url}/openapi.json`)).json()) as Document; // what this file tests
  });
  after(() => server?.stop());

  const every = (): readonly (readonly [string, string, Described])[] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, one]) => [path, method, one] as const),
    );
  /** Every object of the document with the keys that lead to it. */
  const walk = function* (
    value: unknown,
    at: readonly string[] = [],
  ): Generator<readonly [readonly string[], Json]> {
    if (typeof value !== 'object' || value === null) return;
    if (!Array.isArray(value)) yield [at, value as Json]; // an object that is no list
    for (const [name, inner] of Object.entries(value)) yield* walk(inner, [...at, name]);
  };

  it('is OpenAPI 3.1 and says whose it is and where', () => {
    expect(document.openapi).to.match(/^3\.1\.\d+$/);
    expect(document.info.title).to.equal('Orrery');
    expect(document.info.version).to.match(/^\d+\.\d+\.\d+$/);
    expect(document.servers).to.deep.equal([{ url: server.url }]);
    expect(Object.keys(document.components.securitySchemes)).to.not.deep.equal([]);
  });

  it('holds every row under each of its paths, and nothing else', () => {
    const served = rows.flatMap(({ operation }) =>
      pathsOf(operation).map((path) => `${operation.method.toLowerCase()} ${path}`),
    );
    expect(
      every()
        .map(([path, method]) => `${method} ${path}`)
        .sort(),
    ).to.deep.equal([...served].sort());
  });

  it('tells of every status that the server answers by itself', async () => {
    for (const [path, method, { responses }] of every())
      expect(Object.keys(responses), `${method} ${path}`).to.include.members(['408', '431']);
    const refused = await fetch(`${server.url}/api/auth/sign-in`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'nobody', password: 'wrong' }),
    });
    expect(refused.status).to.equal(401);
    expect(document.paths['/api/auth/sign-in']?.['post']?.responses).to.have.property('401');
    expect(
      (await fetch(`${server.url}/health/live`, { headers: { 'X-Long': 'x'.repeat(40_000) } }))
        .status,
    ).to.equal(431);
  });

  it('names each operation once, in words a program can use', () => {
    const ids = every().map(([, , one]) => one.operationId);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i || !/^[A-Za-z]\w*$/.test(id))).to.deep.equal(
      [],
    );
  });

  it('has a parameter for each name in a path, and each only once', () => {
    for (const [path, method, { parameters }] of every()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        parameters
          .filter((one) => one.in === 'path')
          .map((one) => one.name)
          .sort(),
        `${method} ${path}`,
      ).to.deep.equal([...named].sort());
      expect(
        parameters.every((one) => one.in === 'query' || (one.in === 'path' && one.required)),
        path,
      ).to.equal(true);
      const keys = parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(keys).size, path).to.equal(keys.length);
    }
  });

  it('gives every operation a summary, an area and what it answers, success and refusal', () => {
    for (const [path, method, one] of every()) {
      expect([one.summary.length > 2, one.tags.length], `${method} ${path}`).to.deep.equal([
        true,
        1,
      ]);
      expect(
        Object.keys(one.responses).every((status) => /^[2-5]\d\d$/.test(status)),
        path,
      ).to.equal(true);
      expect(
        Object.keys(one.responses).some((status) => status < '400'),
        path,
      ).to.equal(true);
      for (const reply of Object.values(one.responses))
        expect(reply.description, path).to.be.a('string').and.not.equal('');
    }
  });

  it('says of public operations that they need no key, and of no others', () => {
    const open = new Set(
      rows
        .filter(({ operation }) => !isRestricted(operation))
        .flatMap(({ operation }) =>
          pathsOf(operation).map((path) => `${operation.method.toLowerCase()} ${path}`),
        ),
    );
    for (const [path, method, one] of every())
      expect(one.security !== undefined && one.security.length === 0, `${method} ${path}`).to.equal(
        open.has(`${method} ${path}`),
      );
  });

  it('refers only to what it holds', () => {
    for (const [at, value] of walk(document)) {
      if (typeof value['$ref'] !== 'string') continue;
      const found = value['$ref']
        .split('/')
        .slice(1)
        .reduce<unknown>((inside, name) => (inside as Json | undefined)?.[name], document); // any object can be read by name
      expect(found, at.join('.')).to.be.an('object');
    }
  });

  it('has schemas of JSON Schema 2020-12, without words of our own', () => {
    const ajv = new Ajv2020({
      strict: false,
      formats: { int64: true, binary: true },
      code: { optimize: false },
    });
    const schemas: object[] = [];
    for (const [path, , one] of every()) {
      const bodies = [
        ...Object.values(one.requestBody?.content ?? {}),
        ...Object.values(one.responses).flatMap((reply) => Object.values(reply.content ?? {})),
      ].flatMap(({ schema }) => schema ?? []);
      for (const schema of [...bodies, ...one.parameters.map((parameter) => parameter.schema)]) {
        expect(ajv.validateSchema(schema), `${path} ${ajv.errorsText()}`).to.equal(true);
        schemas.push(schema);
      }
    }
    expect(schemas.length).to.be.greaterThan(500);
    for (const [at, value] of walk(schemas))
      if (at.at(-1) !== 'properties')
        expect(
          Object.keys(value).filter((name) => ownWords.includes(name)),
          at.join('.'),
        ).to.deep.equal([]);
  });

  it('shows as a page, with nothing from outside', async () => {
    const first = await fetch(`${server.url}/swagger`, { redirect: 'manual' });
    expect([
      first.status,
      new URL(first.headers.get('location') ?? '', server.url).pathname,
    ]).to.deep.equal([302, '/swagger/index.html']);
    const page = await fetch(`${server.url}/swagger/index.html`);
    const html = await page.text();
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([200, 'text/html']);
    expect(html).to.not.match(/https?:|\/\//);
    for (const [, file = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const part = await fetch(new URL(file, `${server.url}/swagger/`));
      expect([part.status, (await part.text()).length > 100], file).to.deep.equal([200, true]);
    }
    expect(await (await fetch(`${server.url}/swagger/swagger-initializer.js`)).text()).to.include(
      '/openapi.json',
    );
  });

  it('lets a browser run what that page needs', async () => {
    const page = await fetch(`${server.url}/swagger/index.html`);
    expect(page.headers.get('content-disposition') ?? 'inline').to.match(/^inline/);
    expect(page.headers.get('content-security-policy') ?? '').to.not.include("default-src 'none'");
  });

  it('serves no other file beside that page', async () => {
    for (const file of [
      'package.json',
      '..%2fpackage.json',
      'nothing.js',
      '%2e%2e/%2e%2e/package.json',
      'swagger-ui.css.map',
      'absolute-path.js/x',
    ]) {
      const reply = await fetch(`${server.url}/swagger/${file}`);
      expect(reply.status, file).to.be.oneOf([400, 404]);
      await reply.arrayBuffer();
    }
  });
});

describe('the page of the API, not asked for', () => {
  it('is not there', async function () {
    const server = await startServer({ storage: 'embedded', env: { ORRERY_LOG_LEVEL: 'error' } });
    if ('missing' in server) return pendingUnlessAll(this, server.missing);
    try {
      for (const path of ['/swagger', '/swagger/index.html', '/swagger/swagger-ui-bundle.js']) {
        const reply = await fetch(server.url + path, { redirect: 'manual' });
        expect([reply.status, reply.headers.get('content-type')], path).to.deep.equal([
          404,
          'application/json',
        ]);
        await reply.arrayBuffer();
      }
      expect(
        Object.keys(
          ((await (await fetch(`${server.url}/openapi.json`)).json()) as Document).paths,
        ).filter((path) => path.startsWith('/swagger')),
      ).to.deep.equal([]); // what this file tests
    } finally {
      await server.stop();
    }
  });
});
