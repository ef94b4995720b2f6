import {
  aFlag,
  aListOf,
  aNumber,
  aText,
  pages,
  required,
  someTexts,
  workspaceByHeader,
  type Argument,
  type Tool,
} from '../tool.js';

const condition = {
  field: { type: 'string' },
  operator: { type: 'string' },
  key: { type: 'string' },
  value: { type: 'string' },
} as const;

const selecting = {
  project_name: aText('query.project_name', 'Name of the project; or give project_id.'),
  project_id: aText('query.project_id', 'Id of the project; or give project_name.'),
  filters: aListOf(condition, ['field', 'operator'])(
    'query.filters',
    'Conditions that must all hold, such as {"field": "duration", "operator": ">", "value": "1000"}, {"field": "tags", "operator": "contains", "value": "prod"}, {"field": "feedback_scores", "key": "accuracy", "operator": "<", "value": "0.5"} or {"field": "error_info", "operator": "is_not_empty", "value": ""}. Operators are =, !=, >, >=, <, <=, contains, not_contains, starts_with, ends_with, is_empty and is_not_empty.',
  ),
  search: aText('query.search', 'A text that names, inputs or outputs hold.'),
  from_time: aText('query.from_time', 'The earliest start, in ISO 8601.'),
  to_time: aText('query.to_time', 'The latest start, in ISO 8601.'),
  workspace: workspaceByHeader,
} as const;
const listing = {
  ...selecting,
  ...pages,
  sorting: aListOf(
    { field: { type: 'string' }, direction: { type: 'string', enum: ['ASC', 'DESC'] } },
    ['field'],
  )('query.sorting', 'What to sort by; the newest first if left out.'),
  truncate: aFlag('query.truncate', 'Cut long inputs and outputs; true is advisable in a list.'),
} as const;
const ofTrace: Argument = aText('query.trace_id', 'Only spans of this trace.');
const ofType: Argument = {
  at: 'query.type',
  schema: { type: 'string', enum: ['general', 'tool', 'llm', 'guardrail'] },
  says: 'Only spans of this type.',
};

const about = (noun: string) =>
  ({
    id: required(aText('params.id', `Id of the ${noun}.`)),
    workspace: workspaceByHeader,
  }) as const;

/** The tools by which one says something of a trace or a span, which differ in the noun alone. */
const feedback = (noun: 'trace' | 'span', named: 'Trace' | 'Span'): readonly Tool[] => [
  {
    name: `score_${noun}`,
    title: `Score a ${noun}`,
    description: `Give a ${noun} a feedback score; a second one of the same author under the same name replaces the first.`,
    operation: `score${named}`,
    takes: {
      ...about(noun),
      name: required(aText('body.name', 'What is judged, such as accuracy.')),
      value: required(aNumber('body.value', 'The score.')),
      reason: aText('body.reason', 'Why.'),
      category: aText('body.category_name', 'The category, for scores that stand for one.'),
    },
    fixed: { 'body.source': 'sdk' },
  },
  {
    name: `comment_on_${noun}`,
    title: `Comment on a ${noun}`,
    description: `Comment on a ${noun}.`,
    operation: `comment${named}`,
    takes: {
      ...about(noun),
      text: required(aText('body.text', 'What to say, in plain text.')),
    },
  },
  {
    name: `tag_${noun}s`,
    title: `Tag ${noun}s`,
    description: `Add tags to ${noun}s, or take tags away; their other tags stay.`,
    operation: `update${named}s`,
    takes: {
      ids: required(someTexts('body.ids', `Ids of the ${noun}s.`)),
      add: someTexts('body.update.tags_to_add', 'Tags to add.'),
      remove: someTexts('body.update.tags_to_remove', 'Tags to take away.'),
      workspace: workspaceByHeader,
    },
    fixed: { 'body.update': {} },
  },
];

export const traceTools: readonly Tool[] = [
  {
    name: 'list_traces',
    title: 'List traces',
    description:
      'Traces of a project by page, filtered and sorted: input, output, duration in ms, token usage, cost, errors, tags and feedback scores.',
    operation: 'pageTraces',
    takes: listing,
  },
  {
    name: 'get_trace',
    title: 'Get a trace',
    description: 'A trace with what its spans add up to, its feedback scores and its comments.',
    operation: 'showTrace',
    takes: about('trace'),
  },
  {
    name: 'trace_statistics',
    title: 'Statistics of traces',
    description:
      'Counts, means and percentiles over traces of a project: durations, usage, cost, errors and feedback scores.',
    operation: 'traceStatistics',
    takes: selecting,
  },
  {
    name: 'list_spans',
    title: 'List spans',
    description:
      'Spans of a project, or of one of its traces, by page: the steps of a trace, with their parents, models, usage and cost.',
    operation: 'pageSpans',
    takes: { ...listing, trace_id: ofTrace, type: ofType },
  },
  {
    name: 'get_span',
    title: 'Get a span',
    description: 'A span with its input, output, usage, cost, feedback scores and comments.',
    operation: 'showSpan',
    takes: about('span'),
  },
  ...feedback('trace', 'Trace'),
  ...feedback('span', 'Span'),
];
