// Where and how an experiment ran: system details, git metadata, cloud, dependencies, the path of its file.
import { one, operations } from './operation.js';
import { anything, integer, items, list, map, millis, nullable, number, object, optional, record, text, texts } from './schema.js';
import { read, saved, write } from './tracking.js';

const inBody = one('experiment', 'body.experimentKey');
const inQuery = one('experiment', 'query.experimentKey');
const keyed = object({ experimentKey: text() });

const sentText = optional(text());
const shownText = nullable(text());

export const systemOperations = operations({
  setGitMetadata: {
    method: 'POST', path: write('/experiment/git/metadata'), access: 'write', about: inBody, summary: 'Set the git metadata', parked: true,
    body: object({ experimentKey: text(), user: sentText, root: sentText, branch: sentText, parent: sentText, origin: sentText }), replies: { 200: saved() }, fails: ['invalid'],
  },
  setFilePath: {
    method: 'POST', path: write('/experiment/file-path'), access: 'write', about: inBody, summary: 'Set the path of the file that ran; its last part is the file name', parked: true,
    body: object({ experimentKey: text(), filePath: text() }), replies: { 200: saved() }, fails: ['invalid'],
  },
  setCloudDetails: {
    method: 'POST', path: write('/experiment/cloud-details'), access: 'write', about: inBody, summary: 'Set the cloud that the experiment runs on', parked: true,
    body: object({ experimentKey: text(), provider: text(), metadata: optional(anything()) }), replies: { 200: saved() }, fails: ['invalid'],
  },
  logDependencies: {
    method: 'PUT', path: write('/experiment/dependencies'), access: 'write', about: inBody, summary: 'Log the packages that the experiment imports', parked: true,
    body: object({ experimentKey: text(), timestamp: optional(millis()), logDependencies: items('version') }), replies: { 200: saved() }, fails: ['invalid'],
  },
  getCloudDetails: {
    method: 'GET', path: read('/experiment/cloud-details'), access: 'read', about: inQuery, summary: 'The cloud that the experiment runs on', query: keyed,
    replies: { 200: object({ provider: shownText, metadata: anything() }) }, fails: ['invalid'],
  },
  getDependencies: {
    method: 'GET', path: read('/experiment/dependencies'), access: 'read', about: inQuery, summary: 'The packages that the experiment imports', query: keyed,
    replies: { 200: object({ dependencies: list(object({ name: text(), version: shownText })) }) }, fails: ['invalid'],
  },
  setSystemDetails: {
    method: 'POST', path: write('/experiment/system-details'), access: 'write', about: inBody, summary: 'Set system details; what is not sent stays', parked: true,
    body: object({
      experimentKey: text(), user: sentText, pythonVersion: sentText, pythonVersionVerbose: sentText, pid: optional(integer()), osType: sentText, os: sentText, osRelease: sentText, machine: sentText,
      processor: sentText, ip: sentText, hostname: sentText, env: optional(record()), gpuStaticInfoList: optional(items()), logAdditionalSystemInfoList: optional(items()), maxTotalMemory: optional(number()),
      networkInterfaceIps: optional(texts()), command: optional(texts()), executable: sentText, osPackages: optional(texts()), installedPackages: optional(texts()), totalRam: optional(integer()),
    }),
    replies: { 200: saved() }, fails: ['invalid'],
  },
  getSystemDetails: {
    method: 'GET', path: read('/experiment/system-details'), access: 'read', about: inQuery, summary: 'System details', query: keyed,
    replies: {
      200: object({
        experimentKey: text(), user: shownText, pythonVersion: shownText, pythonVersionVerbose: shownText, pid: nullable(integer()), osType: shownText, os: shownText, osRelease: shownText, machine: shownText,
        processor: shownText, ip: shownText, hostname: shownText, env: nullable(map(anything())), gpuStaticInfoList: list(anything()), logAdditionalSystemInfoList: list(anything()), systemMetricNames: list(text()),
        maxTotalMemory: nullable(number()), networkInterfaceIps: list(text()), command: list(text()), executable: shownText, osPackages: list(text()), installedPackages: list(text()), totalRam: nullable(integer()),
      }),
    },
    fails: ['invalid'],
  },
  getGitMetadata: {
    method: 'GET', path: read('/experiment/git/metadata'), access: 'read', about: inQuery, summary: 'Git metadata', query: keyed,
    replies: { 200: object({ user: shownText, root: shownText, branch: shownText, parent: shownText, origin: shownText }) }, fails: ['invalid'],
  },
});
