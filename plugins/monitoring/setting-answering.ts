// Answers about segments and baselines, and what is done with the events of a model as a whole.
import type { Handlers } from '#ports/api/operation';
import { createArtifactBaseline } from './artifact-baselines.js';
import {
  createBaseline,
  markBaseline,
  removeBaseline,
  requireBaseline,
} from './baseline-making.js';
import { deleteEvents } from './deleting.js';
import { exportEvents } from './exporting.js';
import type { MonitoredModel } from './models.js';
import { removeModel, retentionOf, settleModel, settleWorkspace } from './model-settling.js';
import type { MonitoringNeeds } from './needs.js';
import { labelChangesOf } from './relabelling.js';
import { createSegment, removeSegment, segmentsOf, updateSegment } from './segments.js';
import type { settingRows } from './setting-rows.js';

const shown = ({
  id,
  rawDays,
  sumDays,
  profileOnly,
  registryModelName,
  importances,
  labelPolicy,
  bounds,
}: MonitoredModel) => ({
  modelId: id,
  rawDays,
  sumDays,
  profileOnly,
  registryModelName,
  labelPolicy,
  importances: (importances === null ? {} : JSON.parse(importances)) as Readonly<
    Record<string, number>
  >, // written by settleModel
  bounds: (bounds === null ? {} : JSON.parse(bounds)) as Readonly<
    Record<string, { readonly min?: number; readonly max?: number }>
  >, // likewise
});

export const settingHandlers = (needs: MonitoringNeeds): Handlers<typeof settingRows> => ({
  getMonitoredModelSettings: ({ monitoredModel }) => Promise.resolve(shown(monitoredModel)),
  changeMonitoredModelSettings: async ({ monitoredModel, body }) =>
    shown(await settleModel(needs.tables, monitoredModel, body)),
  getMonitoringRetention: async ({ workspace: { id } }) => ({
    workspaceId: id,
    ...(await retentionOf(needs.tables, id)),
  }),
  changeMonitoringRetention: async ({ workspace: { id }, body }) => ({
    workspaceId: id,
    ...(await settleWorkspace(needs.tables, id, body)),
  }),
  async deleteMonitoredModel({ monitoredModel }) {
    await removeModel(needs.tables, monitoredModel.id);
    return { modelId: monitoredModel.id };
  },
  deleteMonitoredEvents: ({ monitoredModel, body, signal }) =>
    deleteEvents(needs, monitoredModel, body, signal),
  exportMonitoredEvents: ({ monitoredModel: model, query, signal }) =>
    exportEvents(needs, { model, signal }, query),
  listLabelChanges: async ({ monitoredModel, query }) => ({
    changes: await labelChangesOf(needs, monitoredModel.id, query.predictionId),
  }),
  listSegments: async ({ monitoredModel }) => ({
    segments: await segmentsOf(needs.tables, monitoredModel.id),
  }),
  createSegment: ({ monitoredModel, body }) => createSegment(needs, monitoredModel, body),
  updateSegment: ({ monitoredSegment: { workspaceId: _, ...segment }, body }) =>
    updateSegment(needs, segment, body),
  async deleteSegment({ monitoredSegment }) {
    await removeSegment(needs, monitoredSegment);
    return { segmentId: monitoredSegment.segmentId };
  },
  createBaseline: ({ monitoredModel, body: { kind, ...body }, caller, signal }) =>
    kind === 'artifact'
      ? createArtifactBaseline(needs, monitoredModel, body, caller, signal)
      : createBaseline(needs, monitoredModel, { kind, ...body }, caller.userName, signal),
  async changeBaseline({ monitoredModel, params, body }) {
    const found = await requireBaseline(needs.tables, monitoredModel.id, params.baselineId);
    return markBaseline(needs, found, body.isDefault);
  },
  async deleteBaseline({ monitoredModel, params }) {
    const found = await requireBaseline(needs.tables, monitoredModel.id, params.baselineId);
    await removeBaseline(needs, found);
    return { baselineId: found.baselineId };
  },
});
