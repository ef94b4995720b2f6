// Logging and reading parameters, others and tags.
import { each, one, operations } from './operation.js';
import { integer, items, list, literal, millis, object, optional, text, texts } from './schema.js';
import { live, read, saved, summaryValue, write } from './tracking.js';

const inBody = one('experiment', 'body.experimentKey');
const inQuery = one('experiment', 'query.experimentKey');
const keyed = object({ experimentKey: text() });
const summary = object({ values: list(summaryValue) });

export const valueOperations = operations({
  logParameter: {
    method: 'POST', path: write('/experiment/parameter'), access: 'write', about: inBody, summary: 'Log a parameter; its last value is current', parked: true,
    body: object({ experimentKey: text(), parameterName: text({ min: 1 }), parameterValue: literal(), step: optional(integer()), timestamp: optional(millis()), context: optional(text()) }),
    replies: { 200: saved() }, fails: ['invalid', 'throttled'],
  },
  logParameterBatch: {
    method: 'POST', path: live('/batch/logger/experiment/parameter'), access: 'write', about: inBody, summary: 'Log a batch of parameters; an unusable one is left out, the others are kept', parked: true, keepsNul: true,
    body: object({ experimentKey: text(), values: items('parameterValue') }), replies: { 200: saved() }, fails: ['invalid', 'throttled'],
  },
  deleteParameter: {
    method: 'POST', path: write('/experiment/parameter/delete'), access: 'write', about: inBody, audited: true, unbounded: false, summary: 'Delete a parameter',
    body: object({ experimentKey: text(), parameterName: text({ min: 1 }) }), replies: { 200: saved() }, fails: ['invalid'],
  },
  deleteParameters: {
    method: 'POST', path: write('/experiments/parameters/delete'), access: 'write', about: each('experiment', 'body.*.experimentKey'), audited: true, unbounded: false, summary: 'Delete parameters of one or several experiments, all or none',
    body: list(object({ experimentKey: text(), parameterName: text({ min: 1 }) }), { maxItems: 10_000 }), replies: { 200: saved() }, fails: ['invalid'],
  },
  getParameters: {
    method: 'GET', path: read('/experiment/parameters'), access: 'read', about: inQuery, summary: 'Largest, smallest and newest value of each parameter', query: keyed, replies: { 200: summary }, fails: ['invalid'],
  },
  logOther: {
    method: 'POST', path: write('/experiment/log-other'), access: 'write', about: inBody, summary: 'Log an other value; `Name` is the name of the experiment', parked: true,
    body: object({ experimentKey: text(), key: text({ min: 1 }), value: literal(), timestamp: optional(millis()) }), replies: { 200: saved() }, fails: ['invalid', 'throttled'],
  },
  getOthers: {
    method: 'GET', path: read('/experiment/log-other'), access: 'read', about: inQuery, summary: 'Largest, smallest and newest value of each other', query: keyed, replies: { 200: summary }, fails: ['invalid'],
  },
  addTags: {
    method: 'POST', path: [...write('/experiment/tags'), live('/tags/add-tags-to-experiment')], access: 'write', about: inBody, summary: 'Add tags; those that are there stay where they are',
    credential: 'body.apiKey', body: object({ experimentKey: text(), addedTags: texts() }), replies: { 200: saved() }, fails: ['invalid'],
  },
  deleteTags: {
    method: 'POST', path: write('/experiment/tags/delete'), access: 'write', about: inBody, audited: true, unbounded: false, summary: 'Delete tags', body: object({ experimentKey: text(), tags: texts() }), replies: { 200: saved() }, fails: ['invalid'],
  },
  getTags: {
    method: 'GET', path: read('/experiment/tags'), access: 'read', about: inQuery, summary: 'Tags in the order they were added', query: keyed, replies: { 200: object({ tags: list(text()) }) }, fails: ['invalid'],
  },
});
