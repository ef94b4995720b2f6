// What lists, filters, a search, statistics and single traces cost among many spans.
import { atMost, quantile, round, type Figure, type Line } from './line.js';
import { fillSpans, openTraced, sumUpSpans } from './spans-fill.js';
import { withServer, type BenchServer } from './server.js';

interface Asked {
  readonly what: string;
  readonly path: string;
  readonly mostMs: number;
  readonly times?: number;
}

const filters = (...claims: readonly object[]): string =>
  `&filters=${encodeURIComponent(JSON.stringify(claims))}`;
const claim = (field: string, operator: string, value: string, key?: string): object => ({
  ...{ field, operator, value },
  ...(key === undefined ? {} : { key }),
});

const sortedBy = (field: string): string =>
  `&sorting=${encodeURIComponent(JSON.stringify([{ field, direction: 'DESC' }]))}`;

const traces = '/v1/private/traces?project_name=bench&truncate=true&size=50';
const threads = '/v1/private/traces/threads?project_name=bench&truncate=true&size=50';
const spans = '/v1/private/spans?project_name=bench&truncate=true&size=50';
const asked = (kind: 'traces' | 'spans', list: string): readonly Asked[] => {
  const noun = kind === 'traces' ? 'trace' : 'step';
  return [
    { what: `${kind}: newest`, path: list, mostMs: 100 },
    {
      what: `${kind}: by name`,
      path: list + filters(claim('name', '=', `${noun} 7`)),
      mostMs: 100,
    },
    {
      what: `${kind}: by time`,
      path: list + filters(claim('start_time', '>', '2025-10-09T09:00:00Z')),
      mostMs: 100,
    },
    {
      what: `${kind}: by tag`,
      path: list + filters(claim('tags', 'contains', 'tag 7')),
      mostMs: 100,
    },
    {
      what: `${kind}: by duration`,
      path: list + filters(claim('duration', '>', '3990')),
      mostMs: 100,
    },
    {
      what: `${kind}: by a key of metadata`,
      path: list + filters(claim('metadata', '=', '4711', 'run')),
      mostMs: 100,
    },
    // What no row has is looked for among all of them, unless an index tells.
    ...[
      claim('name', '=', 'nowhere'),
      claim('duration', '>', '9999999'),
      claim('metadata', '=', 'x', 'nowhere'),
    ].map((one, at) => ({
      what: `${kind}: by ${['a name', 'a duration', 'a key of metadata'][at] ?? ''} that none has`,
      path: list + filters(one),
      mostMs: 100,
    })),
    { what: `${kind}: the longest`, path: list + sortedBy('duration'), mostMs: 100 },
    { what: `${kind}: by their start`, path: list + sortedBy('start_time'), mostMs: 100 },
    { what: `${kind}: page 40`, path: `${list}&page=40`, mostMs: 100 },
  ];
};
const all: readonly Asked[] = [
  ...asked('traces', traces),
  {
    what: 'traces: by score',
    path: traces + filters(claim('feedback_scores', '>', '0.9', 'quality')),
    mostMs: 100,
  },
  {
    what: 'traces: by a score that none has',
    path: traces + filters(claim('feedback_scores', '>', '9', 'quality')),
    mostMs: 100,
  },
  {
    what: 'traces: of a thread',
    path: traces + filters(claim('thread_id', '=', 'thread 777')),
    mostMs: 100,
  },
  { what: 'threads: newest', path: threads, mostMs: 100 },
  { what: 'threads: page 40', path: `${threads}&page=40`, mostMs: 100 },
  ...asked('spans', spans),
  { what: 'spans: by model', path: spans + filters(claim('model', '=', 'gpt-4o')), mostMs: 100 },
  {
    what: 'spans: a text that stands nowhere',
    path: `${spans}&search=zyxwvut`,
    mostMs: 1000,
    times: 3,
  },
  { what: 'spans: a text that stands in all', path: `${spans}&search=assistant`, mostMs: 1000 },
  {
    what: 'spans: an input that holds a text that stands nowhere',
    path: spans + filters(claim('input', 'contains', 'zyxwvut')),
    mostMs: 1000,
    times: 3,
  },
  ...(
    [
      ['a tag that none has', claim('tags', 'contains', 'nowhere')],
      ['a part of a name that none has', claim('name', 'contains', 'nowhere')],
      ['a start before a time', claim('start_time', '<', '2025-10-09T08:54:00Z')],
    ] as const
  ).map(([what, one]) => ({
    ...{ what: `spans: by ${what}`, path: spans + filters(one), mostMs: 100, times: 3 },
  })),
  {
    what: 'traces: a text that stands nowhere',
    path: `${traces}&search=zyxwvut`,
    mostMs: 1000,
    times: 3,
  },
  {
    what: 'statistics of all traces',
    path: '/v1/private/traces/stats?project_name=bench',
    mostMs: 1000,
    times: 3,
  },
  ...(
    [
      ['name', claim('name', '=', 'step 7')],
      ['tag', claim('tags', 'contains', 'tag 7')],
      ['a tag that all have', claim('tags', 'contains', 'production')],
      ['their errors', claim('error_info', 'is_not_empty', '')],
      ['model', claim('model', '=', 'gpt-4o')],
    ] as const
  ).map(([what, one]) => ({
    what: `statistics of spans by ${what}`,
    path: `/v1/private/spans/stats?project_name=bench${filters(one)}`,
    mostMs: 1000,
    times: 3,
  })),
  {
    what: 'statistics of a million spans by time',
    path: `/v1/private/spans/stats?project_name=bench${filters(claim('start_time', '<', '2025-10-09T09:10:00Z'))}`,
    mostMs: 1000,
    times: 3,
  },
];

const timeOf = async (server: BenchServer, { path, times = 12 }: Asked): Promise<number> => {
  const taken: number[] = [];
  for (let i = 0; i <= times; i++) {
    const began = performance.now();
    await server.call('GET', path);
    if (i > 0) taken.push(performance.now() - began);
  }
  return quantile(taken, 0.95);
};

export const spanListsLine: Line = {
  name: 'span-lists',
  run: ({ quick, tell }) =>
    withServer(async (server) => {
      const count = quick ? 200_000 : 5_000_000;
      const { db, projectId } = await openTraced(server);
      const began = performance.now();
      await fillSpans(db, projectId, 0, count);
      tell({
        what: 'filled',
        value: round((performance.now() - began) / 1000, 0),
        sides: `s for ${count.toLocaleString('en')} spans`,
      });
      const filled = performance.now();
      await sumUpSpans(db);
      tell({
        what: 'summed up in blocks',
        value: round((performance.now() - filled) / 1000, 0),
        sides: 's',
      });
      await db.destroy();
      for (const one of all) {
        const ms = await timeOf(server, one);
        const figure: Figure = {
          what: one.what,
          value: round(ms, 0),
          sides: `ms, p95, ${count.toLocaleString('en')} spans`,
          held: atMost(one.mostMs, ms, 'ms'),
        };
        tell(figure);
      }
      return [];
    }),
};
