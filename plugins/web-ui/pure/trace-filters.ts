// Filters of traces: what a field is compared as, how they stand in an address, and how they are sent. Pure.

/** What a field holds, which says by what it is compared. */
export type Compared =
  'text' | 'number' | 'time' | 'list' | 'ids' | 'scores' | 'json' | 'word' | 'error' | 'custom';

export interface TraceFilter {
  readonly field: string;
  /** The name of a score, or a path within JSON; empty for other fields. */
  readonly key: string;
  readonly operator: string;
  /** Empty for operators that take none. */
  readonly value: string;
}

export const traceFields: Readonly<Record<string, Compared>> = {
  name: 'text',
  input: 'text',
  output: 'text',
  duration: 'number',
  tags: 'list',
  error_info: 'error',
  error_type: 'text',
  feedback_scores: 'scores',
  span_feedback_scores: 'scores',
  total_estimated_cost: 'number',
  'usage.total_tokens': 'number',
  'usage.prompt_tokens': 'number',
  'usage.completion_tokens': 'number',
  llm_span_count: 'number',
  ttft: 'number',
  metadata: 'json',
  input_json: 'json',
  output_json: 'json',
  custom: 'custom',
  thread_id: 'text',
  id: 'text',
  start_time: 'time',
  end_time: 'time',
  created_at: 'time',
  last_updated_at: 'time',
  guardrails: 'text',
  environment: 'word',
  source: 'word',
  visibility_mode: 'word',
  experiment_id: 'text',
  experiment_ids: 'ids',
  annotation_queue_ids: 'list',
};

const order = ['=', '!=', '>', '>=', '<', '<='] as const;
const presence = ['is_empty', 'is_not_empty'] as const;
const words = ['contains', 'not_contains', 'starts_with', 'ends_with'] as const;
const inJson = ['=', '!=', ...words, '>', '>=', '<', '<=', ...presence] as const;

/** The operators of each, the most usual first. */
export const operatorsOf: Readonly<Record<Compared, readonly string[]>> = {
  text: ['contains', 'not_contains', '=', '!=', 'starts_with', 'ends_with', '>', '<'],
  number: ['>', '>=', '<', '<=', '=', '!='],
  time: ['>', '>=', '<', '<=', '=', '!='],
  list: ['contains', 'not_contains', '=', '!=', ...presence],
  ids: ['in', 'not_in'],
  scores: [...order, ...presence],
  json: inJson,
  word: ['=', '!=', 'in', 'not_in', ...presence],
  error: ['is_not_empty', 'is_empty'],
  custom: inJson,
};

export const operatorWords: Readonly<Record<string, string>> = {
  contains: 'contains',
  not_contains: 'does not contain',
  starts_with: 'starts with',
  ends_with: 'ends with',
  is_empty: 'is empty',
  is_not_empty: 'is not empty',
  in: 'is one of',
  not_in: 'is none of',
};

export const takesValue = (operator: string): boolean => !operator.startsWith('is_');
export const takesKey = (field: string): boolean =>
  ['scores', 'json', 'custom'].includes(traceFields[field] ?? '');

/** What is wrong with a filter, in a sentence; nothing where it can be sent. */
export const faultOf = ({ field, key, operator, value }: TraceFilter): string | undefined => {
  const compared = Object.hasOwn(traceFields, field) ? traceFields[field] : undefined;
  if (compared === undefined) return `traces have no field ${field}`;
  if (!operatorsOf[compared].includes(operator)) return `${field} is not compared by ${operator}`;
  if (takesKey(field) && key.trim() === '')
    return compared === 'scores' ? 'name the score' : 'name the member, such as user.id';
  if (!takesValue(operator)) return undefined;
  if (value.trim() === '') return 'write what it is compared with';
  if ((compared === 'number' || compared === 'scores') && !Number.isFinite(Number(value)))
    return `${field} is compared with a number`;
  if (compared === 'time' && Number.isNaN(Date.parse(value)))
    return `${field} is compared with a time, such as 2026-11-24T12:00Z`;
  return undefined;
};

/** Filters as one member of an address: each of four parts, which may hold any character. */
export const writeFilters = (filters: readonly TraceFilter[]): string | undefined =>
  filters.length === 0
    ? undefined
    : filters
        .map(({ field, key, operator, value }) =>
          [field, key, operator, value].map(encodeURIComponent).join(':'),
        )
        .join(',');

const plain = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // half an escape is left as it is
  }
};

/** The filters of an address; what cannot be sent is left out. */
export const readFilters = (text: string | null): readonly TraceFilter[] =>
  (text ?? '')
    .split(',')
    .filter((one) => one !== '')
    .map((one) => {
      const [field = '', key = '', operator = '', value = ''] = one.split(':').map(plain);
      return { field, key, operator, value };
    })
    .filter((one) => faultOf(one) === undefined);

/** Filters as the server is asked for them. */
export const sentFilters = (filters: readonly TraceFilter[]) =>
  filters.map(({ field, key, operator, value }) => ({
    field,
    operator,
    ...(takesKey(field) ? { key: key.trim() } : {}),
    value: !takesValue(operator)
      ? ''
      : traceFields[field] === 'time'
        ? new Date(value).toISOString()
        : value.trim(),
  }));

/** A filter as it is read aloud. */
export const showFilter = ({ field, key, operator, value }: TraceFilter): string =>
  [
    takesKey(field) ? `${field}.${key}` : field,
    operatorWords[operator] ?? operator,
    ...(takesValue(operator) ? [value] : []),
  ].join(' ');

/** The same filters with one more; one that stands there already is not added again. */
export const withFilter = (
  filters: readonly TraceFilter[],
  one: TraceFilter,
): readonly TraceFilter[] =>
  filters.some((other) => writeFilters([other]) === writeFilters([one]))
    ? filters
    : [...filters, one];
