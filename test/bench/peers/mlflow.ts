// MLflow over a Postgres of its own, as its documentation has a team run it.
import { join } from 'node:path';
import { runHere } from '#test/servers/launch';
import { startPostgres } from '#test/servers/postgres';
import { memoryWithin, usedWithin } from '../processes.js';
import {
  askAll,
  askOnce,
  curve,
  environmentWith,
  mark,
  once,
  prepareFor,
  type Asked,
  type Given,
  type Peer,
  type StartedPeer,
  type Work,
} from './peer.js';
import { startProgram } from './program.js';
import { prepareOtlp } from './spans.js';

const api = '/api/2.0/mlflow';
const at = 1_700_000_000_000;
const runs = 5000;

type Address = Pick<StartedPeer, 'port' | 'headers'>;

const experimentNamed = async (peer: Address, name: string): Promise<string> => {
  const made = await askOnce(peer, {
    method: 'POST',
    path: `${api}/experiments/create`,
    body: { name },
  });
  return (made as { readonly experiment_id: string }).experiment_id; // as its API has it
};

const makeRuns = async (
  peer: Address,
  experiment: string,
  count: number,
): Promise<readonly string[]> => {
  const made = await askAll(
    peer,
    Array.from({ length: count }, (): Asked => ({
      method: 'POST',
      path: `${api}/runs/create`,
      body: { experiment_id: experiment, start_time: at },
    })),
  );
  return made.map((one) => (one as { run: { info: { run_id: string } } }).run.info.run_id); // as its API has it
};

const metrics = (names: number, from: number) =>
  Array.from({ length: names }, (_, i) => ({
    key: `metric_${i}`,
    value: curve(i, from),
    timestamp: at + from,
    step: from,
  }));
const points = (count: number, from: number) =>
  Array.from({ length: count }, (_, i) => ({
    key: 'loss',
    value: curve(0, from + i),
    timestamp: at + from + i,
    step: from + i,
  }));
/** Parameters are written once: each request needs names of its own. */
const parameters = (count: number, request: number) =>
  Array.from({ length: count }, (_, i) => ({
    key: `p${request}_${i}`,
    value: String(i / 7),
  }));

/** Enough for what 20 clients send in a round. */
const requestsEach = 400;

const writing = (
  peer: Address,
  ids: readonly string[],
  each: number,
  bodyOf: (id: string, request: number) => object,
): Given => ({
  writes: ids.map((id) =>
    Array.from({ length: each }, (_, i) =>
      prepareFor(peer, `${api}/runs/log-batch`, bodyOf(id, i)),
    ),
  ),
});

const makeTable = async (peer: Address): Promise<string> => {
  const experiment = await experimentNamed(peer, `table ${mark}`);
  const ids = await makeRuns(peer, experiment, runs);
  await askAll(
    peer,
    ids.map((run_id, i): Asked => ({
      method: 'POST',
      path: `${api}/runs/log-batch`,
      body: {
        run_id,
        metrics: metrics(20, i),
        params: Array.from({ length: 20 }, (_, n) => ({
          key: `p_${n}`,
          value: String(i / (n + 1)),
        })),
      },
    })),
  );
  return experiment;
};

const prepareWith = (peer: Address, experiment: string) => {
  const table = once(() => makeTable(peer));
  const long = once(async () => {
    const [id = ''] = await makeRuns(peer, experiment, 1);
    for (let from = 0; from < 100_000; from += 1000)
      await askOnce(peer, {
        method: 'POST',
        path: `${api}/runs/log-batch`,
        body: { run_id: id, metrics: points(1000, from) },
      });
    return id;
  });
  const search = async (max_results: number): Promise<Given> => ({
    reads: [
      {
        method: 'POST',
        path: `${api}/runs/search`,
        body: {
          experiment_ids: [await table()],
          filter: 'metrics.metric_3 > 0.5',
          order_by: ['metrics.metric_1 DESC'],
          max_results,
        },
      },
    ],
  });
  const each: Readonly<Record<Work, (ids: readonly string[]) => Given | Promise<Given>>> = {
    'create a run': (ids) => ({
      writes: ids.map(() => [
        prepareFor(peer, `${api}/runs/create`, { experiment_id: experiment, start_time: at }),
      ]),
    }),
    'one point': (ids) => ({
      writes: ids.map((run_id) =>
        Array.from({ length: 50 }, (_, i) =>
          prepareFor(peer, `${api}/runs/log-metric`, {
            run_id,
            ...points(1, i)[0],
          }),
        ),
      ),
    }),
    '10 metrics in a batch': (ids) =>
      writing(peer, ids, 50, (run_id, i) => ({ run_id, metrics: metrics(10, i) })),
    '500 metrics in a batch': (ids) =>
      writing(peer, ids, 20, (run_id, i) => ({ run_id, metrics: metrics(500, i) })),
    '10 parameters': (ids) =>
      writing(peer, ids, requestsEach, (run_id, i) => ({ run_id, params: parameters(10, i) })),
    '100 parameters': (ids) =>
      writing(peer, ids, requestsEach, (run_id, i) => ({ run_id, params: parameters(100, i) })),
    '1,000 points of a metric in a batch': (ids) =>
      writing(peer, ids, 20, (run_id, i) => ({ run_id, metrics: points(1000, i * 1000) })),
    '100 spans in a batch': async (ids) => ({
      writes: await Promise.all(
        ids.map(async (_, client) => [
          await prepareOtlp({ headers: { 'x-mlflow-experiment-id': experiment } }, '/v1/traces', {
            ...{ first: client * 100, count: 100 },
          }),
        ]),
      ),
    }),
    'search of 5,000 runs, first 100': () => search(100),
    'first 100 of 5,000 runs with their values': () => search(100),
    'all points of a metric of 100,000': async () => {
      const id = await long();
      return {
        reads: [
          {
            method: 'GET',
            path: `${api}/metrics/get-history?run_id=${id}&metric_key=loss&max_results=100000`,
          },
        ],
      };
    },
  };
  return async (work: Work, clients: number): Promise<Given> =>
    each[work](await makeRuns(peer, experiment, clients));
};

export const mlflow: Peer = {
  name: 'MLflow',
  async start() {
    const bin = await environmentWith('mlflow', ['mlflow', 'psycopg2-binary']);
    const version = (await runHere(join(bin, 'mlflow'), ['--version'])).trim().split(' ').at(-1);
    const postgres = await startPostgres({ durable: true });
    const running = await startProgram({
      name: 'MLflow',
      bin,
      program: 'mlflow',
      arguments: (port, folder) => [
        'server',
        ...['--backend-store-uri', postgres.url.replace('postgres:', 'postgresql+psycopg2:')],
        ...['--artifacts-destination', join(folder, 'artifacts')],
        ...['--host', '127.0.0.1', '--port', String(port)],
      ],
      environment: () => ({ MLFLOW_DISABLE_TELEMETRY: 'true' }),
      ready: '/health',
    });
    const peer = { port: running.port, headers: {} };
    return {
      ...peer,
      version: version ?? 'unknown',
      prepare: prepareWith(peer, await experimentNamed(peer, 'bench')),
      usedMs: () => usedWithin(running.pid) + usedWithin(postgres.pid),
      memoryMb: () => memoryWithin(running.pid) + memoryWithin(postgres.pid),
      async stop() {
        await running.stop();
        await postgres.stop();
      },
    };
  },
};
