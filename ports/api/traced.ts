// What rows of traces, spans and threads have in common: their members, and rows about scores and comments.
import { projectScope, projectTarget, reach } from '../model/projects.js';
import type { Kind } from './kind.js';
import { bytes, detailed, eachOf, maybe, one } from './operation.js';
import { everywhere, paged, pageMembers } from './private-wire.js';
import {
  anything,
  json,
  flag,
  integer,
  list,
  map,
  number,
  object,
  optional,
  shape,
  text,
  texts,
  word,
  type TSchema,
} from './schema.js';

export const errorInfo = shape('TraceError', 'What went wrong in a trace or span.', {
  exception_type: text({ min: 1 }),
  message: optional(text()),
  traceback: text({ min: 1 }),
});

/** A project is named by its id, which wins, or by its name. */
export const namesProject = {
  project_name: optional(text()),
  project_id: optional(text()),
} as const;

/** Members that a create and an update of a trace or span share. */
export const changeable = {
  ...namesProject,
  name: optional(text()),
  end_time: optional(text()),
  input: optional(json()),
  output: optional(json()),
  metadata: optional(json()),
  tags: optional(texts()),
  error_info: optional(errorInfo),
  ttft: optional(number()),
  source: optional(word('sdk', 'experiment', 'playground', 'optimization', 'evaluator')),
  environment: optional(text()),
} as const;
export const created = {
  id: optional(text()),
  start_time: text(),
  last_updated_at: optional(text()),
} as const;
export const retagged = {
  tags_to_add: optional(texts()),
  tags_to_remove: optional(texts()),
} as const;
export const ofTrace = { thread_id: optional(text()) } as const;
export const ofSpan = {
  parent_span_id: optional(text()),
  type: optional(word('general', 'tool', 'llm', 'guardrail')),
  model: optional(text()),
  provider: optional(text()),
  usage: optional(map(anything())),
  total_estimated_cost: optional(number()),
  total_estimated_cost_version: optional(text()),
} as const;

const audited = {
  created_at: text(),
  created_by: text(),
  last_updated_at: text(),
  last_updated_by: text(),
} as const;

const byAuthor = object({
  value: number(),
  reason: optional(text()),
  category_name: optional(text()),
  source: text(),
  last_updated_at: text(),
  span_type: optional(text()),
  span_id: optional(text()),
});
/** One element for each name: of several authors the mean. */
export const shownScore = shape('FeedbackScore', 'What was thought of something, under a name.', {
  name: text(),
  value: number(),
  reason: optional(text()),
  category_name: optional(text()),
  source: text(),
  ...audited,
  value_by_author: map(byAuthor),
});
export const shownComment = shape('TraceComment', 'What somebody said about it.', {
  id: text(),
  text: text(),
  ...audited,
});

/** What a reply says of traces and spans; what there is nothing of, or was excluded, is left out. */
export const shownEntry = {
  id: text(),
  project_id: text(),
  name: optional(text()),
  start_time: optional(text()),
  end_time: optional(text()),
  input: optional(anything()),
  output: optional(anything()),
  metadata: optional(anything()),
  tags: optional(texts()),
  error_info: optional(errorInfo),
  usage: optional(map(number())),
  total_estimated_cost: optional(number()),
  duration: optional(number()),
  ttft: optional(number()),
  source: optional(text()),
  environment: optional(text()),
  feedback_scores: optional(list(shownScore)),
  comments: optional(list(shownComment)),
  created_at: optional(text()),
  created_by: optional(text()),
  last_updated_at: text(),
  last_updated_by: optional(text()),
} as const;

/** Lines of JSON, each an entry. */
export const lines = bytes('application/octet-stream');

/** What a search by stream asks for. */
export const searching = {
  ...namesProject,
  filters: optional(list(anything())),
  search: optional(text()),
  limit: optional(integer()),
  truncate: optional(flag()),
  strip_attachments: optional(flag()),
  exclude: optional(texts()),
  from_time: optional(text()),
  to_time: optional(text()),
} as const;
/** What a list, or its statistics, are asked for. */
export const selecting = {
  ...namesProject,
  filters: optional(text()),
  search: optional(text()),
  from_time: optional(text()),
  to_time: optional(text()),
} as const;
/** The annotation queue that traces or threads must be in. */
export const ofQueue = { annotation_queue_id: optional(text()) } as const;
export const shownQueues = {
  annotation_queues: optional(list(object({ id: text(), name: text() }))),
} as const;
export const listing = {
  ...selecting,
  ...paged,
  sorting: optional(text()),
  exclude: optional(text()),
  truncate: optional(flag()),
  strip_attachments: optional(flag()),
} as const;

const average = object({ name: text(), type: text(), value: anything() });
export const statistics = shape(
  'TraceStatistics',
  'Counts, means and percentiles of a selection.',
  {
    stats: list(average),
  },
);

/** The project that a body names, or the one that is meant without a name. */
export const targetOfBody = maybe(
  projectTarget,
  'body.project_id',
  'header.comet-workspace/body.project_name',
);
/** The project that a body names, which it must. */
export const projectOfBody = one(
  projectTarget,
  'body.project_id',
  'header.comet-workspace/body.project_name',
);
export const projectOfQuery = one(
  projectTarget,
  'query.project_id',
  'header.comet-workspace/query.project_name',
);
export const scopeOfBody = maybe(
  projectScope,
  'body.project_id',
  'header.comet-workspace/body.project_name',
);
export const scopeOfQuery = maybe(projectScope, 'query.project_id');
/** The workspace, or what of it a key reaches. */
export const wholeScope = maybe(reach, 'header.comet-workspace');
export const targetsOf = (member: string) =>
  eachOf(projectTarget, `body.${member}.*`, 'project_id', 'project_name');

const scoreSource = word('ui', 'sdk', 'online_scoring');
const scored = {
  name: text({ min: 1 }),
  value: optional(number()),
  reason: optional(text()),
  category_name: optional(text()),
  source: scoreSource,
  author: optional(text()),
} as const;
const deleted = object({ name: text({ min: 1 }), author: optional(text()) });
export const scoreNames = shape('FeedbackScoreNames', 'Names of scores, each once and in order.', {
  scores: list(object({ name: text() })),
});
const commented = object({ text: text({ min: 1 }) });
const madeComment = object({ id: text() });

/** Rows about scores and comments of one kind of thing, by its address and what it is called in a sentence. */
export const feedbackRows = <const K extends Kind, const C extends Kind, const P extends string>(
  root: P,
  noun: string,
  kind: K,
  comment: C,
) =>
  ({
    scoreOne: {
      method: 'PUT',
      path: everywhere(`${root}/{id}/feedback-scores`),
      access: { needs: 'write', about: one(kind, 'header.comet-workspace/params.id') },
      metered: { events: 'one' },
      summary: `Score a ${noun}; a second score of one author under a name replaces the first`,
      params: object({ id: text() }),
      body: object(scored),
      replies: { 204: null },
      fails: ['absent'],
    },
    scoreMany: {
      method: 'PUT',
      path: everywhere(`${root}/feedback-scores`),
      access: { needs: 'write', about: targetsOf('scores') },
      metered: { events: { listed: 'scores' } },
      summary: `Score ${noun}s, which may still be to come`,
      body: object({
        scores: list(object({ ...scored, ...namesProject, id: text() }), {
          maxItems: 1000,
          minItems: 1,
        }),
      }),
      replies: { 204: null },
      fails: ['invalid'],
      wire: { keepsNul: true },
    },
    unscore: {
      method: 'POST',
      path: everywhere(`${root}/{id}/feedback-scores/delete`),
      access: { needs: 'write', about: wholeScope },
      summary: `Take a score of a ${noun} away, of one author or of all`,
      params: object({ id: text() }),
      body: deleted,
      replies: { 204: null },
      fails: ['invalid'],
    },
    comment: {
      method: 'POST',
      path: everywhere(`${root}/{id}/comments`),
      access: { needs: 'write', about: one(kind, 'header.comet-workspace/params.id') },
      summary: `Say something about a ${noun}`,
      params: object({ id: text() }),
      body: commented,
      replies: { 201: detailed(madeComment) },
      fails: ['absent'],
    },
    showComment: {
      method: 'GET',
      path: everywhere(`${root}/{${noun}Id}/comments/{commentId}`),
      access: { needs: 'read', about: one(comment, 'header.comet-workspace/params.commentId') },
      summary: `A comment about a ${noun}`,
      params: object({ [`${noun}Id`]: text(), commentId: text() }),
      replies: { 200: shownComment },
      fails: ['absent'],
    },
    changeComment: {
      method: 'PATCH',
      path: everywhere(`${root}/comments/{commentId}`),
      access: { needs: 'write', about: one(comment, 'header.comet-workspace/params.commentId') },
      summary: `Change what a comment about a ${noun} says`,
      params: object({ commentId: text() }),
      body: commented,
      replies: { 204: null },
      fails: ['absent'],
    },
    deleteComments: {
      method: 'POST',
      path: everywhere(`${root}/comments/delete`),
      access: { needs: 'write', about: wholeScope, unbounded: false },
      audit: true,
      summary: `Delete comments about ${noun}s; ids that are not there are skipped`,
      body: object({ ids: texts() }),
      replies: { 204: null },
      fails: ['invalid'],
    },
    scoreNames: {
      method: 'GET',
      path: everywhere(`${root}/feedback-scores/names`),
      access: { needs: 'read', about: scopeOfQuery },
      summary: `Names that scores of ${noun}s have, in a project or in the workspace`,
      query: object({ project_id: optional(text()), type: optional(text()) }),
      replies: { 200: scoreNames },
      fails: ['invalid'],
    },
  }) as const;

/** A page of traces or spans, of which a project may have more than a page counts or looks through. */
export const tracedPage = <T extends TSchema>(name: string, of: T) =>
  shape(name, 'A page of a list; `size` is how many it holds.', {
    ...pageMembers(of),
    total_at_least: optional(flag()),
    searched_newest: optional(integer()),
  });
