// Days, and what is told of them, are those of UTC, whatever the time zones of the server's process and of its database are.
import { expect } from 'chai';
import { v7 } from 'uuid';
import { pendingUnlessAll } from '#test/pending';
import {
  openBeside,
  startServer,
  triedStorages,
  type Beside,
  type StartedServer,
} from '#test/clients/server';
import { NotInstalled } from '#test/servers/launch';
import { startMariadb } from '#test/servers/mariadb';
import { makeDatabase } from '#test/servers/databases';
import type { TestServer } from '#test/servers/servers';
import type { Json } from './private-client.js';

const token = 'internal-0123456789abcdef';
const [minuteMs, dayMs] = [60_000, 86_400_000];

/** Zones on both sides of UTC, with their name, and the same as MySQL has it without tables of zones. */
const zones = [
  { process: 'Pacific/Kiritimati', database: 'Pacific/Marquesas', offset: '-09:30' },
  { process: 'America/St_Johns', database: 'Asia/Kolkata', offset: '+05:30' },
] as const;

for (const storage of triedStorages)
  for (const zone of zones)
    describe(`days of a server in ${zone.process} on ${storage} in another zone`, () => {
      let server: StartedServer;
      let beside: Beside;
      const ends: (() => Promise<unknown>)[] = [];
      const settings = {
        ...{ TZ: zone.process, ORRERY_INTERNAL_TOKEN: token, ORRERY_CHECK_REPLIES: '1' },
      };

      const startMysql = async (): Promise<TestServer | { readonly missing: string }> => {
        try {
          return await startMariadb(`mariadb${zone.offset.replaceAll(/\D/g, '')}`, [
            `--default-time-zone=${zone.offset}`,
          ]);
        } catch (thrown) {
          if (thrown instanceof NotInstalled) return { missing: thrown.message };
          throw thrown;
        }
      };

      before('start a server', async function () {
        let env: Readonly<Record<string, string>> = settings;
        if (storage === 'mysql') {
          const own = await startMysql();
          if ('missing' in own) return pendingUnlessAll(this, own.missing);
          const { url, remove } = await makeDatabase(own.url);
          ends.unshift(remove, () => own.stop());
          env = { ...settings, ORRERY_MYSQL_URL: url };
        }
        const started = await startServer({ storage, env, apart: true });
        if ('missing' in started) return pendingUnlessAll(this, started.missing);
        server = started;
        beside = await openBeside(server);
        if (storage === 'mysql') return;
        const { db } = beside.storage.connection;
        const { rows } = await db.raw<{ readonly rows: readonly { readonly name: string }[] }>(
          'select current_database() as name',
        );
        await db.raw('alter database ?? set timezone to ??', [rows[0]?.name ?? '', zone.database]);
        await beside.close();
        await server.restart();
        beside = await openBeside(server);
      });
      after(async () => {
        await beside?.close();
        await server?.stop();
        for (const end of ends) await end();
      });

      const ask = async (method: string, path: string, body?: Json, key = server.apiKey) => {
        const reply = await fetch(`${server.url}/api/v1/${path}`, {
          method,
          headers: { Authorization: key, 'Content-Type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const text = await reply.text();
        expect(reply.status, `${path}: ${text}`).to.be.lessThan(300);
        return JSON.parse(text === '' ? '{}' : text) as Json; // an object, as every reply of the private wire
      };
      const internal = (path: string) =>
        ask('GET', `internal/usage/${path}`, undefined, `Bearer ${token}`);
      /** Runs again where a day of UTC ended meanwhile. */
      const withinADay = async (work: (today: number) => Promise<void>): Promise<void> => {
        const today = () => Math.floor(Date.now() / dayMs) * dayMs;
        const began = today();
        await work(began).catch((thrown: unknown) => {
          if (today() === began) throw thrown;
          return work(today());
        });
      };
      const log = (what: 'spans' | 'traces', at: number, project_name: string) =>
        ask('POST', `private/${what}`, {
          ...{ id: v7({ msecs: at }), project_name, name: 'x' },
          start_time: new Date(at).toISOString(),
          ...(what === 'spans' ? { trace_id: v7() } : {}),
        });

      it('the zones are in force', async () => {
        const { db } = beside.storage.connection;
        const told = await db.raw<unknown>(
          storage === 'mysql'
            ? 'select @@session.time_zone as zone'
            : "select current_setting('timezone') as zone",
        );

        expect(JSON.stringify(told)).to.include(
          `"zone":"${storage === 'mysql' ? zone.offset : zone.database}"`,
        );
      });

      it('figures of the previous day have what was made on it in UTC, also what comes late', async () => {
        await withinADay(async (today) => {
          const project = `p${v7()}`;
          const count = async (path: string, member: string, of: string) => {
            const rows = (await internal(path))[member] as readonly Json[]; // as the row has it
            return rows.reduce((sum, row) => sum + Number(row[of]), 0);
          };
          const counts = async () => [
            await count('bi-traces', 'bi_information', 'count'),
            await count('bi-spans', 'bi_information', 'count'),
            await count('workspace-trace-counts', 'workspaces_traces_count', 'trace_count'),
            await count('workspace-span-counts', 'workspaces_spans_count', 'span_count'),
            await count('workspace-span-counts-breakdown', 'breakdown', 'count'),
          ];
          const before = await counts();
          const more = async () => (await counts()).map((now, at) => now - (before[at] ?? 0));
          for (const at of [today - dayMs - 1, today - dayMs, today - 1, today])
            for (const what of ['traces', 'spans'] as const) await log(what, at, project);
          const first = await more();
          await log('spans', today - dayMs + minuteMs, project);
          await log('traces', today - minuteMs, project);

          expect(first).to.deep.equal([2, 2, 2, 2, 2]);
          expect(await more()).to.deep.equal([3, 3, 3, 3, 3]);
        });
      });

      it('series by day, statements and filters count what was on each day in UTC', async () => {
        const project = `p${v7()}`;
        const monday = Date.UTC(2026, 2, 2); // no other day is as many seconds long in some zones
        for (const at of [
          ...[monday - 1, monday, monday + dayMs - 1, monday + dayMs, monday + 6 * dayMs],
          monday + 7 * dayMs - 1,
        ])
          await log('traces', at, project);
        const page = await ask('GET', `private/projects?name=${project}`);
        const [{ id: projectId } = { id: '' }] = page['content'] as readonly Json[]; // as the row has it
        const series = async (interval: string) => {
          const { results } = await ask('POST', `private/projects/${String(projectId)}/metrics`, {
            ...{ metric_type: 'TRACE_COUNT', interval },
            interval_start: new Date(monday - dayMs).toISOString(),
            interval_end: new Date(monday + 8 * dayMs).toISOString(),
          });
          const [{ data } = { data: [] }] = results as readonly {
            readonly data: readonly Json[];
          }[]; // as the row has it
          return data
            .filter(({ value }) => Number(value) > 0)
            .map(({ time, value }) => [String(time).slice(0, 16), Number(value)]);
        };
        const { rows: told } = await ask('POST', 'internal/analytics-queries', {
          query: `SELECT toJSONString(map('day', toString(toDate(start_time)), 'n', count())) AS result FROM traces WHERE project_id = '${String(projectId)}' GROUP BY toDate(start_time) ORDER BY toDate(start_time)`,
        }).then((reply) => ({ rows: JSON.stringify(reply) }));
        const found = await ask(
          'GET',
          `private/traces?${new URLSearchParams({
            ...{ project_name: project },
            filters: JSON.stringify([
              { field: 'start_time', operator: '>=', value: '2026-03-02T00:00:00Z' },
              { field: 'start_time', operator: '<', value: '2026-03-03T00:00:00Z' },
            ]),
          }).toString()}`,
        );

        expect(await series('DAILY')).to.deep.equal([
          ['2026-03-01T00:00', 1],
          ['2026-03-02T00:00', 2],
          ['2026-03-03T00:00', 1],
          ['2026-03-08T00:00', 2],
        ]);
        expect((await series('WEEKLY')).map(([, value]) => value)).to.deep.equal([1, 5]);
        for (const [day, n] of [
          ['2026-03-01', 1],
          ['2026-03-02', 2],
          ['2026-03-03', 1],
          ['2026-03-08', 2],
        ] as const)
          expect(told.replaceAll('\\', '')).to.match(
            new RegExp(`"day": ?"${day}", ?"n": ?"?${n}"?\\}`),
          );
        expect(found['total']).to.equal(2);
      });

      it('the end of transactions is told, so that no change of rows is missed', async () => {
        const { db, dialect } = beside.storage.connection;
        const { name, haveEnded } = dialect.transactions;
        await db.schema.createTable('zoned', (table) => table.integer('n'));
        const ended = async (moment: string, withinMs: number): Promise<boolean> => {
          for (const until = Date.now() + withinMs; Date.now() < until;) {
            if (await haveEnded(db, moment)) return true;
            await new Promise((wake) => setTimeout(wake, 150)); // who asks more often is told the same by one engine
          }
          return false;
        };
        let moment = '';
        const meanwhile = await db.transaction(async (inside) => {
          await inside('zoned').insert({ n: 1 });
          moment = await name(db);
          // One engine tells of whole seconds.
          return ended(moment, 3000);
        });
        const afterwards = await ended(moment, 60_000);
        await db.schema.dropTable('zoned');

        expect([meanwhile, afterwards]).to.deep.equal([false, true]);
      });
    });
