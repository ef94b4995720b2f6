// A long annotation queue, in which many people page, lock and score at once.
import { setTimeout as wait } from 'node:timers/promises';
import { atMost, quantile, round, type Figure, type Line } from './line.js';
import { withServer, type BenchServer } from './server.js';
import { fillSpans, openTraced } from './spans-fill.js';
import { openStore } from './store.js';

const people = 50;
/** What somebody does between two items. */
const thinkingMs = 1000;

interface Taken {
  readonly page: number[];
  readonly lock: number[];
  readonly score: number[];
}

const timed = async (into: number[], work: Promise<unknown>): Promise<void> => {
  const began = performance.now();
  await work;
  into.push(performance.now() - began);
};

const request = async (
  { url, apiKey }: BenchServer,
  method: string,
  path: string,
  body?: unknown,
): Promise<void> => {
  const reply = await fetch(url + path, {
    method,
    headers: { Authorization: apiKey, 'Content-Type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${method} ${path} answered ${reply.status}: ${text}`);
};

export const annotatingLine: Line = {
  name: 'annotating',
  run: ({ quick }) =>
    withServer(async (server) => {
      const [items, seconds] = quick ? [10_000, 8] : [100_000, 30];
      const { db, projectId } = await openTraced(server);
      await fillSpans(db, projectId, 0, items * 10);
      const rows = (await db('traces')
        .where({ project_id: projectId })
        .orderBy('id')
        .limit(items)
        .select('id')) as readonly { readonly id: string }[]; // as above
      await db.destroy();
      const id = '0192ffff-0000-7000-8000-000000000001';
      await server.call('POST', '/v1/private/annotation-queues/batch', {
        annotation_queues: [
          {
            ...{ id, project_id: projectId, name: 'long', scope: 'trace' },
            ...{ feedback_definition_names: ['quality'], annotators_per_item: 2 },
          },
        ],
      });
      const storage = await openStore(server);
      for (let at = 0; at < rows.length; at += 1000)
        await storage.stores.annotationQueues.addItems(
          { projectId, id },
          rows.slice(at, at + 1000).map((row) => row.id),
          Date.now() * 1000,
        );
      // The database does this by itself within a minute.
      await storage.connection.db.raw('analyze annotation_queue_items');
      await storage.close();

      const filters = encodeURIComponent(
        JSON.stringify([{ field: 'annotation_queue_ids', operator: 'contains', value: id }]),
      );
      const taken: Taken = { page: [], lock: [], score: [] };
      const until = performance.now() + seconds * 1000;
      const annotate = async (person: number): Promise<void> => {
        await wait((person * thinkingMs) / people);
        for (let turn = 0; performance.now() < until; turn++) {
          const began = performance.now();
          const row = rows[(person * 997 + turn * 31) % rows.length]?.id ?? '';
          const page = 1 + ((person * 7 + turn) % 40);
          const root = `/v1/private/traces?project_id=${projectId}&truncate=true&size=25`;
          await timed(
            taken.page,
            request(server, 'GET', `${root}&page=${page}&filters=${filters}`),
          );
          await timed(
            taken.lock,
            request(server, 'PUT', `/v1/private/annotation-queues/${id}/items/${row}/lock`),
          );
          await timed(
            taken.score,
            request(server, 'PUT', '/v1/private/traces/feedback-scores', {
              scores: [{ id: row, project_name: 'bench', name: 'quality', value: 1, source: 'ui' }],
            }),
          );
          await wait(Math.max(0, thinkingMs - (performance.now() - began)));
        }
      };
      await Promise.all(Array.from({ length: people }, (_, person) => annotate(person)));
      return Object.entries(taken).map(([what, times]: [string, number[]]): Figure => {
        const ms = quantile(times, 0.95);
        return {
          what: `${what} of a queue of ${rows.length.toLocaleString('en')} items, ${people} people`,
          value: round(ms, 0),
          sides: `ms, p95 of ${times.length}`,
          held: atMost(50, ms, 'ms'),
        };
      });
    }),
};
