// What is wrong with a plugin stops the start with one sentence that names it, and leaves an optional one out.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemLog } from '#adapters/system/log';
import { compose } from '#config/compose';
import { readmePath } from '#config/docs';
import { loadSettings } from '#config/load';
import { manifestFault } from '#config/plugin-manifest';
import { endsInTime } from '#config/plugins';
import { rowFault, wordsOf } from '#config/plugin-rows';
import { areas } from '#core/areas';
import { isFailure } from '#ports/failure';
import type { Log } from '#ports/log';
import { plugin } from '#ports/plugin';
import { embedded } from '#test/core/opened';

const manifest = (more = '', contribution = '{}'): string =>
  `export default { name: 'sample', api: 1, settings: {}, needs: {}, contribute: () => (${contribution}), ${more} };`;
/** A family as a plugin in JavaScript may write one. */
const privateFamily =
  "{ name: 'private', roots: [], dress: { statuses: {}, failureSchema: {}, failure: () => ({}), defect: () => ({}), success: (body) => body } }";
const withRow = (row: string): string =>
  manifest(
    '',
    `{ areas: [{ name: 'sample', family: ${privateFamily}, needs: {}, table: { sampleRow: {
      method: 'GET', path: '/api/sample', access: { needs: 'caller', about: 'caller' }, summary: 'x',
      replies: { 200: null }, ${row} } }, handlers: () => ({ sampleRow: async () => undefined }) }] }`,
  );
const withDriver = (driver: string): string => manifest(`drivers: [${driver}]`);
const blobDriver = (opened: string): string =>
  withDriver(`{ port: 'blob', name: 'sample-blob', open: async () => (${opened}) }`);
const methods = (...names: readonly string[]): string =>
  `{ ${names.map((name) => `${name}: async () => undefined`).join(', ')} }`;
const table = "{ create: 'notes', columns: { id: 'key' }, key: ['id'] }";

interface Refused {
  readonly title: string;
  readonly source: string;
  readonly says: string;
  readonly env?: Readonly<Record<string, string>>;
}

const onBlob = { ORRERY_BLOB: 'sample-blob' };
const wayDriver = (way: string, name = 'badge'): string =>
  withDriver(
    `{ port: 'auth', name: '${name}', open: async () => ({ made: ${way}, stop: async () => undefined }) }`,
  );
const onWay = { ORRERY_AUTH: 'badge' };
const refused: readonly Refused[] = [
  {
    title: 'a member that no plugin has',
    source: manifest('tabels: []'),
    says: 'it has the member tabels, which means nothing; did you mean tables?',
  },
  {
    title: 'a driver for a port that has none',
    source: withDriver("{ port: 'analytics', name: 'x', open() {} }"),
    says: 'it brings a driver for analytics; there are drivers for storage, blob, auth, notifications',
  },
  {
    title: 'a driver of the product',
    source: withDriver("{ port: 'blob', name: 's3', async open() {} }"),
    says: 'it brings the blob driver s3, which exists already',
  },
  {
    title: 'a toggle of the product',
    source: manifest("toggle: { name: 'web-ui', default: true, says: 'x' }"),
    says: "its toggle web-ui is one of the product's own",
  },
  {
    title: 'a table that is made twice',
    source: manifest(`tables: [${table}, ${table}]`),
    says: 'it makes the table notes twice',
  },
  {
    title: 'a column that is added twice',
    source: manifest(`tables: [${table}, { add: 'notes', columns: { id: 'text' } }]`),
    says: 'it adds column id to its table notes twice',
  },
  {
    title: 'a need that nothing meets',
    source: manifest('').replace('needs: {}', "needs: { x: Symbol.for('orrery.port.nothing') }"),
    says: 'it needs orrery.port.nothing, which this server lacks',
  },
  {
    title: 'a contribute that gives nothing',
    source: manifest('', 'undefined'),
    says: 'its contribute gives nothing',
  },
  {
    title: 'a member that no contribution has',
    source: manifest('', '{ job: [] }'),
    says: 'what it contributes has the member job, which means nothing; did you mean jobs?',
  },
  {
    title: 'an event that is never told',
    source: manifest('', "{ on: { 'experiment.made': async () => undefined } }"),
    says: 'it waits for experiment.made, which no event is called',
  },
  {
    title: 'a job without an interval',
    source: manifest('', "{ jobs: [{ name: 'count', run: async () => undefined }] }"),
    says: 'its job count has no interval',
  },
  {
    title: 'a page of the web UI in a folder that is none',
    source: manifest('', "{ ui: { folder: '/tmp' } }"),
    says: 'the folder of its ui is not the URL of a folder on disk',
  },
  {
    title: 'a page of the web UI whose script is not there',
    source: manifest(
      '',
      "{ ui: { folder: new URL('file:///tmp/'), pages: [{ name: 'page', title: 'Page', element: 'my-page', script: 'none-of-these.js', of: 'project' }] } }",
    ),
    says: 'the script none-of-these.js of its page page is no file of its folder',
  },
  {
    title: 'a page of the web UI whose name cannot stand in addresses',
    source: manifest(
      '',
      "{ ui: { folder: new URL('file:///tmp/'), pages: [{ name: 'My Page', title: 'Page', element: 'my-page', script: 'a.js', of: 'project' }] } }",
    ),
    says: 'the name of its page My Page is not lower-case words with dashes',
  },
  {
    title: 'a panel of the web UI whose element is no custom element',
    source: manifest(
      '',
      "{ ui: { folder: new URL('file:///tmp/'), panels: [{ name: 'panel', title: 'Panel', element: 'div', script: 'a.js' }] } }",
    ),
    says: 'the element div of its panel panel is not lower-case words with a dash',
  },
  {
    title: 'an access that does not exist',
    source: withRow("access: { needs: 'reader' }"),
    says: 'its operation sampleRow asks for the access reader; did you mean',
  },
  {
    title: 'a toggle that does not exist',
    source: withRow("toggle: 'no-such-toggle'"),
    says: 'its operation sampleRow stands behind the toggle no-such-toggle, which does not exist',
  },
  {
    title: 'a member that no row has',
    source: withRow('acess: 1'),
    says: 'its operation sampleRow cannot be read: a row has the member acess',
  },
  {
    title: 'a member that no access has',
    source: withRow("access: { needs: 'caller', about: 'caller', personel: true }"),
    says: 'its operation sampleRow cannot be read: its access has the member personel',
  },
  {
    title: 'a member that the wire of no row has',
    source: withRow('wire: { retryable: true }'),
    says: 'its operation sampleRow cannot be read: its wire has the member retryable',
  },
  {
    title: 'an access that is a word',
    source: withRow("access: 'caller'"),
    says: 'its operation sampleRow does not say who may ask: its access is not an object',
  },
  {
    title: 'a kind of thing that does not exist',
    source: withRow(
      "access: { needs: 'caller', about: { one: { name: 'planet', hasDefault: false }, paths: ['query.x'] } }",
    ),
    says: 'its operation sampleRow is about a planet, which is no kind of thing here',
  },
  {
    title: 'a kind of thing that is named by its text',
    source: withRow(
      "access: { needs: 'caller', about: { one: 'experiment', paths: ['query.x'] } }",
    ),
    says: 'its operation sampleRow names the kind experiment by its text',
  },
  {
    title: 'a subject that its input does not name',
    source: withRow(
      "access: { needs: 'caller', about: { one: { name: 'experiment', hasDefault: false }, paths: ['query.key'] } }, query: { type: 'object', properties: {} }",
    ),
    says: 'its operation sampleRow says that query.key names its experiment, which its input does not have',
  },
  {
    title: 'a member of a path that its input leaves out',
    source: withRow("path: '/api/sample/{id}'"),
    says: 'its operation sampleRow has {id} in its path, which its params leave out',
  },
  {
    title: 'a failure that is none',
    source: withRow("fails: ['invald']"),
    says: 'its operation sampleRow fails as invald; did you mean invalid?',
  },
  {
    title: 'an operation of the name of another',
    source: withRow('').replaceAll('sampleRow', 'deleteProject'),
    says: 'its operation deleteProject has the name of another one',
  },
  {
    title: 'a kind that says not where its things lie',
    source: withRow('').replace(
      'needs: {}, table',
      "needs: {}, kinds: [{ kind: { name: 'planet', hasDefault: false }, parents: [], needs: {}, rules: () => ({ find() {} }) }], table",
    ),
    says: 'its kind planet has no method placeOf',
  },
  {
    title: 'an operation without a handler',
    source: withRow('').replace('sampleRow: async () => undefined', ''),
    says: 'operation sampleRow of sample has no handler',
  },
  {
    title: 'a driver that opens nothing',
    source: blobDriver('{}'),
    env: onBlob,
    says: 'its blob driver sample-blob opens nothing: it must give { made, stop }',
  },
  {
    title: 'a driver whose blob lacks a method',
    source: blobDriver(
      `{ made: ${methods('put', 'open', 'stat', 'list')}, stop: async () => undefined }`,
    ),
    env: onBlob,
    says: 'its blob driver sample-blob opens something without the method remove',
  },
  {
    title: 'a driver that cannot be stopped',
    source: blobDriver(`{ made: ${methods('put', 'open', 'stat', 'list', 'remove')} }`),
    env: onBlob,
    says: 'its blob driver sample-blob gives no method stop beside what it made',
  },
  {
    title: 'a driver that does not open',
    source: blobDriver("(() => { throw new Error('no room'); })()"),
    env: onBlob,
    says: 'its blob driver sample-blob does not open: no room',
  },
  {
    title: 'a way of signing in of an unknown kind',
    source: wayDriver("{ kind: 'magic', name: 'badge', label: 'Badge' }"),
    env: onWay,
    says: 'its auth driver badge opens a way of the kind magic, which is none of password, redirect, headers',
  },
  {
    title: 'a way of signing in without its method',
    source: wayDriver("{ kind: 'password', name: 'badge', label: 'Badge', read() {} }"),
    env: onWay,
    says: 'its auth driver badge opens something without the method check',
  },
  {
    title: 'a way of signing in whose sign-out lacks a method',
    source: wayDriver(
      "{ kind: 'redirect', name: 'badge', label: 'Badge', begin() {}, complete() {}, signOut: { address() {}, readToken() {} } }",
    ),
    env: onWay,
    says: 'its auth driver badge opens something without the method sessionOf',
  },
  {
    title: 'a way of signing in of another name',
    source: wayDriver("{ kind: 'headers', name: 'oidc', label: 'Badge', read() {} }"),
    env: onWay,
    says: 'its auth driver badge opens a way of the name oidc',
  },
  {
    title: "a way of signing in of the name of the accounts' own",
    source: wayDriver("{ kind: 'password', name: 'password', label: 'x', check() {} }", 'password'),
    env: { ORRERY_AUTH: 'password' },
    says: 'its auth driver password has a name that a way of signing in cannot have',
  },
  {
    title: 'a way of signing in with rules that give nothing',
    source: wayDriver(
      "{ kind: 'headers', name: 'badge', label: 'Badge', read() {}, admission: { provision: 'all', domains: [], groupRules: [{ group: 'a' }] } }",
    ),
    env: onWay,
    says: 'its auth driver badge opens a way whose admission.groupRules entry 1 gives nothing',
  },
  {
    title: 'a notifier of another kind',
    source: withDriver(
      "{ port: 'notifications', name: 'pager', open: async () => ({ made: { kind: 'other', check() {}, async send() {} }, stop: async () => undefined }) }",
    ),
    says: 'its notifications driver pager opens a notifier of the kind other',
  },
];

describe('a plugin', function () {
  this.timeout(120_000);
  const opened = embedded();
  let folder = '';
  let files = 0;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'orrery-plugins-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const withAreaSetting = manifest(
    '',
    `{ areas: [{ name: 'sample', family: ${privateFamily}, needs: {}, table: {},
      settings: { port: Symbol('settings of sample'), rows: { SAMPLE_LIMIT: { kind: { is: 'whole', min: 0, max: 9 }, default: 3, says: 'x' } } },
      handlers: () => ({}) }] }`,
  );

  /** Puts a server together with a plugin of this source, and ends it; the warnings that it gave. */
  const start = async (
    source: string,
    options: Readonly<Record<string, unknown>> = {},
    env: Readonly<Record<string, string>> = {},
    inFile: Readonly<Record<string, unknown>> = {},
  ): Promise<readonly string[]> => {
    const name = `./plugin-${++files}.mjs`;
    await writeFile(join(folder, name), source);
    const config = join(folder, `${files}.json`);
    await writeFile(config, JSON.stringify({ ...inFile, plugins: [{ name, ...options }] }));
    const warnings: string[] = [];
    const log: Log = {
      ...systemLog('silent'),
      warn: (sentence, facts) => void warnings.push(`${sentence} ${JSON.stringify(facts)}`),
    };
    const composed = await compose({
      loaded: loadSettings({ ORRERY_CONFIG: config, ORRERY_DATA: folder, ...env }),
      baseUrl: 'http://127.0.0.1:1',
      owns: false,
      log,
      storage: {
        storage: opened().again(),
        migratesItself: true,
        state: () => 'running',
        stop: async () => undefined,
      },
    });
    await composed.stop();
    await composed.opened.storage.close();
    return warnings;
  };
  const refusalOf = async (...given: Parameters<typeof start>): Promise<string> => {
    try {
      await start(...given);
    } catch (thrown) {
      if (isFailure(thrown)) return thrown.message;
      throw thrown;
    }
    return 'it was not refused';
  };

  for (const { title, source, says, env } of refused) {
    it(`is refused for ${title}`, async () => {
      const sentence = await refusalOf(source, {}, env);

      expect(sentence).to.match(/^plugin \.\/plugin-\d+\.mjs cannot be loaded: /);
      expect(sentence).to.include(says);
      expect(sentence).not.to.include('\n');
    });
    if (env === undefined)
      it(`is left out with a warning for ${title}, where it is optional`, async () => {
        const warnings = await start(source, { optional: true }, env);

        expect(warnings.join('\n')).to.include(JSON.stringify(says).slice(1, -1));
      });
  }

  it('gives a setting of its area in the file or in the environment, and refuses others', async () => {
    expect(
      await start(withAreaSetting, {}, { ORRERY_PROT: '1' }, { SAMPLE_LIMIT: 4 }),
    ).to.deep.equal(['ORRERY_PROT in the environment is not a setting undefined']);
    expect(await refusalOf(withAreaSetting, {}, {}, { SAMPLE_LIMIT: 10 })).to.include(
      'SAMPLE_LIMIT must be a whole number from 0 to 9',
    );
    expect(await refusalOf(withAreaSetting, {}, { SAMPLE_LIMIT: 'ten' })).to.include(
      'SAMPLE_LIMIT must be a whole number from 0 to 9',
    );
    expect(await refusalOf(withAreaSetting, {}, {}, { SAMPLE_LIMITS: 4 })).to.match(
      /^SAMPLE_LIMITS in .* is not a setting; did you mean SAMPLE_LIMIT\?$/,
    );
  });

  it('is refused when its list of table changes was changed or shortened, and not when it grew', async () => {
    const other = "{ create: 'more', columns: { id: 'key' }, key: ['id'] }";
    await start(manifest(`tables: [${table}, ${other}]`));
    await start(
      manifest(`tables: [{ key: ['id'], columns: { id: 'key' }, create: 'notes' }, ${other}]`),
    );

    expect(
      await refusalOf(
        manifest(`tables: [${table.replace("'key' }", "'key', at: 'whole' }")}, ${other}]`),
      ),
    ).to.include('change 1 of its tables (create notes) is not the one that was made here');
    expect(await refusalOf(manifest(`tables: [${table}]`))).to.include(
      'was shortened (create more)',
    );
    await start(
      manifest(`tables: [${table}, ${other}, { add: 'more', columns: { at: 'whole' } }]`),
    );
  });

  it('joins as the README writes it', async () => {
    const text = await readFile(readmePath, 'utf8');
    const block =
      text
        .split('```js\n')
        .map((after) => after.split(/^ *```/m)[0] ?? '')
        .find((code) => code.includes("name: 'notes'")) ?? '';
    const compiled = new URL('../../', import.meta.url).href;
    const source = block.replaceAll(
      /'orrery\/([^']+)'/g,
      (_, path: string) => `'${compiled}${path}.js'`,
    );

    expect(source).to.contain('addNote');
    expect(await start(source, { settings: { greeting: 'hi' } })).to.deep.equal([]);
    expect(await refusalOf(source)).to.contain('its settings are wrong');
  });

  it('is given up when a step of it does not end', async () => {
    const never = new Promise<never>(() => undefined);

    const thrown: unknown = await endsInTime(never, 'it has not ended', 1).catch(
      (reason: unknown) => reason,
    );

    expect(isFailure(thrown) && thrown.message).to.equal('it has not ended');
    expect(await endsInTime(Promise.resolve(1), 'it has not ended')).to.equal(1);
  });

  it('is not refused for any row of the product, which the same rules hold for', () => {
    const words = { ...wordsOf(areas), toggles: ['registry-webhooks'] };
    const faults = areas.flatMap(({ table: rows }) =>
      Object.entries(rows).flatMap(([id, row]) => {
        const fault = rowFault({ ...row, toggle: undefined }, words);
        return fault === undefined ? [] : [`${id} ${fault}`];
      }),
    );

    expect(faults).to.deep.equal([]);
    expect(
      manifestFault({ name: 'sample', api: 1, settings: {}, needs: {}, contribute() {} }),
    ).to.equal(undefined);
  });

  it('takes a plugin that says no more than its name and its drivers', () => {
    const drivers = [
      { port: 'blob', name: 'sample', open: () => Promise.reject(new Error()) },
    ] as const;

    const made = plugin({ name: 'sample', api: 1, drivers });

    expect(manifestFault(made)).to.equal(undefined);
    expect(made.needs).to.deep.equal({});
    expect(made.contribute({}, {})).to.deep.equal({});
    expect(manifestFault({ ...made, needs: undefined })).to.equal(
      'its needs are not ports by name',
    );
    expect(manifestFault({ ...made, needs: { clock: undefined } })).to.include(
      'what it needs as clock is no port',
    );
  });
});
