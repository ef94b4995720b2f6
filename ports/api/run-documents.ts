// HTML, output, graph, code and the git patch of an experiment.
import { experiment } from '../model/experiments.js';
import { bytes, multipart, one, operations, streamed } from './operation.js';
import { flag, integer, list, millis, nullable, object, optional, text, shape } from './schema.js';
import { live, read, saved, write } from './tracking.js';

const inBody = one(experiment, 'body.experimentKey');
const inQuery = one(experiment, 'query.experimentKey');
const keyed = object({ experimentKey: text() });

const outputBody = shape('OutputLines', 'Lines of output of a run.', {
  experimentKey: text(),
  runContext: optional(text()),
  context: optional(text()),
  outputLines: list(
    object({
      output: text(),
      stderr: optional(flag()),
      localTimestamp: optional(millis()),
      offset: optional(integer()),
    }),
  ),
});
const [outputPath, liveOutputPath] = write('/experiment/output');

export const runDocumentOperations = operations({
  logHtml: {
    method: 'POST',
    path: write('/experiment/html'),
    access: { needs: 'write', about: inBody },
    summary: 'Add to the HTML, or replace it',
    wire: { retryableWith429: true },
    body: object({
      experimentKey: text(),
      html: text(),
      override: optional(flag()),
      timestamp: optional(millis()),
    }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  logOutput: {
    method: 'POST',
    path: outputPath,
    access: { needs: 'write', about: inBody },
    summary: 'Log lines of output',
    wire: { retryableWith429: true, keepsNul: true },
    body: outputBody,
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logLiveOutput: {
    method: 'POST',
    path: liveOutputPath,
    access: { needs: 'write', about: inBody },
    summary: 'Log lines of output of a live run; the same request sent again is stored once',
    wire: { retryableWith429: true, keepsNul: true },
    body: outputBody,
    replies: { 200: saved() },
    fails: ['invalid', 'throttled'],
  },
  logGraph: {
    method: 'POST',
    path: write('/experiment/graph'),
    access: { needs: 'write', about: inBody },
    summary: 'Set the graph of the model',
    wire: { retryableWith429: true },
    body: object({ experimentKey: text(), graph: text() }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  setCode: {
    method: 'POST',
    path: write('/experiment/code'),
    access: { needs: 'write', about: inBody },
    summary: 'Set the code',
    body: object({ experimentKey: text(), code: text() }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  uploadGitPatch: {
    method: 'POST',
    path: [...write('/experiment/git/patch'), live('/git-patch/upload')],
    access: { needs: 'write', about: one(experiment, 'query.experimentKey', 'query.experimentId') },
    summary: 'Upload the patch of uncommitted changes, as plain text or as a zip with one entry',
    wire: { retryableWith429: true },
    query: object({ experimentKey: optional(text()), experimentId: optional(text()) }),
    body: multipart({ file: 'the patch' }),
    replies: { 200: saved() },
    fails: ['invalid', 'tooLarge'],
  },
  setExperimentNotes: {
    method: 'POST',
    path: write('/experiment/notes'),
    access: { needs: 'write', about: inBody },
    summary: 'Replace the notes of an experiment; empty ones remove them',
    body: object({ experimentKey: text(), notes: text() }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  getExperimentNotes: {
    method: 'GET',
    path: read('/experiment/notes'),
    access: { needs: 'read', about: inQuery },
    summary: 'The notes of an experiment',
    query: keyed,
    replies: { 200: streamed(object({ notes: text() })) },
    fails: ['invalid'],
  },
  getHtml: {
    method: 'GET',
    path: read('/experiment/html'),
    access: { needs: 'read', about: inQuery },
    summary: 'The HTML that was logged',
    query: keyed,
    replies: { 200: streamed(object({ html: nullable(text()) })) },
    fails: ['invalid'],
  },
  getOutput: {
    method: 'GET',
    path: read('/experiment/output'),
    access: { needs: 'read', about: inQuery },
    summary: 'Output, standard output and standard error in one text',
    query: keyed,
    replies: { 200: streamed(object({ output: text() })) },
    fails: ['invalid'],
  },
  getGraph: {
    method: 'GET',
    path: read('/experiment/graph'),
    access: { needs: 'read', about: inQuery },
    summary: 'Graph of the model',
    query: keyed,
    replies: { 200: streamed(object({ graph: nullable(text()) })) },
    fails: ['invalid'],
  },
  getCode: {
    method: 'GET',
    path: read('/experiment/code'),
    access: { needs: 'read', about: inQuery },
    summary: 'The code that was set',
    query: keyed,
    replies: { 200: streamed(object({ code: nullable(text()) })) },
    fails: ['invalid'],
  },
  getGitPatch: {
    method: 'GET',
    path: read('/experiment/git/patch'),
    access: { needs: 'read', about: inQuery },
    summary:
      'A zip with the one entry git_diff.patch; JSON that begins with `msg` when there is no patch',
    query: keyed,
    replies: { 200: bytes() },
    fails: ['invalid'],
  },
});
