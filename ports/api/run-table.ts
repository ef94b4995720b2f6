// What pages show of many runs in one call: the table of a project's runs.
import { project } from '../model/projects.js';
import { runValues } from '../storage/run-table.js';
import { one, operations } from './operation.js';
import {
  anything,
  flag,
  integer,
  list,
  nullable,
  object,
  optional,
  shape,
  text,
  word,
} from './schema.js';

/** Most runs of a page, columns of a page, columns of an order, and values of a page. */
export const runTableBounds = { runs: 1000, columns: 200, sorts: 3, cells: 100_000 } as const;

const kinds = ['parameter', 'other', 'metric', 'tag', 'metadata', 'environment'] as const;

const asked = {
  kind: word(...kinds),
  name: text({ min: 1, max: 1000 }),
  value: optional(word('last', 'best', 'min', 'max')),
  direction: optional(word('minimize', 'maximize')),
};
const column = object(asked);
const sortColumn = object({ ...asked, descending: optional(flag()) });

const answered = {
  kind: word(...kinds),
  name: text(),
  value: nullable(word(...runValues)),
};

const runColumn = shape(
  'RunColumn',
  'The values of a column, one for each run of the page: a number, a text, a list of tags, or null. Texts end after 500 characters; `cut` of them do.',
  { ...answered, values: list(anything()), cut: integer() },
);

export const runTableOperations = operations({
  queryRuns: {
    method: 'POST',
    path: '/v1/private/ui/runs/query',
    access: { needs: 'read', about: one(project, 'body.project') },
    summary: 'A page of the runs of a project, sorted by any columns, with the values of some',
    body: object({
      project: text(),
      query: optional(anything()),
      archived: optional(flag()),
      columns: optional(list(column, { maxItems: runTableBounds.columns })),
      sort: optional(list(sortColumn, { maxItems: runTableBounds.sorts })),
      cursor: optional(text({ max: 4000 })),
      limit: optional(integer({ minimum: 1, maximum: runTableBounds.runs })),
    }),
    replies: {
      200: object({
        total: integer(),
        ids: list(text()),
        keys: list(text()),
        columns: list(runColumn),
        cursor: nullable(text()),
      }),
    },
    fails: ['invalid', 'absent'],
  },
});
