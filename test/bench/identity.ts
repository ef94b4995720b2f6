// What it costs to know who calls, at any number of users.
import { setTimeout as wait } from 'node:timers/promises';
import type { Knex } from 'knex';
import { atMost, median, round, type Line } from './line.js';
import { startServer, withServer, type BenchServer } from './server.js';
import { timeEach } from './store.js';

/** Transactions that the database has committed so far, its own upkeep included. */
const countCommits = async (db: Knex): Promise<number> => {
  const { rows } = (await db.raw(
    'select xact_commit::float8 as n from pg_stat_database where datname = current_database()',
  )) as { readonly rows: readonly { readonly n: number }[] }; // one row of one column
  return rows[0]?.n ?? 0;
};

/** One row, which answers the same few words to who shows a key and to who shows none, in turns, so that what disturbs one disturbs the other. */
const measureKeys = async (server: BenchServer, times: number) => {
  const ask = async (headers: Readonly<Record<string, string>>) => {
    const reply = await fetch(`${server.url}/logout`, { redirect: 'manual', headers });
    await reply.arrayBuffer();
    if (reply.status !== 303) throw new Error(`it answered ${reply.status}`);
  };
  const keyed = () => ask({ Authorization: server.apiKey });
  const open = () => ask({ 'X-Nothing': server.apiKey });
  await timeEach(200, keyed);
  await timeEach(200, open);
  const [withKey, without]: [number[], number[]] = [[], []];
  for (let i = 0; i < times; i++) {
    withKey.push(...(await timeEach(1, keyed)));
    without.push(...(await timeEach(1, open)));
  }
  return median(withKey) - median(without);
};

export const keyLine: Line = {
  name: 'keys',
  run: ({ quick }) =>
    withServer(async (server) => {
      const times = quick ? 500 : 3000;
      const added = await measureKeys(server, times);
      const db = await server.openDatabase();
      const quiet = 1000;
      await wait(1500); // a backend tells of its transactions within a second of its last work
      const before = await countCommits(db);
      const startedAt = performance.now();
      await timeEach(quiet, () => server.call('GET', '/optimizer/algorithms'));
      const tookMs = performance.now() - startedAt;
      await wait(1500);
      const busy = (await countCommits(db)) - before;
      const idleBefore = await countCommits(db);
      await wait(tookMs + 1500);
      const idle = (await countCommits(db)) - idleBefore;
      await db.destroy();
      const queries = Math.max(0, busy - idle) / quiet;
      return [
        {
          what: 'what a key adds to a request, median ms',
          value: round(added, 3),
          sides: `${times} requests of a row that tells who asks, with a key and without, in turns`,
          held: atMost(0.15, added),
        },
        {
          what: 'queries of a request with a key that is warm',
          value: round(queries, 3),
          sides: `${busy} transactions in ${quiet} requests, ${idle} in as long without any`,
          held: atMost(0.02, queries),
        },
      ];
    }),
};

/** A second process over the same database and folder. */
const startBeside = async (server: BenchServer): Promise<BenchServer> => {
  const db = await server.openDatabase();
  const { connection } = db.client.config as {
    readonly connection: {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password?: string;
      readonly database: string;
    };
  }; // as it was opened
  await db.destroy();
  const url = `postgres://${encodeURIComponent(connection.user)}:${encodeURIComponent(connection.password ?? '')}@/${connection.database}?host=${encodeURIComponent(connection.host)}&port=${connection.port}`;
  return startServer({
    folder: server.folder,
    env: { ORRERY_STORAGE: 'postgres', ORRERY_POSTGRES_URL: url },
  });
};

export const revocationLine: Line = {
  name: 'revocation',
  run: () =>
    withServer(async (server) => {
      const other = await startBeside(server);
      try {
        const slowest: number[] = [];
        for (let i = 0; i < 3; i++) {
          const { keyId, apiKey } = (await server.call('POST', '/api/auth/keys', {
            name: `k${i}`,
          })) as { readonly keyId: string; readonly apiKey: string }; // the row's reply
          const known = async () => {
            const reply = await fetch(`${other.url}/api/rest/v2/account-details`, {
              headers: { Authorization: apiKey },
            });
            await reply.arrayBuffer();
            return reply.status === 200;
          };
          if (!(await known())) throw new Error('the other process does not know the key');
          const revokedAt = performance.now();
          await fetch(`${server.url}/api/auth/keys/${keyId}`, {
            method: 'DELETE',
            headers: { Authorization: server.apiKey },
          });
          while (await known()) await wait(20);
          slowest.push((performance.now() - revokedAt) / 1000);
        }
        const value = Math.max(...slowest);
        return [
          {
            what: 'a revoked key stops in another process, seconds',
            value: round(value, 1),
            sides: `the slowest of ${slowest.length}, asked all the time`,
            held: atMost(5, value),
          },
        ];
      } finally {
        await other.stop();
      }
    }),
};

/** Users, workspaces and members as they are, many times over. */
const fill = async (db: Knex, from: number, users: number, workspaces: number): Promise<void> => {
  const hash = (text: string) =>
    `encode(sha256(convert_to(length(${text}) || ':' || ${text}, 'UTF8')), 'hex')`;
  const id = (salt: string, n: string) => `md5('${salt}' || ${n})::uuid`;
  await db.raw(`insert into users (id, name, name_key, kind, admin, view_only, restricted, email_proved, default_workspace_id, created_at)
    select ${id('u', 'i')}, 'user-' || i, ${hash("('user-' || i)")}, 'person', false, false, false, false, ${id('w', `(i % ${workspaces})`)}, 1700000000000 + i from generate_series(${from}, ${users}) i`);
  await db.raw(
    `insert into workspaces (id, name, name_key, owner_id, created_at) select ${id('w', 'i')}, 'space-' || i, ${hash("('space-' || i)")}, ${id('u', 'i + 1')}, 1700000000000 from generate_series(0, ${workspaces - 1}) i`,
  );
  await db.raw(
    `insert into members (workspace_id, user_id, role, permissions) select ${id('w', `(i % ${workspaces})`)}, ${id('u', 'i')}, 'member', '' from generate_series(${from}, ${users}) i on conflict do nothing`,
  );
  for (const table of ['users', 'workspaces', 'members']) await db.raw(`vacuum analyze ${table}`);
};

export const usersLine: Line = {
  name: 'users',
  run: ({ quick }) =>
    withServer(async (server) => {
      const db = await server.openDatabase();
      const times = quick ? 30 : 200;
      const measure = async () => {
        const members = median(
          await timeEach(times, (i) =>
            server.call('GET', `/api/rest/v2/workspace/members?workspaceName=space-${i % 90}`),
          ),
        );
        const names = Array.from({ length: Math.min(times, 40) }, (_, i) => `person-${i}`);
        // Who signs in: argon2 is the same at any number of users, so its share only hides what is looked for.
        const signIn = median(
          await timeEach(names.length, async (i) => {
            const reply = await fetch(`${server.url}/api/auth/sign-in`, {
              method: 'POST',
              headers: { 'Content-Type': 'application/json' },
              body: JSON.stringify({ name: names[i], password }),
            });
            const text = await reply.text();
            if (reply.status !== 200)
              throw new Error(`a sign-in was answered with ${reply.status}: ${text}`);
          }),
        );
        return { members, signIn };
      };
      const password = 'Tulip-ocean-97-wq';
      for (let i = 0; i < 40; i++)
        await server.call('POST', '/api/admin/users', { userName: `person-${i}`, password });
      await fill(db, 1, 1000, 100);
      await measure();
      const small = await measure();
      await db.raw(
        "delete from members where user_id in (select id from users where name like 'user-%')",
      );
      await db.raw("delete from workspaces where name like 'space-%'");
      await db.raw("delete from users where name like 'user-%'");
      await fill(db, 1, 100_000, 10_000);
      await measure();
      const large = await measure();
      await db.destroy();
      const ratio = (of: 'members' | 'signIn') => large[of] / small[of];
      return [
        {
          what: 'member lists: 100,000 users over 1,000',
          value: round(ratio('members')),
          sides: `${round(large.members, 2)} over ${round(small.members, 2)} ms at the median, ten members each`,
          held: atMost(1.3, ratio('members')),
        },
        {
          what: 'sign-in: 100,000 users over 1,000',
          value: round(ratio('signIn')),
          sides: `${round(large.signIn, 1)} over ${round(small.signIn, 1)} ms at the median, argon2 among it`,
          held: atMost(1.3, ratio('signIn')),
        },
      ];
    }),
};
