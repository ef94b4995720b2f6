// `node dist/test/run.js [--long] [--only a,b]`: every suite in a process of its own, against servers started once.
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findServer, stopServers, type ServerKind } from './servers/servers.js';
import { makeTemplate, templateVariable, type Template } from './servers/template.js';
import type { Counts } from './suite.js';

/** The test files of one top folder, or a part of them; those beside the folders are the suite `tree`. */
interface Suite {
  readonly name: string;
  readonly files: readonly string[];
}

const here = dirname(fileURLToPath(import.meta.url));
const suiteLimitMs = 20 * 60_000;
/** How long a suite that has reported may take to end by itself. */
const leakLimitMs = 10_000;
/** Suites at once: more than a laptop has processors, since tests wait as well; one where everything must run, so that no fault is one of crowding. */
const lanes = process.env['ORRERY_TEST_ALL'] === '1' || process.argv.includes('--long') ? 1 : 3;
/** Folders that take long are run in parts, each in a process of its own: by file, or by the folder within. */
const inParts: Readonly<Record<string, 'file' | 'folder'>> = { api: 'file', contract: 'file', faults: 'file', clients: 'folder', adapters: 'folder' };
/** Those that take longest begin first. */
const longest = ['clients/python', 'api/oauth/traps', 'faults/webhooks', 'clients/wire', 'api/every-operation', 'contract/storage', 'faults/processes', 'api/hostile-values', 'api/journeys', 'adapters/blob', 'adapters/embedded', 'faults', 'contract', 'core', 'api'];
const shared: readonly ServerKind[] = ['postgres', 'mysql', 's3'];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { values: wanted } = parseArgs({ options: { long: { type: 'boolean', default: false }, only: { type: 'string' } } });
const running = new Set<ReturnType<typeof fork>>();
let template: Template | undefined;

const listSuites = (): readonly Suite[] => {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.js'));
  const byName = new Map<string, string[]>();
  for (const file of files.sort()) {
    const name = suiteOf(file.split(sep));
    byName.set(name, [...(byName.get(name) ?? []), join(here, file)]);
  }
  const place = (name: string) => Math.min(...[name, topOf(name)].map((one) => (longest.includes(one) ? longest.indexOf(one) : longest.length)));
  return [...byName].map(([name, members]) => ({ name, files: members })).filter(({ name }) => isWanted(name)).sort((a, b) => place(a.name) - place(b.name));
};

const topOf = (name: string): string => name.split('/')[0] ?? name;
const suiteOf = ([top = '', within = '', ...below]: readonly string[]): string => {
  if (within === '') return 'tree';
  const parts = inParts[top];
  return parts === undefined ? top : [top, within, ...(parts === 'file' ? below : [])].join('/').replace('.test.js', '');
};

const isWanted = (name: string): boolean => {
  if (wanted.only !== undefined) return [name, topOf(name), name.split('/').slice(0, 2).join('/')].some((one) => wanted.only?.split(',').includes(one));
  return name !== 'bench' && (name !== 'long' || wanted.long);
};

/** The addresses of the servers that every suite shares, as the environment hands them on. */
const startShared = async (): Promise<Readonly<Record<string, string>>> => {
  const addresses: Record<string, string> = {};
  const start = async (kind: ServerKind): Promise<void> => {
    const server = await findServer(kind);
    if ('url' in server) addresses[`TEST_${kind.toUpperCase()}_URL`] = server.url;
    print('url' in server ? `${kind}: ${server.name} ${server.version}` : `${kind}: ${server.missing}`);
  };
  const lay = async (): Promise<void> => { template = await makeTemplate(); addresses[templateVariable] = template.folder; };
  await Promise.all([...shared.map(start), lay()]);
  return addresses;
};

/** Runs one suite to its end, which is made for it when it hangs: a suite that does not report counts as one failure. */
const runSuite = ({ name, files }: Suite, addresses: Readonly<Record<string, string>>): Promise<Counts> =>
  new Promise((resolve) => {
    const startedAt = Date.now();
    let counts: Counts = { passed: 0, failed: 1, skipped: 0 };
    const heading = `\n== ${name}`;
    if (lanes === 1) print(heading);
    const child = fork(join(here, 'suite.js'), files, { silent: lanes > 1, env: { ...process.env, ...addresses, ...(wanted.long ? { ORRERY_TEST_LONG: '1' } : {}) } });
    running.add(child);
    // What suites that run side by side print is kept until each is over, so that it reads in one piece.
    const kept: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (piece: Buffer) => kept.push(piece));
    const endIt = (why: string) => (): void => {
      print(`${name}: ${why}`);
      counts = { ...counts, failed: Math.max(1, counts.failed) };
      child.kill('SIGKILL');
    };
    let limit = setTimeout(endIt(`did not finish in ${String(suiteLimitMs / 60_000)} minutes`), suiteLimitMs);
    child.once('message', (reported) => {
      // The other end of this channel is suite.ts, which sends nothing else.
      counts = reported as Counts;
      clearTimeout(limit);
      limit = setTimeout(endIt('left something open that kept its process alive'), leakLimitMs);
    });
    child.once('close', (code) => {
      clearTimeout(limit);
      running.delete(child);
      if (lanes > 1) print(`${heading}\n${Buffer.concat(kept).toString()}`);
      if (code !== 0 && counts.failed === 0) counts = { ...counts, failed: 1 };
      print(`${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
      resolve(counts);
    });
  });

const runAll = async (): Promise<Counts> => {
  const addresses = await startShared();
  let total: Counts = { passed: 0, failed: 0, skipped: 0 };
  const waiting = [...listSuites()];
  const lane = async (): Promise<void> => {
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
      const { passed, failed, skipped } = await runSuite(suite, addresses);
      total = { passed: total.passed + passed, failed: total.failed + failed, skipped: total.skipped + skipped };
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return total;
};

const giveUp = (signal: NodeJS.Signals): void => {
  for (const child of running) child.kill('SIGKILL');
  void Promise.all([stopServers(), template?.remove()]).finally(() => process.kill(process.pid, signal));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, giveUp);

const failRun = (error: unknown): Counts => {
  print(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return { passed: 0, failed: 1, skipped: 0 };
};
const total = await runAll().catch(failRun);
await Promise.all([stopServers(), template?.remove()]);
process.exitCode = total.failed === 0 ? 0 : 1;
print(`\n${String(total.passed)} passed, ${String(total.failed)} failed, ${String(total.skipped)} skipped`);
