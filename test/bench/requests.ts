// What one request of each kind costs: statements to the database, and processor time of the server and its database together.
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, round, type Figure, type Line } from './line.js';
import { batchPath, prepare, prepareBatches, type Prepared } from './batches.js';
import { runLoad } from './load.js';
import type { Sent } from './statements.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

const clients = 20;
/** Requests after one another, of which the one with the fewest statements tells: jobs send some in between. */
const counted = 15;
/** Pause before each, in which what the one before has set off is done. */
const settleMs = 60;

/** Where a request's own number goes; see `prepare`. */
const mark = '000000000000';
const write = '/api/rest/v2/write';

interface Kind {
  readonly what: string;
  /** Statements that it takes at least, those around a transaction left out. */
  readonly needs: number;
  /** Statements that it has been brought down to, those around a transaction among them. */
  readonly most: number;
  /** Requests of one client over one experiment. */
  readonly make: (server: BenchServer, key: string) => readonly Prepared[];
}

const json = ({ apiKey }: BenchServer, path: string, body: object): readonly Prepared[] => [
  prepare({ path, apiKey }, body),
];

const values = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    parameterName: `parameter_${at}`,
    parameterValue: String(at / 7),
    step: null,
    context: null,
    timestamp: 1_700_000_000_000,
  }));

/** One small file as a form. */
const upload = ({ apiKey }: BenchServer, key: string): Prepared => {
  const boundary = 'orrery-bench-boundary';
  const content = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="w.bin"\r\nContent-Type: application/octet-stream\r\n\r\n${'x'.repeat(1000)}\r\n--${boundary}--\r\n`,
  );
  const head = `POST ${write}/experiment/upload-asset?experimentKey=${key}&fileName=f${mark}&type=asset HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: ${apiKey}\r\nContent-Type: multipart/form-data; boundary=${boundary}\r\nContent-Length: ${content.length}\r\n\r\n`;
  const bytes = Buffer.concat([Buffer.from(head), content]);
  return { bytes, markAt: bytes.indexOf(mark) };
};

/** A body in which the number stands inside a name, so that each request makes something of its own. */
const naming = ({ apiKey }: BenchServer, path: string, body: object): readonly Prepared[] => {
  const { bytes } = prepare({ path, apiKey }, body);
  return [{ bytes, markAt: bytes.indexOf(mark) }];
};

const batches = (server: BenchServer, key: string, series: number, points: number) =>
  prepareBatches({ path: batchPath, apiKey: server.apiKey }, [key], { series, points }, 4)[0] ?? [];

const kinds: readonly Kind[] = [
  {
    what: 'create an experiment',
    needs: 3,
    most: 3,
    make: (server) =>
      json(server, `${write}/experiment/create`, {
        workspaceName: server.workspace,
        projectName: 'bench',
      }),
  },
  ...[10, 100].map((count): Kind => ({
    what: `${count} parameters`,
    needs: 2,
    most: 5,
    make: (server, key) =>
      json(server, '/clientlib/batch/logger/experiment/parameter', {
        experimentKey: key,
        values: values(count),
      }),
  })),
  {
    what: 'an other',
    needs: 2,
    most: 4,
    make: (server, key) =>
      json(server, `${write}/experiment/log-other`, {
        experimentKey: key,
        key: 'host',
        value: 'one',
      }),
  },
  {
    what: 'a tag',
    needs: 2,
    most: 4,
    make: (server, key) =>
      json(server, `${write}/experiment/tags`, { experimentKey: key, addedTags: ['good'] }),
  },
  {
    what: 'one metric point',
    needs: 3,
    most: 5,
    make: (server, key) => batches(server, key, 1, 1),
  },
  {
    what: 'a batch of 10 metrics',
    needs: 3,
    most: 5,
    make: (server, key) => batches(server, key, 10, 1),
  },
  {
    what: 'a batch of 500 metrics',
    needs: 3,
    most: 5,
    make: (server, key) => batches(server, key, 500, 1),
  },
  {
    what: 'a batch of 10 new metric names',
    needs: 3,
    most: 8,
    make: (server, key) =>
      naming(server, batchPath, {
        experimentKey: key,
        values: Array.from({ length: 10 }, (_, at) => ({
          metricName: at === 0 ? `new_${mark}` : `loss_${at}`,
          metricValue: at,
          step: at,
          timestamp: 1_700_000_000_000,
        })),
      }),
  },
  { what: 'an upload', needs: 3, most: 6, make: (server, key) => [upload(server, key)] },
  {
    what: 'an artifact version',
    needs: 5,
    most: 5,
    make: (server, key) =>
      naming(server, `${write}/artifacts/upsert`, {
        experimentKey: key,
        artifactName: `a${mark}`,
        artifactType: 'dataset',
      }),
  },
  {
    what: 'a registration',
    needs: 6,
    most: 6,
    make: (server, key) =>
      naming(server, `${write}/registry-model/item/create`, {
        experimentKey: key,
        experimentModelName: 'net',
        registryModelName: `m${mark}`,
        version: '1.0.0',
      }),
  },
];

const sentBy = async ({ call }: BenchServer): Promise<Sent> =>
  (await call('GET', '/bench/statements')) as Sent; // the row's reply

/** What a request sends by itself: jobs only add to it. */
const fewest = (counts: readonly number[]): number => Math.min(...counts);

type Counted = Pick<Sent, 'statements' | 'turns'>;

/** Statements of one request with nobody else there. */
const count = async (server: BenchServer, prepared: readonly Prepared[]): Promise<Counted> => {
  const found: Counted[] = [];
  for (let i = 0; i < counted; i++) {
    await wait(settleMs);
    const before = await sentBy(server);
    await runLoad({ port: server.port, clients: [prepared], seconds: 10, requests: 1 });
    const after = await sentBy(server);
    found.push({
      statements: after.statements - before.statements,
      turns: after.turns - before.turns,
    });
  }
  if (!found.some(({ statements }) => statements > 0))
    throw new Error(
      'no statement was seen on any connection: they are not counted where they are sent',
    );
  return {
    statements: fewest(found.map((one) => one.statements)),
    turns: fewest(found.map((one) => one.turns)),
  };
};

const giveModel = async (server: BenchServer, key: string): Promise<void> => {
  const form = new FormData();
  form.append('file', new Blob(['weights']), 'weights.bin');
  const reply = await fetch(
    `${server.url}${write}/experiment/upload-asset?experimentKey=${key}&fileName=weights.bin&type=model-element&groupingName=net`,
    { method: 'POST', headers: { Authorization: server.apiKey }, body: form },
  );
  if (reply.status !== 200) throw new Error(`the model was answered with ${reply.status}`);
};

const measure = async (
  server: BenchServer,
  prepared: readonly (readonly Prepared[])[],
  { what, needs, most }: Kind,
  { statements, turns }: Counted,
  seconds: number,
): Promise<Figure> => {
  await runLoad({ port: server.port, clients: prepared, seconds: seconds / 2 });
  const before = server.usedMs();
  const { perSecond, requests } = await runLoad({ port: server.port, clients: prepared, seconds });
  const after = server.usedMs();
  const [served, stored] = [
    (after.server - before.server) / requests,
    (after.database - before.database) / requests,
  ];
  return {
    what,
    value: `${round(served + stored)} ms`,
    sides: `server ${round(served)}, database ${round(stored)}; ${round(perSecond, 0)}/s with ${clients} clients; ${statements} statements in ${turns} turns, ${round(statements / needs, 1)} times the ${needs} it needs`,
    held: atMost(most, statements, 'statements'),
  };
};

export const requestsLine: Line = {
  name: 'requests',
  run: ({ quick }) =>
    withServer(async (server) => {
      const keys = await makeExperiments(server, clients);
      await Promise.all(keys.map((key) => giveModel(server, key)));
      const all = kinds.map((kind) => ({
        kind,
        prepared: keys.map((key) => kind.make(server, key)),
      }));
      // Counted before any load, after which jobs have much to do.
      const counts: Counted[] = [];
      for (const { prepared } of all) counts.push(await count(server, prepared[0] ?? []));
      const figures: Figure[] = [];
      for (const [at, { kind, prepared }] of all.entries())
        figures.push(await measure(server, prepared, kind, counts[at]!, quick ? 2 : 5));
      return figures;
    }),
};
