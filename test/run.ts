// `node dist/test/run.js [--long] [--only a,b] [AREA…]`: every suite, or those of some areas, against servers started once.
import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { readAreas } from './by-area.js';
import { makeQuickFolder, type QuickFolder } from './quick-folder.js';
import { areasVariable, freshSeed, seedVariable } from './sampling.js';
import { findServer, stopServers, type ServerKind } from './servers/servers.js';
import { makeTemplate, templateVariable, type Template } from './servers/template.js';
import type { Counts, Order } from './suite.js';

/** The test files of one top folder, or a part of them; those beside the folders are the suite `tree`. */
interface Suite {
  readonly name: string;
  readonly files: readonly string[];
  /** What its process is told besides. */
  readonly env?: Readonly<Record<string, string>>;
}

const here = dirname(fileURLToPath(import.meta.url));
const suiteLimitMs = 20 * 60_000;
/** How long a suite that has reported may take to end by itself. */
const leakLimitMs = 10_000;
/** What a process printed may come so much later than its report or its end. */
const outputMs = 20;
const lastWordsLength = 2000;
const everything = process.env['ORRERY_TEST_ALL'] === '1' || process.argv.includes('--long');
/** Suites at once: more than a laptop has processors, since tests wait as well; few where everything must run, so that no fault is one of crowding. */
const lanes = everything ? 2 : 4;
/** Suites that hold the product against a clock; where everything must run they begin once no other is left, in two lanes. */
const alone = /^(clients\/browser(\/.*)?|faults(\/.*)?|package|tree|plugins|long)$/;
/** Suites that wait for most of their time; where everything must run they have a lane of their own, but for those in the other two that it would wait for. */
const waits = /^clients\/(python|opik-python|opik-js)(\/(?!outage).*)?$/;
/** Browser suites that are run once more on other databases, where everything must run: pages of every kind of query on both, each of the others on one. */
const onOthers: Readonly<Record<string, readonly string[]>> = {
  postgres: [
    ...['together', 'registry', 'evaluating', 'boards', 'verdicts', 'report'],
    ...['many', 'engineer'],
  ],
  mysql: ['together', 'registry', 'traces', 'reviewing', 'many', 'engineer'],
};
const sharesProcess = ({ name, env }: Suite, next: Suite | undefined): boolean =>
  [name, next?.name].every((one) => one?.startsWith('clients/browser/') === true) &&
  env === next?.env;
/** Folders that take long are run in parts, each in a process of its own: by file, or by the folder within. */
const inParts: Readonly<Record<string, 'file' | 'folder'>> = {
  api: 'file',
  contract: 'file',
  faults: 'file',
  config: 'file',
  clients: 'folder',
  'clients/browser': 'file',
  'clients/python': 'file',
  'clients/opik-python': 'file',
  adapters: 'folder',
};
/** Those that take longest begin first. */
const longest = [
  'clients/python',
  'clients/opik-python',
  'adapters/sql',
  'clients/mpm',
  'api/hostile-values',
  'config/transfer',
  'api/oauth/traps',
  'faults/webhooks',
  'clients/wire',
  'api/every-operation',
  'contract/storage',
  'faults/processes',
  'config/commands',
  'api/at-once',
  'api/hostile-values',
  'api/journeys',
  'adapters/blob',
  'adapters/embedded',
  'faults',
  'contract',
  'core',
  'api',
];
const shared: readonly ServerKind[] = ['postgres', 'mysql', 's3'];

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const { values: wanted, positionals } = parseArgs({
  allowPositionals: true,
  options: { long: { type: 'boolean', default: false }, only: { type: 'string' } },
});
const running = new Set<ReturnType<typeof fork>>();
let template: Template | undefined;
let quick: QuickFolder | undefined;

/** The suites of the areas that were named: what has their word in its path, and the battery, which asks their rows alone. */
const readWords = () => {
  try {
    return readAreas(positionals);
  } catch (thrown) {
    print(thrown instanceof Error ? thrown.message : String(thrown));
    process.exit(1);
  }
};
const ofAreas = readWords();
if (ofAreas.areas.length > 0) process.env[areasVariable] = ofAreas.areas.join(',');
// One seed for all processes, so that the run can be repeated.
const seed = (process.env[seedVariable] ??= freshSeed());

const listSuites = (): readonly Suite[] => {
  const files = readdirSync(here, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.test.js'),
  );
  const byName = new Map<string, string[]>();
  for (const file of files.filter(ofAreas.isOfThem).sort()) {
    const name = suiteOf(file.split(sep));
    byName.set(name, [...(byName.get(name) ?? []), join(here, file)]);
  }
  const place = (name: string) =>
    Math.min(
      ...[name, topOf(name)].map((one) =>
        longest.includes(one) ? longest.indexOf(one) : longest.length,
      ),
    );
  return [
    ...[...byName].map<Suite>(([name, members]) => ({ name, files: members })),
    ...onOtherDatabases(),
  ]
    .filter(({ name }) => isWanted(name))
    .sort((a, b) => place(a.name) - place(b.name));
};

/** Only where no areas were named: the pages are those of all of them. */
const onOtherDatabases = (): readonly Suite[] =>
  everything && ofAreas.areas.length === 0
    ? Object.entries(onOthers).flatMap(([database, suites]) => {
        // One object, by which they are known to go together.
        const env = { ORRERY_TEST_SCREENS_STORAGE: database };
        return suites.map((suite) => ({
          name: `clients/browser/on-${database}/${suite}`,
          files: [join(here, 'clients', 'browser', `${suite}.test.js`)],
          env,
        }));
      })
    : [];

const topOf = (name: string): string => name.split('/')[0] ?? name;
const suiteOf = ([top = '', within = '', ...below]: readonly string[]): string => {
  if (within === '') return 'tree';
  const parts = inParts[`${top}/${within}`] ?? inParts[top];
  return parts === undefined
    ? top
    : [top, within, ...(parts === 'file' ? below : [])].join('/').replace('.test.js', '');
};

/** The words by which a suite can be asked for: its name, and the folders that it stands in. */
const wordsOf = (name: string): readonly string[] => [
  name,
  topOf(name),
  name.split('/').slice(0, 2).join('/'),
];
const only = wanted.only?.split(',');
const isWanted = (name: string): boolean =>
  only === undefined
    ? name !== 'bench' && (name !== 'long' || wanted.long)
    : wordsOf(name).some((word) => only.includes(word));

/** Ends the run where a word of `--only` names no suite: a run of nothing would pass. */
const requireKnown = (suites: readonly Suite[]): void => {
  const unknown = only?.find((word) => !suites.some(({ name }) => wordsOf(name).includes(word)));
  if (unknown === undefined) return;
  print(`there is no suite ${unknown}`);
  process.exit(1);
};

/** The addresses of the servers that every suite shares, as the environment hands them on. */
const startShared = async (): Promise<Readonly<Record<string, string>>> => {
  const addresses: Record<string, string> = {};
  const start = async (kind: ServerKind): Promise<void> => {
    const server = await findServer(kind);
    if ('url' in server) addresses[`TEST_${kind.toUpperCase()}_URL`] = server.url;
    print(
      'url' in server ? `${kind}: ${server.name} ${server.version}` : `${kind}: ${server.missing}`,
    );
  };
  const lay = async (): Promise<void> => {
    template = await makeTemplate();
    addresses[templateVariable] = template.folder;
  };
  await Promise.all([...shared.map(start), lay()]);
  return addresses;
};

/** A process that runs suites one after the other. */
interface Runner {
  /** Whether it can run another. */
  readonly runs: () => boolean;
  /** Runs a suite to its end, which is made for it when it hangs: one that does not report counts as one failure. */
  run(suite: Suite): Promise<Counts>;
  /** Ends it; gives what went wrong in that. */
  end(): Promise<Counts>;
}

const nothing: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] };
const oneFailure = (why: string): Counts => ({ ...nothing, failed: 1, failures: [why] });
const sum = (a: Counts, b: Counts): Counts => ({
  passed: a.passed + b.passed,
  failed: a.failed + b.failed,
  skipped: a.skipped + b.skipped,
  failures: [...a.failures, ...b.failures],
});

/** Room for what tests make and drop at once: cleaning a small one takes a tenth of their time. */
const nursery = '--max-semi-space-size=32'; // MiB

const startRunner = (told: Readonly<Record<string, string>>): Runner => {
  const child = fork(join(here, 'suite.js'), [], {
    execArgv: [nursery],
    silent: true,
    env: { ...process.env, ...told, ...(wanted.long ? { ORRERY_TEST_LONG: '1' } : {}) },
  });
  running.add(child);
  // What suites that run side by side print is kept until each is over, so that it reads in one piece.
  const kept: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (piece: Buffer) => kept.push(piece));
  const printKept = (): void => {
    if (kept.length > 0) print(Buffer.concat(kept.splice(0)).toString());
  };
  const ran: string[] = [];
  let ended = false;
  // Not once its pipes are closed, which what it started may hold open for long.
  const gone = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('exit', (code, signal) => {
      ended = true;
      running.delete(child);
      resolve(code ?? signal);
    });
  });
  /** The end of what it printed, for whoever sees no more of the log than its end. */
  const lastWords = (): string => Buffer.concat(kept).toString().trim().slice(-lastWordsLength);
  const order = (what: Order): void => {
    child.send(what, () => undefined);
  }; // one that is gone is noticed by its end
  const within = (ms: number, why: string): NodeJS.Timeout =>
    setTimeout(() => {
      print(why);
      child.kill('SIGKILL');
    }, ms);
  return {
    runs: () => !ended && child.connected,
    async run({ name, files }) {
      ran.push(name);
      const startedAt = Date.now();
      const limit = within(
        suiteLimitMs,
        `${name}: did not finish in ${String(suiteLimitMs / 60_000)} minutes`,
      );
      // The other end of this channel is suite.ts, which sends nothing else.
      const reported = new Promise<Counts>((resolve) => {
        child.once('message', (counts) => {
          resolve(counts as Counts);
        });
      });
      order({ files });
      const counts = await Promise.race([
        reported,
        gone.then(async (how) => {
          await wait(outputMs);
          return oneFailure(
            `${name}: its process ended with ${String(how)} before it reported; it printed at last:\n${lastWords()}`,
          );
        }),
      ]);
      clearTimeout(limit);
      await wait(outputMs);
      print(`\n== ${name}`);
      printKept();
      print(`${name}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
      return counts;
    },
    async end() {
      if (ended) return nothing; // counted where it happened
      const limit = within(
        leakLimitMs,
        'something was left open that kept the process of the tests alive',
      );
      order('end');
      const code = await gone;
      clearTimeout(limit);
      await wait(outputMs);
      const printed = lastWords();
      printKept();
      return code === 0
        ? nothing
        : oneFailure(
            `the process of ${ran.join(', ')} did not end by itself, or failed as it ended: ${String(code)}\n${printed}`,
          );
    },
  };
};

const minutesSince = (time: number): string => ((Date.now() - time) / 60_000).toFixed(1);

const runAll = async (): Promise<Counts> => {
  // Where everything must run it runs on a disk.
  if (!everything) quick = await makeQuickFolder();
  if (quick !== undefined) process.env['TMPDIR'] = quick.path;
  print(`samples are chosen by ${seedVariable}=${seed}`);
  const startedAt = Date.now();
  const addresses = await startShared();
  let total = nothing;
  const add = (counts: Counts): void => {
    total = sum(total, counts);
  };
  // Where everything must run each suite has a process of its own, so that what it leaves behind is told of it, but for browser suites, which are many and
  // short; else a lane keeps one, with all that is loaded.
  const lane = async (waiting: Suite[]): Promise<void> => {
    let runner: Runner | undefined;
    for (let suite = waiting.shift(); suite !== undefined; suite = waiting.shift()) {
      runner = runner?.runs() === true ? runner : startRunner({ ...addresses, ...suite.env });
      add(await runner.run(suite));
      if (!everything || sharesProcess(suite, waiting[0])) continue;
      add(await runner.end());
      runner = undefined;
    }
    add(await (runner?.end() ?? nothing));
  };
  const runIn = async (count: number, suites: readonly Suite[]): Promise<void> => {
    const waiting = [...suites];
    await Promise.all(Array.from({ length: count }, () => lane(waiting)));
  };
  const suites = listSuites();
  const of = (isOne: (name: string) => boolean) => suites.filter(({ name }) => isOne(name));
  if (!everything) await runIn(lanes, suites);
  else {
    const ofEmbedded = (name: string) => /^clients\/browser\/(?!on-)/.test(name);
    await Promise.all([
      runIn(
        1,
        of((name) => waits.test(name)),
      ),
      runIn(
        lanes,
        of((name) => !waits.test(name) && !alone.test(name)),
      ),
    ]);
    print(`\n== what may run beside others took ${minutesSince(startedAt)} minutes`);
    // Browsers over the embedded database take as long as all the rest, those over the others included.
    await Promise.all(
      [ofEmbedded, (name: string) => !ofEmbedded(name)].map((ofLane) =>
        runIn(
          1,
          of((name) => alone.test(name) && ofLane(name)),
        ),
      ),
    );
    print(`\n== all suites took ${minutesSince(startedAt)} minutes`);
  }
  return total;
};

const giveUp = (signal: NodeJS.Signals): void => {
  for (const child of running) child.kill('SIGKILL');
  void Promise.all([stopServers(), template?.remove()])
    .finally(() => quick?.remove())
    .finally(() => process.kill(process.pid, signal));
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, giveUp);

const failRun = (error: unknown): Counts => {
  const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
  print(why);
  return oneFailure(why);
};
requireKnown(listSuites());
const total = await runAll().catch(failRun);
await Promise.all([stopServers(), template?.remove()]);
await quick?.remove();
process.exitCode = total.failed === 0 ? 0 : 1;
// Told once more at the end, where it is looked for and where a log that keeps only its end still has it.
for (const failure of total.failures) print(`\nfailed: ${failure}`);
print(
  `\n${String(total.passed)} passed, ${String(total.failed)} failed, ${String(total.skipped)} skipped`,
);
