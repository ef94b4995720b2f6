// What dashboards may hold, and what they are called in addresses. Pure.
import { Failure } from '#ports/failure';
import type { ChartDashboard } from '#ports/model/dashboards';
import { KeptJson } from '#ports/kept-json';
import { showAuthorship } from '../private-wire/authorship.js';
import type { FilterTypes } from '../private-wire/filters.js';
import { isUuid } from '../uuid.js';

export const dashboardFields: FilterTypes = {
  id: 'text',
  name: 'text',
  type: 'word',
  scope: 'word',
  created_at: 'instant',
  last_updated_at: 'instant',
  created_by: 'text',
  last_updated_by: 'text',
};
export const dashboardOrders: readonly string[] = [
  'id',
  'name',
  'type',
  'created_at',
  'last_updated_at',
];

/** A name in lower-case Latin letters, digits and hyphens; `dashboard` where it has none of them. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 120) || 'dashboard';

/** The widget whose chart is drawn from a query of its own. */
export const queryWidget = 'ollie_chart';
const longestQuery = 65_536;
const mostConfigBytes = 1024 * 1024;

type Members = Readonly<Record<string, unknown>>;
export const membersOf = (value: unknown): Members | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members) // an object, as was just checked
    : undefined;
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : []; // a list, as was just checked

const refused = (sentence: string) => new Failure('unprocessable', sentence);

const checkQuery = (query: Members): void => {
  const { sql, projectId } = query;
  if (sql !== undefined && sql !== null) {
    if (typeof sql !== 'string' || sql.trim() === '')
      throw refused('config: the sql of a query must not be blank');
    if (sql.length > longestQuery)
      throw refused(`config: the sql of a query must have at most ${longestQuery} characters`);
  }
  if (
    projectId !== undefined &&
    projectId !== null &&
    (typeof projectId !== 'string' || !isUuid(projectId))
  )
    throw refused('config: the projectId of a query must be a UUID');
};

/**
 * The JSON text of a configuration. Rejects with `invalid` for what is no object, and with `unprocessable` where it is too long or a chart's query
 * is unfit.
 */
export const readConfig = ({ json }: KeptJson): string => {
  if (json === 'null') throw refused('config is required');
  const config = membersOf(JSON.parse(json));
  if (config === undefined) throw new Failure('invalid', 'config must be a JSON object');
  if (new TextEncoder().encode(json).length > mostConfigBytes)
    throw refused(`config must have at most ${mostConfigBytes} bytes`);
  for (const section of listOf(config['sections']))
    for (const widget of listOf(membersOf(section)?.['widgets'])) {
      const { type, config: of } = membersOf(widget) ?? {};
      const query = type === queryWidget ? membersOf(membersOf(of)?.['query']) : undefined;
      if (query !== undefined) checkQuery(query);
    }
  return json;
};

export const showDashboard = (one: ChartDashboard) => ({
  id: one.id,
  workspace_id: one.workspaceId,
  project_id: one.projectId,
  name: one.name,
  slug: one.slug,
  type: one.type,
  scope: one.scope,
  description: one.description,
  config: new KeptJson(one.config),
  ...showAuthorship(one),
});
