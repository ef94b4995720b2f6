// The description of the API: whole, well formed, and about every row and mount path.
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { pendingUnlessAll } from '#test/pending';
import { startServer, type StartedServer } from '#test/clients/server';
import { isRestricted, pathsOf, rows } from './rows.js';

type Json = Readonly<Record<string, unknown>>;
interface Reply {
  readonly description: string;
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}
interface Described {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security?: readonly unknown[];
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: {
    readonly content: Readonly<
      Record<string, { readonly schema?: object; readonly example?: unknown }>
    >;
  };
  readonly responses: Readonly<Record<string, Reply | { readonly $ref: string }>>;
}
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string; readonly license: Json };
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly securitySchemes: Json;
    readonly schemas: Readonly<Record<string, Json>>;
    readonly responses: Readonly<Record<string, Reply>>;
  };
}

const ownWords = ['lenient', 'shown', 'envelope', 'literals', 'absentAsNull', 'title'];

/** What the recommended rules of the linter ask for and the wire of existing clients does not allow. */
const rulesOff = {
  'no-path-trailing-slash': 'off', // clients print two addresses that end in a slash
  'no-ambiguous-paths': 'off', // addresses of pages begin with the name of a workspace; the more literal path wins
  'operation-2xx-response': 'off', // forms of pages and OAuth answer with a redirect alone
} as const;

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

  const replyOf = (reply: Reply | { readonly $ref: string } | undefined): Reply | undefined =>
    reply !== undefined && '$ref' in reply
      ? document.components.responses[reply.$ref.split('/').at(-1) ?? '']
      : reply;
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
    expect(document.info.license).to.deep.equal({ name: 'Apache-2.0', identifier: 'Apache-2.0' });
    expect(document.servers.map(({ url }) => url)).to.deep.equal([server.url]);
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

  it('tells of every status that the server answers by itself, at the first address of an operation', async () => {
    for (const [path, method, { operationId, responses }] of every())
      expect(Object.keys(responses), `${method} ${path}`).to.include.members(
        /_\d+$/.test(operationId) ? ['4XX', '5XX'] : ['408', '431'],
      );
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
    for (const [path, method, { parameters = [] }] of every()) {
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      expect(
        parameters
          .filter((one) => one.in === 'path')
          .map((one) => one.name)
          .sort(),
        `${method} ${path}`,
      ).to.deep.equal([...named].sort());
      expect(
        parameters.every(
          (one) => one.in === 'query' || (one.in === 'path' && one.required === true),
        ),
        path,
      ).to.equal(true);
      const keys = parameters.map((one) => `${one.in} ${one.name}`);
      expect(new Set(keys).size, path).to.equal(keys.length);
    }
  });

  it('gives every operation a summary, an area and what it answers, success and refusal', () => {
    for (const [path, method, one] of every()) {
      expect(
        [one.summary.length > 2, one.description.length > 2, one.tags.length],
        `${method} ${path}`,
      ).to.deep.equal([true, true, 1]);
      expect(
        Object.keys(one.responses).every((status) => /^([2-5]\d\d|[45]XX)$/.test(status)),
        path,
      ).to.equal(true);
      // What the wire has and this server does not is answered 501.
      expect(
        Object.keys(one.responses).some((status) => status < '400' || status === '501'),
        path,
      ).to.equal(true);
      for (const reply of Object.values(one.responses))
        expect(replyOf(reply)?.description, path).to.be.a('string').and.not.equal('');
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
        ...Object.values(one.responses).flatMap((reply) =>
          Object.values(replyOf(reply)?.content ?? {}),
        ),
      ].flatMap(({ schema }) => schema ?? []);
      const parameters = one.parameters ?? [];
      for (const schema of [...bodies, ...parameters.map((parameter) => parameter.schema)]) {
        expect(ajv.validateSchema(schema), `${path} ${ajv.errorsText()}`).to.equal(true);
        schemas.push(schema);
      }
    }
    expect(schemas.length).to.be.greaterThan(500);
    for (const [name, schema] of Object.entries(document.components.schemas)) {
      expect(ajv.validateSchema(schema), `${name} ${ajv.errorsText()}`).to.equal(true);
      schemas.push(schema);
    }
    for (const [at, value] of walk(schemas))
      if (at.at(-1) !== 'properties')
        expect(
          Object.keys(value).filter((name) => ownWords.includes(name)),
          at.join('.'),
        ).to.deep.equal([]);
  });

  it('says of every area, in a sentence, what it is for', () => {
    const used = new Set(every().flatMap(([, , one]) => one.tags));

    expect(document.tags.map(({ name }) => name).sort()).to.deep.equal([...used].sort());
    for (const { name, description } of document.tags)
      expect(description, name).to.match(/^[A-Z].{15,}\.$/);
    expect(
      document.tags.filter(({ description }) => description.startsWith('Operations of the area')),
    ).to.deep.equal([]);
  });

  it('names every shape, and refers to it where it stands again', () => {
    const places = new Map<string, string[]>();
    for (const [at, value] of walk({ ...document.components.schemas, paths: document.paths })) {
      const { type, properties } = value;
      if (type !== 'object' || at.includes('multipart/form-data')) continue;
      if (Object.keys((properties ?? {}) as Json).length < 3) continue; // members of an object schema
      const key = JSON.stringify(value);
      places.set(key, [...(places.get(key) ?? []), at.join('.')]);
    }

    expect(places.size).to.be.greaterThan(150);
    expect([...places.values()].filter((all) => all.length > 1)).to.deep.equal([]);
  });

  it('gives no two shapes one name', () => {
    const names = Object.keys(document.components.schemas);

    expect(names).to.include.members(['Experiment', 'MetricPoint', 'Project', 'Success']);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]*$/.test(name))).to.deep.equal([]);
  });

  it('shows examples that are as their shapes say', () => {
    const ajv = new Ajv2020({ strict: false, formats: { int64: true, binary: true } });
    const shown = Object.entries(document.components.schemas).filter(
      ([, schema]) => 'examples' in schema,
    );

    expect(shown.map(([name]) => name)).to.include.members(['Experiment', 'MetricPoint', 'Toggle']);
    for (const [name, schema] of shown)
      for (const example of schema['examples'] as readonly unknown[])
        expect(
          ajv.validate({ ...schema, components: document.components }, example),
          `${name} ${ajv.errorsText()}`,
        ).to.equal(true);
  });

  it('shows for every request with members an example that its schema takes', () => {
    const ajv = new Ajv2020({ strict: false, formats: { int64: true, binary: true } });
    const without: string[] = [];
    for (const [path, method, { requestBody }] of every())
      for (const [type, { schema, example }] of Object.entries(requestBody?.content ?? {})) {
        if (schema === undefined || type === 'multipart/form-data') continue;
        if (example === undefined && '$ref' in schema) without.push(`${method} ${path}`);
        if (example !== undefined)
          expect(
            ajv.validate({ ...schema, components: document.components }, example),
            `${method} ${path} ${JSON.stringify(example)} ${ajv.errorsText()}`,
          ).to.equal(true);
      }

    expect(without).to.deep.equal([]);
  });

  it('gives the linter nothing to say', async () => {
    const config = await createConfig({ extends: ['recommended'], rules: rulesOff });

    const problems = await lintFromString({
      source: JSON.stringify(document),
      absoluteRef: '/openapi.json',
      config,
    });

    expect(
      problems.map(({ ruleId, message, location }) =>
        [ruleId, message, location[0]?.pointer].join(' '),
      ),
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
      '%2e%2e%2f%2e%2e%2fpackage.json', // with slashes as they are, whoever asks would name another address
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
