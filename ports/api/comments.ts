// What people say about runs and versions of models.
import { comment } from '../model/comments.js';
import { experiment } from '../model/experiments.js';
import { modelVersion } from '../model/registry.js';
import { one, operations } from './operation.js';
import {
  flag,
  integer,
  list,
  millis,
  nullable,
  object,
  optional,
  shape,
  text,
  texts,
} from './schema.js';

const said = shape('Comment', 'A comment, in plain text.', {
  id: text(),
  author: text(),
  own: flag(),
  text: text(),
  firstStep: nullable(integer()),
  lastStep: nullable(integer()),
  mentions: texts(),
  createdAt: millis(),
  editedAt: nullable(millis()),
});
const page = object({ comments: list(said), next: nullable(text()) });
const paging = object({ after: optional(text()), limit: optional(integer()) });
const words = text({ min: 1 });
const runPath = '/v1/private/ui/runs/{run}/comments';
const versionPath = '/v1/private/ui/model-versions/{version}/comments';
const commentPath = '/v1/private/ui/comments/{comment}';
const ofRun = { params: object({ run: text() }) } as const;
const ofVersion = { params: object({ version: text() }) } as const;
const ofComment = { params: object({ comment: text() }) } as const;

export const commentOperations = operations({
  listRunComments: {
    method: 'GET',
    path: runPath,
    access: { needs: 'read', about: one(experiment, 'params.run') },
    summary: 'Comments on a run and on ranges of its steps, the oldest first',
    ...ofRun,
    query: paging,
    replies: { 200: page },
    fails: ['invalid', 'absent'],
  },
  commentOnRun: {
    method: 'POST',
    path: runPath,
    access: { needs: 'write', about: one(experiment, 'params.run') },
    summary:
      'Comment on a run, or on a range of its steps; members of the workspace who are named as @name are told',
    ...ofRun,
    body: object({
      text: words,
      firstStep: optional(integer()),
      lastStep: optional(integer()),
    }),
    replies: { 201: said },
    fails: ['invalid', 'absent', 'conflict'],
  },
  listVersionComments: {
    method: 'GET',
    path: versionPath,
    access: { needs: 'read', about: one(modelVersion, 'params.version') },
    summary: 'Comments on a version of a model, the oldest first',
    ...ofVersion,
    query: paging,
    replies: { 200: page },
    fails: ['invalid', 'absent'],
  },
  commentOnVersion: {
    method: 'POST',
    path: versionPath,
    access: { needs: 'write', about: one(modelVersion, 'params.version') },
    summary: 'Comment on a version of a model; members who are named as @name are told',
    ...ofVersion,
    body: object({ text: words }),
    replies: { 201: said },
    fails: ['invalid', 'absent', 'conflict'],
  },
  editComment: {
    method: 'PUT',
    path: commentPath,
    access: { needs: 'write', about: one(comment, 'params.comment') },
    summary: 'Change the words of one’s own comment; who is named for the first time is told',
    ...ofComment,
    body: object({ text: words }),
    replies: { 200: said },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  deleteComment: {
    method: 'DELETE',
    path: commentPath,
    access: { needs: 'owner', about: one(comment, 'params.comment'), unbounded: false },
    audit: true,
    summary: 'Delete a comment: one’s own, or any as an administrator of the workspace',
    ...ofComment,
    replies: { 204: null },
    fails: ['absent'],
  },
});
