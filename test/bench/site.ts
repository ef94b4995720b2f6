// `npm run bench -- --site`: a week of fifty people in ten minutes, on each engine that there is: what is slower at its end than at its beginning, and
// what the database pays.
import { request, type ClientRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { makeDatabase } from '#test/servers/databases';
import { findServer, stopServers } from '#test/servers/servers';
import { quantile, round, type Figure, type Line } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';
import { createCaller, type Call } from './site/calls.js';
import {
  watchDatabase,
  type Backlog,
  type DatabaseFigures,
  type WatchedDatabase,
} from './site/database.js';
import { livePerson, type Habits, type Site } from './site/people.js';

interface Scale {
  readonly seconds: number;
  readonly people: number;
  readonly habits: Habits;
}
const week: Scale = {
  seconds: 600,
  people: 50,
  habits: { batches: 12, pauseMs: 400, series: 10, points: 50 },
};
const shortWeek: Scale = {
  seconds: 20,
  people: 8,
  habits: { batches: 6, pauseMs: 50, series: 5, points: 10 },
};

/** Parts of the week that are compared: the first seconds warm up. */
const [beginning, ending] = [
  [0.1, 0.3],
  [0.8, 1],
] as const;
/** How much slower the end may be: twice, or by so many ms, where there is little to compare. */
const [mostTimes, alwaysMs] = [2, 25];
const lookEveryMs = 1000;

const openPage = ({ url, apiKey }: BenchServer, projectId: string): ClientRequest => {
  const sent = request(
    `${url}/v1/private/ui/events?project=${projectId}`,
    { headers: { authorization: apiKey }, agent: false },
    (reply) => {
      reply.on('error', () => undefined);
      reply.resume();
    },
  );
  sent.on('error', () => undefined);
  sent.end();
  return sent;
};

/** Looks at the database every second until the week is over; tells the worst of each backlog. */
const watch = async (database: WatchedDatabase, until: number): Promise<Backlog> => {
  let worst: Backlog = { mergesS: 0, copiesS: 0, removals: 0 };
  while (performance.now() < until) {
    await wait(lookEveryMs);
    await database.look();
    const now = await database.backlog();
    worst = {
      mergesS: Math.max(worst.mergesS, now.mergesS),
      copiesS: Math.max(worst.copiesS, now.copiesS),
      removals: Math.max(worst.removals, now.removals),
    };
  }
  return worst;
};

interface Week {
  readonly calls: readonly Call[];
  readonly refusals: readonly string[];
  readonly points: number;
  readonly runs: number;
  readonly before: DatabaseFigures;
  readonly after: DatabaseFigures;
  readonly worst: Backlog;
  readonly usedMs: number;
}

const live = async (
  server: BenchServer,
  database: WatchedDatabase,
  { seconds, people, habits }: Scale,
): Promise<Week> => {
  const projectName = 'bench';
  const [first = ''] = await makeExperiments(server, 1, projectName);
  const { projectId } = (await server.call(
    'GET',
    `/api/rest/v2/experiment/metadata?experimentKey=${first}`,
  )) as { readonly projectId: string }; // the row's reply
  const before = await database.figures();
  const usedBefore = server.usedMs().server;
  const caller = createCaller(server);
  const until = performance.now() + seconds * 1000;
  const runs: string[] = [first];
  const site: Site = {
    server,
    caller,
    habits,
    runs,
    projectId,
    projectName,
    until,
    pointsLogged: 0,
  };
  const pages = Array.from({ length: people }, () => openPage(server, projectId));
  const watching = watch(database, until);
  await Promise.all(Array.from({ length: people }, (_, number) => livePerson(site, number)));
  for (const page of pages) page.destroy();
  return {
    calls: caller.calls,
    refusals: caller.refusals,
    points: site.pointsLogged,
    runs: caller.calls.filter(({ name, failed }) => name === 'create' && !failed).length,
    before,
    worst: await watching,
    after: await database.figures(),
    usedMs: server.usedMs().server - usedBefore,
  };
};

/** How long each call took at the beginning and at the end. */
const compareCalls = (engine: string, { calls }: Week, { seconds }: Scale): readonly Figure[] =>
  [...new Set(calls.map(({ name }) => name))].map((name) => {
    const within = ([from, to]: readonly [number, number]) =>
      calls
        .filter(
          (call) =>
            call.name === name && call.at >= from * seconds * 1000 && call.at < to * seconds * 1000,
        )
        .map(({ ms }) => ms);
    const [early, late] = [within(beginning), within(ending)];
    const [first, last] = [quantile(early, 0.95), quantile(late, 0.95)];
    const all = calls.filter((call) => call.name === name);
    const failed = all.filter((call) => call.failed).length;
    const isKnown = early.length > 0 && late.length > 0;
    return {
      what: `${engine}: ${name}, p95 at the end of the week`,
      value: `${round(last, 1)} ms`,
      sides: `${round(first, 1)} ms at its beginning; ${all.length} calls${failed > 0 ? `, ${failed} refused` : ''}`,
      ...(isKnown
        ? {
            held: {
              bound: `≤ ${mostTimes}×, + ${alwaysMs} ms`,
              holds: last <= Math.max(first * mostTimes, first + alwaysMs),
            },
          }
        : {}),
    };
  });

const compareDatabase = (
  engine: string,
  database: WatchedDatabase,
  { points, runs, before, after, worst, usedMs, refusals, calls }: Week,
): readonly Figure[] => {
  const per = (name: 'logBytes' | 'dataBytes') =>
    `${round((after[name] - before[name]) / Math.max(1, points), 0)} B`;
  const waits = after.lockWaits - before.lockWaits;
  const deadlocks = after.deadlocks - before.deadlocks;
  const refused = calls.filter(({ failed }) => failed).length;
  return [
    {
      what: `${engine}: log for each point`,
      value: per('logBytes'),
      sides: `${points.toLocaleString('en')} points of ${runs} runs, everything else included; data ${per('dataBytes')}`,
    },
    {
      what: `${engine}: deadlocks`,
      value: String(deadlocks),
      sides: `${waits} ${database.words.lockWaits}; ${after.cleaned} ${database.words.cleaned}`,
      held: { bound: '0', holds: deadlocks === 0 },
    },
    {
      what: `${engine}: oldest that waited to be merged`,
      value: `${round(worst.mergesS, 0)} s`,
      sides: `copies for searches ${round(worst.copiesS, 0)} s; at most ${worst.removals} deleted runs whose rows were there`,
      held: { bound: '≤ 60 s', holds: worst.mergesS <= 60 },
    },
    {
      what: `${engine}: calls that were refused`,
      value: String(refused),
      sides:
        refusals.length > 0
          ? refusals.join(' | ')
          : `server ${round(usedMs / Math.max(1, calls.length), 2)} ms of processor for each of ${calls.length} calls`,
      held: { bound: '0', holds: refused === 0 },
    },
  ];
};

const engines = [
  { engine: 'Postgres', kind: 'postgres', storage: 'postgres', variable: 'ORRERY_POSTGRES_URL' },
  { engine: 'MariaDB', kind: 'mysql', storage: 'mysql', variable: 'ORRERY_MYSQL_URL' },
] as const;

/** One engine by name; a database of its own on a server that is found or started. */
const siteLine = ({ engine, kind, storage, variable }: (typeof engines)[number]): Line => ({
  name: `site-${kind}`,
  async run({ quick }) {
    const scale = quick ? shortWeek : week;
    const found = await findServer(kind);
    if ('missing' in found) return [{ what: engine, value: '–', sides: found.missing }];
    const made = await makeDatabase(found.url);
    const database = watchDatabase(made.url);
    try {
      const lived = await withServer((server) => live(server, database, scale), {
        env: {
          ORRERY_STORAGE: storage,
          [variable]: made.url,
          ORRERY_CONFIG: '',
          ORRERY_LISTENERS_PER_USER: '1000',
        },
      });
      return [...compareCalls(engine, lived, scale), ...compareDatabase(engine, database, lived)];
    } finally {
      await database.close();
      await made.remove();
      await stopServers();
    }
  },
});

export const siteLines: readonly Line[] = engines.map(siteLine);
