// What evaluations are called, chosen and judged by. Pure.
import { Failure } from '#ports/failure';
import { evaluationTypes, type EvaluationMethod } from '#ports/model/evaluations';
import type { JudgedItem } from '#ports/storage/evaluations';
import { parseJson } from '../json-text.js';
import type { FieldFilter } from '#ports/field-query';
import { readFilters, type FilterType, type FilterTypes } from '../private-wire/filters.js';
import { readAnyId } from '../private-wire/ids.js';

/** Scores that have a value: what came as NaN has none. */
export const withValues = <S extends { readonly value?: number | undefined }>(
  scores: readonly S[],
): readonly (Omit<S, 'value'> & { readonly value: number })[] =>
  scores.flatMap(({ value, ...score }) => (value === undefined ? [] : [{ ...score, value }]));

export const evaluationFields: FilterTypes = {
  metadata: 'json',
  dataset_id: 'text',
  prompt_ids: 'list',
  tags: 'list',
  feedback_scores: 'scores',
  experiment_scores: 'scores',
  duration: 'scores',
  total_estimated_cost: 'number',
  total_estimated_cost_avg: 'number',
};
export const evaluationOrders: readonly string[] = [
  'id',
  'name',
  'created_at',
  'last_updated_at',
  'created_by',
  'tags',
  'trace_count',
  'duration.p50',
  'duration.p90',
  'duration.p99',
  'total_estimated_cost',
  'total_estimated_cost_avg',
  'feedback_scores.*',
  'experiment_scores.*',
];

const comparedFields: FilterTypes = {
  id: 'text',
  data: 'map',
  input: 'json',
  output: 'json',
  metadata: 'json',
  tags: 'list',
  duration: 'number',
  feedback_scores: 'scores',
  created_at: 'instant',
  last_updated_at: 'instant',
};
export const comparedOrders: readonly string[] = [
  'id',
  'created_at',
  'last_updated_at',
  'duration',
  'tags',
  'data.*',
  'input.*',
  'output.*',
  'metadata.*',
  'feedback_scores.*',
];

/** Columns stand in filters by their own name behind a dot: `data.city`. */
const splitColumn = (sent: unknown): unknown => {
  if (typeof sent !== 'object' || sent === null) return sent;
  const { field, key } = sent as { readonly field?: unknown; readonly key?: unknown }; // any object can be read by name
  if (typeof field !== 'string') return sent;
  const [, column, name] = /^(data|input|output|metadata)\.(.+)$/s.exec(field) ?? [];
  return column === undefined || (key !== undefined && key !== null && key !== '')
    ? sent
    : { ...sent, field: column, key: name };
};
/** Text that holds whole values of a column is asked for without a key. */
const wholeColumn = (field: string): FilterType | undefined =>
  field === 'full_data' ? 'text' : undefined;

/** Filters of items beside their runs: JSON text of a query. */
export const readComparedFilters = (sent: string | undefined): readonly FieldFilter[] => {
  const parsed = parseJson(sent ?? '[]');
  return readFilters(
    Array.isArray(parsed) ? parsed.map(splitColumn) : sent,
    comparedFields,
    wholeColumn,
  );
};

/** Newer servers call a suite by another word. */
export const readMethod = (
  method: EvaluationMethod | 'test_suite' | undefined,
): EvaluationMethod => (method === 'test_suite' ? 'evaluation_suite' : (method ?? 'dataset'));

/** A list of texts that a query holds as JSON. Rejects with `invalid`. */
export const readTexts = (sent: string | undefined, member: string): readonly string[] => {
  if (sent === undefined || sent.trim() === '') return [];
  const parsed = parseJson(sent);
  if (!Array.isArray(parsed) || !parsed.every((one) => typeof one === 'string'))
    throw new Failure('invalid', `query param ${member} must be a JSON array of texts`);
  return [...new Set(parsed as readonly string[])]; // just tested
};
/** Types of evaluations that a query holds as JSON. Rejects with `invalid`, also for one that there is not. */
export const readTypes = (sent: string | undefined): readonly string[] => {
  const types = readTexts(sent, 'types');
  const known: readonly string[] = evaluationTypes;
  const odd = types.find((type) => !known.includes(type));
  if (odd !== undefined)
    throw new Failure('invalid', `query param types knows no ${odd.slice(0, 100)}`);
  return types;
};
export const readIdList = (sent: string | undefined, member: string): readonly string[] =>
  readTexts(sent, member).map((id) => readAnyId(id, member));

const animals = ['otter', 'heron', 'lynx', 'wren', 'ibex', 'tern', 'vole', 'kite', 'newt', 'hare'];
const colors = [
  'amber',
  'azure',
  'coral',
  'ivory',
  'jade',
  'olive',
  'ochre',
  'plum',
  'teal',
  'umber',
];

/** A name for an evaluation that was given none, from its id. */
export const inventName = (id: string): string => {
  const digits = Number.parseInt(id.replaceAll('-', '').slice(-8), 16);
  const word = (words: readonly string[], by: number) =>
    words[Math.floor(digits / by) % words.length];
  return `${word(colors, 1) ?? ''}_${word(animals, 10) ?? ''}_${digits % 10_000}`;
};

/** How many runs of an item must pass; one, where its policy does not say. */
const thresholdOf = (policy: string | undefined): number => {
  const read = policy === undefined ? undefined : parseJson(policy);
  const asked =
    typeof read === 'object' && read !== null
      ? (read as { readonly pass_threshold?: unknown }).pass_threshold // any object can be read by name
      : undefined;
  return typeof asked === 'number' && asked > 0 ? asked : 1;
};

/** Whether enough runs of an item passed. */
export const hasPassed = ({
  passedRuns,
  executionPolicy,
}: Pick<JudgedItem, 'passedRuns' | 'executionPolicy'>): boolean =>
  passedRuns >= thresholdOf(executionPolicy);

export const isBlank = (text: string | undefined): boolean =>
  text === undefined || text.trim() === '';

export const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

export const absentEvaluation = (id: string): Failure =>
  new Failure('absent', `experiment ${id} not found`);
