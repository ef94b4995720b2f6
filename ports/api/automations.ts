// Rules that score what is logged: by a model that judges, or by a program that is kept.
import {
  automationRule,
  judgeOutputTypes,
  judgeRoles,
  logLevels,
  ruleTypes,
} from '../model/automations.js';
import { projectScope } from '../model/projects.js';
import { detailed, one, operations } from './operation.js';
import {
  authorship,
  everywhere,
  manyIds,
  pageMembers,
  paged,
  reachedOfHeader,
} from './private-wire.js';
import {
  anything,
  flag,
  integer,
  list,
  map,
  number,
  object,
  optional,
  record,
  shape,
  text,
  texts,
  word,
} from './schema.js';

const notBlank = String.raw`\S`;

const filter = shape('AutomationRuleFilter', 'What must hold of a thing so that it is scored.', {
  field: text({ max: 200 }),
  operator: text({ max: 50 }),
  key: optional(text({ max: 1000 })),
  value: optional(text({ max: 10_000 })),
});
const address = object({ url: text() });
const content = {
  content: optional(text()),
  content_array: optional(
    list(
      object({
        type: text({ max: 50 }),
        text: optional(text()),
        image_url: optional(object({ url: text(), detail: optional(text({ max: 50 })) })),
        video_url: optional(address),
        audio_url: optional(address),
      }),
      { maxItems: 50 },
    ),
  ),
} as const;
const model = object({
  name: text({ min: 1, max: 500, pattern: notBlank }),
  temperature: optional(number()),
  seed: optional(integer()),
  custom_parameters: optional(record()),
});
const outputs = list(
  shape('JudgeOutput', 'A score that a model is asked for.', {
    name: text({ min: 1, max: 150, pattern: notBlank }),
    type: word(...judgeOutputTypes),
    description: text({ max: 5000 }),
  }),
  { maxItems: 50 },
);
const codeWritten = shape(
  'AutomationRuleCodeWrite',
  'What a rule does: of a judge its model, messages, variables and schema, of a program its metric and arguments.',
  {
    model: optional(model),
    messages: optional(list(object({ role: word(...judgeRoles), ...content }), { maxItems: 100 })),
    variables: optional(map(text({ max: 2000 }))),
    schema: optional(outputs),
    metric: optional(text()),
    arguments: optional(map(text({ max: 2000 }))),
  },
);
const written = shape('AutomationRuleWrite', 'A rule as a client makes or replaces it.', {
  type: word(...ruleTypes),
  action: word('evaluator'),
  name: text({ min: 1, max: 255, pattern: notBlank }),
  project_id: optional(text()),
  project_ids: optional(texts()),
  sampling_rate: optional(number()),
  enabled: optional(flag()),
  filters: optional(list(filter, { maxItems: 100 })),
  code: codeWritten,
});

const shown = shape('AutomationRule', 'A rule; `project_id` and `project_name` are its first.', {
  id: text(),
  type: word(...ruleTypes),
  action: word('evaluator'),
  name: text(),
  project_id: text(),
  project_name: text(),
  projects: list(object({ project_id: text(), project_name: text() })),
  sampling_rate: number(),
  enabled: flag(),
  filters: list(filter),
  code: shape('AutomationRuleCode', 'What a rule does, by its type.', {
    model: optional(model),
    messages: optional(
      list(
        object({
          role: word(...judgeRoles),
          content: optional(text()),
          content_array: optional(list(anything())),
          string_content: flag(),
          structured_content: flag(),
        }),
      ),
    ),
    variables: optional(map(text())),
    schema: optional(outputs),
    metric: optional(text()),
    arguments: optional(map(text())),
  }),
  ...authorship,
});

const asked = shape('ManualEvaluation', 'Things of a project, and rules of it that score them.', {
  project_id: text(),
  entity_ids: texts(),
  rule_ids: texts(),
  entity_type: word('trace', 'thread', 'span'),
});
const queued = shape('ManualEvaluationQueued', 'How much will be scored, and by how many rules.', {
  entities_queued: integer(),
  rules_applied: integer(),
});
/** Has rules score what is there already; the body names what the path names. */
const scoring = {
  method: 'POST',
  access: { needs: 'write', about: one(projectScope, 'body.project_id') },
  body: asked,
  replies: { 202: queued },
  fails: ['invalid', 'unprocessable', 'absent', 'forbidden'],
} as const;

const root = '/v1/private/automations/evaluators';
const byId = { path: everywhere(`${root}/{id}`), params: object({ id: text() }) } as const;
const about = one(automationRule, 'header.comet-workspace/params.id');
const ofProject = { query: object({ project_id: optional(text()) }) } as const;

const previewed = shape('AutomationRulePreview', 'What a rule would give a thing.', {
  messages: optional(list(object({ role: text(), content: anything() }))),
  answer: optional(text()),
  scores: list(object({ name: text(), value: number(), reason: optional(text()) })),
  left: texts(),
  fault: optional(text()),
});

export const automationOperations = operations({
  previewAutomationRule: {
    method: 'POST',
    path: everywhere(`${root}/preview`),
    access: { needs: 'write', about: one(projectScope, 'body.project_id') },
    summary:
      'Try a rule, saved or not, on one trace, span or thread of a project, and tell what it would give: `left` are scores that it did not, `fault` says why there is no answer; nothing is stored (own)',
    body: object({
      project_id: text(),
      entity_id: text(),
      type: word(...ruleTypes),
      code: codeWritten,
    }),
    replies: { 200: previewed },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'tooLarge', 'throttled'],
  },
  evaluateTraces: {
    ...scoring,
    path: everywhere('/v1/private/manual-evaluation/traces'),
    summary: 'Have rules score traces at once, whatever they filter and sample',
  },
  evaluateSpans: {
    ...scoring,
    path: everywhere('/v1/private/manual-evaluation/spans'),
    summary: 'Have rules score spans at once, whatever they filter and sample',
  },
  evaluateThreads: {
    ...scoring,
    path: everywhere('/v1/private/manual-evaluation/threads'),
    summary: 'Have rules score threads at once, by the ids that the server gave them',
  },
  listAutomationRules: {
    method: 'GET',
    path: everywhere(root),
    access: { needs: 'read', about: reachedOfHeader },
    summary: 'Rules that score what is logged, the newest first; `id` and `name` are parts of them',
    query: object({
      ...paged,
      project_id: optional(text()),
      id: optional(text()),
      name: optional(text()),
      filters: optional(text()),
      sorting: optional(text()),
    }),
    replies: {
      200: shape('AutomationRulePage', 'A page of rules.', pageMembers(shown)),
    },
    fails: ['invalid'],
  },
  createAutomationRule: {
    method: 'POST',
    path: everywhere(root),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary: 'Make a rule that scores what is logged to some projects from then on',
    body: written,
    replies: { 201: detailed(null) },
    fails: ['invalid', 'unprocessable', 'absent', 'conflict'],
  },
  deleteAutomationRules: {
    ...ofProject,
    method: 'POST',
    path: everywhere(`${root}/delete`),
    access: { needs: 'write', about: reachedOfHeader, unbounded: false },
    audit: true,
    summary:
      'Delete rules with their logs, of one project where it is named; ids that are not there are skipped',
    body: manyIds,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable'],
  },
  showAutomationRule: {
    ...byId,
    ...ofProject,
    method: 'GET',
    access: { needs: 'read', about },
    summary: 'A rule, of a project where one is named',
    replies: { 200: shown },
    fails: ['invalid', 'absent', 'forbidden'],
  },
  updateAutomationRule: {
    ...byId,
    method: 'PATCH',
    access: { needs: 'write', about, unbounded: false },
    audit: true,
    summary: 'Replace a rule; only its type stays',
    body: written,
    replies: { 204: null },
    fails: ['invalid', 'unprocessable', 'absent', 'forbidden', 'conflict'],
  },
  listAutomationRuleLogs: {
    method: 'GET',
    path: everywhere(`${root}/{id}/logs`),
    params: object({ id: text() }),
    access: { needs: 'read', about: reachedOfHeader },
    summary:
      'What became of what a rule was to score, the newest line first; nothing of one that is not there',
    query: object({ size: optional(integer()) }),
    replies: {
      200: shape('AutomationRuleLogs', 'The newest lines of a log.', {
        page: integer(),
        size: integer(),
        total: integer(),
        content: list(
          object({
            timestamp: text(),
            rule_id: text(),
            level: word(...logLevels),
            message: text(),
            markers: map(text()),
          }),
        ),
      }),
    },
    fails: ['invalid'],
  },
});
