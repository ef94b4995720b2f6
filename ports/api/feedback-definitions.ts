// What scores of a name may be.
import { definitionTypes, feedbackDefinition } from '../model/feedback-definitions.js';
import { detailed, one, operations } from './operation.js';
import {
  authorship,
  everywhere,
  headerWorkspace,
  manyIds,
  paged,
  refusedWorkspace,
} from './private-wire.js';
import { anything, integer, list, map, object, optional, shape, text, word } from './schema.js';

const sent = object({
  id: optional(text()),
  name: text({ min: 1, pattern: String.raw`\S` }),
  description: optional(text({ max: 255 })),
  type: word(...definitionTypes),
  details: optional(map(anything())),
});
const shown = shape('FeedbackDefinition', 'What a score of a name may be.', {
  id: text(),
  name: text(),
  description: optional(text()),
  type: text(),
  details: optional(anything()),
  ...authorship,
});
const ofWorkspace = { wire: refusedWorkspace } as const;
const about = one(feedbackDefinition, 'header.comet-workspace/params.id');
const byId = {
  path: everywhere('/v1/private/feedback-definitions/{id}'),
  params: object({ id: text() }),
} as const;

export const feedbackDefinitionOperations = operations({
  listFeedbackDefinitions: {
    ...ofWorkspace,
    method: 'GET',
    path: everywhere('/v1/private/feedback-definitions'),
    access: { needs: 'read', about: headerWorkspace },
    summary: 'Definitions of scores, the newest first; `name` is a part of it',
    query: object({
      ...paged,
      name: optional(text()),
      type: optional(word(...definitionTypes)),
    }),
    replies: {
      200: shape('FeedbackDefinitionPage', 'A page of a list; `size` is how many it holds.', {
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(shown),
      }),
    },
    fails: ['invalid'],
  },
  createFeedbackDefinition: {
    ...ofWorkspace,
    method: 'POST',
    path: everywhere('/v1/private/feedback-definitions'),
    access: { needs: 'write', about: headerWorkspace },
    summary: 'Define what scores of a name may be',
    body: sent,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
  showFeedbackDefinition: {
    ...byId,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'A definition of scores',
    replies: { 200: shown },
    fails: ['absent', 'forbidden'],
  },
  updateFeedbackDefinition: {
    ...byId,
    method: 'PUT',
    access: { needs: 'write', about },
    summary: 'Replace a definition of scores',
    body: sent,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  deleteFeedbackDefinition: {
    ...byId,
    method: 'DELETE',
    access: { needs: 'write', about, unbounded: false },
    audit: true,
    summary: 'Delete a definition of scores that no annotation queue uses; scores stay',
    replies: { 204: null },
    fails: ['absent', 'forbidden', 'conflict'],
  },
  deleteFeedbackDefinitions: {
    ...ofWorkspace,
    method: 'POST',
    path: everywhere('/v1/private/feedback-definitions/delete'),
    access: { needs: 'write', about: headerWorkspace },
    audit: true,
    summary:
      'Delete definitions of scores that no annotation queue uses; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'conflict'],
  },
});
