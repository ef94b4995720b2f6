// Trackio as its dashboard serves it: one process over SQLite, written to by its clients with a token.
import { join } from 'node:path';
import { makeSecret, runHere } from '#test/servers/launch';
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

const write = '/api/bulk_log';
const runs = 5000;

type Address = Pick<StartedPeer, 'port' | 'headers'>;

interface Entry {
  readonly project: string;
  readonly run: string;
  readonly metrics: Readonly<Record<string, number>>;
  readonly step: number;
  readonly config?: Readonly<Record<string, unknown>>;
}

const bodyOf = (logs: readonly Entry[]) => ({ logs, hf_token: null });
const metrics = (names: number, step: number): Readonly<Record<string, number>> =>
  Object.fromEntries(Array.from({ length: names }, (_, i) => [`metric_${i}`, curve(i, step)]));

const prepareWith = (peer: Address) => {
  const table = once(async () => {
    await askAll(
      peer,
      Array.from({ length: runs / 50 }, (_, page): Asked => ({
        method: 'POST',
        path: write,
        body: bodyOf(
          Array.from({ length: 50 }, (__, i) => ({
            project: 'table',
            run: `run-${page * 50 + i}`,
            metrics: metrics(20, page * 50 + i),
            step: 0,
            config: Object.fromEntries(
              Array.from({ length: 20 }, (___, n) => [`p_${n}`, i / (n + 1)]),
            ),
          })),
        ),
      })),
      1,
    );
    return 'table';
  });
  const long = once(async () => {
    for (let from = 0; from < 100_000; from += 1000)
      await askOnce(peer, {
        method: 'POST',
        path: write,
        body: bodyOf(
          Array.from({ length: 1000 }, (_, i) => ({
            project: 'long',
            run: 'long',
            metrics: { loss: curve(0, from + i) },
            step: from + i,
          })),
        ),
      });
    return { project: 'long', run: 'long', metric_name: 'loss' };
  });
  const writing = (
    clients: number,
    each: number,
    logs: (run: string, request: number) => readonly Entry[],
  ): Given => ({
    writes: Array.from({ length: clients }, (_, client) =>
      Array.from({ length: each }, (__, i) =>
        prepareFor(peer, write, bodyOf(logs(`run-${client}`, i))),
      ),
    ),
  });
  const batch = (names: number) => (run: string, i: number) => [
    { project: 'bench', run, metrics: metrics(names, i), step: i },
  ];
  return async (work: Work, clients: number): Promise<Given | undefined> => {
    switch (work) {
      case 'create a run':
        return writing(clients, 1, (run) => [
          { project: 'bench', run: `${run}-${mark}`, metrics: {}, step: 0, config: { lr: 0.1 } },
        ]);
      case 'one point':
        return writing(clients, 50, batch(1));
      case '10 metrics in a batch':
        return writing(clients, 50, batch(10));
      case '500 metrics in a batch':
        return writing(clients, 20, batch(500));
      case '1,000 points of a metric in a batch':
        return writing(clients, 20, (run, request) =>
          Array.from({ length: 1000 }, (_, i) => ({
            project: 'bench',
            run,
            metrics: { loss: curve(0, request * 1000 + i) },
            step: request * 1000 + i,
          })),
        );
      case 'search of 5,000 runs, first 100':
        return {
          reads: [
            {
              method: 'POST',
              path: '/api/query_project',
              body: {
                project: await table(),
                query:
                  "select * from metrics where json_extract(metrics, '$.metric_3') > 0.5 order by json_extract(metrics, '$.metric_1') desc limit 100",
              },
            },
          ],
        };
      case 'all points of a metric of 100,000':
        return { reads: [{ method: 'POST', path: '/api/get_metric_values', body: await long() }] };
      default:
        return undefined; // parameters come with a run's first entry; there is no table over the network
    }
  };
};

export const trackio: Peer = {
  name: 'Trackio',
  async start() {
    const bin = await environmentWith('trackio', ['trackio']);
    const version = (await runHere(join(bin, 'trackio'), ['--version'])).trim().split(' ').at(-1);
    const token = makeSecret();
    const running = await startProgram({
      name: 'Trackio',
      bin,
      program: 'python',
      arguments: (port) => [
        '-c',
        `import trackio; trackio.show(host="127.0.0.1", server_port=${port}, open_browser=False, block_thread=True)`,
      ],
      environment: (folder) => ({
        TRACKIO_DIR: join(folder, 'data'),
        TRACKIO_WRITE_TOKEN: token,
        HF_HUB_OFFLINE: '1',
        PYTHONUNBUFFERED: '1',
      }),
      ready: '/version',
    });
    const peer = { port: running.port, headers: { 'X-Trackio-Write-Token': token } };
    return {
      ...peer,
      version: version ?? 'unknown',
      prepare: prepareWith(peer),
      usedMs: () => usedWithin(running.pid),
      memoryMb: () => memoryWithin(running.pid),
      stop: () => running.stop(),
    };
  },
};
