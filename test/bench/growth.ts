// How the cost of the same reads grows with what is stored: `--growth`.
import { fillProject, projectOf, searchProject, searchTitles } from './listing.js';
import { timeLists } from './lists.js';
import { median, round, type Figure, type Line, type Pace } from './line.js';
import { logLongMetric, timeEach } from './store.js';
import { makeExperiments, withServer } from './server.js';
import { fillSpans, openTraced } from './spans-fill.js';
import { loadSpans } from './spans.js';

/** Times of each size, and what each tenfold costs. */
const tell = (what: string, sizes: readonly number[], times: readonly number[]): Figure => ({
  what,
  value: times.map((ms) => round(ms, 1)).join(' → '),
  sides: `ms at ${sizes.map((size) => size.toLocaleString('en')).join(' → ')}; each tenfold ${times
    .slice(1)
    .map((ms, i) => `× ${round(ms / (times[i] ?? ms), 1)}`)
    .join(', ')}`,
});

const growExperiments = async ({ quick }: Pace): Promise<readonly Figure[]> => {
  const sizes = quick ? [100, 1000] : [1000, 10_000, 100_000];
  const found = new Map<string, number[]>();
  for (const size of sizes)
    await withServer(async (server) => {
      const [key = ''] = await makeExperiments(server, 1);
      const db = await server.openDatabase();
      await fillProject(db, key, size);
      const projectId = await projectOf(db, key);
      await db.destroy();
      const reads: readonly (readonly [string, () => Promise<unknown>])[] = [
        ...searchTitles.map(
          (title) => [title, () => searchProject(server, projectId, title)] as const,
        ),
        [
          'names of the project',
          () => server.call('GET', `/api/rest/v2/project/column-names?projectId=${projectId}`),
        ],
        [
          'one experiment',
          () => server.call('GET', `/api/rest/v2/experiment/metadata?experimentKey=${key}`),
        ],
      ];
      for (const [title, read] of reads) {
        await read();
        found.set(title, [...(found.get(title) ?? []), median(await timeEach(10, read))]);
      }
    });
  return [...found].map(([title, times]) => tell(`experiments: ${title}`, sizes, times));
};

const growPoints = async ({ quick }: Pace): Promise<readonly Figure[]> => {
  const sizes = quick ? [1000, 10_000] : [10_000, 100_000, 1_000_000, 10_000_000];
  return withServer(async (server) => {
    const found = new Map<string, number[]>();
    for (const size of sizes) {
      const [key = ''] = await makeExperiments(server, 1);
      await logLongMetric(server, key, size);
      const reads: readonly (readonly [string, () => Promise<unknown>])[] = [
        [
          'summary',
          () => server.call('GET', `/api/rest/v2/experiment/metrics/summary?experimentKey=${key}`),
        ],
        [
          'chart',
          () =>
            server.call('POST', '/api/rest/v2/experiments/multi-metric-chart', {
              targetedExperiments: [key],
              metrics: ['long'],
            }),
        ],
      ];
      for (const [title, read] of reads)
        found.set(title, [...(found.get(title) ?? []), median(await timeEach(10, read))]);
    }
    return [...found].map(([title, times]) => tell(`points of one metric: ${title}`, sizes, times));
  });
};

/** How many times as long a list may take at the largest size as at the smallest one. */
const flatTimes = 4;
/** Below this, times say more of the request than of the list, in ms. */
const noticedMs = 5;

const heldFlat = (times: readonly number[]) => {
  const [first = 0, last = 0] = [times[0], times.at(-1)];
  return {
    held: {
      bound: `≤ × ${flatTimes}`,
      holds: last <= Math.max(first, noticedMs) * flatTimes,
    },
  };
};

const growLists = async ({ quick }: Pace): Promise<readonly Figure[]> => {
  const sizes = quick ? [1000, 20_000] : [1000, 10_000, 100_000];
  const found = new Map<string, number[]>();
  for (const size of sizes)
    for (const [title, ms] of await timeLists(size))
      found.set(title, [...(found.get(title) ?? []), ms]);
  return [...found].map(([title, times]) => ({
    ...tell(`lists: ${title}`, sizes, times),
    ...heldFlat(times),
  }));
};

/** Lists, one trace and logging, with as many spans in a project; each is filled up from the one before. */
const growSpans = async ({ quick }: Pace): Promise<readonly Figure[]> => {
  const sizes = quick ? [1000, 100_000] : [10_000, 100_000, 1_000_000, 10_000_000];
  return withServer(async (server) => {
    const { db, projectId } = await openTraced(server);
    const found = new Map<string, number[]>();
    let filled = 0;
    for (const size of sizes) {
      await fillSpans(db, projectId, filled, size);
      filled = size;
      await db.raw('analyze');
      const [trace] = (await db('spans')
        .where({ project_id: projectId })
        .orderBy('id', 'desc')
        .limit(1)
        .select('trace_id')) as readonly { readonly trace_id: string }[]; // the column named
      const list = (kind: string) => () =>
        server.call('GET', `/v1/private/${kind}?project_name=bench&truncate=true&size=50`);
      const reads: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['newest traces', list('traces')],
        ['newest spans', list('spans')],
        [
          'one trace',
          () =>
            server.call(
              'GET',
              `/v1/private/spans?project_name=bench&trace_id=${trace?.trace_id ?? ''}&size=100`,
            ),
        ],
      ];
      for (const [title, read] of reads) {
        await read();
        found.set(title, [...(found.get(title) ?? []), median(await timeEach(10, read))]);
      }
      const { times } = await loadSpans(server, {
        ...{ seconds: quick ? 2 : 5, clients: 2, project: 'bench' },
      });
      const title = 'logging a hundred';
      found.set(title, [...(found.get(title) ?? []), median(times)]);
    }
    await db.destroy();
    return [...found].map(([title, times]) => ({
      ...tell(`spans: ${title}`, sizes, times),
      ...heldFlat(times),
    }));
  });
};

export const growthLines: readonly Line[] = [
  { name: 'experiments', run: growExperiments },
  { name: 'points', run: growPoints },
  { name: 'lists', run: growLists },
  { name: 'spans', run: growSpans },
];
