// Orrery itself, as `npm start` runs it.
import { readFileSync } from 'node:fs';
import { batchPath, prepare, prepareBatches } from '../batches.js';
import { fillProject, projectOf } from '../listing.js';
import { memoryWithin, usedWithin } from '../processes.js';
import { makeExperiments, startServer, type BenchServer } from '../server.js';
import { prepareSpans, spansPath } from '../spans.js';
import {
  curve,
  once,
  prepareFor,
  type Given,
  type Peer,
  type StartedPeer,
  type Work,
} from './peer.js';

const write = '/api/rest/v2/write/experiment';

const parameters = (count: number, request: number) =>
  Array.from({ length: count }, (_, i) => ({
    parameterName: `p${request}_${i}`,
    parameterValue: String(i / 7),
    step: null,
    context: null,
    timestamp: 1_700_000_000_000,
  }));

const prepareWith = (server: BenchServer, headers: Readonly<Record<string, string>>) => {
  const table = once(async () => {
    const [key = ''] = await makeExperiments(server, 1, 'table');
    const db = await server.openDatabase();
    await fillProject(db, key, 5000);
    const project = await projectOf(db, key);
    await db.destroy();
    return project;
  });
  const long = once(async () => {
    const [key = ''] = await makeExperiments(server, 1, 'long');
    for (let from = 0; from < 100_000; from += 1000)
      await server.call('POST', batchPath, {
        experimentKey: key,
        values: Array.from({ length: 1000 }, (_, i) => ({
          metricName: 'loss',
          metricValue: curve(0, from + i),
          step: from + i,
          timestamp: 1_700_000_000_000 + from + i,
        })),
      });
    return key;
  });
  const batches = (
    keys: readonly string[],
    series: number,
    points: number,
    each: number,
  ): Given => ({
    writes: prepareBatches(
      { path: batchPath, apiKey: server.apiKey },
      keys,
      { series, points },
      each,
    ),
  });
  const logged = (keys: readonly string[], count: number): Given => ({
    writes: keys.map((experimentKey) =>
      Array.from({ length: 400 }, (_, i) =>
        // With a number of its own, so that none is one that is sent again: those are known, and left out.
        prepare(
          { path: '/clientlib/batch/logger/experiment/parameter', apiKey: server.apiKey },
          { experimentKey, values: parameters(count, i) },
        ),
      ),
    ),
  });
  const rules = [
    {
      source: 'metrics',
      field: 'metric_3',
      id: 'metric_3',
      operator: 'greater',
      value: 0.5,
      type: 'double',
    },
  ];
  const each: Readonly<Record<Work, (keys: readonly string[]) => Given | Promise<Given>>> = {
    'create a run': (keys) => ({
      // A project for each client: one holds 25,000 runs at most, which are made within seconds.
      writes: keys.map((_, client) => [
        prepareFor({ headers }, `${write}/create`, {
          workspaceName: server.workspace,
          projectName: `bench ${client}`,
        }),
      ]),
    }),
    'one point': (keys) => batches(keys, 1, 1, 50),
    '10 metrics in a batch': (keys) => batches(keys, 10, 1, 50),
    '500 metrics in a batch': (keys) => batches(keys, 500, 1, 20),
    '10 parameters': (keys) => logged(keys, 10),
    '100 parameters': (keys) => logged(keys, 100),
    '1,000 points of a metric in a batch': (keys) => batches(keys, 1, 1000, 20),
    '100 spans in a batch': (keys) => ({
      writes: keys.map((_, client) => [
        prepareSpans({ path: spansPath, apiKey: server.apiKey }, client * 100, 'spans'),
      ]),
    }),
    'search of 5,000 runs, first 100': async () => ({
      reads: [
        {
          method: 'POST',
          path: '/api/rest/v2/experiments/search',
          body: { projectId: await table(), limit: 100, rulesTree: { condition: 'AND', rules } },
        },
      ],
    }),
    'first 100 of 5,000 runs with their values': async () => ({
      reads: [
        {
          method: 'POST',
          path: '/v1/private/ui/runs/query',
          body: {
            project: await table(),
            limit: 100,
            query: { condition: 'AND', rules },
            sort: [{ kind: 'metric', name: 'metric_1', value: 'last', descending: true }],
            columns: Array.from({ length: 20 }, (_, i) => [
              { kind: 'metric', name: `metric_${i + 1}`, value: 'last' },
              { kind: 'parameter', name: `parameter_${i + 1}` },
            ]).flat(),
          },
        },
      ],
    }),
    'all points of a metric of 100,000': async () => ({
      reads: [
        {
          method: 'GET',
          path: `/api/rest/v2/experiment/metrics/get-metric?experimentKey=${await long()}&metricName=loss`,
        },
      ],
    }),
  };
  return async (work: Work, clients: number): Promise<Given> =>
    each[work](await makeExperiments(server, clients));
};

const ownVersion = (): string =>
  (
    JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
      readonly version: string;
    }
  ).version; // our own package

export const orrery: Peer = {
  name: 'Orrery',
  async start(): Promise<StartedPeer> {
    const server = await startServer();
    const headers = { Authorization: server.apiKey };
    return {
      version: ownVersion(),
      port: server.port,
      headers,
      prepare: prepareWith(server, headers),
      usedMs: () => usedWithin(server.pid),
      memoryMb: () => memoryWithin(server.pid),
      stop: () => server.stop(),
    };
  },
};
