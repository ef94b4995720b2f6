// An artifact of many small files, logged by the public client, listed and downloaded.
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { cacheFolder } from '#test/servers/launch';
import { atMost, median, round, type Line } from './line.js';
import { timeEach } from './store.js';
import { withServer, type BenchServer } from './server.js';

// The script is Python: it is run where it is written, not where this file is compiled to.
const script = join(
  dirname(fileURLToPath(import.meta.url)),
  '..',
  '..',
  '..',
  'test',
  'bench',
  'small_files.py',
);
const python = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');

interface Logged {
  readonly workspace: string;
  readonly name: string;
  readonly version: string;
  readonly ms: number;
}

const log = async (server: BenchServer, count: number): Promise<Logged> => {
  const home = mkdtempSync(join(tmpdir(), 'orrery-bench-python-'));
  try {
    const { stdout } = await promisify(execFile)(python, [script, String(count)], {
      cwd: home,
      maxBuffer: 64 * 1024 * 1024,
      env: {
        PATH: process.env['PATH'],
        HOME: home,
        TMPDIR: home,
        COMET_URL_OVERRIDE: `${server.url}/clientlib/`,
        COMET_API_KEY: server.apiKey,
        COMET_WORKSPACE: server.workspace,
      },
    });
    return JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Logged; // the script's last line
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
};

/** When the first bytes of a reply came and when all were there, in ms, and how many. */
const readTimed = (
  server: BenchServer,
  path: string,
): Promise<{ readonly first: number; readonly all: number; readonly bytes: number }> =>
  new Promise((resolve, reject) => {
    const startedAt = performance.now();
    request(server.url + path, { headers: { Authorization: server.apiKey } }, (reply) => {
      let [first, bytes] = [0, 0];
      reply.on('data', (piece: Buffer) => {
        if (bytes === 0) first = performance.now() - startedAt;
        bytes += piece.length;
      });
      reply.on('end', () => {
        if (reply.statusCode === 200) resolve({ first, all: performance.now() - startedAt, bytes });
        else reject(new Error(`${path} answered ${reply.statusCode ?? 0}`));
      });
      reply.on('error', reject);
    })
      .on('error', reject)
      .end();
  });

export const artifactLine: Line = {
  name: 'artifact',
  run: ({ quick }) =>
    withServer(async (server) => {
      if (!existsSync(python))
        return [
          {
            what: 'an artifact of many small files',
            value: 'left out',
            sides: 'needs a Python with comet_ml; .ci/run makes one, or set ORRERY_TEST_PYTHON',
          },
        ];
      const count = quick ? 1000 : 10_000;
      const before = server.usedMs();
      const { workspace, name, version, ms } = await log(server, count);
      const after = server.usedMs();
      const [used, database] = [after.server - before.server, after.database - before.database];
      const named = `workspace=${workspace}&artifactName=${name}&version=${version}`;
      const listing = `/api/rest/v2/artifacts/version/files?${named}`;
      const { files } = (await server.call('GET', listing)) as {
        readonly files: readonly unknown[];
      }; // the row's reply
      if (files.length !== count) throw new Error(`${files.length} of ${count} files are listed`);
      const listed = median(await timeEach(quick ? 5 : 15, () => server.call('GET', listing)));
      const zips = [
        await readTimed(server, `/api/rest/v2/artifacts/version/download?${named}`),
        await readTimed(server, `/api/rest/v2/artifacts/version/download?${named}`),
      ];
      const first = Math.min(...zips.map((zip) => zip.first));
      return [
        {
          what: `${count.toLocaleString('en')} files logged, server over client processor time`,
          value: round(used / ms),
          sides: `server ${round(used / 1000, 1)} s, database ${round(database / 1000, 1)} s, client ${round(ms / 1000, 1)} s`,
          held: atMost(1, used / ms),
        },
        {
          what: 'listing them, ms',
          value: round(listed, 0),
          sides: 'median',
          held: atMost(300, listed),
        },
        {
          what: 'their zip begins, ms',
          value: round(first, 0),
          sides: `all ${round((zips[0]?.bytes ?? 0) / 1024, 0)} KiB in ${round(zips[0]?.all ?? 0, 0)} ms`,
          held: atMost(200, first),
        },
      ];
    }),
};
