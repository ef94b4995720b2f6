// Projects as SDKs of LLM observability know them.
import { project, projectTarget } from '../model/projects.js';
import { projectFigures } from './project-figures.js';
import { detailed, maybe, one, operations } from './operation.js';
import {
  everywhere,
  headerWorkspace,
  pageOf,
  paged,
  reachedOfHeader,
  refusedWorkspace,
} from './private-wire.js';
import { flag, object, optional, shape, text, texts, word } from './schema.js';

const name = text({ min: 1, max: 500, pattern: String.raw`\S` });
const description = optional(text({ max: 255 }));
const visibility = optional(word('private', 'public'));

const members = {
  id: text(),
  name: text(),
  visibility: text(),
  description: optional(text()),
  created_at: text(),
  created_by: text(),
  last_updated_at: text(),
  last_updated_by: text(),
  last_updated_trace_at: optional(text()),
} as const;
const shown = shape(
  'ProjectOfTraces',
  'A project with when its newest trace was changed.',
  members,
);
const detailedProject = shape(
  'ProjectWithFigures',
  'A project with what its traces come to; without that where there are very many.',
  {
    ...members,
    ...projectFigures,
    trace_count: optional(projectFigures.trace_count),
    thread_count: optional(projectFigures.thread_count),
    guardrails_failed_count: optional(projectFigures.guardrails_failed_count),
    error_count: optional(projectFigures.error_count),
  },
);
const byId = {
  params: object({ id: text() }),
  path: everywhere('/v1/private/projects/{id}'),
} as const;

export const projectOperations = operations({
  retrieveProject: {
    method: 'POST',
    path: everywhere('/v1/private/projects/retrieve'),
    access: { needs: 'read', about: maybe(projectTarget, 'header.comet-workspace/body.name') },
    summary:
      'A project by its name, but for capitals and outer blanks, with its figures unless `includeStats` is false; "Default Project" is made where it is missing and the caller may write',
    body: object({
      name: text({ min: 1, pattern: String.raw`\S` }),
      includeStats: optional(flag()),
    }),
    replies: { 200: detailedProject },
    fails: ['absent'],
  },
  insertProject: {
    method: 'POST',
    path: everywhere('/v1/private/projects'),
    access: {
      needs: 'write',
      about: headerWorkspace,
      permission: { of: 'publish', when: 'body.visibility' },
    },
    wire: refusedWorkspace,
    summary: 'Make a project',
    body: object({ name, visibility, description }),
    replies: { 201: detailed(null) },
    fails: ['invalid', 'conflict'],
  },
  listProjectsByPage: {
    method: 'GET',
    path: everywhere('/v1/private/projects'),
    access: { needs: 'read', about: headerWorkspace },
    wire: refusedWorkspace,
    summary: 'The projects of a workspace, the newest first; `name` is a part of it',
    query: object({ ...paged, name: optional(text()), sorting: optional(text()) }),
    replies: { 200: pageOf('ProjectPage', shown) },
    fails: ['invalid'],
  },
  readProject: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about: one(project, 'params.id') },
    summary: 'A project',
    replies: { 200: shown },
    fails: ['absent'],
  },
  patchProject: {
    ...byId,
    method: 'PATCH',
    access: {
      needs: 'write',
      about: one(project, 'params.id'),
      unbounded: false,
      permission: { of: 'publish', when: 'body.visibility' },
    },
    summary: 'Change a project; what is left out stays',
    body: object({ name: optional(name), visibility, description }),
    replies: { 204: null },
    fails: ['absent', 'conflict'],
  },
  removeProject: {
    ...byId,
    method: 'DELETE',
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary:
      'Delete a project of a workspace with its traces; its experiments move to the default project there, and one that is not there is no error',
    replies: { 204: null },
    fails: ['invalid', 'absent'],
  },
  removeProjects: {
    method: 'POST',
    path: everywhere('/v1/private/projects/delete'),
    access: { needs: 'write', about: headerWorkspace },
    wire: refusedWorkspace,
    audit: true,
    summary: 'Delete projects of a workspace; ids that are not there are skipped',
    body: object({ ids: texts() }),
    replies: { 204: null },
    fails: ['invalid'],
  },
});
