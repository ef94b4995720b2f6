// Answers to what further clients ask.
import type { Handlers } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import type { Toggles } from '#ports/toggles';
import type { Workspace } from '#ports/model/workspaces';
import { detailsOf } from './answering.js';
import type { clientRows, recentRows } from './client-rows.js';
import type { DriftDays } from './drift-days.js';
import type { Value } from './items.js';
import {
  fieldKey,
  fieldsOf,
  findModel,
  modelIdOf,
  modelsOf,
  partsOf,
  type Field,
  type MonitoredModel,
} from './models.js';
import { dayMs, type MonitoringNeeds } from './needs.js';
import { eventsField, readProfiles } from './profiles.js';
import { density, driftSeries, metricSeries } from './queries.js';
import { readEvents } from './reading.js';
import { withSegments } from './segments.js';
import { sizeOf } from './sketches.js';
import { answerStatement, ownColumns } from './statements.js';

/** The model of a name in a workspace that was admitted. */
const requireModel = async (
  needs: MonitoringNeeds,
  workspace: Workspace,
  name: string,
): Promise<MonitoredModel> => {
  const found = await findModel(needs.tables, modelIdOf(needs, workspace.id, name));
  if (found === undefined)
    throw new Failure('absent', `monitored model ${name.slice(0, 80)} not found`);
  return found;
};

const sourceNames = {
  feature: 'model_input_features',
  prediction: 'model_output_features',
  label: 'model_labels',
} as const;
const kinds = {
  feature: 'INPUT_FEATURE',
  prediction: 'OUTPUT_PREDICTION',
  label: 'LABEL',
} as const;

const lastSeenOf = (fields: Iterable<Field>): number | null => {
  let last: number | null = null;
  for (const { lastSeen, source } of fields)
    if (source !== 'label') last = Math.max(last ?? 0, lastSeen);
  return last;
};

const completeDetails = async (needs: MonitoringNeeds, model: MonitoredModel) => {
  const { tables, clock } = needs;
  const versions = new Set<string>();
  let events = 0;
  const span = { from: 0, to: clock.now() + 2 * dayMs };
  for await (const { version, sketch } of readProfiles(tables, model.id, eventsField, span)) {
    versions.add(version);
    events += sketch.events;
  }
  return {
    ...(await detailsOf(needs, model)),
    versions: [...versions].sort(),
    events,
    lastEventAt: lastSeenOf((await fieldsOf(tables, model.id)).values()),
  };
};

const usualPage = 100;

const searchModels = async (
  needs: MonitoringNeeds,
  workspace: Workspace,
  {
    search = '',
    page = 1,
    pageSize = usualPage,
  }: {
    readonly search?: string | undefined;
    readonly page?: number | undefined;
    readonly pageSize?: number | undefined;
  },
) => {
  const found = (await modelsOf(needs.tables, workspace.id)).filter(({ name }) =>
    name.toLowerCase().includes(search.toLowerCase()),
  );
  const models = [];
  for (const { id, name, createdAt } of found.slice((page - 1) * pageSize, page * pageSize)) {
    const fields = await fieldsOf(needs.tables, id);
    models.push({
      modelId: id,
      modelName: name,
      workspaceName: workspace.name,
      createdAt,
      features: [...fields.values()].filter(({ source }) => source === 'feature').length,
      lastEventAt: lastSeenOf(fields.values()),
    });
  }
  return { models, total: found.length, page, pageSize };
};

const searchFeatures = async (
  needs: MonitoringNeeds,
  workspace: Workspace,
  withMetrics: boolean,
) => {
  const now = needs.clock.now();
  const features = [];
  for (const model of await modelsOf(needs.tables, workspace.id))
    for (const field of (await fieldsOf(needs.tables, model.id)).values()) {
      const sums = { values: 0, missing: 0 };
      const span = { from: now - 7 * dayMs, to: now + dayMs };
      if (withMetrics)
        for await (const { sketch } of readProfiles(
          needs.tables,
          model.id,
          fieldKey(needs, field.column),
          span,
        )) {
          sums.values += sizeOf(sketch);
          sums.missing += sketch.missing;
        }
      features.push({
        name: field.name,
        type: field.numeric ? ('NUMERICAL' as const) : ('CATEGORICAL' as const),
        source: sourceNames[field.source],
        modelId: model.id,
        modelName: model.name,
        firstSeen: field.firstSeen,
        lastSeen: field.lastSeen,
        ...(withMetrics ? { metrics: sums } : {}),
      });
    }
  return { features };
};

const schemaOf = async (needs: MonitoringNeeds, model: MonitoredModel) => {
  const fields = [...(await fieldsOf(needs.tables, model.id)).values()];
  return {
    columns: [
      ...ownColumns.map((name, at) => ({
        name,
        type: at === 0 ? ('TIMESTAMP' as const) : ('VARCHAR' as const),
        kind: 'SYSTEM' as const,
      })),
      ...fields.map(({ column, source, numeric }) => ({
        name: column,
        type: numeric ? ('DOUBLE' as const) : ('VARCHAR' as const),
        kind: kinds[source],
      })),
    ],
  };
};

const mostRows = 10_000;

const answerQuery = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  sql: string,
  asked: number | undefined,
  signal: AbortSignal,
) => {
  const most = Math.min(asked ?? mostRows, mostRows);
  const { columns, rows, truncated } = await answerStatement(needs, { model, signal }, sql, most);
  return {
    columns,
    rows: rows.map((cells) =>
      Object.fromEntries(columns.map((name, at) => [name, cells[at] ?? null])),
    ),
    rowCount: rows.length,
    truncated,
  };
};

export const clientHandlers = (
  needs: MonitoringNeeds,
  toggles: Toggles,
  kept: DriftDays,
): Handlers<typeof clientRows> => ({
  listWorkspaceModels: async ({ workspace }) => ({
    workspaceName: workspace.name,
    workspaceId: workspace.id,
    models: (await modelsOf(needs.tables, workspace.id)).map(({ id, name }) => ({
      modelId: id,
      modelName: name,
    })),
  }),
  getMonitoredModelById: ({ monitoredModel }) => completeDetails(needs, monitoredModel),
  searchMonitoredModels: ({ workspace, body }) => searchModels(needs, workspace, body),
  searchFeatures: ({ workspace, query }) =>
    searchFeatures(needs, workspace, query.includeMetrics === true),
  readMonitoredSchema: async ({ workspace, query }) =>
    schemaOf(needs, await requireModel(needs, workspace, query.modelName)),
  askMonitoredSchema: async ({ workspace, body }) =>
    schemaOf(needs, await requireModel(needs, workspace, body.modelName)),
  queryMonitoredEvents: async ({ workspace, body, signal }) => {
    const model = await requireModel(needs, workspace, body.modelName);
    return answerQuery(needs, model, body.sql, body.maxRows, signal);
  },
  queryModelMetric: async ({ monitoredModel: model, body, signal }) =>
    metricSeries(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readModelDensity: async ({ monitoredModel: model, body, signal }) =>
    density(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readModelDrift: async ({ monitoredModel: model, body, signal }) =>
    driftSeries(
      needs,
      { model, signal },
      await withSegments(needs, model.id, body),
      toggles.isOn('model-production-monitoring-drift-methods'),
      kept,
    ),
});

/** The newest events of the days up to now, the newest first. */
const recentEvents = async (
  needs: MonitoringNeeds,
  model: MonitoredModel,
  limit: number,
  signal: AbortSignal,
) => {
  const columns = [...(await fieldsOf(needs.tables, model.id)).keys()];
  const now = needs.clock.now();
  const found: {
    predictionId: string;
    timestamp: number;
    serverTimestamp: null;
    modelVersion: string;
    features: Record<string, Value>;
    prediction: Record<string, Value>;
    labels: Record<string, Value>;
  }[] = [];
  for (let to = now + dayMs; found.length < limit && to > now - model.rawDays * dayMs;) {
    const from = to - (found.length === 0 ? 2 : 7) * dayMs;
    const span = { from, to };
    for await (const batch of readEvents(needs, model.id, span, signal, columns)) {
      const [id, version] = [batch.column('prediction_id'), batch.column('model_version')];
      const readers = columns.map((column) => [partsOf(column), batch.column(column)] as const);
      for (let row = 0; row < batch.length; row++) {
        const [features, prediction, labels]: Record<string, Value>[] = [{}, {}, {}];
        const held = { feature: features, prediction, label: labels };
        for (const [{ source, name }, read] of readers) {
          const value = read(row);
          const into = held[source];
          if (value !== undefined && into !== undefined) into[name] = value;
        }
        found.push({
          predictionId: String(id(row)),
          timestamp: batch.at(row),
          serverTimestamp: null,
          modelVersion: String(version(row)),
          features: features ?? {},
          prediction: prediction ?? {},
          labels: labels ?? {},
        });
      }
      // Only the newest are kept, so that a day of many events stays small.
      if (found.length > 20 * limit) found.sort(newestFirst).splice(limit);
    }
    to = from;
  }
  return { events: found.sort(newestFirst).slice(0, limit) };
};
const newestFirst = (
  one: { readonly timestamp: number },
  other: { readonly timestamp: number },
): number => other.timestamp - one.timestamp;

export const recentHandlers = (
  needs: MonitoringNeeds,
  most: number,
): Handlers<typeof recentRows> => ({
  listRecentEvents({ monitoredModel, query: { limit = most }, signal }) {
    if (limit > most)
      throw new Failure(
        'invalid',
        `limit must be at most ${most}, as MPM_EVENTS_FETCH_SIZE_DEBUGGER says`,
      );
    return recentEvents(needs, monitoredModel, limit, signal);
  },
});
