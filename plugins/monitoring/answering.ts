// Answers to what is asked of monitored models.
import { eachAccessible, type Handlers, type Operation } from '#ports/api/operation';
import type { Caller } from '#ports/model/identity';
import { workspace, type Workspace } from '#ports/model/workspaces';
import type { Toggles } from '#ports/toggles';
import { dayMs, hourMs, type MonitoringNeeds } from './needs.js';
import { eventsField, readProfiles } from './profiles.js';
import { baselinesOf, defaultBaseline } from './baselines.js';
import type { DriftDays } from './drift-days.js';
import { countedHours, listFaults } from './faults.js';
import { glanceAtDrift } from './glance.js';
import { fieldsOf, modelsOf, type MonitoredModel } from './models.js';
import { comparison, density, distribution, driftSeries, metricSeries } from './queries.js';
import { performance } from './performance.js';
import { quality } from './quality.js';
import type { queryRows } from './rows.js';
import { withSegments } from './segments.js';
import { bucketsOf, isoOf } from './series.js';
import { classificationCurve, gainsTable } from './scoring.js';

/** Asks the gate for workspaces as a row would that reads in them. */
const reading = {
  method: 'GET',
  path: '/api/mpm',
  summary: 'Read in workspaces',
  access: { needs: 'read', about: eachAccessible(workspace, 'body.names') },
  replies: { 200: null },
} satisfies Operation;

const workspacesOf = async (
  { gate, operations }: MonitoringNeeds,
  caller: Caller,
): Promise<readonly Workspace[]> => {
  const { workspaceNames: names } = (await operations.call('listWorkspaces', {}, caller)) as {
    readonly workspaceNames: readonly string[];
  }; // that row's reply
  if (names.length === 0) return [];
  const named = { query: {}, params: {}, body: { names }, part: {}, header: {} };
  const found = await gate.admit(reading, [reading.access.about], named, caller, {});
  return found['workspaces'] as readonly Workspace[]; // loaded for the only subject
};

/** Versions of the events that are still kept. */
const versionsOf = async (
  { tables, clock }: MonitoringNeeds,
  { id, rawDays }: MonitoredModel,
): Promise<readonly string[]> => {
  const versions = new Set<string>();
  const now = clock.now();
  const span = { from: now - rawDays * dayMs, to: now + 2 * dayMs };
  for await (const { version } of readProfiles(tables, id, eventsField, span))
    versions.add(version);
  return [...versions].sort();
};

export const detailsOf = async (needs: MonitoringNeeds, model: MonitoredModel) => {
  const { tables } = needs;
  const fields = [...(await fieldsOf(tables, model.id)).values()];
  return {
    name: model.name,
    modelId: model.id,
    workspaceId: model.workspaceId,
    createdAt: model.createdAt,
    model: {
      features: fields
        .filter(({ source }) => source !== 'label')
        .map(({ name, source, numeric }) => ({
          name,
          type: numeric ? ('NUMERICAL' as const) : ('CATEGORICAL' as const),
          source:
            source === 'feature'
              ? ('model_input_features' as const)
              : ('model_output_features' as const),
        })),
      labels: fields.filter(({ source }) => source === 'label').map(({ name }) => ({ name })),
      versions: await versionsOf(needs, model),
    },
  };
};

const addedUp = (
  all: readonly Readonly<Record<string, number>>[],
): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {};
  for (const one of all)
    for (const [word, n] of Object.entries(one)) counts[word] = (counts[word] ?? 0) + n;
  return counts;
};

const usualPage = 100;

export const queryHandlers = (
  needs: MonitoringNeeds,
  toggles: Toggles,
  kept: DriftDays,
): Handlers<typeof queryRows> => ({
  async listMonitoredModels({ caller }) {
    const found = await workspacesOf(needs, caller);
    const workspaces = [];
    for (const { id, name } of found)
      workspaces.push({
        workspaceName: name,
        workspaceId: id,
        models: (await modelsOf(needs.tables, id)).map((model) => ({
          modelId: model.id,
          modelName: model.name,
        })),
      });
    return { workspaces };
  },
  getMonitoredModel: ({ monitoredModel }) => detailsOf(needs, monitoredModel),
  countPredictions: async ({ monitoredModel: model, body, signal }) =>
    metricSeries(
      needs,
      { model, signal },
      { ...(await withSegments(needs, model.id, body)), cometSql: 'SELECT count(*) FROM model' },
    ),
  queryMonitoredMetric: async ({ monitoredModel: model, body, signal }) =>
    metricSeries(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readDrift: async ({ monitoredModel: model, body, signal }) =>
    driftSeries(
      needs,
      { model, signal },
      await withSegments(needs, model.id, body),
      toggles.isOn('model-production-monitoring-drift-methods'),
      kept,
    ),
  glanceAtDrift: ({ monitoredModel: model, signal }) => glanceAtDrift(needs, { model, signal }),
  readDistribution: async ({ monitoredModel: model, body, signal }) =>
    distribution(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readDensity: async ({ monitoredModel: model, body, signal }) =>
    density(needs, { model, signal }, await withSegments(needs, model.id, body)),
  compareField: async ({ monitoredModel: model, body, signal }) =>
    comparison(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readClassificationCurve: async ({ monitoredModel: model, body, signal }) =>
    classificationCurve(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readGainsTable: async ({ monitoredModel: model, body, signal }) =>
    gainsTable(needs, { model, signal }, await withSegments(needs, model.id, body)),
  readDataQuality: ({ monitoredModel: model, query, signal }) =>
    quality(needs, { model, signal }, query),
  readPerformance: ({ monitoredModel: model, query, signal }) =>
    performance(needs, { model, signal }, query),
  listBaselines: async ({ monitoredModel }) => ({
    baselines: await baselinesOf(needs.tables, monitoredModel.id),
    default: (await defaultBaseline(needs, monitoredModel, undefined)) ?? null,
  }),
  async listIngestionErrors({ monitoredModel, query }) {
    const { from = 0, to = Infinity, reason, page = 1, pageSize = usualPage } = query;
    const all = (await listFaults(needs, needs.tables, monitoredModel.id)).filter(
      ({ timestamp, reason: own }) =>
        timestamp >= from && timestamp < to && (reason === undefined || own === reason),
    );
    return {
      errors: all.slice((page - 1) * pageSize, page * pageSize),
      counts: addedUp(all.map(({ reason: own, times }) => ({ [own]: times }))),
      total: all.length,
      page,
      pageSize,
    };
  },
  async countIngestionErrors({ monitoredModel, query }) {
    const { from, to } = bucketsOf({ ...query, intervalType: 'HOURLY' }, needs.clock.now());
    const hours = await countedHours(needs.tables, monitoredModel.id, from, to);
    return {
      hours: hours.map(({ hour, counts }) => ({ x: isoOf(hour * hourMs), counts })),
      counts: addedUp(hours.map(({ counts }) => counts)),
    };
  },
});
