// Lists of a workspace that grows: each shows a page, and should take as long however much there is behind it.
import type { Knex } from 'knex';
import { projectOf } from './listing.js';
import { median } from './line.js';
import { makeExperiments, withServer, type BenchServer } from './server.js';
import { timeEach } from './store.js';

/** Runs of a project, without values, and as many deliveries, requests and entries of the audit log. */
const fill = async (db: Knex, key: string, count: number): Promise<void> => {
  const id = (salt: string) => `md5('${salt}' || i)::uuid`;
  const many = `generate_series(1, ${count}) i`;
  await db.raw(
    `insert into experiments (id, key, workspace_id, project_id, user_id, name, created_at, start_time, end_time, start_set, end_set, last_seen_at, beat_ms, alive, reports_end, has_crashed, archived, offline, processing, throttle)
    select ${id('l')}, md5('lk' || i), workspace_id, project_id, user_id, 'run ' || i, created_at + i, start_time + i, end_time + i, false, false, last_seen_at, beat_ms, false, true, false, false, false, false, false
    from experiments, ${many} where key = ?`,
    [key],
  );
  await db.raw(
    `insert into deliveries (channel_id, subject_id, number, id, workspace_id, event_id, once_key, trigger_name, content, created_at, state, attempts)
    select ${id('c')}, ${id('s')}, i, ${id('d')}, workspace_id, ${id('v')}, md5('o' || i), 'T', '{}', created_at + i, 'DELIVERED', 1
    from experiments, ${many} where key = ?`,
    [key],
  );
  await db.raw(
    `insert into audit (id, at, actor_id, via, action, workspace_id, outcome, detail)
    select ${id('a')}, created_at + i, user_id, 'key', 'deleteProject', workspace_id, 'done', '{}'
    from experiments, ${many} where key = ?`,
    [key],
  );
  for (const table of ['experiments', 'deliveries', 'audit'])
    await db.raw(`vacuum analyze ${table}`);
};

type Read = readonly [title: string, read: () => Promise<unknown>];

const readsOf = (server: BenchServer, projectId: string): readonly Read[] => {
  const { workspace } = server;
  const runs = (more: object) =>
    server.call('POST', '/v1/private/ui/runs/query', { project: projectId, limit: 100, ...more });
  const start = { kind: 'metadata', name: 'start' };
  return [
    [
      'projects of a workspace',
      () => server.call('GET', `/api/rest/v2/projects?workspaceName=${workspace}`),
    ],
    ['newest runs', () => runs({ sort: [{ ...start, descending: true }] })],
    [
      'deliveries',
      () => server.call('GET', `/api/rest/v2/webhooks/deliveries?workspaceName=${workspace}`),
    ],
  ];
};

/** The median of each read, in ms, at this size. */
export const timeLists = (size: number): Promise<ReadonlyMap<string, number>> =>
  withServer(async (server) => {
    const [key = ''] = await makeExperiments(server, 1);
    const db = await server.openDatabase();
    await fill(db, key, size);
    const projectId = await projectOf(db, key);
    const found = new Map<string, number>();
    for (const [title, read] of readsOf(server, projectId)) {
      await read();
      found.set(title, median(await timeEach(20, read)));
    }
    const page = () =>
      db('audit')
        .orderBy([
          { column: 'at', order: 'desc' },
          { column: 'id', order: 'desc' },
        ])
        .limit(100);
    await page();
    found.set('the audit log', median(await timeEach(20, page)));
    await db.destroy();
    return found;
  });
