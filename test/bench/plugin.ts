// Rows that the product does not have: what a batch costs before anything is stored, and what it costs as one row a point.
import { experiment } from '#ports/model/experiments';
import pg from 'pg';
import { startEmbedded } from '#adapters/storage/embedded/supervisor';
import { systemLog } from '#adapters/system/log';
import { trackingFamily } from '#ports/api/families/tracking';
import { privateFamily } from '#ports/api/families/private';
import { area } from '#ports/api/area';
import { metricOperations } from '#ports/api/metrics';
import { one, operations } from '#ports/api/operation';
import { integer, list, object, text } from '#ports/api/schema';
import { spanOperations } from '#ports/api/spans';
import { saved } from '#ports/api/tracking';
import { plugin } from '#ports/plugin';
import { countStatements } from './statements.js';

const {
  body,
  wire: { keepsNul },
} = metricOperations.logMetricBatch;

const rows = operations({
  parseBatch: {
    method: 'POST',
    path: '/bench/parse',
    access: { needs: 'public' },
    wire: { mostBytes: 64 * 1024 * 1024, keepsNul },
    summary: 'Read a batch and do nothing',
    body,
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  storeRows: {
    method: 'POST',
    path: '/bench/rows',
    access: { needs: 'write', about: one(experiment, 'body.experimentKey') },
    summary: 'Store a batch as one row a point',
    wire: { keepsNul },
    body,
    replies: { 200: saved() },
    fails: ['invalid'],
  },
});

const spanRows = operations({
  parseSpans: {
    method: 'POST',
    path: '/bench/spans',
    access: { needs: 'public' },
    wire: { mostBytes: 64 * 1024 * 1024, ...spanOperations.createSpans.wire },
    summary: 'Read spans and do nothing',
    body: spanOperations.createSpans.body,
    replies: { 204: null },
    fails: ['invalid'],
  },
});

const counted = operations({
  countStatements: {
    method: 'GET',
    path: '/bench/statements',
    access: { needs: 'public' },
    summary: 'What was sent to the database so far',
    replies: { 200: object({ statements: integer(), turns: integer(), newest: list(text()) }) },
    fails: [],
  },
});

const createRows = `create table if not exists bench_points (
  id bigint generated always as identity primary key, experiment_id uuid not null, name text not null, context text, value float8, text text not null, step bigint, epoch bigint, time bigint not null
); create index if not exists bench_points_series on bench_points (experiment_id, name, id)`;
const insertRows = `insert into bench_points (experiment_id, name, context, value, text, step, epoch, time)
  select $1, u.* from unnest($2::text[], $3::text[], $4::float8[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[]) as u`;

const openPool = async (folder: string): Promise<pg.Pool> => {
  const { connection } = await startEmbedded({
    folder,
    log: systemLog('silent'),
    attachOnly: true,
  });
  const pool = new pg.Pool({ ...connection, max: 10 });
  pool.on('error', () => undefined); // the server ends before the plugin does
  await pool.query(createRows);
  return pool;
};

export default plugin({
  name: 'bench',
  api: 1,
  settings: object({ folder: text() }),
  needs: {},
  contribute(_met, { folder }: { readonly folder: string }) {
    let pool: Promise<pg.Pool> | undefined;
    const sent = countStatements();
    const handlers = {
      parseBatch: async () => ({}),
      async storeRows({
        body: { values },
        experiment,
      }: {
        readonly body: { readonly values: readonly Readonly<Record<string, unknown>>[] };
        readonly experiment: { readonly id: string };
      }) {
        pool ??= openPool(folder);
        const column = (name: string) => values.map((value) => value[name] ?? null);
        const texts = values.map((value) => String(value['metricValue']));
        await (
          await pool
        ).query(insertRows, [
          experiment.id,
          column('metricName'),
          column('context'),
          texts.map(Number),
          texts,
          column('step'),
          column('epoch'),
          column('timestamp'),
        ]);
        return {};
      },
    };
    return {
      areas: [
        area({
          name: 'bench',
          family: trackingFamily,
          table: rows,
          needs: {},
          handlers: () => handlers,
        }),
        area({
          name: 'bench-spans',
          family: privateFamily,
          table: spanRows,
          needs: {},
          handlers: () => ({ parseSpans: async () => undefined }),
        }),
        area({
          name: 'bench-statements',
          family: trackingFamily,
          table: counted,
          needs: {},
          handlers: () => ({
            async countStatements() {
              return sent();
            },
          }),
        }),
      ],
      stop: async () => {
        await (await pool)?.end();
      },
    };
  },
});
