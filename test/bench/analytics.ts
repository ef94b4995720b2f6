// What statements over very many spans cost: the first one, for which their columns are gathered, and later ones.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { atMost, mebibyte, median, round, type Line } from './line.js';
import { fillSpans, openTraced } from './spans-fill.js';
import { withServer, type BenchServer } from './server.js';

const path = '/v1/internal/analytics-queries';
const byDayAndModel =
  "SELECT toJSONString(map('day', toDate(start_time), 'model', model, 'spans', count(), 'p50', quantile(0.5)(duration), 'p95', quantile(0.95)(duration))) AS result FROM spans GROUP BY toDate(start_time), model";
const most = 1000;

/** Asks until the rows are there; answers how long that took, in s. */
const first = async (server: BenchServer): Promise<number> => {
  const began = performance.now();
  for (;;)
    try {
      await server.call('POST', path, { query: byDayAndModel });
      return (performance.now() - began) / 1000;
    } catch (thrown) {
      if (!String(thrown).includes('are being gathered')) throw thrown;
    }
};

const bytesIn = async (folder: string): Promise<number> => {
  const sizes = (await readdir(folder)).map(async (name) => (await stat(join(folder, name))).size);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
};

const [widgetCount, dashboardMs] = [24, 1500];
/** What charts of a dashboard ask, each of them something else. */
const charted: readonly string[] = [
  'count()',
  'sum(total_estimated_cost)',
  'quantile(0.5)(duration)',
  'quantile(0.99)(duration)',
  "countIf(error_info != '')",
  'uniq(trace_id)',
].flatMap((figure) =>
  ['toDate(start_time)', 'model', 'type', 'name'].map(
    (by) =>
      `SELECT toJSONString(map('by', ${by}, 'value', ${figure})) AS result FROM spans GROUP BY ${by}`,
  ),
);

/** A dashboard whose widgets have saved queries; answers what asks for all of them at once, as a page does. */
const openDashboard = async (server: BenchServer) => {
  const widgets = await Promise.all(
    charted.slice(0, widgetCount).map(async (sql, at) => {
      const saved = await server.call('POST', '/v1/internal/dashboard-saved-queries', { sql });
      const { id: savedQueryId } = saved as { readonly id: string }; // as the row has it
      return { id: `w${at}`, type: 'ollie_chart', config: { query: { savedQueryId } } };
    }),
  );
  const made = await server.call('POST', '/v1/private/dashboards', {
    ...{ name: 'bench', config: { sections: [{ id: 's', widgets }] } },
  });
  const { id } = made as { readonly id: string }; // as the row has it
  return () =>
    Promise.all(
      widgets.map((widget) =>
        server.call('POST', `/v1/private/dashboards/${id}/widgets/${widget.id}/query`, {}),
      ),
    );
};

const timeOf = async (work: () => Promise<unknown>): Promise<number> => {
  const began = performance.now();
  await work();
  return performance.now() - began;
};

export const analyticsLine: Line = {
  name: 'analytics',
  run: ({ quick, tell }) =>
    withServer(async (server) => {
      const count = quick ? 200_000 : 5_000_000;
      const { db, projectId } = await openTraced(server);
      await fillSpans(db, projectId, 0, count);
      await db.destroy();
      const spans = `${count.toLocaleString('en')} spans`;
      const before = server.usedMs();
      const seconds = await first(server);
      const after = server.usedMs();
      tell({
        what: 'a statement over spans, the first one, s',
        value: round(seconds, 1),
        sides: `${spans}, ${round((await bytesIn(join(server.folder, 'analytics'))) / mebibyte, 0)} MB kept, ${round((after.server - before.server) / 1000, 1)} s of the server, ${round(server.residentMb(), 0)} MB resident`,
      });
      const warm: number[] = [];
      for (let i = 0; i < 7; i++)
        warm.push(await timeOf(() => server.call('POST', path, { query: byDayAndModel })));
      const changed: number[] = [];
      for (let i = 0; i < 5; i++) {
        await server.call('POST', '/v1/private/spans/batch', {
          spans: Array.from({ length: 100 }, (_, at) => ({
            ...{ project_name: 'bench', name: 'later', start_time: new Date().toISOString() },
            trace_id: `0192ffff-ffff-7000-8000-${String(i * 100 + at).padStart(12, '0')}`,
          })),
        });
        changed.push(await timeOf(() => server.call('POST', path, { query: byDayAndModel })));
      }
      const askAll = await openDashboard(server);
      await askAll();
      const dashboards: number[] = [];
      for (let i = 0; i < 5; i++) dashboards.push(await timeOf(askAll));
      return [
        {
          what: `a dashboard of ${widgetCount} widgets with saved queries, ms`,
          value: round(median(dashboards), 0),
          sides: spans,
          held: atMost(dashboardMs, median(dashboards), 'ms'),
        },
        {
          what: 'counts and quantiles by day and model, ms',
          value: round(median(warm), 0),
          sides: spans,
          held: atMost(most, median(warm), 'ms'),
        },
        {
          what: 'the same after 100 more spans, ms',
          value: round(median(changed), 0),
          sides: spans,
          held: atMost(most, median(changed), 'ms'),
        },
      ];
    }),
};
