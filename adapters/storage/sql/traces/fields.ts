// Where the fields stand by which traces, spans and threads are filtered and sorted.
import type { TracedKind } from '#ports/model/traces';
import type { Dialect, Fragment } from '#ports/sql-dialect';
import {
  equalsByIndex,
  idField,
  jsonField,
  listField,
  numberField,
  textField,
  type FieldSource,
  type FieldSources,
} from '../field-query.js';
import { always, both, complement, fragment, joined, never, wrap } from '../fragment.js';
import { isId } from '../ids.js';

/** The mean of the scores of one name; the key is the name in lower case. */
const meanScore = (from: string, key: string | undefined, dialect: Dialect): Fragment =>
  wrap(
    // By nine digits, so that the mean of 0.4 and 0.8 is 0.6.
    '(select cast(avg(f.value) as decimal(30, 9)) from ',
    fragment(
      `${from} and ${dialect.equalTexts(dialect.lower('f.name'), dialect.lower('?'))}`,
      key ?? '',
    ),
    ')',
  );
const scoreField = (from: string): FieldSource => ({
  where(filter, dialect) {
    const mean = meanScore(from, filter.key, dialect);
    if (filter.is !== 'presence') return numberField(mean).where(filter, dialect);
    const none = joined(mean, ' is null');
    return filter.operator === 'isEmpty' ? none : complement(none);
  },
  sort: ({ key }, dialect) => meanScore(from, key, dialect),
});
const scoresOf = (kind: TracedKind, alias: string): FieldSource => {
  const from = `feedback_scores f where f.project_id = ${alias}.project_id and f.entity_id = ${alias}.id and f.entity_kind = '${kind}'`;
  const mean = scoreField(from);
  return {
    ...mean,
    where(filter, dialect) {
      const claim = mean.where(filter, dialect);
      const { expressionIndexes } = dialect;
      if (
        expressionIndexes === undefined ||
        filter.is !== 'number' ||
        filter.operator === 'differs'
      )
        return claim;
      // A mean lies among what it is the mean of, and an index tells of which things there is one.
      const one = {
        above: '>',
        atLeast: '>=',
        below: '<',
        atMost: '<=',
        equals: undefined,
      }[filter.operator];
      return both(
        joined(
          `exists (select 1 from ${from} and `,
          equalsByIndex('f.name', filter.key ?? '', dialect),
          one === undefined ? '' : fragment(` and f.value ${one} ?`, looser(one, filter.value)),
          ')',
        ),
        claim,
      );
    },
  };
};
/** A bound that holds for values whose mean, which is rounded to nine digits, is within another. */
const looser = (sign: string, bound: number): number => {
  const room = 1e-9 + Math.abs(bound) * Number.EPSILON;
  return sign.startsWith('>') ? bound - room : bound + room;
};

const microsPerMs = 1000;
/** How an end is told from a beginning, in microseconds: a whole number, by which an index is sorted. */
const lasting = '(x.end_time - x.start_time)';
/** A duration in ms, compared as whole microseconds. */
const durationField: FieldSource = {
  where(filter, dialect) {
    if (filter.is !== 'number') return numberField(lasting).where(filter, dialect);
    const micros = Number((filter.value * microsPerMs).toFixed(3));
    const bound = (value: number): number =>
      Math.max(Math.min(value, Number.MAX_SAFE_INTEGER), Number.MIN_SAFE_INTEGER);
    const is = (value: number): Fragment =>
      numberField(lasting).where({ ...filter, value: bound(value) }, dialect);
    switch (filter.operator) {
      case 'above':
      case 'atMost':
        return is(Math.floor(micros));
      case 'atLeast':
      case 'below':
        return is(Math.ceil(micros));
      case 'equals':
        return Number.isInteger(micros) ? is(micros) : never;
      case 'differs':
        return Number.isInteger(micros) ? is(micros) : fragment(`(${lasting} is not null)`);
    }
  },
  sort: () => fragment(lasting),
};

const errorField: FieldSource = {
  where(filter) {
    if (filter.is !== 'presence') throw new Error('an error is there, or is not');
    return fragment(
      filter.operator === 'isEmpty' ? '(x.error_info is null)' : '(x.error_info is not null)',
    );
  },
  sort: () => fragment('x.error_info'),
};
const errorType: FieldSource = {
  where: (filter, dialect) =>
    jsonField('x.error_info').where({ ...filter, path: ['exception_type'] }, dialect),
};

/** Rows without a source count as logged by an SDK. */
const sourceField = (column: string): FieldSource =>
  textField(column, { words: `coalesce(${column}, 'sdk')` });

/** What traces and spans have in common; the row is `x`. */
const entrySources = (kind: 'trace' | 'span'): FieldSources => ({
  id: idField('x.id'),
  name: textField('x.name', { indexed: true }),
  input: textField('x.input'),
  output: textField('x.output'),
  input_json: jsonField('x.input'),
  output_json: jsonField('x.output'),
  metadata: jsonField('x.metadata', { indexed: kind === 'trace' }),
  tags: listField('x.tags'),
  start_time: numberField('x.start_time'),
  end_time: numberField('x.end_time'),
  created_at: numberField('x.created_at'),
  last_updated_at: numberField('x.last_updated_at'),
  created_by: textField('x.created_by'),
  last_updated_by: textField('x.last_updated_by'),
  duration: durationField,
  ttft: numberField('x.ttft'),
  environment: textField('x.environment'),
  source: sourceField('x.source'),
  error_info: errorField,
  error_type: errorType,
  feedback_scores: scoresOf(kind, 'x'),
});

const spansOfTrace = 'spans s where s.project_id = x.project_id and s.trace_id = x.id';
const sumOver = (sum: string, from: string) => numberField(`(select ${sum} from ${from})`);

/** A member of the usage of spans, by its name behind the dot; summed where there are several. */
const usageField = (from: string, column: string, sums: boolean): FieldSource => {
  const amount = (key: string | undefined, dialect: Dialect): Fragment => {
    const member = dialect.jsonText(column, [key ?? '']);
    const mark = '\u0001';
    const parts = dialect.numberIn(mark).split(mark);
    const number = joined(...parts.flatMap((part, at) => (at === 0 ? [part] : [member, part])));
    return sums ? wrap('(select sum(', number, `) from ${from})`) : number;
  };
  return {
    where: (filter, dialect) => numberField(amount(filter.key, dialect)).where(filter, dialect),
    sort: ({ key }, dialect) => amount(key, dialect),
  };
};

const itemsOfTrace =
  'evaluation_items e join projects p on p.workspace_id = e.workspace_id where p.id = x.project_id and e.trace_id = x.id';
/** The experiments that a trace is an item of. */
const experimentField: FieldSource = {
  where(filter, dialect) {
    const id = dialect.idAsText('e.evaluation_id');
    if (filter.is !== 'words')
      return textField(`(select min(${id}) from ${itemsOfTrace})`, { exact: true }).where(
        filter,
        dialect,
      );
    const found = fragment(
      `exists (select 1 from ${itemsOfTrace} and ${id} in (${filter.value.map(() => '?').join(', ')}))`,
      ...filter.value,
    );
    return filter.operator === 'in' ? found : complement(found);
  },
  sort: (_, dialect) =>
    fragment(`(select min(${dialect.idAsText('e.evaluation_id')}) from ${itemsOfTrace})`),
};

/** The annotation queues that a trace or thread is in; a whole id is looked for by index. */
const queuesField = (alias: string): FieldSource => ({
  where(filter, dialect) {
    const is = (claim: Fragment): Fragment =>
      joined(
        `(exists (select 1 from annotation_queue_items i where i.project_id = ${alias}.project_id and i.item_id = ${alias}.id and not i.removed and `,
        claim,
        '))',
      );
    if (filter.is === 'presence')
      return filter.operator === 'isEmpty' ? complement(is(always)) : is(always);
    if (filter.is !== 'list') throw new Error('queues are claimed as a list');
    const id = filter.value.toLowerCase();
    const isPart = filter.operator === 'contains' || filter.operator === 'notContains';
    const claim = isId(id)
      ? fragment('i.queue_id = ?', id)
      : isPart
        ? dialect.holdsText(dialect.idAsText('i.queue_id'), 'contains', id)
        : never;
    const found = is(claim);
    return filter.operator === 'equals' || filter.operator === 'contains'
      ? found
      : complement(found);
  },
});

export const traceSources: FieldSources = {
  ...entrySources('trace'),
  thread_id: textField('x.thread_id', { indexed: true }),
  experiment_id: experimentField,
  experiment_ids: experimentField,
  guardrails: textField(
    "(select case when count(*) = 0 then null when sum(case when g.passed then 0 else 1 end) > 0 then 'failed' else 'passed' end from guardrails g where g.project_id = x.project_id and g.trace_id = x.id)",
  ),
  visibility_mode: textField('x.id', { words: "'default'" }),
  annotation_queue_ids: queuesField('x'),
  total_estimated_cost: sumOver('sum(s.cost)', spansOfTrace),
  span_count: sumOver('count(*)', spansOfTrace),
  llm_span_count: sumOver("count(case when s.type = 'llm' then 1 end)", spansOfTrace),
  'usage.total_tokens': sumOver('sum(s.total_tokens)', spansOfTrace),
  'usage.prompt_tokens': sumOver('sum(s.prompt_tokens)', spansOfTrace),
  'usage.completion_tokens': sumOver('sum(s.completion_tokens)', spansOfTrace),
  usage: usageField(spansOfTrace, 's.usage', true),
  span_feedback_scores: scoreField(
    "spans s join feedback_scores f on f.project_id = s.project_id and f.entity_id = s.id and f.entity_kind = 'span' where s.project_id = x.project_id and s.trace_id = x.id",
  ),
};

/** Bodies of spans are not where they could be asked: `narrowing.ts` does that, and they are sorted by how they begin. */
const spanBody = (part: 'input' | 'output'): FieldSource => ({
  where() {
    throw new Error(`the ${part} of spans is not compared by a database`);
  },
  sort: () => fragment(`x.${part}_start`),
});

export const spanSources: FieldSources = {
  ...entrySources('span'),
  input: spanBody('input'),
  output: spanBody('output'),
  input_json: spanBody('input'),
  output_json: spanBody('output'),
  trace_id: idField('x.trace_id'),
  parent_span_id: idField('x.parent_span_id'),
  type: textField('x.type', { words: "coalesce(x.type, 'general')" }),
  model: textField('x.model', { indexed: true }),
  provider: textField('x.provider'),
  total_estimated_cost: numberField('x.cost'),
  'usage.total_tokens': numberField('x.total_tokens'),
  'usage.prompt_tokens': numberField('x.prompt_tokens'),
  'usage.completion_tokens': numberField('x.completion_tokens'),
  usage: usageField('', 'x.usage', false),
};

const tracesOfThread = 'traces t where t.project_id = h.project_id and t.thread_key = h.thread_key';
const spansOfThread =
  'traces t join spans s on s.project_id = t.project_id and s.trace_id = t.id where t.project_id = h.project_id and t.thread_key = h.thread_key';
const ofThread = (column: string, direction: 'asc' | 'desc') =>
  `(select t.${column} from ${tracesOfThread} order by t.start_time ${direction}, t.id ${direction} limit 1)`;

/** Of threads, the row being `h`; those without a trace since a moment count as inactive. */
export const threadSources = (activeSince: number): FieldSources => ({
  id: textField('h.thread_id', { exact: true }),
  first_message: textField(ofThread('input', 'asc')),
  last_message: textField(ofThread('output', 'desc')),
  number_of_messages: sumOver('count(*) * 2', tracesOfThread),
  start_time: sumOver('min(t.start_time)', tracesOfThread),
  end_time: sumOver('max(coalesce(t.end_time, t.start_time))', tracesOfThread),
  duration: sumOver(
    '(max(coalesce(t.end_time, t.start_time)) - min(t.start_time)) / 1000.0',
    tracesOfThread,
  ),
  created_at: numberField('h.created_at'),
  created_by: textField('h.created_by'),
  last_updated_at: numberField('h.last_updated_at'),
  last_updated_by: textField('h.last_updated_by'),
  tags: listField('h.tags'),
  environment: textField('h.environment'),
  source: sourceField(ofThread('source', 'asc')),
  status: textField(
    `(case when h.closed or h.last_activity_at < ${Math.trunc(activeSince)} then 'inactive' else 'active' end)`,
  ),
  total_estimated_cost: sumOver('sum(s.cost)', spansOfThread),
  usage: usageField(spansOfThread, 's.usage', true),
  feedback_scores: scoresOf('thread', 'h'),
  annotation_queue_ids: queuesField('h'),
});
