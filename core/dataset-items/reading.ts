// Items of datasets as clients send them. Pure.
import { Failure } from '#ports/failure';
import type { Authorship, Touch } from '#ports/model/authorship';
import type { DatasetColumn, DatasetItem } from '#ports/model/datasets';
import { readTags, retagged } from '../datasets/rules.js';
import { readId } from '../private-wire/ids.js';
import { membersOf } from './rules.js';

type Data = Readonly<Record<string, unknown>>;

/** What a client sends of an item. */
export interface SentItem {
  readonly id?: string | undefined;
  readonly trace_id?: string | undefined;
  readonly span_id?: string | undefined;
  readonly source?: string | undefined;
  readonly data?: unknown;
  readonly description?: string | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly evaluators?: readonly unknown[] | undefined;
  readonly execution_policy?: Data | undefined;
}

export interface SentUpdate extends SentItem {
  readonly input?: string | undefined;
  readonly expected_output?: string | undefined;
  readonly metadata?: unknown;
  readonly tags_to_add?: readonly string[] | undefined;
  readonly tags_to_remove?: readonly string[] | undefined;
  readonly clear_execution_policy?: boolean | undefined;
}

const readData = (data: unknown): Data => {
  if (data === undefined || data === null) throw new Failure('unprocessable', 'data is required');
  if (typeof data !== 'object' || Array.isArray(data))
    throw new Failure('invalid', 'data must be an object');
  if (Object.keys(data).length === 0)
    throw new Failure('unprocessable', 'data must have at least one member');
  return data as Data; // an object that is no list
};

/** What an item came from. Rejects with `unprocessable` for one of a trace or span that does not say of which. */
const checkSource = ({ source, traceId, spanId }: DatasetItem): void => {
  if ((source === 'trace' || source === 'span') && traceId === undefined)
    throw new Failure('unprocessable', `trace_id must not be null for an item of source ${source}`);
  if (source === 'span' && spanId === undefined)
    throw new Failure('unprocessable', 'span_id must not be null for an item of source span');
};

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);
const idOf = (id: string | undefined, what: string): string | undefined =>
  id === undefined ? undefined : readId(id, what);

/** An item as it was sent, for a dataset that is still to be found; what it does not say is left out. */
export const readItem = (sent: SentItem, newId: () => string, made: Authorship): DatasetItem => {
  const item: DatasetItem = {
    datasetId: '',
    id: idOf(sent.id, 'dataset item') ?? newId(),
    traceId: idOf(sent.trace_id, 'trace'),
    spanId: idOf(sent.span_id, 'span'),
    source: sent.source ?? 'sdk',
    data: JSON.stringify(readData(sent.data)),
    description: sent.description,
    tags: sent.tags && readTags(sent.tags),
    evaluators: textOf(sent.evaluators),
    executionPolicy: textOf(sent.execution_policy),
    ...made,
  };
  checkSource(item);
  return item;
};

/** Members of older SDKs that stand beside the data. */
const dataAfter = (before: string, sent: SentUpdate): string => {
  const { input, expected_output, metadata } = sent;
  const data = sent.data === undefined ? undefined : readData(sent.data);
  const beside = Object.entries({ input, expected_output, metadata }).filter(
    ([, value]) => value !== undefined,
  );
  if (data === undefined && beside.length === 0) return before;
  const start = data ?? (JSON.parse(before) as Data); // as it was written
  return JSON.stringify({ ...start, ...Object.fromEntries(beside) });
};

/** An item after a change; what was not sent stays. */
export const changeItem = (
  item: DatasetItem,
  sent: SentUpdate,
  touch: Touch,
  mergeTags = false,
): DatasetItem => {
  const changed: DatasetItem = {
    ...item,
    traceId: idOf(sent.trace_id, 'trace') ?? item.traceId,
    spanId: idOf(sent.span_id, 'span') ?? item.spanId,
    source: sent.source ?? item.source,
    data: dataAfter(item.data, sent),
    description: sent.description ?? item.description,
    tags: retagged(item.tags, sent, mergeTags) ?? item.tags,
    evaluators: textOf(sent.evaluators) ?? item.evaluators,
    executionPolicy:
      sent.clear_execution_policy === true
        ? undefined
        : (textOf(sent.execution_policy) ?? item.executionPolicy),
    ...touch,
  };
  checkSource(changed);
  return changed;
};

/** The members that the data of items has, each with its types once. */
export const columnsOf = (items: readonly Pick<DatasetItem, 'data'>[]): readonly DatasetColumn[] =>
  membersOf(items.map(({ data }) => data));
