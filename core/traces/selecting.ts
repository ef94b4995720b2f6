// Which traces, spans or threads a request means. Pure.
import { Failure } from '#ports/failure';
import { firstIdAt, lastIdAt } from '#ports/id-time';
import type { FieldFilter, FieldOrder } from '#ports/field-query';
import type { TraceSelection } from '#ports/storage/traces';
import { readFilters, type FilterTypes } from '../private-wire/filters.js';
import { readAnyId } from '../private-wire/ids.js';
import { readInstant } from '../private-wire/instants.js';
import { readSorting } from '../private-wire/sorting.js';
import { parseJson } from '../json-text.js';

const entryFilters: FilterTypes = {
  id: 'text',
  name: 'text',
  input: 'text',
  output: 'text',
  error_type: 'text',
  start_time: 'instant',
  end_time: 'instant',
  created_at: 'instant',
  last_updated_at: 'instant',
  input_json: 'json',
  output_json: 'json',
  metadata: 'json',
  total_estimated_cost: 'number',
  'usage.total_tokens': 'number',
  'usage.prompt_tokens': 'number',
  'usage.completion_tokens': 'number',
  ttft: 'number',
  duration: 'number',
  tags: 'list',
  feedback_scores: 'scores',
  environment: 'word',
  source: 'word',
  error_info: 'error',
  custom: 'custom',
};
export const traceFilters: FilterTypes = {
  ...entryFilters,
  thread_id: 'text',
  guardrails: 'text',
  experiment_id: 'text',
  experiment_ids: 'ids',
  llm_span_count: 'number',
  span_feedback_scores: 'scores',
  visibility_mode: 'word',
  annotation_queue_ids: 'list',
};
export const spanFilters: FilterTypes = {
  ...entryFilters,
  model: 'text',
  provider: 'text',
  trace_id: 'text',
  type: 'word',
};
export const threadFilters: FilterTypes = {
  id: 'text',
  first_message: 'text',
  last_message: 'text',
  number_of_messages: 'number',
  duration: 'number',
  start_time: 'instant',
  end_time: 'instant',
  created_at: 'instant',
  last_updated_at: 'instant',
  feedback_scores: 'scores',
  status: 'word',
  environment: 'word',
  source: 'word',
  tags: 'list',
  annotation_queue_ids: 'list',
};

const entrySorts = [
  'id',
  'name',
  'input',
  'output',
  'start_time',
  'end_time',
  'duration',
  'ttft',
  'metadata',
  'metadata.*',
  'usage',
  'usage.*',
  'total_estimated_cost',
  'tags',
  'error_info',
  'created_by',
  'created_at',
  'last_updated_at',
  'feedback_scores.*',
  'environment',
] as const;
export const traceSorts = [
  ...entrySorts,
  'thread_id',
  'span_count',
  'llm_span_count',
  'experiment_id',
] as const;
export const spanSorts = [
  ...entrySorts,
  'model',
  'provider',
  'type',
  'trace_id',
  'parent_span_id',
] as const;
export const threadSorts = [
  'id',
  'start_time',
  'end_time',
  'duration',
  'number_of_messages',
  'status',
  'created_by',
  'created_at',
  'last_updated_at',
  'feedback_scores.*',
  'usage.*',
  'total_estimated_cost',
  'tags',
] as const;

/** The orders that a list of traces or spans is asked for: usage without a name is that of all tokens. Rejects with `invalid`. */
export const readEntrySorting = (
  text: string | undefined,
  names: readonly string[],
): readonly FieldOrder[] =>
  readSorting(text, names).map((order) =>
    order.field === 'usage' && order.key === undefined
      ? { ...order, key: 'total_tokens', path: ['total_tokens'] }
      : order,
  );

interface Asked {
  readonly filters?: string | readonly unknown[] | undefined;
  readonly search?: string | undefined;
  readonly from_time?: string | undefined;
  readonly to_time?: string | undefined;
  readonly annotation_queue_id?: string | undefined;
}

/** Bounds of time as bounds of ids. Rejects with `invalid` where the end comes before the beginning. */
export const readTimes = ({
  from_time: from,
  to_time: to,
}: Pick<Asked, 'from_time' | 'to_time'>) => {
  const [first, last] = [
    from === undefined ? undefined : readInstant(from, 'from_time'),
    to === undefined ? undefined : readInstant(to, 'to_time'),
  ];
  if (first !== undefined && last !== undefined && first > last)
    throw new Failure('invalid', 'from_time must be before to_time');
  return {
    fromId: first === undefined ? undefined : firstIdAt(first),
    toId: last === undefined ? undefined : lastIdAt(last),
  };
};

/** What a list of an annotation queue's items says of them. Rejects with `invalid` for what is no id. */
const readQueue = ({ annotation_queue_id: id }: Asked): readonly FieldFilter[] =>
  id === undefined || id.trim() === ''
    ? []
    : [
        {
          ...{ field: 'annotation_queue_ids', is: 'list', operator: 'equals' },
          value: readAnyId(id, 'annotation_queue_id'),
        },
      ];

/** What a list, a stream or statistics are about. Rejects with `invalid`. */
export const readSelection = (
  projectId: string,
  asked: Asked,
  types: FilterTypes,
): TraceSelection => ({
  projectId,
  filters: [...readFilters(asked.filters, types), ...readQueue(asked)],
  search: asked.search === undefined || asked.search.trim() === '' ? undefined : asked.search,
  ...readTimes(asked),
});

/** What replies say of traces or spans, by name: an SDK names only these to be left out. */
const members: ReadonlySet<string> = new Set([
  ...['id', 'project_id', 'trace_id', 'parent_span_id', 'thread_id', 'name', 'type'],
  ...['start_time', 'end_time', 'duration', 'ttft', 'input', 'output', 'metadata', 'error_info'],
  ...['tags', 'model', 'provider', 'providers', 'source', 'environment', 'visibility_mode'],
  ...['usage', 'total_estimated_cost', 'total_estimated_cost_version'],
  ...['span_count', 'llm_span_count', 'has_tool_spans', 'guardrails_validations', 'experiment'],
  ...['feedback_scores', 'span_feedback_scores', 'comments', 'annotation_queues'],
  ...['created_at', 'created_by', 'last_updated_at', 'last_updated_by'],
]);

/** Members that a reply leaves out: JSON text of a query, or a list of a body. Rejects with `invalid` for what is no list of their names. */
export const readExcluded = (
  asked: string | readonly string[] | undefined,
): ReadonlySet<string> => {
  const names =
    typeof asked !== 'string' ? (asked ?? []) : asked.trim() === '' ? [] : parseJson(asked);
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new Failure('invalid', 'exclude must be a JSON array of names');
  const odd = (names as readonly string[]).find((name) => !members.has(name)); // texts, as was just tested
  if (odd !== undefined)
    throw new Failure('invalid', `exclude knows no member ${odd.slice(0, 100)}`);
  return new Set(names as readonly string[]);
};
