// What the alerts of a workspace cost that are judged in every period, where ten thousand spans are logged in a second.
import type { Knex } from 'knex';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { judgeAlerts } from '#core/alerts/measuring';
import { anAlert } from '#test/contract/storage/alerts';
import { addProject, freshId } from '#test/contract/storage/builders';
import { atMost, median, round, type Line } from './line.js';
import { withServer } from './server.js';
import { withoutIndexes } from './spans-fill.js';
import { openStore } from './store.js';

const periodMs = 300_000;
const eventTypes = ['trace:errors', 'trace:cost', 'trace:latency'] as const;
const windows = ['60', '300', '3600', '86400'] as const;
/** Spans in a second, and those of one trace. */
const [spansPerSecond, spansOfTrace] = [10_000, 10];

/** Traces and their spans as they would stand there after so many seconds, the last ones made just now. */
const fill = async (db: Knex, projectId: string, seconds: number): Promise<void> => {
  const began = Date.now() - seconds * 1000;
  const tracesPerSecond = spansPerSecond / spansOfTrace;
  const ms = (number: string, perSecond: number) =>
    `(${began} + ${number} * 1000 / ${perSecond})::bigint`;
  const idOf = (number: string, perSecond: number, kind: string) => {
    const at = ms(number, perSecond);
    return `(lpad(to_hex(${at} >> 16), 8, '0') || '-' || lpad(to_hex(${at} & 65535), 4, '0') || '-7000-8000-${kind}' || lpad(to_hex(${number}), 11, '0'))::uuid`;
  };
  const written = (at: string) =>
    `${at} * 1000, ${at} * 1000 + 5000000, ${at} * 1000, 'admin', ${at} * 1000, 'admin', false`;
  const columns =
    'start_time, end_time, created_at, created_by, last_updated_at, last_updated_by, partial';
  await withoutIndexes(db, async () => {
    await db.raw(
      `insert into traces (project_id, id, name, error_info, ${columns}) select ?, ${idOf('n', tracesPerSecond, 'b')}, 'trace', case when n % 100 = 0 then '{}' end, ${written(ms('n', tracesPerSecond))} from generate_series(0::bigint, ?::bigint - 1) as g(n)`,
      [projectId, seconds * tracesPerSecond],
    );
    await db.raw(
      `insert into spans (project_id, id, name, trace_id, cost, ${columns}) select ?, ${idOf('n', spansPerSecond, 'a')}, 'step', ${idOf(`(n / ${spansOfTrace})`, tracesPerSecond, 'b')}, 0.001 * (n % 97), ${written(ms('n', spansPerSecond))} from generate_series(0::bigint, ?::bigint - 1) as g(n)`,
      [projectId, seconds * spansPerSecond],
    );
  });
  // The database does this by itself within a minute.
  await db.raw('analyze traces, spans');
};

/** Alerts of all kinds and windows that never fire. */
export const alertsLine: Line = {
  name: 'alerts',
  run: ({ quick }) =>
    withServer(async (server) => {
      const storage = await openStore(server);
      try {
        const { stores } = storage;
        const { id: projectId, workspaceId } = await addProject(storage);
        const [rules, seconds] = quick ? [200, 20] : [1000, 500];
        for (let at = 0; at < rules; at++) {
          const eventType = eventTypes[at % eventTypes.length] ?? 'trace:errors';
          const type = `threshold:${eventType.slice('trace:'.length)}` as `threshold:cost`; // one of the three
          const window = windows[at % windows.length] ?? '60';
          const value = { threshold: String(1e9 + at), window };
          const configs = [{ id: freshId(), type, value }];
          const triggers = [{ id: freshId(), eventType, configs }];
          await stores.alerts.insert(anAlert({ workspaceId, triggers }));
        }
        const db = await server.openDatabase();
        await fill(db, projectId, seconds);
        await db.destroy();
        const needs = {
          ...{ storage, clock: systemClock, ids: systemIds, log: systemLog('silent') },
          notifiers: { find: () => undefined, kinds: () => [] },
          sealer: { seal: (text: string) => text, open: (text: string) => text },
          baseUrl: '',
        };
        const taken: number[] = [];
        for (let run = 0; run < 3; run++) {
          const [started, before] = [performance.now(), server.usedMs().database];
          await judgeAlerts(needs, periodMs, new AbortController().signal);
          // What the database takes beside the wait for it: it may answer with two processes.
          taken.push(Math.max(performance.now() - started, server.usedMs().database - before));
        }
        const tookMs = median(taken);
        const share = tookMs / periodMs;
        const spans = seconds * spansPerSecond;
        return [
          {
            what: `${rules} alerts over ${spansPerSecond.toLocaleString('en')} spans/s, share of a core`,
            value: round(share, 4),
            sides: `${round(tookMs, 0)} ms of every ${periodMs / 1000} s, with what the database does, ${spans.toLocaleString('en')} spans stored`,
            held: atMost(0.1, share),
          },
        ];
      } finally {
        await storage.close();
      }
    }),
};
