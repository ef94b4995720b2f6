// The life of an experiment: from create to delete, and what says that it still runs.
import { each, maybe, one, operations } from './operation.js';
import { flag, integer, list, millis, nullable, object, optional, text, texts, word } from './schema.js';
import { read, saved, write } from './tracking.js';

const metadata = {
  experimentKey: text(), experimentName: nullable(text()), optimizationId: nullable(text()), userName: text(), projectId: text(), projectName: text(), workspaceName: text(),
  filePath: nullable(text()), fileName: nullable(text()), throttle: flag(), throttleMessage: nullable(text()), throttleReasons: nullable(texts()),
  durationMillis: integer(), startTimeMillis: millis(), endTimeMillis: millis(), archived: flag(), running: flag(), hasCrashed: flag(),
};
export const experimentMetadata = object(metadata);
/** Of one experiment alone: a page of them would carry every stack trace. */
const metadataOfOne = object({ ...metadata, error: nullable(text()) });

const keyed = object({ experimentKey: text() });
const about = one('experiment', 'query.experimentKey');
const beats = { isAliveBeatDurationMillis: integer(), gpuMonitorIntervalMillis: integer(), cpuMonitorIntervalMillis: integer() };

export const experimentOperations = operations({
  createExperiment: {
    method: 'POST', path: write('/experiment/create'), access: 'write', about: maybe('workspace', 'body.workspaceName'), summary: 'Create an experiment, and its project when there is none of that name', inProject: ['body.projectName'],
    body: object({ workspaceName: optional(text()), projectName: optional(text()), experimentName: optional(text()), disableHeartBeat: optional(flag()), type: optional(text()) }),
    replies: { 200: saved({ experimentKey: text(), workspaceName: text(), projectName: text(), link: text(), name: text() }) },
    fails: ['invalid', 'forbidden'], refusals: { unauthenticated: { status: 400, code: 90212 } },
  },
  stopExperiment: {
    method: 'GET', path: write('/experiment/stop'), access: 'write', about, summary: 'Ask a live run to stop, and mark it as not running',
    query: keyed, replies: { 200: saved({}, 'Stop Requested') }, fails: ['invalid'],
  },
  archiveExperiment: {
    method: 'GET', path: write('/experiment/archive'), access: 'write', about, summary: 'Archive an experiment', query: keyed, replies: { 200: saved({}, 'Archived') }, fails: ['invalid'],
  },
  restoreExperiment: {
    method: 'GET', path: write('/experiment/restore'), access: 'write', about, summary: 'Restore an archived experiment', query: keyed, replies: { 200: saved({}, 'Restore') }, fails: ['invalid'],
  },
  deleteExperiment: {
    method: 'GET', path: write('/experiment/delete'), access: 'write', about, audited: true, unbounded: false, summary: 'Delete an experiment; its key then behaves as unknown', query: keyed, replies: { 200: saved({}, 'Deleted') }, fails: ['invalid'],
  },
  moveExperiments: {
    method: 'POST', path: write('/experiment/move'), access: 'write', about: [one('workspace', 'body.targetWorkspaceName'), each('experiment', 'body.experimentKeys')],
    audited: true, unbounded: false, summary: 'Move experiments to another project, or place links to them there',
    body: object({ targetWorkspaceName: text({ min: 1 }), targetProjectName: text({ min: 1 }), experimentKeys: texts(), symlink: optional(flag()) }),
    replies: { 200: saved() }, fails: ['invalid', 'absent'],
  },
  linkExperiment: {
    method: 'GET', path: write('/project/symlink'), access: 'write', about: one('experiment', 'query.experimentKey', 'query.exerimentKey'),
    summary: 'Place a link to an experiment in another project of its workspace',
    query: object({ experimentKey: optional(text()), exerimentKey: optional(text()), projectName: text({ min: 1 }) }), replies: { 200: saved({ link: text() }) }, fails: ['invalid'],
  },
  unlinkExperiment: {
    method: 'POST', path: write('/project/symlink/delete'), access: 'write', about: [one('project', 'body.projectId', 'body.workspaceName/body.projectName'), one('experiment', 'body.experimentKey')],
    audited: true, unbounded: false, summary: 'Remove the link to an experiment from a project that is not its home; the experiment stays where it is',
    body: object({ experimentKey: text(), projectId: optional(text()), workspaceName: optional(text()), projectName: optional(text()) }), replies: { 200: saved({ removed: flag() }) }, fails: ['invalid', 'absent'],
  },
  keepAlive: {
    method: 'GET', path: write('/experiment/set-status'), access: 'write', about, summary: 'Say that a run is alive', query: keyed, replies: { 200: saved(beats) }, fails: ['invalid'],
  },
  setState: {
    method: 'POST', path: write('/experiment/update-status'), access: 'write', about: one('experiment', 'body.experimentKey'), summary: 'Set the state to running, finished or crashed',
    body: object({ experimentKey: text(), isAlive: flag(), error: optional(text()), hasCrashed: flag() }), replies: { 200: saved() }, fails: ['invalid'],
  },
  setStartEndTime: {
    method: 'POST', path: write('/experiment/set-start-end-time'), access: 'write', about: one('experiment', 'body.experimentKey'), summary: 'Set the start or the end of an experiment, or both',
    body: object({ experimentKey: text(), startTimeMillis: optional(millis()), endTimeMillis: optional(millis()) }), replies: { 200: saved() }, fails: ['invalid'],
  },
  markNotThrottled: {
    method: 'POST', path: write('/experiment/{experimentKey}/mark-not-throttled'), access: 'write', about: one('experiment', 'params.experimentKey'),
    summary: 'Clear the throttled flag of a run that has caught up', params: keyed, replies: { 200: saved() }, fails: ['invalid'],
  },
  listExperiments: {
    method: 'GET', path: read('/experiments'), access: 'read', about: one('project', 'query.projectId', 'query.workspaceName/query.projectName'), summary: 'Experiments of a project, active or archived',
    query: object({
      projectId: optional(text()), workspaceName: optional(text()), projectName: optional(text()), archived: optional(flag()), page: optional(integer({ minimum: 1 })),
      size: optional(integer({ minimum: 1 })), sortBy: optional(word('startTime', 'endTime', 'hasCrashed')), sortOrder: optional(word('asc', 'desc')),
    }),
    replies: { 200: object({ experiments: list(experimentMetadata) }) }, fails: ['invalid', 'absent'],
  },
  getMetadata: {
    method: 'GET', path: read('/experiment/metadata'), access: 'read', about, summary: 'Metadata of an experiment, with the error that was reported when it crashed', query: keyed, replies: { 200: metadataOfOne }, fails: ['invalid'],
  },
  getError: {
    method: 'GET', path: read('/experiment/error'), access: 'read', about, summary: 'The error that the client reported with the state of an experiment', query: keyed, replies: { 200: object({ error: nullable(text()) }) }, fails: ['invalid'],
  },
  getProcessingStatus: {
    method: 'GET', path: read('/experiment/processing/status'), access: 'read', about, summary: 'Whether an uploaded offline run is still being taken in',
    query: keyed, replies: { 200: object({ processing: flag() }) }, fails: ['invalid'],
  },
});
