// The Python client's live channel: opening a run, its beats and its end. What it logs goes through the rows of the other areas.
import { experiment } from '../model/experiments.js';
import { workspace } from '../model/workspaces.js';
import { creates, eachAccessible, maybe, one, operations } from './operation.js';
import {
  anything,
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  text,
  texts,
  shape,
} from './schema.js';
import { live, saved } from './tracking.js';

const handshake = shape('RunHandshake', 'What a client is told when it opens a run.', {
  runId: text(),
  project_id: text(),
  githubEnabled: flag(),
  focusUrl: text(),
  lastOffset: integer(),
  name: nullable(text()),
  msg: nullable(text()),
  upload_file_size_limit_in_mb: integer(),
  asset_upload_file_size_limit_in_mb: integer(),
  uploadVideoMaxSizeMB: integer(),
  featureToggles: list(object({ name: text(), enabled: flag() })),
  cometWebAssetUrl: text(),
  cometWebImageUrl: text(),
  cometRestApiAssetUrl: text(),
  cometRestApiImageUrl: text(),
  s3DirectAccessEnabled: flag(),
});
const unregistered = { unauthenticated: { status: 400, reason: 'keyUnknown' } } as const;
/** A run that has begun goes on, whatever its client; opening one tells a client that it is too old. */
const fromClient = { credential: 'body.apiKey', anyClient: true } as const;

export const runOperations = operations({
  openRun: {
    method: 'POST',
    path: live('/logger/add/run'),
    access: {
      needs: 'write',
      about: [
        maybe(workspace, 'body.teamName'),
        creates(experiment, workspace, 'body.experimentKey'),
      ],
      inProject: ['body.projectName'],
    },
    wire: { ...fromClient, refusals: unregistered },
    summary:
      'Open a run under a key that the client made, and its project when there is none of that name',
    body: object({
      apiKey: optional(text()),
      local_timestamp: optional(millis()),
      experimentKey: text({ pattern: '^[A-Za-z0-9]{32,50}$' }),
      offline: optional(flag()),
      projectName: optional(text()),
      teamName: optional(text()),
      libVersion: optional(text()),
      getOrCreateEnabled: optional(flag()),
    }),
    replies: { 200: handshake },
    fails: ['invalid', 'forbidden'],
  },
  resumeRun: {
    method: 'POST',
    path: live('/logger/get/run'),
    access: { needs: 'write', about: one(experiment, 'body.previousExperiment') },
    wire: {
      ...fromClient,
      refusals: { ...unregistered, absent: { status: 400, reason: 'runNotAccessible' } },
    },
    summary: 'Go on with a run; it no longer counts as crashed',
    body: object({
      apiKey: optional(text()),
      local_timestamp: optional(millis()),
      previousExperiment: text(),
      libVersion: optional(text()),
    }),
    replies: { 200: handshake },
    fails: ['invalid', 'forbidden'],
  },
  copyRun: {
    method: 'POST',
    path: live('/logger/copy-steps-from-experiment'),
    access: {
      needs: 'write',
      about: [
        one(experiment, 'body.copiedExperimentKey'),
        creates(experiment, workspace, 'body.newExperimentKey'),
      ],
    },
    wire: { ...fromClient, refusals: unregistered },
    summary: 'Open a run that begins with what another one logged up to a step',
    body: object({
      apiKey: optional(text()),
      copiedExperimentKey: text(),
      newExperimentKey: text({ pattern: '^[A-Za-z0-9]{32,50}$' }),
      stepToCopyTo: optional(integer()),
      localTimestamp: optional(millis()),
      libVersion: optional(text()),
    }),
    replies: { 200: handshake },
    fails: ['invalid', 'forbidden'],
  },
  reportStatus: {
    method: 'POST',
    path: live('/status-report/update'),
    access: { needs: 'write', about: one(experiment, 'body.experimentKey') },
    wire: fromClient,
    summary: 'Say that a run is alive, or that it has ended',
    body: object({
      apiKey: optional(text()),
      runId: optional(text()),
      experimentKey: text(),
      projectId: optional(text()),
      is_alive: flag(),
      local_timestamp: optional(millis()),
      offline: optional(flag()),
    }),
    replies: {
      200: object({
        is_alive_beat_duration_millis: integer(),
        gpu_monitor_interval_millis: integer(),
        cpu_monitor_interval_millis: integer(),
        parameter_update_interval_millis: integer(),
        pending_rpcs: flag(),
      }),
    },
    fails: ['invalid'],
  },
  setOfflineTimes: {
    method: 'POST',
    path: live('/status-report/offline-metadata'),
    access: { needs: 'write', about: one(experiment, 'body.experimentKey') },
    wire: fromClient,
    summary: 'Tell when an offline run really began and ended',
    body: object({
      apiKey: optional(text()),
      runId: optional(text()),
      experimentKey: text(),
      startTimestamp: optional(millis()),
      endTimestamp: optional(millis()),
    }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  linkRun: {
    method: 'GET',
    path: live('/symlink/new'),
    access: { needs: 'write', about: one(experiment, 'query.experimentKey') },
    summary: 'Place a link to a run in another project of its workspace',
    query: object({ experimentKey: text(), projectName: text({ min: 1 }) }),
    replies: { 200: saved({ link: text() }) },
    fails: ['invalid'],
  },
  notifyEnd: {
    method: 'POST',
    path: live('/notification/experiment'),
    access: { needs: 'read', about: one(experiment, 'body.experiment_key') },
    wire: { ...fromClient, credential: 'body.api_key' },
    summary:
      'Tell the caller by mail how a run ended, where mail is set up and the mailbox is proved',
    body: object({
      api_key: optional(text()),
      title: optional(text()),
      status: optional(text()),
      experiment_key: text(),
      experiment_name: optional(text()),
      experiment_link: optional(text()),
      additional_data: optional(anything()),
    }),
    replies: { 200: saved() },
    fails: ['invalid'],
  },
  notifyEvent: {
    method: 'POST',
    path: live('/notify/event'),
    access: { needs: 'read', about: eachAccessible(experiment, 'body.experiment_key') },
    wire: { ...fromClient, credential: 'body.api_key' },
    summary: 'A usage event of a client; only its kind is counted',
    body: object({
      api_key: optional(text()),
      event_name: optional(text()),
      experiment_key: optional(texts()),
    }),
    replies: { 200: saved() },
  },
  addLog: {
    method: 'POST',
    path: live('/log/add'),
    access: { needs: 'caller', about: 'caller' },
    wire: fromClient,
    summary: 'An older way of logging that nothing sends any more',
    deprecated: true,
    body: object({}),
    replies: { 200: saved() },
  },
});
