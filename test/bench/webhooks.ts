// Deliveries to receivers of which one is slow, one fails now and then and one is down; and what they cost those who cause them.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, median, quantile, round, type Line } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

const rest = '/api/rest/v2';
const receivers = ['plain', 'other', 'third', 'slow', 'failing'] as const;

/** What each receiver was sent of each model, in order of arrival; refused ones are left out. */
interface Inbox {
  readonly port: number;
  readonly seen: ReadonlyMap<string, readonly number[]>;
  stop(): Promise<void>;
}

const startInbox = async (): Promise<Inbox> => {
  const seen = new Map<string, number[]>();
  let asked = 0;
  const answer = async (request: IncomingMessage, reply: ServerResponse): Promise<void> => {
    let body = '';
    for await (const piece of request) body += String(piece);
    const path = request.url ?? '';
    if (path === '/slow') await wait(20);
    if (path === '/failing' && asked++ % 40 === 0) {
      reply.writeHead(500).end();
      return;
    }
    const { registryModelName, comment } = JSON.parse(body) as {
      readonly registryModelName: string;
      readonly comment: string;
    }; // what webhooks send
    const key = `${path} ${registryModelName}`;
    seen.set(key, [...(seen.get(key) ?? []), Number(comment)]);
    reply.writeHead(204).end();
  };
  const server = createServer((request, reply) => {
    void answer(request, reply).catch(() => {
      reply.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  }; // a TCP server's address has this form
};

const configure = async (
  { url, apiKey, workspace }: BenchServer,
  addresses: readonly string[],
): Promise<void> => {
  const reply = await fetch(`${url}${rest}/webhooks/config`, {
    method: 'PUT',
    headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
    body: JSON.stringify({
      webhookConfigs: [
        {
          workspaceName: workspace,
          webhookUrls: addresses.map((address) => ({ url: address, secret: 'bench' })),
        },
      ],
    }),
  });
  if (reply.status !== 204)
    throw new Error(`the webhooks were answered with ${reply.status}: ${await reply.text()}`);
};

const registerModels = async (server: BenchServer, count: number): Promise<readonly string[]> => {
  const [key = ''] = await makeExperiments(server, 1);
  const form = new FormData();
  form.set('file', new Blob(['w']), 'w.bin');
  await (
    await fetch(
      `${server.url}${rest}/write/experiment/upload-asset?experimentKey=${key}&type=model-element&groupingName=net&fileName=w.bin`,
      { method: 'POST', headers: { Authorization: server.apiKey }, body: form },
    )
  ).text();
  const items: string[] = [];
  for (let i = 0; i < count; i++)
    items.push(
      (
        (await server.call('POST', `${rest}/write/registry-model/item/create`, {
          experimentKey: key,
          experimentModelName: 'net',
          registryModelName: `model ${i}`,
        })) as { readonly registryModelItemId: string }
      ).registryModelItemId,
    ); // the row's reply
  return items;
};

/** One change of a version's status; gives the time it took, in ms. */
const change = async (
  server: BenchServer,
  item: string,
  number: number,
  step: number,
): Promise<number> => {
  const began = performance.now();
  await server.call('POST', `${rest}/write/registry-model/item/status`, {
    modelItemId: item,
    status: step < 0 ? 'Development' : step % 2 === 0 ? 'QA' : 'Staging',
    comment: String(number),
  });
  return performance.now() - began;
};

/** Waits until nothing is missing: by what has come, not by how much, since repeats and what an earlier part left behind come too. */
const arrive = async (missing: () => number, seconds: number): Promise<void> => {
  for (
    const until = performance.now() + seconds * 1000;
    missing() > 0 && performance.now() < until;
  )
    await wait(50);
};

/** Repeats are allowed, since who crashes after sending sends again; what comes for the first time must come in its order. */
const isOrdered = (numbers: readonly number[]): boolean => {
  let last = -1;
  return [...new Set(numbers)].every((number) => {
    const follows = number > last;
    last = number;
    return follows;
  });
};

export const webhooksLine: Line = {
  name: 'webhooks',
  run: ({ quick }) =>
    withServer(
      async (server) => {
        const inbox = await startInbox();
        try {
          const live = receivers.map((name) => `http://127.0.0.1:${inbox.port}/${name}`);
          const [models, changes] = [20, quick ? 10 : 100];
          const items = await registerModels(server, models);
          let number = 0;

          // The same changes with and without webhooks, in turns and at a pace that leaves the machine room.
          const times = async (hooks: readonly string[], seconds: number): Promise<number> => {
            await configure(server, hooks);
            const taken: number[] = [];
            for (const until = performance.now() + seconds * 1000; performance.now() < until;) {
              taken.push(
                await change(
                  server,
                  items[number % models] ?? '',
                  number,
                  Math.floor(number / models),
                ),
              );
              number++;
              await wait(40);
            }
            return quantile(taken, 0.95);
          };
          const pace = quick ? 5 : 10;
          await times([], 2);
          const [without, with_]: [number[], number[]] = [[], []];
          for (let turn = 0; turn < (quick ? 3 : 5); turn++) {
            without.push(await times([], pace));
            with_.push(await times(live, pace));
          }
          const ratio = median(with_.map((one, turn) => one / (without[turn] ?? Infinity)));

          // As many changes as the server takes, while a sixth receiver is down.
          await configure(server, [...live, 'http://127.0.0.1:9/down']);
          await wait(1000);
          const first = Math.ceil(number / models) * models;
          const began = performance.now();
          await Promise.all(
            items.map(async (item, model) => {
              for (let i = 0; i < changes; i++)
                await change(server, item, first + i * models + model, i - 1);
            }),
          );
          const changedIn = (performance.now() - began) / 1000;
          const expected = models * changes * live.length;
          const seenOf = (name: string, model: number) =>
            (inbox.seen.get(`/${name} model ${model}`) ?? []).filter((one) => one >= first);
          const missing = (): number =>
            receivers.reduce(
              (sum, name) =>
                sum +
                items.reduce((of, _, model) => of + changes - new Set(seenOf(name, model)).size, 0),
              0,
            );
          await arrive(missing, quick ? 60 : 300);
          const took = (performance.now() - began) / 1000;

          const lost = missing();
          const disordered = receivers
            .flatMap((name) => items.map((_, model) => seenOf(name, model)))
            .filter((numbers) => !isOrdered(numbers)).length;
          const waiting = Number(
            /^orrery_deliveries_waiting (\d+)/m.exec(
              await (await fetch(`${server.url}/metrics`)).text(),
            )?.[1] ?? 0,
          );
          return [
            {
              what: `${expected} deliveries, lost or out of order`,
              value: `${lost} and ${disordered}`,
              sides: `${round(expected / took, 0)}/s, changes ${round((models * changes) / changedIn, 0)}/s, one receiver slow, one failing, one down with ${waiting} waiting`,
              held: atMost(0, lost + disordered),
            },
            {
              what: 'a change with five webhooks over one with none, p95',
              value: round(ratio),
              sides: `${round(median(with_), 1)} ms over ${round(median(without), 1)} ms`,
              held: atMost(1.2, ratio),
            },
          ];
        } finally {
          await inbox.stop();
        }
      },
      { env: { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1', ORRERY_LOG_LEVEL: 'error' } },
    ),
};
