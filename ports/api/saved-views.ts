// Views that people save of a project: what its pages show, privately or for everybody.
import { project } from '../model/projects.js';
import { savedView, savedViewTypes } from '../model/saved-views.js';
import { one, operations } from './operation.js';
import {
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  record,
  shape,
  text,
  word,
} from './schema.js';

const members = {
  id: text(),
  project: text(),
  type: word(...savedViewTypes),
  name: text(),
  shared: flag(),
  owner: text(),
  version: integer(),
  createdAt: millis(),
  updatedAt: millis(),
};
const listedView = shape('SavedView', 'A view of a project, without what it holds.', members);
const wholeView = shape('SavedViewWithContent', 'A view of a project.', {
  ...members,
  content: record(),
});

const path = '/v1/private/ui/views';
const params = object({ view: text() });
const named = one(savedView, 'params.view');
const name = text({ min: 1, max: 200 });
const wire = { mostBytes: 320 * 1024 } as const;

export const savedViewOperations = operations({
  listSavedViews: {
    method: 'GET',
    path,
    access: { needs: 'read', about: one(project, 'query.project') },
    summary: 'Shared views of a project and the caller’s own, and what is seen first',
    query: object({ project: text(), type: word(...savedViewTypes) }),
    replies: {
      200: object({
        views: list(listedView),
        projectDefault: nullable(text()),
        ownDefault: nullable(text()),
      }),
    },
    fails: ['invalid', 'absent'],
  },
  getSavedView: {
    method: 'GET',
    path: `${path}/{view}`,
    access: { needs: 'read', about: named },
    summary: 'A view with what it holds',
    params,
    replies: { 200: wholeView },
    fails: ['absent'],
  },
  createSavedView: {
    method: 'POST',
    path,
    access: { needs: 'write', about: one(project, 'body.project') },
    summary: 'Save a view of a project, for the caller alone or for everybody who reads it',
    body: object({
      project: text(),
      type: word(...savedViewTypes),
      name,
      shared: optional(flag()),
      content: record(),
    }),
    replies: { 201: wholeView },
    fails: ['invalid', 'absent', 'conflict', 'tooLarge'],
    wire,
  },
  updateSavedView: {
    method: 'PUT',
    path: `${path}/{view}`,
    access: { needs: 'write', about: named },
    summary:
      'Change a view that still has the version which the caller read; of two who save at once the second is refused',
    params,
    body: object({
      version: integer({ minimum: 1 }),
      name: optional(name),
      shared: optional(flag()),
      content: optional(record()),
    }),
    replies: { 200: wholeView },
    fails: ['invalid', 'absent', 'conflict', 'tooLarge'],
    wire,
  },
  deleteSavedView: {
    method: 'DELETE',
    path: `${path}/{view}`,
    access: { needs: 'owner', about: named, unbounded: false },
    audit: true,
    summary: 'Delete a view',
    params,
    replies: { 204: null },
    fails: ['absent'],
  },
  setProjectDefaultView: {
    method: 'PUT',
    path: `${path}/{view}/project-default`,
    access: { needs: 'write', about: named },
    summary: 'Say whether a shared view is what everybody sees first in its project',
    params,
    body: object({ default: flag() }),
    replies: { 204: null },
    fails: ['invalid', 'absent'],
  },
  setOwnDefaultView: {
    method: 'PUT',
    path: `${path}/{view}/own-default`,
    access: { needs: 'read', about: named, changes: true, personal: true },
    summary: 'Say whether a view is what the caller sees first in its project',
    params,
    body: object({ default: flag() }),
    replies: { 204: null },
    fails: ['invalid', 'absent'],
  },
});
