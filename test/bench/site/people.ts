// What one person of a site does in turn: logs a run, looks at pages, tags, uploads, and clears away what is old.
import { setTimeout as wait } from 'node:timers/promises';
import type { BenchServer } from '../server.js';
import type { Caller } from './calls.js';

export interface Habits {
  /** Batches of metrics of a run, and how long a person waits after each. */
  readonly batches: number;
  readonly pauseMs: number;
  readonly series: number;
  readonly points: number;
}

interface Site {
  readonly server: BenchServer;
  readonly caller: Caller;
  readonly habits: Habits;
  /** Keys of all runs, the oldest first. */
  readonly runs: string[];
  readonly projectId: string;
  readonly projectName: string;
  /** When the week is over, as `performance.now` tells. */
  readonly until: number;
  pointsLogged: number;
}
export type { Site };

const write = '/api/rest/v2/write';
const ui = '/v1/private/ui';
/** Runs after which old ones are cleared away, and how many at once. */
const [clearEvery, clearedAtOnce] = [20, 10];
const shownCurves = 20;

const createRun = async ({ caller, server, projectName }: Site): Promise<string> => {
  const { experimentKey } = (await caller.call('create', 'POST', `${write}/experiment/create`, {
    workspaceName: server.workspace,
    projectName,
  })) as { readonly experimentKey: string }; // the row's reply
  return experimentKey;
};

const logParameters = (site: Site, experimentKey: string, seed: number) =>
  site.caller.call('parameters', 'POST', '/clientlib/batch/logger/experiment/parameter', {
    experimentKey,
    values: Array.from({ length: 20 }, (_, at) => ({
      parameterName: `parameter_${at}`,
      parameterValue: String((seed * (at + 7)) % 97),
      step: null,
      context: null,
      timestamp: Date.now(),
    })),
  });

const logMetrics = async (site: Site, experimentKey: string, batch: number): Promise<void> => {
  const { series, points } = site.habits;
  await site.caller.call('metrics', 'POST', '/clientlib/batch/logger/experiment/metric', {
    experimentKey,
    values: Array.from({ length: points }, (_, at) => batch * points + at).flatMap((step) =>
      Array.from({ length: series }, (__, of) => ({
        metricName: `metric_${of}`,
        metricValue: Math.exp(-step / 500) + Math.sin(step * 12.9898 + of * 78.233) * 0.05,
        step,
        timestamp: Date.now(),
        context: null,
      })),
    ),
  });
  site.pointsLogged += series * points;
};

const upload = (site: Site, key: string) => {
  const form = new FormData();
  form.append('file', new Blob(['x'.repeat(4000)]), 'notes.txt');
  const path = `${write}/experiment/upload-asset?experimentKey=${key}&fileName=notes.txt&type=asset`;
  return site.caller.call('upload', 'POST', path, form);
};

const sorts = [
  [{ kind: 'metadata', name: 'start', descending: true }],
  [{ kind: 'metric', name: 'metric_1', value: 'last' }],
  [{ kind: 'metric', name: 'metric_2', value: 'min' }],
  [{ kind: 'parameter', name: 'parameter_3', value: 'last' }],
] as const;

/** One look at a page, another kind each time. */
const look = async (site: Site, turn: number): Promise<void> => {
  const { caller, projectId, runs } = site;
  const kinds = [
    () =>
      caller.call('page of runs', 'POST', `${ui}/runs/query`, {
        project: projectId,
        limit: 50,
        sort: sorts[turn % sorts.length],
        columns: [
          { kind: 'metadata', name: 'name' },
          ...Array.from({ length: 5 }, (_, at) => ({ kind: 'metric', name: `metric_${at}` })),
          ...Array.from({ length: 5 }, (_, at) => ({ kind: 'parameter', name: `parameter_${at}` })),
        ],
      }),
    () =>
      caller.call('curves', 'POST', `${ui}/series`, {
        runs: runs.slice(-shownCurves),
        metrics: ['metric_0'],
      }),
    () =>
      caller.call('search', 'POST', '/api/rest/v2/experiments/search', {
        projectId,
        limit: 50,
      }),
    () =>
      caller.call(
        'one run',
        'GET',
        `/api/rest/v2/experiment/metrics/summary?experimentKey=${runs[Math.floor((runs.length * ((turn * 37) % 100)) / 100)] ?? ''}`,
      ),
    () =>
      caller.call(
        'projects',
        'GET',
        `/api/rest/v2/projects?workspaceName=${site.server.workspace}`,
      ),
  ];
  await kinds[turn % kinds.length]?.();
};

/** Deletes the oldest runs, which nobody else looks at any more. */
const clear = (site: Site) =>
  site.caller.call('delete runs', 'POST', `${ui}/actions`, {
    project: site.projectId,
    runs: site.runs.splice(0, clearedAtOnce),
    action: 'delete',
  });

const workOnRun = async (site: Site, turn: number): Promise<void> => {
  const key = await createRun(site);
  await logParameters(site, key, turn);
  for (let batch = 0; batch < site.habits.batches; batch++) {
    await logMetrics(site, key, batch);
    if (batch === 0) site.runs.push(key);
    if (batch % 4 === 3) await look(site, turn + batch);
    await wait(site.habits.pauseMs);
    if (performance.now() > site.until) return;
  }
  await upload(site, key);
  await site.caller.call('tag', 'POST', `${write}/experiment/tags`, {
    experimentKey: key,
    addedTags: ['done'],
  });
  await site.caller.call('end', 'POST', '/clientlib/status-report/update', {
    experimentKey: key,
    is_alive: false,
  });
};

/** One person until the week is over; what is refused is noted, and the next thing done. */
export const livePerson = async (site: Site, number: number): Promise<void> => {
  for (let turn = number; performance.now() < site.until; turn += 51)
    try {
      await workOnRun(site, turn);
      if (turn % clearEvery === 0 && site.runs.length > 200) await clear(site);
    } catch {
      await wait(site.habits.pauseMs);
    }
};
