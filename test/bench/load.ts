// Sends prepared requests over kept connections from a thread of its own, one at a time each, and counts.
import { connect, type Socket } from 'node:net';
import { Worker, isMainThread, parentPort, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import type { Prepared } from './batches.js';

export interface LoadOptions {
  readonly port: number;
  /** The requests of each connection, which it sends in turn. */
  readonly clients: readonly (readonly Prepared[])[];
  readonly seconds: number;
  /** Requests of each connection after which it ends before the time is up. */
  readonly requests?: number;
  /** What refused requests come to: an error, or a number beside the others. Default: an error. */
  readonly refusals?: 'thrown' | 'counted';
}

export interface LoadResult {
  readonly requests: number;
  readonly refused: number;
  /** The first reply that was neither 200 nor 204. */
  readonly refusal: string | undefined;
  readonly seconds: number;
  readonly perSecond: number;
  /** Time of each request, in ms. */
  readonly times: readonly number[];
}

let sent = Date.now() * 1000; // numbers no earlier run used

interface Tally {
  requests: number;
  refused: number;
  refusal: string | undefined;
  readonly times: number[];
}

const send = (socket: Socket, { bytes, markAt, idsAt = [] }: Prepared): void => {
  const request = Buffer.from(bytes);
  const mark = String(sent++ % 1e12).padStart(12, '0');
  request.write(mark, markAt, 'latin1');
  for (const at of idsAt) request.write(`${mark.slice(0, 8)}-${mark.slice(8)}`, at, 'latin1');
  socket.write(request);
};

/** One connection, until `until`: resolves when its last reply has come. */
const runClient = (
  port: number,
  requests: readonly Prepared[],
  { until, most }: { readonly until: number; readonly most: number },
  tally: Tally,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    let [at, held, startedAt] = [0, '', 0];
    const next = () => {
      const request = requests[at++ % requests.length];
      if (performance.now() >= until || at > most || request === undefined) {
        socket.end();
        resolve();
        return;
      }
      startedAt = performance.now();
      send(socket, request);
    };
    socket.once('connect', next);
    socket.on('error', reject);
    socket.on('close', () => {
      reject(new Error('the server closed a connection'));
    });
    socket.on('data', (piece: Buffer) => {
      held += piece.toString('latin1');
      const end = held.indexOf('\r\n\r\n');
      const length = held.startsWith('HTTP/1.1 204') ? 0 : /content-length: (\d+)/i.exec(held)?.[1];
      if (end === -1 || length === undefined || held.length < end + 4 + Number(length)) return;
      tally.requests++;
      tally.times.push(performance.now() - startedAt);
      if (!/^HTTP\/1\.1 20[04]/.test(held)) {
        tally.refused++;
        tally.refusal ??= `${held.slice(0, held.indexOf('\r\n'))} ${held.slice(end).trim()}`.slice(
          0,
          600,
        );
      }
      held = '';
      next();
    });
  });

const work = async ({
  port,
  clients,
  seconds,
  requests: most = Infinity,
}: LoadOptions): Promise<LoadResult> => {
  const tally: Tally = { requests: 0, refused: 0, refusal: undefined, times: [] };
  const startedAt = performance.now();
  await Promise.all(
    clients.map((requests) =>
      runClient(
        port,
        requests.map(({ bytes, ...places }) => ({ bytes: Buffer.from(bytes), ...places })),
        { until: startedAt + seconds * 1000, most },
        tally,
      ),
    ),
  );
  const took = (performance.now() - startedAt) / 1000;
  return { ...tally, seconds: took, perSecond: tally.requests / took };
};

if (!isMainThread) parentPort?.postMessage(await work(workerData as LoadOptions)); // `runLoad` below is what starts this file as a worker

/** Runs a load to its end. Rejects when a connection breaks or any request is refused. */
export const runLoad = (options: LoadOptions): Promise<LoadResult> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: options });
    worker.once('error', reject);
    worker.once('message', (result: LoadResult) => {
      if (result.refused > 0 && options.refusals !== 'counted')
        reject(
          new Error(
            `${result.refused} of ${result.requests} requests were refused: ${result.refusal ?? ''}`,
          ),
        );
      else resolve(result);
    });
  });
