// What it costs that pages listen: memory of each, the delay of what they hear, and what is left for those who log.
import { request, type ClientRequest } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { batchPath, prepareBatches } from './batches.js';
import { atLeast, atMost, median, quantile, round, type Line } from './line.js';
import { runLoad } from './load.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

const many = 500;

interface Listener {
  readonly sent: ClientRequest;
}

const listen = (
  server: BenchServer,
  projectId: string,
  heard: (event: string) => void,
): Promise<Listener> =>
  new Promise((resolve, reject) => {
    const sent = request(
      `${server.url}/v1/private/ui/events?project=${projectId}`,
      { headers: { authorization: server.apiKey }, agent: false },
      (reply) => {
        if (reply.statusCode !== 200) reject(new Error(`listening answered ${reply.statusCode}`));
        reply.setEncoding('utf8');
        reply.on('data', heard);
        reply.on('error', () => undefined);
        resolve({ sent });
      },
    );
    sent.on('error', reject);
    sent.end();
  });
const listenMany = (server: BenchServer, projectId: string, count: number) =>
  Promise.all(Array.from({ length: count }, () => listen(server, projectId, () => undefined)));
const leave = async (listeners: readonly Listener[]): Promise<void> => {
  for (const { sent } of listeners) sent.destroy();
  await wait(500);
};

/** From the acknowledgement of a new run until a listener hears of it, in ms. */
const delays = async (server: BenchServer, projectId: string): Promise<readonly number[]> => {
  let text = '';
  const one = await listen(server, projectId, (piece) => {
    text += piece;
  });
  const times: number[] = [];
  for (let i = 0; i < 10; i++) {
    const [key = ''] = await makeExperiments(server, 1);
    const stored = performance.now();
    while (!text.includes(key) && performance.now() - stored < 5000) await wait(2);
    times.push(performance.now() - stored);
  }
  await leave([one]);
  return times;
};

export const listenersLine: Line = {
  name: 'listeners',
  run: ({ quick }) =>
    withServer(
      async (server) => {
        const keys = await makeExperiments(server, 16);
        const { projectId } = (await server.call(
          'GET',
          `/api/rest/v2/experiment/metadata?experimentKey=${keys[0] ?? ''}`,
        )) as { readonly projectId: string }; // the row's reply
        const clients = prepareBatches(
          { path: batchPath, apiKey: server.apiKey },
          keys,
          {
            series: 20,
            points: 50,
          },
          8,
        );
        const seconds = quick ? 4 : 10;
        const load = () => runLoad({ port: server.port, clients, seconds });
        await load(); // what a busy process holds anyway
        await leave(await listenMany(server, projectId, 100));
        const [quiet, loud]: [number[], number[]] = [[], []];
        const grown: number[] = [];
        for (let turn = 0; turn < (quick ? 2 : 4); turn++) {
          quiet.push((await load()).perSecond);
          const before = server.residentMb();
          const listeners = await listenMany(server, projectId, many);
          await wait(3000);
          grown.push(server.residentMb() - before);
          loud.push((await load()).perSecond);
          await leave(listeners);
        }
        const times = await delays(server, projectId);
        const ratio = median(loud) / median(quiet);
        return [
          {
            what: `${many} listeners, MB resident`,
            value: round(Math.max(...grown), 1),
            sides: grown.map((one) => round(one, 1)).join(', '),
            held: atMost(30, Math.max(...grown)),
          },
          {
            what: `batches/s with ${many} listeners over without`,
            value: round(ratio),
            sides: `${round(median(loud), 0)} over ${round(median(quiet), 0)}`,
            held: atLeast(0.95, ratio),
          },
          {
            what: 'a change is heard, p95 in ms',
            value: round(quantile(times, 0.95), 0),
            sides: `median ${round(median(times), 0)} of ${times.length}`,
            held: atMost(1000, quantile(times, 0.95)),
          },
        ];
      },
      { env: { ORRERY_LISTENERS_PER_USER: '1000' } },
    ),
};
