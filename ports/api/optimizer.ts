// The search for parameters that several processes share. Its replies carry a `code` of their own; any but 200 is an end or a refusal.
import { optimizer } from '../model/optimizer.js';
import { workspace } from '../model/workspaces.js';
import { maybe, one, operations } from './operation.js';
import {
  anything,
  integer,
  list,
  literal,
  millis,
  nullable,
  object,
  optional,
  record,
  text,
  texts,
  word,
  shape,
} from './schema.js';

const path = (name: string) => `/optimizer/${name}`;
const inQuery = one(optimizer, 'query.id');
const inBody = one(optimizer, 'body.id');
const outcome = shape('TrialOutcome', 'What became of a trial.', {
  code: integer(),
  message: optional(text()),
});
const job = shape('Trial', 'One set of parameters to try.', {
  pid: text(),
  trial: integer(),
  count: integer(),
  status: text(),
  score: nullable(anything()),
  epoch: nullable(integer()),
  parameters: record(),
  tries: integer(),
  retries: integer(),
  startTime: nullable(millis()),
  endTime: nullable(millis()),
  lastUpdateTime: millis(),
  metadata: record(),
});

export const optimizerOperations = operations({
  listAlgorithms: {
    method: 'GET',
    path: path('algorithms'),
    access: { needs: 'caller', about: 'caller' },
    summary: 'Algorithms that search',
    replies: { 200: list(object({ name: text(), description: text() })) },
  },
  getSpec: {
    method: 'GET',
    path: path('spec'),
    access: { needs: 'caller', about: 'caller' },
    summary: 'What can be set for an algorithm',
    query: object({ algorithmName: text() }),
    replies: {
      200: list(object({ name: text(), default: anything(), type: text(), doc: text() })),
    },
    fails: ['invalid'],
  },
  createOptimizer: {
    method: 'POST',
    path: path('create'),
    access: { needs: 'write', about: maybe(workspace) },
    summary: 'Begin a search',
    body: object({
      algorithm: text(),
      name: optional(text()),
      parameters: record(),
      trials: optional(integer()),
      spec: optional(record()),
    }),
    replies: { 200: object({ code: integer(), id: optional(text()), message: optional(text()) }) },
    fails: ['invalid', 'absent'],
  },
  getStatus: {
    method: 'GET',
    path: path('status'),
    access: { needs: 'read', about: inQuery },
    summary: 'A search as it was begun, and whether it is over',
    query: object({ id: text() }),
    replies: {
      200: object({
        id: text(),
        algorithm: text(),
        name: text(),
        parameters: record(),
        trials: integer(),
        spec: record(),
        version: text(),
        status: word('running', 'completed'),
        createdAt: millis(),
        startTime: nullable(millis()),
        endTime: nullable(millis()),
        lastUpdateTime: nullable(millis()),
        comboCount: integer(),
        maxCombo: integer(),
        retryCount: integer(),
        configSpaceSize: integer(),
        state: object({
          sequence_i: integer(),
          sequence_retry: integer(),
          sequence_trial: integer(),
          total: integer(),
        }),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  takeTrial: {
    method: 'GET',
    path: path('next'),
    access: { needs: 'write', about: inQuery },
    summary: 'The next trial; no other process is given it',
    query: object({ id: text() }),
    replies: {
      200: object({
        code: integer(),
        message: optional(text()),
        parameters: optional(
          object({ parameters: record(), pid: text(), trial: integer(), count: integer() }),
        ),
      }),
    },
    fails: ['invalid', 'absent', 'conflict'],
  },
  updateTrial: {
    method: 'POST',
    path: path('update'),
    access: { needs: 'write', about: inBody },
    summary: 'Tell how a trial goes',
    body: object({
      id: text(),
      pid: text(),
      trial: integer(),
      status: text({ min: 1, max: 40 }),
      score: optional(literal()),
      epoch: optional(integer()),
      metadata: optional(record()),
    }),
    replies: { 200: outcome },
    fails: ['invalid', 'absent'],
  },
  insertTrial: {
    method: 'POST',
    path: path('insert'),
    access: { needs: 'write', about: inBody },
    summary: 'Bring a trial that was made elsewhere',
    body: object({
      id: text(),
      pid: text({ min: 1, max: 64 }),
      trial: integer({ minimum: 0, maximum: 1_000_000 }),
      status: text({ min: 1, max: 40 }),
      score: optional(literal()),
      epoch: optional(integer()),
      parameters: optional(record()),
      tries: optional(integer()),
      retries: optional(integer()),
      startTime: optional(millis()),
      endTime: optional(millis()),
      lastUpdateTime: optional(millis()),
      count: optional(integer()),
      metadata: optional(record()),
    }),
    replies: { 200: outcome },
    fails: ['invalid', 'absent'],
  },
  getDashboard: {
    method: 'GET',
    path: path('dashboard/data'),
    access: { needs: 'read', about: inQuery },
    summary: 'Trials of a search, page by page, and how many there are of each kind',
    query: object({
      id: text(),
      page: optional(integer({ minimum: 1 })),
      page_size: optional(integer({ minimum: 1, maximum: 1000 })),
      status: optional(texts()),
    }),
    replies: {
      200: object({
        code: integer(),
        jobs: list(job),
        max_jobs: integer(),
        assigned_count: integer(),
        completed_count: integer(),
        failed_count: integer(),
        pagination: object({
          page: integer(),
          page_size: integer(),
          total: integer(),
          total_pages: integer(),
        }),
      }),
    },
    fails: ['invalid', 'absent'],
  },
});
