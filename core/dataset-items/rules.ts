// What items are filtered by, and how they are shown. Pure.
import type { FieldFilter } from '#ports/field-query';
import type { DatasetColumn, DatasetItem } from '#ports/model/datasets';
import { showJudging } from '../datasets/rules.js';
import { showAuthorship } from '../private-wire/authorship.js';
import { readFilters, type FilterTypes } from '../private-wire/filters.js';

const itemFields: FilterTypes = {
  id: 'text',
  source: 'text',
  trace_id: 'text',
  span_id: 'text',
  created_by: 'text',
  last_updated_by: 'text',
  full_data: 'text',
  data: 'map',
  tags: 'list',
  created_at: 'instant',
  last_updated_at: 'instant',
};

/** Filters of items: a list of a body, or JSON text. */
export const readItemFilters = (
  sent: string | readonly unknown[] | undefined,
): readonly FieldFilter[] => readFilters(sent, itemFields);

export const showItem = (item: DatasetItem) => ({
  id: item.id,
  dataset_item_id: item.id,
  dataset_id: item.datasetId,
  trace_id: item.traceId,
  span_id: item.spanId,
  source: item.source,
  data: JSON.parse(item.data) as unknown,
  description: item.description,
  tags: item.tags && [...item.tags],
  ...showJudging(item),
  ...showAuthorship(item),
});

/** Columns by name, each with its types, and by what filters name it. */
export const showColumns = (columns: readonly DatasetColumn[], prefix = 'data') => {
  const byName = new Map<string, string[]>();
  for (const { name, type } of columns) byName.set(name, [...(byName.get(name) ?? []), type]);
  return [...byName].map(([name, types]) => ({
    name,
    types,
    filter_field_prefix: prefix,
    filterField: `${prefix}.${name}`,
  }));
};

const typeOf = (value: unknown): DatasetColumn['type'] => {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' ? type : 'object';
};

/** Members that are remembered of one request: a dataset whose members are ids would have as many as items. */
const mostColumns = 500;

/** The members that objects have, which come as JSON text, each with its types once; what is no object has none. */
export const membersOf = (texts: readonly string[]): readonly DatasetColumn[] => {
  const found = new Map<string, DatasetColumn>();
  for (const text of texts) {
    const parsed: unknown = JSON.parse(text); // as it was written
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) continue;
    for (const [name, value] of Object.entries(parsed)) {
      const type = typeOf(value);
      if (found.size < mostColumns) found.set(`${type} ${name}`, { name, type });
    }
  }
  return [...found.values()];
};
