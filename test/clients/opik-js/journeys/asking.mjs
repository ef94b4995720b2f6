// Every column and operator of the query language that the JavaScript client lets through: the server takes each, alone and with others.
import { Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

const texts = ['=', '!=', 'contains', 'not_contains', 'starts_with', 'ends_with', '>', '<'];
const longTexts = ['=', 'contains', 'not_contains'];
const numbers = ['=', '!=', '>', '>=', '<', '<='];
const dates = ['=', '>', '<', '>=', '<='];
const empties = ['is_empty', 'is_not_empty'];
const lists = ['=', '!=', 'contains', 'not_contains', ...empties];
const json = ['=', 'contains', '>', '<'];

/** Columns by what may be asked of them; a value for each kind. */
const kinds = {
  texts: [texts, '"a"'],
  longTexts: [longTexts, '"a"'],
  json: [json, '"1"'],
  numbers: [numbers, '1.5'],
  dates: [dates, '"2026-01-01T00:00:00Z"'],
  lists: [lists, '"a"'],
  scores: [[...numbers, ...empties], '0.5'],
  words: [['=', '!='], '"a"'],
  errors: [empties, ''],
};
const columns = {
  Traces: {
    texts: ['id', 'name', 'thread_id', 'guardrails'],
    longTexts: ['input', 'output'],
    json: ['input_json.a', 'output_json."a[0].b"', 'metadata.a', "metadata.'a b'"],
    numbers: ['total_estimated_cost', 'llm_span_count', 'usage.total_tokens', 'duration'],
    dates: ['start_time', 'end_time', 'created_at', 'last_updated_at'],
    lists: ['tags', 'annotation_queue_ids'],
    scores: ['feedback_scores.acc', 'span_feedback_scores."a b"'],
    words: ['environment'],
    errors: ['error_info'],
  },
  Spans: {
    texts: ['id', 'name', 'model', 'provider', 'trace_id'],
    longTexts: ['input', 'output'],
    json: ['input_json.a', 'output_json.a', 'metadata.a'],
    numbers: ['total_estimated_cost', 'usage.prompt_tokens', 'usage.completion_tokens', 'duration'],
    dates: ['start_time', 'end_time'],
    lists: ['tags'],
    scores: ['feedback_scores.acc'],
    words: ['type', 'environment'],
    errors: ['error_info'],
  },
  Threads: {
    texts: ['id'],
    longTexts: ['first_message', 'last_message'],
    numbers: ['number_of_messages', 'duration'],
    dates: ['start_time', 'end_time', 'created_at', 'last_updated_at'],
    lists: ['tags', 'annotation_queue_ids'],
    scores: ['feedback_scores.acc'],
    words: ['status', 'environment'],
  },
  Prompts: {
    texts: ['id', 'name', 'description', 'created_by', 'last_updated_by', 'template_structure'],
    numbers: ['version_count'],
    dates: ['created_at', 'last_updated_at'],
    lists: ['tags'],
  },
};
/** What a column takes beside a text. */
const valueOf = (column, value) =>
  ({ id: '"01930000-0000-7000-8000-000000000001"', type: '"llm"', status: '"active"' })[column] ??
  (column === 'guardrails' ? '"failed"' : column === 'template_structure' ? '"text"' : value);

const conditionsOf = (kindsOfColumns) =>
  Object.entries(kindsOfColumns).flatMap(([kind, names]) => {
    const [operators, value] = kinds[kind];
    return names.flatMap((column) =>
      operators.map((operator) =>
        empties.includes(operator)
          ? `${column} ${operator}`
          : `${column} ${operator} ${valueOf(column, value)}`,
      ),
    );
  });

await journey(async () => {
  const client = new Opik({ projectName: fresh('asking') });
  const trace = client.trace({ name: 'a', threadId: 'talk', input: { a: 1 }, tags: ['a'] });
  trace.span({ name: 'a', type: 'llm' }).end();
  trace.end();
  await client.flush();
  await client.createPrompt({ name: fresh('asked'), prompt: 'a' });
  const search = {
    Traces: (filterString) => client.searchTraces({ filterString }),
    Spans: (filterString) => client.searchSpans({ filterString }),
    Threads: (filterString) => client.searchThreads({ filterString }),
    Prompts: (filterString) => client.searchPrompts(filterString),
  };
  const outcome = (promise) =>
    promise.then(
      (found) => Array.isArray(found),
      (error) => String(error),
    );
  let asked = 0;
  for (const [what, kindsOfColumns] of Object.entries(columns)) {
    const conditions = conditionsOf(kindsOfColumns);
    for (const condition of conditions) {
      check(`${what} by ${condition}`, await outcome(search[what](condition)));
      asked += 1;
    }
    const all = conditions.slice(0, 50).join(' AND ');
    check(`${what} by many at once`, await outcome(search[what](all)));
  }
  check('many are asked', asked > 300);
  for (const condition of ['environment in ("a", "b")', 'environment not_in ("a")'])
    check(condition, await outcome(search.Traces(condition)));
});
