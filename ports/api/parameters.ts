// Logging and reading parameters, others and tags.
import { experiment } from '../model/experiments.js';
import { each, one, operations } from './operation.js';
import {
  integer,
  items,
  list,
  literal,
  millis,
  object,
  optional,
  text,
  texts,
  shape,
} from './schema.js';
import { live, read, saved, summaryValue, write } from './tracking.js';

const inBody = one(experiment, 'body.experimentKey');
const inQuery = one(experiment, 'query.experimentKey');
const keyed = object({ experimentKey: text() });
const parameter = shape('NamedParameter', 'A parameter of an experiment.', {
  experimentKey: text(),
  parameterName: text({ min: 1 }),
});
const summary = object({ values: list(summaryValue) });

export const parameterOperations = operations({
  logParameter: {
    method: 'POST',
    path: write('/experiment/parameter'),
    access: { needs: 'write', about: inBody },
    summary: 'Log a parameter; its last value is current',
    wire: { retryableWith429: true },
    body: object({
      experimentKey: text(),
      parameterName: text({ min: 1 }),
      parameterValue: literal(),
      step: optional(integer()),
      timestamp: optional(millis()),
      context: optional(text()),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logParameterBatch: {
    method: 'POST',
    path: live('/batch/logger/experiment/parameter'),
    access: { needs: 'write', about: inBody },
    summary: 'Log a batch of parameters; an unusable one is left out, the others are kept',
    wire: { retryableWith429: true, keepsNul: true },
    body: object({ experimentKey: text(), values: items('parameterValue') }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  deleteParameter: {
    method: 'POST',
    path: write('/experiment/parameter/delete'),
    access: { needs: 'write', about: inBody, unbounded: false },
    audit: true,
    summary: 'Delete a parameter',
    body: parameter,
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  deleteParameters: {
    method: 'POST',
    path: write('/experiments/parameters/delete'),
    access: { needs: 'write', about: each(experiment, 'body.*.experimentKey'), unbounded: false },
    audit: true,
    summary: 'Delete parameters of one or several experiments, all or none',
    body: list(parameter, { maxItems: 10_000 }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  getParameters: {
    method: 'GET',
    path: read('/experiment/parameters'),
    access: { needs: 'read', about: inQuery },
    summary: 'Largest, smallest and newest value of each parameter',
    query: keyed,
    replies: { 200: summary },
    fails: ['invalid'],
  },
  logOther: {
    method: 'POST',
    path: write('/experiment/log-other'),
    access: { needs: 'write', about: inBody },
    summary: 'Log an other value; `Name` is the name of the experiment',
    wire: { retryableWith429: true },
    body: object({
      experimentKey: text(),
      key: text({ min: 1 }),
      value: literal(),
      timestamp: optional(millis()),
    }),
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  getOthers: {
    method: 'GET',
    path: read('/experiment/log-other'),
    access: { needs: 'read', about: inQuery },
    summary: 'Largest, smallest and newest value of each other',
    query: keyed,
    replies: { 200: summary },
    fails: ['invalid'],
  },
  addTags: {
    method: 'POST',
    path: [...write('/experiment/tags'), live('/tags/add-tags-to-experiment')],
    access: { needs: 'write', about: inBody },
    adds: true,
    summary: 'Add tags; those that are there stay where they are',
    wire: { credential: 'body.apiKey' },
    body: object({ experimentKey: text(), addedTags: texts() }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  deleteTags: {
    method: 'POST',
    path: write('/experiment/tags/delete'),
    access: { needs: 'write', about: inBody, unbounded: false },
    audit: true,
    summary: 'Delete tags',
    body: object({ experimentKey: text(), tags: texts() }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  getTags: {
    method: 'GET',
    path: read('/experiment/tags'),
    access: { needs: 'read', about: inQuery },
    summary: 'Tags in the order they were added',
    query: keyed,
    replies: { 200: object({ tags: list(text()) }) },
    fails: ['invalid'],
  },
});
