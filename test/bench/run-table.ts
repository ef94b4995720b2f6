// Pages of the table of runs: any order and any page of a project with many runs, and what the first page costs beside one request for each run.
import { atLeast, atMost, median, quantile, round, type Line } from './line.js';
import { fillProject, projectOf } from './listing.js';
import { timeEach } from './store.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';

interface Column {
  readonly kind: string;
  readonly name: string;
  readonly value?: string;
}
interface Page {
  readonly total: number;
  readonly keys: readonly string[];
  readonly columns: readonly { readonly values: readonly unknown[] }[];
  readonly cursor: string | null;
}
interface Asked {
  readonly sort?: readonly (Column & { readonly descending?: boolean })[];
  readonly query?: unknown;
  readonly cursor?: string | undefined;
  readonly columns?: readonly Column[];
}

const metric = (at: number, value = 'last'): Column => ({
  kind: 'metric',
  name: `metric_${at}`,
  value,
});
const parameter = (at: number): Column => ({ kind: 'parameter', name: `parameter_${at}` });
const metadata = (name: string): Column => ({ kind: 'metadata', name });

/** What a person looks at: who, when, and twenty values. */
const shown: readonly Column[] = [
  ...['name', 'state', 'start', 'duration', 'user', 'tags'].map(metadata),
  ...Array.from({ length: 10 }, (_, at) => metric(at + 1)),
  ...Array.from({ length: 10 }, (_, at) => parameter(at + 1)),
];

const aboveHalf = {
  condition: 'AND',
  rules: [
    { source: 'metrics', field: 'metric_3', operator: 'greater', value: 0.5, type: 'double' },
  ],
};

const orders: Readonly<Record<string, Asked>> = {
  'newest first': {},
  'metric, ascending': { sort: [metric(3)] },
  'metric, descending': { sort: [{ ...metric(4), descending: true }] },
  'best of a metric': { sort: [metric(5, 'min')] },
  'text parameter': { sort: [parameter(4)] },
  'number parameter, descending': { sort: [{ ...parameter(5), descending: true }] },
  name: { sort: [metadata('name')] },
  start: { sort: [{ ...metadata('start'), descending: true }] },
  duration: { sort: [metadata('duration')] },
  user: { sort: [metadata('user')] },
  state: { sort: [metadata('state')] },
  'state, then metric': { sort: [metadata('state'), metric(3)] },
  'text, then metric': { sort: [parameter(4), metric(3)] },
  'metric, a quarter of all': { sort: [metric(6)], query: aboveHalf },
};

const ask = async (server: BenchServer, project: string, asked: Asked): Promise<Page> =>
  (await server.call('POST', '/v1/private/ui/runs/query', {
    project,
    columns: shown,
    limit: 100,
    ...asked,
  })) as Page; // the row's reply

/** The cursor of a page in the middle, reached by large steps without values. */
const middleOf = async (
  server: BenchServer,
  project: string,
  asked: Asked,
  total: number,
): Promise<string | undefined> => {
  let cursor: string | undefined;
  for (let passed = 0; passed < total / 2; passed += 1000) {
    const page = (await server.call('POST', '/v1/private/ui/runs/query', {
      project,
      limit: 1000,
      ...asked,
      ...(cursor === undefined ? {} : { cursor }),
    })) as Page; // as above
    cursor = page.cursor ?? undefined;
  }
  return cursor;
};

/** The same first page as clients had to ask for it: a search, and two requests for each run. */
const askForEach = async (server: BenchServer, projectId: string): Promise<void> => {
  const { experiments } = (await server.call('POST', '/api/rest/v2/experiments/search', {
    projectId,
    limit: 100,
  })) as { readonly experiments: readonly { readonly experimentKey: string }[] }; // the row's reply
  for (const { experimentKey } of experiments)
    for (const path of ['metrics/summary', 'parameters'])
      await server.call('GET', `/api/rest/v2/experiment/${path}?experimentKey=${experimentKey}`);
};

export const runTableLine: Line = {
  name: 'run-table',
  run: ({ quick }) =>
    withServer(async (server) => {
      const count = quick ? 5000 : 25_000;
      const [key = ''] = await makeExperiments(server, 1);
      const db = await server.openDatabase();
      await fillProject(db, key, count);
      const project = await projectOf(db, key);
      await db.destroy();
      const found: { readonly title: string; readonly p95: number }[] = [];
      for (const [title, order] of Object.entries(orders)) {
        const { total } = await ask(server, project, order);
        for (const [place, cursor] of [
          ['first', undefined],
          ['middle', await middleOf(server, project, order, total)],
        ] as const) {
          const asked = cursor === undefined ? order : { ...order, cursor };
          await ask(server, project, asked);
          const times = await timeEach(quick ? 20 : 40, () => ask(server, project, asked));
          found.push({ title: `${title} (${place})`, p95: quantile(times, 0.95) });
        }
      }
      const worst = found.reduce((a, b) => (a.p95 > b.p95 ? a : b));
      const whole = {
        columns: [
          ...Array.from({ length: 20 }, (_, at) => metric(at + 1)),
          ...Array.from({ length: 50 }, (_, at) => parameter(at + 1)),
        ],
      };
      const one = median(await timeEach(20, () => ask(server, project, whole)));
      const each = median(await timeEach(quick ? 2 : 5, () => askForEach(server, project)));
      return [
        {
          what: `a page of 100 of ${count.toLocaleString('en')} runs in any order, p95 ms`,
          value: round(worst.p95, 1),
          sides: found.map(({ title, p95 }) => `${title} ${round(p95, 1)}`).join(', '),
          held: atMost(60, worst.p95),
        },
        {
          what: '100 runs with 70 values each: one call over 201',
          value: round(each / one, 1),
          sides: `${round(each, 1)} ms over ${round(one, 1)} ms`,
          held: atLeast(15, each / one),
        },
      ];
    }),
};
