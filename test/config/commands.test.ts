// The command as an operator runs it: in a folder, with settings or without, before a server, beside one and after it.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdtempSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { someOf } from '#test/sampling';
import { findFreePort } from '#test/servers/launch';
import { layDatabase } from '#test/servers/template';

const cli = fileURLToPath(new URL('../../config/cli.js', import.meta.url));

type Settings = Readonly<Record<string, string>>;
interface Outcome {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Serving {
  readonly url: string;
  readonly out: () => string;
  stop(): Promise<void>;
}

describe('the command orrery', function () {
  this.timeout(60_000);
  let folder: string;
  const serving = new Set<Serving>();

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'orrery-command-'));
  });
  afterEach(async () => {
    for (const server of serving) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const environment = (settings: Settings) => ({
    PATH: process.env['PATH'],
    TMPDIR: process.env['TMPDIR'],
    NO_COLOR: '1',
    ...settings,
  });
  const run = (words: readonly string[], settings: Settings = {}, cwd = folder): Outcome => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, ...words], {
      cwd,
      env: environment(settings),
      encoding: 'utf8',
      timeout: 50_000,
    });
    return { code: status, out: stdout, err: stderr };
  };
  const makeData = async (): Promise<void> => {
    mkdirSync(join(folder, 'data'));
    await layDatabase(join(folder, 'data'));
  };
  /** `orrery serve` with nothing set but the port, as a newcomer starts it. */
  const serve = async (settings: Settings = {}, cwd = folder): Promise<Serving> => {
    const port = settings['ORRERY_PORT'] ?? String(await findFreePort());
    const child = spawn(process.execPath, [cli, 'serve'], {
      cwd,
      env: environment({ ...settings, ORRERY_PORT: port }),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (piece: Buffer) => {
      out += piece.toString();
    });
    child.stderr.on('data', (piece: Buffer) => {
      err += piece.toString();
    });
    const ended = once(child, 'exit');
    const url = `http://127.0.0.1:${port}`;
    const server: Serving = {
      url,
      out: () => out,
      async stop() {
        serving.delete(server);
        child.kill('SIGTERM');
        await ended;
      },
    };
    serving.add(server);
    while (!out.includes('Orrery is at')) {
      if (child.exitCode !== null)
        throw new Error(`it ended with ${String(child.exitCode)}: ${err.slice(-500)}`);
      await new Promise((wake) => setTimeout(wake, 30));
    }
    return server;
  };
  const keyOf = (server: Serving): string => {
    const key = /API key {4}(\S+)/.exec(server.out())?.[1];
    if (key === undefined) throw new Error(`no key was shown: ${server.out()}`);
    return key;
  };
  const ready = async ({
    url,
  }: Serving): Promise<{ readonly status: number; readonly text: string }> => {
    const reply = await fetch(`${url}/health/ready`);
    return { status: reply.status, text: await reply.text() };
  };
  const workspacesOf = async ({ url }: Serving, key: string): Promise<unknown> =>
    (await fetch(`${url}/api/rest/v2/workspaces`, { headers: { authorization: key } })).json();

  describe('at the keyboard', () => {
    const commands = [
      'serve',
      'check',
      'settings',
      'call',
      'query',
      'audit',
      'audit blobs',
      'user',
      'user add',
      'user reset',
      'migrate',
      'migrate up',
      'migrate down',
      'migrate status',
      'migrate drop',
      'export',
      'import',
      'plugin',
      'plugin new',
    ];

    it('shows help for each command with an example, does nothing else, and tells its version', () => {
      for (const command of commands) {
        const { code, out, err } = run([...command.split(' '), '--help']);
        expect([command, code, err]).to.deep.equal([command, 0, '']);
        expect(out).to.contain(`Usage: orrery ${command}`);
        if (!['audit', 'user', 'migrate', 'plugin'].includes(command))
          expect(out)
            .to.match(/Examples?:\n {2}\$ .*orrery /)
            .and.contain('--json');
      }
      expect(run(['--version']).out).to.match(/^orrery \d+\.\d+\.\d+\n$/);
      expect(run([]).out).to.contain('Exit codes');
      expect(readdirSync(folder)).to.deep.equal([]);
    });

    it('names what was likely meant where a command or an option is not known, with exit code 2', () => {
      for (const [words, meant] of [
        [['serv'], 'serve'],
        [['migrate', 'statsu'], 'status'],
        [['check', '--jsn'], '--json'],
        [['user', 'add', 'ann', '--admim'], '--admin'],
      ] as const) {
        const { code, err } = run(words);
        expect([words.join(' '), code]).to.deep.equal([words.join(' '), 2]);
        expect(err).to.contain(`Did you mean ${meant}?`);
      }
      for (const words of [
        ['migrate', 'down'],
        ['export'],
        ['migrate', 'up', 'more'],
        ['user'],
        ['plugin', 'new', ''],
      ])
        expect(run(words).code).to.equal(2);
    });

    it('shows every setting and toggle with where it comes from, and no secret', () => {
      const given = join(folder, 'orrery.json');
      writeFileSync(
        join(folder, 'notes.mjs'),
        "export default { name: 'notes', api: 1, toggle: { name: 'notes', default: true, says: 'x' }, needs: {}, settings: { type: 'object', properties: { token: { type: 'string' }, most: { type: 'integer' } } }, contribute: () => ({}) };",
      );
      writeFileSync(
        given,
        JSON.stringify({
          ORRERY_RESET_MINUTES: 5,
          OTHER: 1,
          toggles: { 'video-panel': false },
          plugins: [{ name: './notes.mjs', settings: { token: 'hush', most: 3 } }],
        }),
      );
      const env = { ORRERY_CONFIG: given, ORRERY_ADMIN_PASSWORD: 'seven lamps in a ship' };

      const { code, out, err } = run(['settings'], env);
      expect(code).to.equal(0);
      expect(out.split('\n')).to.include.members([
        'ORRERY_RESET_MINUTES = 5 (file)',
        'ORRERY_ADMIN_PASSWORD = … (environment)',
        'ORRERY_PORT = 4400 (default)',
        'toggle video-panel = off (file)',
        'toggle curves-panel = on (default)',
        'toggle notes = on (default)',
        'plugin notes: token = "…"',
        'plugin notes: most = 3',
      ]);
      expect(err).to.match(
        /OTHER in .* is not a setting; .*, unless an area of a plugin brings it/,
      );
      expect(out + err).not.to.match(/hush|seven lamps/);

      const told = run(['settings', '--json'], env);
      const { settings, toggles, plugins } = JSON.parse(told.out) as {
        readonly settings: readonly unknown[];
        readonly toggles: readonly unknown[];
        readonly plugins: readonly unknown[];
      };
      expect(told.out).not.to.match(/hush|seven lamps/);
      expect(settings).to.deep.include({ name: 'ORRERY_RESET_MINUTES', value: 5, source: 'file' });
      expect(toggles).to.deep.include({ name: 'video-panel', enabled: false, source: 'file' });
      expect(plugins).to.deep.include({
        name: 'notes',
        settings: [
          { name: 'token', value: '…' },
          { name: 'most', value: 3 },
        ],
        drivers: [],
      });
    });

    it('makes a plugin in a new folder, and touches none that holds something', () => {
      const made = run(['plugin', 'new', 'orrery-plugin-notes']);
      expect([made.code, made.err]).to.deep.equal([0, '']);
      const path = join(folder, 'orrery-plugin-notes');
      expect(readdirSync(path).sort()).to.deep.equal([
        'README.md',
        'index.js',
        'index.test.js',
        'package.json',
      ]);
      expect(run(['plugin', 'new', 'orrery-plugin-notes'])).to.deep.include({
        code: 1,
        err: `orrery: the folder ${path} is not empty\n`,
      });
      expect(run(['plugin', 'new', 'Bad Name']).err).to.contain('cannot be the name of a plugin');
      const below = join(path, 'index.js', 'more');
      expect(run(['plugin', 'new', below])).to.deep.include({
        code: 1,
        err: `orrery: ${below} cannot be written: a part of the path is a file\n`,
      });
      const { devDependencies } = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')) as {
        readonly devDependencies: { readonly orrery: string };
      }; // what was made just now
      expect(
        existsSync(
          join(path, devDependencies.orrery.replace('file:', ''), 'dist', 'ports', 'plugin.js'),
        ),
      ).to.equal(true);
      rmSync(path, { recursive: true });
      expect(readdirSync(folder)).to.deep.equal([]);
    });

    it('makes no data folder where it is run in a folder without one, and says so', () => {
      for (const words of [
        ['check'],
        ['call'],
        ['user', 'add', 'ann'],
        ['user', 'reset', 'ann'],
        ['audit', 'blobs'],
        ['migrate', 'up'],
        ['migrate', 'status'],
        ['migrate', 'down', '1', '--yes'],
        ['export', 'x.zip'],
        ['query', 'SELECT 1'],
      ]) {
        const { code, out, err } = run(words);
        expect([words.join(' '), code]).to.deep.equal([words.join(' '), 1]);
        expect(out + err)
          .to.contain(`no server has kept data in ${join(folder, 'data')}`)
          .and.contain('ORRERY_DATA');
        expect(readdirSync(folder)).to.deep.equal([]);
      }
    });

    it('refuses a misspelt toggle of the file, and warns of one in the environment', async () => {
      await makeData();
      const config = join(folder, 'orrery.json');
      writeFileSync(config, JSON.stringify({ toggles: { 'anonymus-mode': true } }));

      const checked = run(['check'], { ORRERY_CONFIG: config });
      const started = run(['serve'], { ORRERY_CONFIG: config });
      const warned = run(['check'], { ORRERY_TOGGLE_ANONYMUS_MODE: 'on' });

      expect([checked.code, started.code]).to.deep.equal([1, 1]);
      for (const { out, err } of [checked, started, warned])
        expect(out + err).to.contain(
          'there is no toggle anonymus-mode; did you mean anonymous-mode?',
        );
    });
  });

  describe('with a setting that cannot be right', () => {
    const faults: readonly (readonly [string, Settings, RegExp])[] = [
      [
        'an address without a scheme',
        { ORRERY_STORAGE: 'postgres', ORRERY_POSTGRES_URL: 'localhost:5432' },
        /ORRERY_POSTGRES_URL must look like postgres:\/\//,
      ],
      [
        'an address of another engine',
        { ORRERY_STORAGE: 'mysql', ORRERY_MYSQL_URL: 'postgres://a:b@c/d' },
        /ORRERY_MYSQL_URL must look like mysql:\/\//,
      ],
      [
        'a connection that is refused',
        { ORRERY_STORAGE: 'postgres', ORRERY_POSTGRES_URL: 'postgres://a:hidden@127.0.0.1:1/d' },
        /ORRERY_POSTGRES_URL: nothing listens at 127\.0\.0\.1:1/,
      ],
      [
        'a parameter of a connection that nothing reads',
        { ORRERY_STORAGE: 'mysql', ORRERY_MYSQL_URL: 'mysql://a:hidden@127.0.0.1:1/d?sssl=1' },
        /ORRERY_MYSQL_URL has the parameter sssl/,
      ],
      [
        'a certificate that is not there',
        {
          ORRERY_STORAGE: 'mysql',
          ORRERY_MYSQL_URL: 'mysql://a:hidden@127.0.0.1:1/d?ssl-ca=/nowhere.pem',
        },
        /ssl-ca in the address of the database names \/nowhere\.pem/,
      ],
      [
        'a name that no bucket can have',
        {
          ORRERY_BLOB: 's3',
          ORRERY_S3_BUCKET: 'A/B',
          ORRERY_S3_ACCESS_KEY: 'x',
          ORRERY_S3_SECRET_KEY: 'hidden',
        },
        /ORRERY_S3_BUCKET is not a name that a bucket can have/,
      ],
      [
        'a host that is not here',
        { ORRERY_HOST: '203.0.113.7' },
        /ORRERY_HOST is 203\.0\.113\.7, which is no address of this machine/,
      ],
    ];

    for (const [what, settings, sentence] of faults)
      it(`stops the start at ${what} with one sentence and no secret`, async () => {
        const { code, err, out } = run(['serve'], {
          ORRERY_LOG_LEVEL: 'silent',
          ORRERY_PORT: String(await findFreePort()),
          ...settings,
        });

        expect(code).to.equal(1);
        expect(err.trim().split('\n')).to.have.length(1);
        expect(err).to.match(sentence).and.not.contain('hidden');
        expect(out).to.equal('');
      });

    it('stops the start where the data folder cannot be made', () => {
      writeFileSync(join(folder, 'file'), '');

      const { code, err } = run(['serve'], {
        ORRERY_LOG_LEVEL: 'silent',
        ORRERY_DATA: join(folder, 'file', 'data'),
      });

      expect([code, err]).to.deep.equal([
        1,
        `orrery: ORRERY_DATA is ${join(folder, 'file', 'data')}, which cannot be used: a part of the path is a file\n`,
      ]);
    });
  });

  describe('at a first start', () => {
    it('makes no administrator where the port is taken, so that the next start shows the secrets', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      const port = String((other.address() as { readonly port: number }).port); // a TCP server's address has this form

      for (const workers of ['1', '2']) {
        const { code, out, err } = run(['serve'], {
          ORRERY_LOG_LEVEL: 'silent',
          ORRERY_PORT: port,
          ORRERY_WORKERS: workers,
        });
        expect([code, out, err]).to.deep.equal([
          1,
          '',
          `orrery: ORRERY_PORT is ${port}, where another program listens already\n`,
        ]);
      }
      other.close();

      const server = await serve();
      expect(server.out()).to.match(/password {3}\S{12}/);
      expect(await workspacesOf(server, keyOf(server))).to.deep.equal({
        workspaceNames: ['admin'],
      });
    });

    it('tells a later start how to make new secrets while nobody has used the first, and not any more once somebody has', async () => {
      const first = await serve();
      await first.stop();
      const second = await serve();
      expect(second.out())
        .to.contain('Nobody has used the account admin yet')
        .and.not.contain('password  ');
      await second.stop();

      const reset = run(['user', 'reset', 'admin']);
      const { password, apiKey } = JSON.parse(reset.out) as Record<string, string>;
      const third = await serve();

      const signedIn = await fetch(`${third.url}/api/auth/sign-in`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ name: 'admin', password }),
      });
      expect(signedIn.status).to.equal(200);
      expect(await workspacesOf(third, apiKey ?? '')).to.deep.equal({ workspaceNames: ['admin'] });
      await third.stop();
      const fourth = await serve();
      expect(fourth.out()).to.not.contain('Nobody has used');
    });
  });

  describe('beside a server and after it', () => {
    const addressIn = (key: string): unknown =>
      JSON.parse(Buffer.from(key.split('*')[1] ?? '', 'base64').toString() || 'null');

    it('gives keys the address under which the server was reached, and none while that is not known', async () => {
      await makeData();
      const unknown = run(['user', 'add', 'early']);
      expect((JSON.parse(unknown.out) as Record<string, string>)['apiKey']).to.not.contain('*');
      expect(unknown.err)
        .to.contain('the key carries no address')
        .and.contain('orrery user reset early');

      const server = await serve();
      const beside = run(['user', 'add', 'beside', '--generate-password']);
      await server.stop();
      const after = run(['user', 'add', 'after', '--password', 'correct horse 7 battery'], {
        ORRERY_BASE_URL: 'https://orrery.example.org',
      });

      expect(
        addressIn((JSON.parse(beside.out) as Record<string, string>)['apiKey'] ?? ''),
      ).to.deep.equal({ baseUrl: server.url });
      expect(
        addressIn((JSON.parse(after.out) as Record<string, string>)['apiKey'] ?? ''),
      ).to.deep.equal({ baseUrl: 'https://orrery.example.org' });
      expect([beside.err, after.err]).to.deep.equal(['', '']);
    });

    it('does what a key may do by call, and prints what is downloaded', async () => {
      await makeData();
      run(['user', 'add', 'admin', '--admin']);

      const invited = run([
        'call',
        'invite',
        '{"workspaceName": "admin", "email": "ann@example.org", "role": "member"}',
      ]);
      const key = run(['call', 'createKey', '{"name": "by command"}']);
      const log = run(['call', 'exportAudit']);
      const file = run(['call', 'exportAudit', '--output', 'audit.csv']);
      const again = run(['call', 'exportAudit', '--output', 'audit.csv']);

      expect([invited.code, key.code, log.code, file.code, again.code]).to.deep.equal([
        0, 0, 0, 0, 1,
      ]);
      expect(JSON.parse(key.out)).to.have.property('apiKey');
      expect(log.out)
        .to.match(/^at,actor,via/)
        .and.contain('createKey');
      expect(readFileSync(join(folder, 'audit.csv'), 'utf8')).to.contain('createKey');
      expect(again.err).to.equal('orrery: there is a file audit.csv already\n');
      expect(run(['call', 'exportAudit', '--output', 'nowhere/audit.csv'])).to.deep.include({
        code: 1,
        err: 'orrery: nowhere/audit.csv cannot be written: there is no such file or folder\n',
      });
      expect(run(['call', 'createUsr']).err).to.contain('did you mean createUser?');
      expect(
        (JSON.parse(run(['call', '--json']).out) as readonly { readonly operation: string }[]).map(
          ({ operation }) => operation,
        ),
      ).to.include('createUser');
    });

    it('runs a statement over a workspace or a project, and writes its rows in every form', async () => {
      const server = await serve();
      const key = keyOf(server);
      const log = async (project: string, names: readonly string[]): Promise<void> => {
        const reply = await fetch(`${server.url}/opik/api/v1/private/traces/batch`, {
          method: 'POST',
          headers: { authorization: key, 'content-type': 'application/json' },
          body: JSON.stringify({
            traces: names.map((name, at) => ({
              project_name: project,
              name,
              start_time: `2026-01-0${at + 1}T00:00:00Z`,
              end_time: `2026-01-0${at + 1}T00:00:01.5Z`,
            })),
          }),
        });
        expect(reply.status).to.equal(204);
      };
      await log('p', ['=one, "two"', 'esc \u001b[2J']);
      await log('q', ['three']);
      const sql =
        'SELECT name, duration, 9007199254740993 AS large, NULL AS none FROM traces ORDER BY start_time, name DESC';
      const rows = (...words: readonly string[]): unknown =>
        JSON.parse(run(['query', sql, '--json', ...words]).out);
      const row = (name: string) => ({
        ...{ name, duration: 1500, large: '9007199254740993', none: null },
      });

      expect(rows('--workspace', 'admin')).to.deep.equal([
        row('three'),
        row('=one, "two"'),
        row('esc \u001b[2J'),
      ]);
      expect(rows('--project', 'q')).to.deep.equal([row('three')]);
      const table = run(['query', sql, '--project', 'p']);
      expect([table.code, table.err]).to.deep.equal([0, '2 rows\n']);
      expect(table.out).to.equal(
        'name\tduration\tlarge\tnone\n=one, "two"\t1500\t9007199254740993\t\nesc \\u001b[2J\t1500\t9007199254740993\t\n',
      );
      expect(run(['query', sql, '--project', 'p', '--format', 'csv']).out).to.equal(
        'name,duration,large,none\r\n"\'=one, ""two""",1500,9007199254740993,\r\nesc \u001b[2J,1500,9007199254740993,\r\n',
      );
      expect(run(['query', sql, '--project', 'q', '--out', 'q.jsonl']).err).to.equal(
        '1 row in q.jsonl\n',
      );
      expect(readFileSync(join(folder, 'q.jsonl'), 'utf8')).to.equal(
        '{"name":"three","duration":1500,"large":"9007199254740993","none":null}\n',
      );
      expect(run(['query', sql, '--out', 'all.parquet']).code).to.equal(0);
      const file = new Uint8Array(readFileSync(join(folder, 'all.parquet'))).buffer;
      expect(parquetMetadata(file).schema.map(({ type }) => type)).to.deep.equal([
        ...[undefined, 'BYTE_ARRAY', 'DOUBLE', 'BYTE_ARRAY', 'DOUBLE'],
      ]);
      expect(await parquetReadObjects({ file })).to.deep.equal([
        row('three'),
        row('=one, "two"'),
        row('esc \u001b[2J'),
      ]);
    }).timeout(120_000);

    it('refuses statements that are no query, places that are not there and forms that do not fit, and writes no file then', async () => {
      await makeData();
      const absent = run(['query', 'SELECT 1']);
      for (const name of ['ann', 'bob']) run(['user', 'add', name]);
      const one = 'SELECT 1 AS a';
      const inAnn = ['--workspace', 'ann'];
      for (const [words, said] of [
        [[one], 'there are several workspaces: name one with --workspace'],
        [[one, '--workspace', 'carl'], 'there is no workspace carl'],
        [[one, ...inAnn, '--project', 'x'], 'there is no project x in the workspace ann'],
        [[one, ...inAnn, '--format', 'parquet'], 'Parquet needs a file'],
        [[one, ...inAnn, '--format', 'xml'], '--format must be table, json'],
        [[one, ...inAnn, '--out', 'x.txt'], 'csv, jsonl or parquet for a file'],
        [[one, ...inAnn, '--json', '--format', 'csv'], 'exclude each other'],
        [['SELECT 1 AS a, 2 AS a', ...inAnn, '--out', 'x.csv'], 'two columns named a'],
        [["SELECT * FROM read_text('/etc/passwd')", ...inAnn], 'is not granted'],
        [["COPY (SELECT 1) TO 'x.csv'", ...inAnn], 'cannot be parsed'],
        [['SELECT nme FROM traces', ...inAnn, '--out', 'x.csv'], '"nme" not found'],
      ] as const) {
        const { code, out, err } = run(['query', ...words]);
        expect([words.join(' '), code, out]).to.deep.equal([words.join(' '), 1, '']);
        expect(err)
          .to.match(/^orrery: .*\n$/)
          .and.contain(said);
      }

      writeFileSync(join(folder, 'x.csv'), 'kept');
      const taken = run(['query', one, ...inAnn, '--out', 'x.csv']);

      expect(absent.err).to.equal('orrery: there is no workspace yet\n');
      expect(taken).to.deep.include({ code: 1, err: 'orrery: there is a file x.csv already\n' });
      expect(readFileSync(join(folder, 'x.csv'), 'utf8')).to.equal('kept');
      expect(readdirSync(folder).sort()).to.deep.equal(['data', 'x.csv']);
    }).timeout(120_000);

    it('undoes as many changes of the schema as are asked for, with consent, and never beside a server', async () => {
      const server = await serve();
      const key = keyOf(server);
      const besides = run(['migrate', 'down', '1', '--yes']);
      expect([besides.code, besides.err]).to.satisfy(
        ([code, err]: readonly [number, string]) =>
          code === 1 && err.includes('while a server serves'),
      );
      expect(await workspacesOf(server, key)).to.deep.equal({ workspaceNames: ['admin'] });
      await server.stop();

      for (const words of someOf([['0'], ['-1'], ['all'], ['1.5']], 4, 'counts of changes'))
        expect(run(['migrate', 'down', ...words]).code, words[0]).to.be.oneOf([1, 2]);
      const asked = run(['migrate', 'down', '1']);
      expect([asked.code, asked.err.includes('nothing was changed: add --yes')]).to.deep.equal([
        1,
        true,
      ]);
      expect(run(['check']).code).to.equal(0);
      const unfit = run(['check'], {
        ORRERY_PYTHON_METRICS: 'no-such-python',
        ORRERY_AUTH: 'lokal',
      });
      expect(unfit.out).to.contain('ORRERY_AUTH is lokal, which is none of local, oidc');
      expect([unfit.code, unfit.out]).to.satisfy(
        ([code, out]: readonly [number, string]) =>
          code === 1 && /FAILED +metrics in Python can be run: .*no-such-python/.test(out),
      );

      const undone = run(['migrate', 'down', '1', '--yes', '--json']);
      expect([
        undone.code,
        (JSON.parse(undone.out) as Record<string, unknown>)['undone'],
      ]).to.deep.equal([0, 1]);
      expect(run(['check']).out).to.contain('1 change waits for "orrery migrate up"');
      expect(run(['migrate', 'up']).out).to.equal('1 change made\n');
      const again = await serve();
      expect(await workspacesOf(again, key)).to.deep.equal({ workspaceNames: ['admin'] });
    });

    it('drops only what a plugin has left, by its name and with consent', async () => {
      await makeData();
      const { code, err } = run(['migrate', 'drop', 'nothing', '--yes']);

      expect([code, err]).to.deep.equal([
        1,
        'orrery: this database holds nothing of a plugin nothing\n',
      ]);
      expect(run(['migrate', 'drop', 'core', '--yes']).code).to.equal(1);
    });
  });

  describe('for a backup', () => {
    it('carries a default installation through a file into a new folder, where its key and its bytes are as before', async () => {
      const server = await serve();
      const key = keyOf(server);
      const headers = { authorization: key };
      const { experimentKey } = (await (
        await fetch(`${server.url}/api/rest/v2/write/experiment/create`, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify({ workspaceName: 'admin', projectName: 'p' }),
        })
      ).json()) as Record<string, string>;
      const form = new FormData();
      form.append('file', new Blob([Buffer.alloc(300_000, 'bytes ')]), 'weights.bin');
      const { assetId } = (await (
        await fetch(
          `${server.url}/api/rest/v2/write/experiment/upload-asset?experimentKey=${String(experimentKey)}&fileName=weights.bin`,
          { method: 'POST', headers, body: form },
        )
      ).json()) as Record<string, string>;

      const file = join(folder, 'backup.zip');
      const exported = run(['export', file, '--json']);
      expect([
        exported.code,
        (JSON.parse(exported.out) as Record<string, unknown>)['blobs'],
      ]).to.deep.equal([0, 1]);
      expect([run(['export', '--verify', file]).code, run(['import', file]).code]).to.deep.equal([
        0, 1,
      ]);
      const nowhere = join(folder, 'nowhere', 'backup.zip');
      const unwritten = run(['export', nowhere]);
      expect(unwritten.code).to.equal(1);
      expect(unwritten.err.trim().split('\n').at(-1)).to.equal(
        `orrery: ${nowhere} cannot be written: there is no such file or folder`,
      );
      expect((await ready(server)).status).to.equal(200);
      await server.stop();

      const other = join(folder, 'other');
      mkdirSync(other);
      const imported = run(['import', file], {}, other);
      expect([imported.code, imported.err.includes('orrery:')]).to.deep.equal([0, false]);
      const restored = await serve({}, other);
      const bytes = await (
        await fetch(
          `${restored.url}/api/rest/v2/experiment/asset/get-asset?experimentKey=${String(experimentKey)}&assetId=${String(assetId)}`,
          { headers },
        )
      ).arrayBuffer();
      expect(Buffer.from(bytes).equals(Buffer.alloc(300_000, 'bytes '))).to.equal(true);
      expect(restored.out()).to.not.contain('password');
    });

    it('verifies a file without any settings or storage, and names what is wrong with a damaged one', async () => {
      const server = await serve();
      const file = join(folder, 'backup.zip');
      run(['export', file]);
      await server.stop();
      const elsewhere = join(folder, 'elsewhere');
      mkdirSync(elsewhere);

      const whole = run(['export', '--verify', file], {}, elsewhere);
      const bytes = readFileSync(file);
      const broken = Buffer.from(bytes);
      // Longer than what stands between two files, of which some may be anything.
      broken.fill(0x5a, Math.floor(bytes.length / 3), Math.floor(bytes.length / 3) + 300);
      writeFileSync(join(folder, 'damaged.zip'), broken);
      writeFileSync(join(folder, 'short.zip'), bytes.subarray(0, bytes.length - 100));

      expect([whole.code, whole.out.trim()]).to.satisfy(
        ([code, out]: readonly [number, string]) =>
          code === 0 && /rows and \d+ files read and found whole$/.test(out),
      );
      for (const name of ['damaged.zip', 'short.zip']) {
        expect(run(['export', '--verify', join(folder, name)], {}, elsewhere).code, name).to.equal(
          1,
        );
        expect(run(['import', join(folder, name)], {}, elsewhere).code, name).to.equal(1);
      }
      expect(existsSync(join(elsewhere, 'data'))).to.equal(false);
    });
  });
});
