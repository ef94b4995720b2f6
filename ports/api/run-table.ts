// What pages show of many runs in one call: the table of a project's runs.
import { experiment } from '../model/experiments.js';
import { project } from '../model/projects.js';
import { loggedKinds, runValues } from '../storage/run-table.js';
import { bytes, each, one, operations } from './operation.js';
import { tableFormats } from './table-formats.js';
import {
  anything,
  flag,
  integer,
  list,
  nullable,
  number,
  object,
  optional,
  shape,
  text,
  texts,
  word,
} from './schema.js';

/** Most runs, columns and values of a page, columns of an order or a group, columns told of a group, groups, names and values; most runs that are compared, values and files of them together, and names of a part that differ. */
export const runTableBounds = {
  runs: 1000,
  columns: 200,
  sorts: 3,
  cells: 100_000,
  groupColumns: 20,
  groups: 1000,
  names: 1000,
  values: 200,
  compared: 50,
  contents: 100_000,
  differences: 1000,
} as const;

const kinds = ['parameter', 'other', 'metric', 'tag', 'metadata', 'environment'] as const;

const asked = {
  kind: word(...kinds),
  name: text({ min: 1, max: 1000 }),
  value: optional(word('last', 'best', 'min', 'max')),
  direction: optional(word('minimize', 'maximize')),
};
const column = shape(
  'AskedRunColumn',
  'A column: the kind and name of what is shown, and of a number whether the last, best, smallest or largest is meant; a best one needs its direction.',
  asked,
);
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

const groupColumn = shape(
  'RunGroupColumn',
  'Of a column, one figure for each group: how many runs have a number, the mean, the standard deviation of a sample, the smallest and the largest.',
  {
    ...answered,
    n: list(integer()),
    mean: list(nullable(number())),
    deviation: list(nullable(number())),
    min: list(nullable(number())),
    max: list(nullable(number())),
  },
);

const difference = shape(
  'RunDifference',
  'A name under which runs differ: the value of each, the digest of code or patch, or null. Values end after 500 characters.',
  {
    name: text(),
    values: list(nullable(text())),
    bytes: nullable(list(nullable(integer()))),
  },
);

export const runTableOperations = operations({
  queryRuns: {
    method: 'POST',
    path: '/v1/private/ui/runs/query',
    access: { needs: 'read', about: one(project, 'body.project') },
    summary:
      'A page of the runs of a project, sorted by any columns, with the values of some. `total` counts no further than 100,000',
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
  groupRuns: {
    method: 'POST',
    path: '/v1/private/ui/runs/groups',
    access: { needs: 'read', about: one(project, 'body.project') },
    summary: 'The runs of a project in groups of equal values, with figures of the numbers of each',
    body: object({
      project: text(),
      query: optional(anything()),
      archived: optional(flag()),
      by: list(column, { maxItems: runTableBounds.sorts }),
      columns: optional(list(column, { maxItems: runTableBounds.groupColumns })),
      limit: optional(integer({ minimum: 1, maximum: runTableBounds.groups })),
    }),
    replies: {
      200: object({
        by: list(object(answered)),
        groups: list(object({ keys: list(anything()), runs: integer() })),
        columns: list(groupColumn),
        more: flag(),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  listRunColumns: {
    method: 'GET',
    path: '/v1/private/ui/runs/columns',
    access: { needs: 'read', about: one(project, 'query.project') },
    summary:
      'What the runs of a project have values under, archived runs too; of more names than asked for, some of every kind',
    query: object({
      project: text(),
      q: optional(text({ max: 200 })),
      limit: optional(integer({ minimum: 1, maximum: runTableBounds.names })),
    }),
    replies: {
      200: object({
        metadata: list(text()),
        columns: list(
          object({
            kind: word(...loggedKinds),
            name: text(),
            type: word('number', 'text', 'mixed'),
            runs: integer(),
            min: nullable(number()),
            max: nullable(number()),
          }),
        ),
        more: flag(),
        countedTo: integer(),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  listRunValues: {
    method: 'GET',
    path: '/v1/private/ui/runs/columns/values',
    access: { needs: 'read', about: one(project, 'query.project') },
    summary: 'The most frequent values of a column, of the runs that are not archived',
    query: object({
      project: text(),
      ...asked,
      prefix: optional(text({ max: 200 })),
      limit: optional(integer({ minimum: 1, maximum: runTableBounds.values })),
    }),
    replies: {
      200: object({ values: list(object({ value: anything(), runs: integer() })) }),
    },
    fails: ['invalid', 'absent'],
  },
  exportRuns: {
    method: 'GET',
    path: '/v1/private/ui/runs/export',
    access: { needs: 'read', about: one(project, 'query.project') },
    summary:
      'Every run of a project that satisfies a query, as a file of columns such as `metric.min:loss` in an order such as `-metric:loss`, with every text in full',
    query: object({
      project: text(),
      format: word(...tableFormats),
      query: optional(text({ max: 20_000 })),
      archived: optional(flag()),
      columns: optional(texts()),
      sort: optional(texts()),
    }),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent'],
  },
  compareRuns: {
    method: 'POST',
    path: '/v1/private/ui/diff',
    access: { needs: 'read', about: each(experiment, 'body.runs'), changes: false },
    summary: 'What differs among runs: parameters, others, environment, packages, code and patch',
    body: object({ runs: texts() }),
    replies: {
      200: object({
        runs: list(text()),
        sections: list(
          object({
            section: word('parameter', 'other', 'environment', 'package', 'code', 'patch'),
            equal: integer(),
            differing: integer(),
            differences: list(difference),
          }),
        ),
      }),
    },
    fails: ['invalid', 'absent'],
  },
});
