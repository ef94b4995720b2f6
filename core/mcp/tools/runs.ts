import {
  aFlag,
  aListOf,
  aText,
  aWholeNumber,
  pages,
  required,
  someTexts,
  workspaceByHeader,
  type Tool,
} from '../tool.js';

const kinds = ['parameter', 'other', 'metric', 'tag', 'metadata', 'environment'];
const column = {
  kind: { type: 'string', enum: kinds },
  name: { type: 'string' },
  value: {
    type: 'string',
    enum: ['last', 'best', 'min', 'max'],
    description: 'Which value of a number; the last one if left out.',
  },
  direction: {
    type: 'string',
    enum: ['minimize', 'maximize'],
    description: 'What is best; with value "best" only.',
  },
} as const;
const runInQuery = required(aText('query.experimentKey', 'Key of the run.'));

export const runTools: readonly Tool[] = [
  {
    name: 'list_projects',
    title: 'List projects',
    description: 'Projects of a workspace, the newest first, with the ids that other tools take.',
    operation: 'listProjectsByPage',
    takes: {
      name: aText('query.name', 'A part of the name.'),
      ...pages,
      workspace: workspaceByHeader,
    },
  },
  {
    name: 'list_run_columns',
    title: 'List run columns',
    description:
      'What the runs of a project have values under: the kinds and names of metrics, parameters and others that query_runs takes as columns.',
    operation: 'listRunColumns',
    takes: {
      project: required(aText('query.project', 'Id of the project.')),
      part: aText('query.q', 'A part of the name.'),
      limit: aWholeNumber('query.limit', 'How many at most.'),
    },
  },
  {
    name: 'query_runs',
    title: 'Query runs',
    description:
      'A page of the runs (experiments) of a project, filtered and sorted, with the values of some columns. Column values are in the order of the keys.',
    operation: 'queryRuns',
    takes: {
      project: required(aText('body.project', 'Id of the project.')),
      query: {
        at: 'body.query',
        schema: {
          type: 'object',
          properties: {
            condition: { type: 'string', enum: ['AND', 'OR'] },
            rules: { type: 'array', items: { type: 'object' } },
          },
          required: ['condition', 'rules'],
        },
        says: 'Which runs: a group of rules. A rule is {"source": "metrics"|"params"|"log_other"|"tag"|"metadata", "field": name, "operator": "equal"|"not_equal"|"less"|"greater"|"contains"|"is_null"|"is_not_null"|…, "type": "double"|"string", "value": …}, or a group again.',
      },
      columns: aListOf(column, ['kind', 'name'])('body.columns', 'Values to answer for each run.'),
      sort: aListOf({ ...column, descending: { type: 'boolean' } }, ['kind', 'name'])(
        'body.sort',
        'Columns to sort by, at most three.',
      ),
      limit: aWholeNumber('body.limit', 'How many runs at most.'),
      cursor: aText('body.cursor', 'The cursor of the page before, to go on behind it.'),
      archived: aFlag('body.archived', 'Archived runs in place of the others.'),
    },
  },
  {
    name: 'get_run',
    title: 'Get a run',
    description: 'A run: its name, project, state, times, and the error of its crash.',
    operation: 'getMetadata',
    takes: { run: runInQuery },
  },
  {
    name: 'get_run_metrics',
    title: 'Get the metrics of a run',
    description: 'The smallest, largest and newest value of each metric of a run.',
    operation: 'getMetricsSummary',
    takes: { run: runInQuery },
  },
  {
    name: 'get_run_parameters',
    title: 'Get the parameters of a run',
    description: 'The parameters of a run.',
    operation: 'getParameters',
    takes: { run: runInQuery },
  },
  {
    name: 'get_run_curves',
    title: 'Get curves of runs',
    description:
      'Metrics of runs as curves on one grid. Each bucket that is not empty has its smallest, largest and mean value.',
    operation: 'querySeries',
    takes: {
      runs: required(someTexts('body.runs', 'Keys of the runs.')),
      metrics: required(someTexts('body.metrics', 'Names of the metrics.')),
      x: {
        at: 'body.x',
        schema: { type: 'string', enum: ['step', 'epoch', 'relative', 'wall'] },
        says: 'What lies along the axis; steps if left out.',
      },
      buckets: aWholeNumber('body.buckets', 'How many buckets at most; ask for few, such as 50.'),
    },
  },
  {
    name: 'get_run_tags',
    title: 'Get the tags of a run',
    description: 'The tags of a run, in the order in which they were added.',
    operation: 'getTags',
    takes: { run: runInQuery },
  },
  {
    name: 'list_run_comments',
    title: 'List the comments on a run',
    description: 'Comments on a run and on ranges of its steps, the oldest first.',
    operation: 'listRunComments',
    takes: {
      run: required(aText('params.run', 'Key of the run.')),
      limit: aWholeNumber('query.limit', 'How many at most.'),
      after: aText('query.after', 'What the page before answered as next.'),
    },
  },
  {
    name: 'comment_on_run',
    title: 'Comment on a run',
    description:
      'Comment on a run, or on a range of its steps. Members of the workspace who are named as @name are notified.',
    operation: 'commentOnRun',
    takes: {
      run: required(aText('params.run', 'Key of the run.')),
      text: required(aText('body.text', 'What to say, in plain text.')),
      firstStep: aWholeNumber('body.firstStep', 'Where the range begins.'),
      lastStep: aWholeNumber('body.lastStep', 'Where the range ends.'),
    },
  },
  {
    name: 'tag_run',
    title: 'Tag a run',
    description: 'Add tags to a run; those that it has already stay.',
    operation: 'addTags',
    takes: {
      run: required(aText('body.experimentKey', 'Key of the run.')),
      tags: required(someTexts('body.addedTags', 'Tags to add.')),
    },
  },
];
