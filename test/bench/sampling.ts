// What a rule that scores a small share of spans costs those who log them.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atMost, median, quantile, round, type Line } from './line.js';
import { withServer } from './server.js';
import { loadSpans } from './spans.js';

const rate = 0.001;

/** A model on this machine that gives every span the same score. */
const startModel = async () => {
  let asked = 0;
  const answer = JSON.stringify({
    ...{ id: '1', object: 'chat.completion', created: 1, model: 'judge' },
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: '{"Quality":{"score":0.5,"reason":"so"}}' },
        finish_reason: 'stop',
      },
    ],
  });
  const server = createServer((request, reply) => {
    request.resume().once('end', () => {
      asked++;
      reply.writeHead(200, { 'Content-Type': 'application/json' }).end(answer);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // a TCP server's address has this form
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: () => asked,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

export const samplingLine: Line = {
  name: 'sampling',
  run: async ({ quick }) => {
    const model = await startModel();
    try {
      return await withServer(
        async (server) => {
          await server.call('POST', '/v1/private/llm-provider-key', {
            ...{ provider: 'custom-llm', provider_name: 'own', base_url: model.url },
          });
          await loadSpans(server, { seconds: 3, clients: 2, project: 'plain' });
          await loadSpans(server, { seconds: 3, clients: 2, project: 'ruled' });
          const db = await server.openDatabase();
          const [project] = (await db('projects')
            .where({ name: 'ruled' })
            .select('id')) as readonly {
            readonly id: string;
          }[]; // the column named
          await db.destroy();
          await server.call('POST', '/v1/private/automations/evaluators', {
            ...{ type: 'span_llm_as_judge', action: 'evaluator', name: 'sampled' },
            ...{ project_ids: [project?.id], sampling_rate: rate, enabled: true },
            code: {
              model: { name: 'custom-llm/own/judge' },
              messages: [{ role: 'USER', content: 'Judge {{answer}}' }],
              variables: { answer: 'output' },
              schema: [{ name: 'Quality', type: 'DOUBLE', description: 'how good' }],
            },
          });
          const [rounds, seconds] = quick ? [4, 5] : [6, 10];
          const [plain, ruled]: [number[], number[]] = [[], []];
          let logged = 0;
          const before = model.asked();
          for (let at = 0; at < rounds; at++) {
            // Either comes first in turn: what grows meanwhile slows the second.
            const turn =
              at % 2 === 0 ? (['plain', 'ruled'] as const) : (['ruled', 'plain'] as const);
            for (const project of turn) {
              // Half of what the server takes: a full one would tell of its queue.
              const { times, requests } = await loadSpans(server, { seconds, clients: 2, project });
              (project === 'plain' ? plain : ruled).push(quantile(times, 0.95));
              if (project === 'ruled') logged += requests * 100;
            }
          }
          const ratio = median(ruled) / median(plain);
          return [
            {
              what: `p95 of logging spans of which a rule scores ${rate * 100} %, over none`,
              value: round(ratio),
              held: atMost(1.1, ratio),
              sides: `${round(median(ruled), 1)} over ${round(median(plain), 1)} ms; a model was asked ${model.asked() - before} times about ${logged.toLocaleString('en')} spans`,
            },
          ];
        },
        { env: { ORRERY_ALLOW_PRIVATE_TARGETS: '127.0.0.1' } },
      );
    } finally {
      model.stop();
    }
  },
};
