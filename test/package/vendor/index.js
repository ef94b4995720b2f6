// A plugin as a vendor writes it, against the installed package alone: rows, a table, a job, a subscriber, a driver, a setting, a toggle.
import { trackingFamily } from 'orrery/ports/api/families/tracking';
import { mkdir } from 'node:fs/promises';
import { area } from 'orrery/ports/api/area';
import { one, operations } from 'orrery/ports/api/operation';
import { integer, list, object, optional, text } from 'orrery/ports/api/schema';
import { Clock } from 'orrery/ports/clock';
import { experiment } from 'orrery/ports/model/experiments';
import { Operations } from 'orrery/ports/operations';
import { plugin } from 'orrery/ports/plugin';
import { PluginTables } from 'orrery/ports/plugin-tables';
import { openFolder } from './folder-blob.js';
import { pager } from './pager.js';

const table = operations({
  addNote: {
    method: 'POST',
    path: '/api/vendor/notes',
    access: { needs: 'write', about: one(experiment, 'body.experimentKey') },
    summary: 'Add a note to an experiment',
    body: object({ experimentKey: text(), note: text({ min: 1 }) }),
    replies: { 200: object({ number: integer(), greeting: text() }) },
    fails: ['invalid'],
  },
  listNotes: {
    method: 'GET',
    path: '/api/vendor/notes',
    access: { needs: 'read', about: one(experiment, 'query.experimentKey') },
    summary: 'Notes of an experiment',
    query: object({ experimentKey: text() }),
    replies: { 200: object({ notes: list(text()), name: text() }) },
    fails: ['invalid'],
  },
  showSeen: {
    method: 'GET',
    path: '/api/vendor/seen',
    access: { needs: 'caller', about: 'caller' },
    summary: 'What the job and the subscriber have seen',
    query: object({ name: optional(text()) }),
    replies: { 200: object({ created: list(text()), runs: integer() }) },
  },
});

const needs = { tables: PluginTables, clock: Clock, operations: Operations };

export default plugin({
  name: 'notes',
  api: 1,
  toggle: { name: 'vendor-notes', default: true, says: 'Notes of a vendor' },
  settings: object({ greeting: text({ min: 1 }) }),
  needs,
  tables: [
    {
      create: 'notes',
      columns: { experiment: 'key', number: 'whole', note: 'text' },
      key: ['experiment', 'number'],
    },
    {
      create: 'seen',
      columns: { kind: 'key', name: 'key', at: 'whole' },
      key: ['kind', 'name'],
      indexes: { by_time: ['kind', 'at'] },
    },
    { add: 'notes', columns: { added: 'whole' } },
  ],
  drivers: [
    {
      port: 'blob',
      name: 'vendor-folder',
      async open({ installation }) {
        const folder = `${installation.ORRERY_DATA}/vendor-blobs`;
        await mkdir(folder, { recursive: true });
        return { made: openFolder(folder), stop: async () => undefined };
      },
    },
    {
      port: 'notifications',
      name: 'pager',
      async open({ outgoing }) {
        return { made: pager(outgoing), stop: async () => undefined };
      },
    },
  ],
  contribute({ tables, clock, operations: product }, settings) {
    return {
      areas: [
        area({
          name: 'vendor-notes',
          family: trackingFamily,
          table,
          needs: {},
          handlers: () => ({
            async addNote({ body, experiment }) {
              return tables.transaction(async (inside) => {
                const before = await inside.list(
                  'notes',
                  'key',
                  { experiment: experiment.id },
                  { limit: 1000 },
                );
                const number = before.length + 1;
                await inside.insert('notes', {
                  experiment: experiment.id,
                  number,
                  note: body.note,
                  added: clock.now(),
                });
                return { number, greeting: settings.greeting };
              });
            },
            async listNotes({ query, experiment, caller }) {
              const metadata = await product.call(
                'getMetadata',
                { query: { experimentKey: query.experimentKey } },
                caller,
              );
              const rows = await tables.list(
                'notes',
                'key',
                { experiment: experiment.id },
                { limit: 1000 },
              );
              return { notes: rows.map((row) => row.note), name: metadata.experimentName };
            },
            async showSeen() {
              const created = await tables.list(
                'seen',
                'by_time',
                { kind: 'created' },
                { limit: 1000 },
              );
              const run = await tables.find('seen', { kind: 'job', name: 'count' });
              return { created: created.map((row) => row.name), runs: run?.at ?? 0 };
            },
          }),
        }),
      ],
      on: {
        async 'experiment.created'(event) {
          await tables.upsert('seen', {
            kind: 'created',
            name: event.detail.experimentKey,
            at: event.at,
          });
        },
      },
      jobs: [
        {
          name: 'count',
          everyMs: 200,
          async run() {
            const before = await tables.find('seen', { kind: 'job', name: 'count' });
            await tables.upsert('seen', { kind: 'job', name: 'count', at: (before?.at ?? 0) + 1 });
          },
        },
      ],
    };
  },
});
