// Sends a CSV file from a thread of its own: whoever measures others meanwhile does not wait for the bytes that it sends itself.
import { createReadStream } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import type { BenchServer } from './server.js';

interface Order {
  readonly url: string;
  readonly apiKey: string;
  readonly workspace: string;
  readonly model: string;
  readonly file: string;
}
export interface Uploaded {
  readonly status: number;
  readonly text: string;
  readonly bytes: number;
  readonly seconds: number;
}

const boundary = 'monitoring-bench';
async function* formOf({ workspace, model, file }: Order): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  const fields = { workspaceName: workspace, modelName: model, modelVersion: '1' };
  for (const [name, value] of Object.entries(fields))
    yield encoder.encode(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
  yield encoder.encode(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n`,
  );
  yield* createReadStream(file) as AsyncIterable<Buffer>;
  yield encoder.encode(`\r\n--${boundary}--\r\n`);
}

const upload = async (order: Order): Promise<Uploaded> => {
  let bytes = 0;
  const counted = async function* () {
    for await (const piece of formOf(order)) {
      bytes += piece.length;
      yield piece;
    }
  };
  const startedAt = performance.now();
  const reply = await fetch(`${order.url}/mpm/v2/data/events/csv`, {
    method: 'POST',
    headers: {
      Authorization: order.apiKey,
      'Content-Type': `multipart/form-data; boundary=${boundary}`,
    },
    body: ReadableStream.from(counted()),
    duplex: 'half',
  } as RequestInit & { duplex: 'half' }); // fetch of Node takes a stream as a body only so
  const text = await reply.text();
  return { status: reply.status, text, bytes, seconds: (performance.now() - startedAt) / 1000 };
};

/** Sends the file to a model of that name. */
export const uploadApart = (
  { url, apiKey, workspace }: BenchServer,
  model: string,
  file: string,
): Promise<Uploaded> =>
  new Promise((resolve, reject) => {
    const order: Order = { url, apiKey, workspace, model, file };
    const worker = new Worker(fileURLToPath(import.meta.url), { workerData: order });
    worker.once('message', resolve);
    worker.once('error', reject);
  });

if (!isMainThread && parentPort !== null) parentPort.postMessage(await upload(workerData as Order)); // given right above
