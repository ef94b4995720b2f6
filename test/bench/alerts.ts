// What the alerts of a workspace cost that are judged in every period, over what was logged within their windows.
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemLog } from '#adapters/system/log';
import { judgeAlerts } from '#core/alerts/measuring';
import { anAlert } from '#test/contract/storage/alerts';
import { addProject, freshId } from '#test/contract/storage/builders';
import { aTrace } from '#test/contract/storage/traces';
import { atMost, round, type Line } from './line.js';
import { withServer } from './server.js';
import { openStore } from './store.js';

const periodMs = 300_000;
const eventTypes = ['trace:errors', 'trace:cost', 'trace:latency'] as const;
const windows = ['60', '300', '3600', '86400'] as const;

/** Alerts of all kinds and windows that never fire. */
export const alertsLine: Line = {
  name: 'alerts',
  run: ({ quick }) =>
    withServer(async (server) => {
      const storage = await openStore(server);
      try {
        const { stores } = storage;
        const { id: projectId, workspaceId } = await addProject(storage);
        const [rules, traces] = quick ? [200, 2000] : [1000, 50_000];
        for (let at = 0; at < traces; at += 500) {
          const made = new Map(
            Array.from({ length: 500 }, () => {
              const micros = (Date.now() - Math.round(Math.random() * 3_600_000)) * 1000;
              const times = { startTime: micros, endTime: micros + 5000, createdAt: micros };
              const trace = aTrace({ projectId, id: freshId(), ...times });
              return [trace.id, trace] as const;
            }),
          );
          await stores.traces.changeTraces(projectId, [...made.keys()], (id) => made.get(id));
        }
        for (let at = 0; at < rules; at++) {
          const eventType = eventTypes[at % eventTypes.length] ?? 'trace:errors';
          const type = `threshold:${eventType.slice('trace:'.length)}` as `threshold:cost`; // one of the three
          const window = windows[at % windows.length] ?? '60';
          const value = { threshold: String(1e9 + at), window };
          const configs = [{ id: freshId(), type, value }];
          const triggers = [{ id: freshId(), eventType, configs }];
          await stores.alerts.insert(anAlert({ workspaceId, triggers }));
        }
        const needs = {
          ...{ storage, clock: systemClock, ids: systemIds, log: systemLog('silent') },
          notifiers: { find: () => undefined, kinds: () => [] },
          sealer: { seal: (text: string) => text, open: (text: string) => text },
          baseUrl: '',
        };
        const started = performance.now();
        await judgeAlerts(needs, periodMs, new AbortController().signal);
        const tookMs = performance.now() - started;
        const share = tookMs / periodMs;
        return [
          {
            what: `${rules} alerts over ${traces} traces, share of a core`,
            value: round(share, 4),
            sides: `${round(tookMs, 0)} ms of every ${periodMs / 1000} s, with what the database does`,
            held: atMost(0.1, share),
          },
        ];
      } finally {
        await storage.close();
      }
    }),
};
