// What a project is looked at with: panels that users write, dashboards, and views of projects and of single experiments.
import { experiment } from '../model/experiments.js';
import { panel } from '../model/panels.js';
import { project } from '../model/projects.js';
import { workspace } from '../model/workspaces.js';
import { maybe, one, operations, bytes, multipart } from './operation.js';
import {
  anything,
  integer,
  list,
  millis,
  object,
  optional,
  record,
  text,
  texts,
  flag,
  nullable,
  shape,
} from './schema.js';
import { read, saved, write } from './tracking.js';

export const view = shape('View', 'A view of a project or an experiment.', {
  templateId: text(),
  templateName: text(),
  projectId: text(),
  experimentKey: nullable(text()),
  experimentQueryState: nullable(text()),
  dashboardChartState: nullable(text()),
  reactGridTableState: nullable(text()),
  v2: anything(),
  v3: anything(),
  source: nullable(text()),
  viewSource: nullable(text()),
  current: flag(),
  unsavedView: flag(),
  createdBy: text(),
  createdFromTemplateId: nullable(text()),
  projectDefault: flag(),
  projectPersonalDefault: flag(),
  autoRefreshEnabled: flag(),
  lastUpdate: millis(),
  pinnedExperiments: list(text()),
  codePanelTemplateIds: list(text()),
});
const states = {
  templateName: text({ min: 1 }),
  templateId: optional(text()),
  experimentQueryState: optional(text()),
  dashboardChartState: optional(text()),
  reactGridTableState: optional(text()),
  v2: optional(anything()),
  v3: optional(anything()),
  codePanelTemplateIds: optional(texts()),
  pinnedExperiments: optional(texts()),
  autoRefreshEnabled: optional(flag()),
};
const ofProject = one(project, 'body.projectId');
const views = object({ views: list(view) });
const listing = object({
  projectId: text(),
  experimentKey: optional(text()),
  includeWorkspaceViews: optional(flag()),
});

const dashboard = shape('Dashboard', 'A dashboard of a project.', {
  template_id: text(),
  template_name: text(),
  project_id: text(),
  codePanelTemplateIds: list(text()),
  created_by: text(),
  last_update: millis(),
});

export const panelOperations = operations({
  uploadPanel: {
    method: 'POST',
    path: write('/template/upload'),
    access: { needs: 'write', about: maybe(workspace, 'query.teamName') },
    summary: 'Upload a panel to a workspace, or a new revision of one',
    query: object({ teamName: optional(text()), templateId: optional(text()) }),
    body: multipart({ file: 'the zip of the panel' }),
    replies: { 200: saved({ templateId: text() }) },
    fails: ['invalid', 'absent', 'tooLarge'],
  },
  listPanels: {
    method: 'GET',
    path: read('/code-panel/get-all'),
    access: { needs: 'read', about: maybe(workspace, 'query.workspace') },
    summary: 'Panels of a workspace',
    query: object({ workspace: optional(text()) }),
    replies: {
      200: object({
        codePanelTemplateRows: list(
          object({
            templateId: text(),
            owner: text(),
            teamId: text(),
            templateName: text(),
            queryBuilderId: nullable(text()),
            scopeType: text(),
            revisionId: integer(),
            createdAt: millis(),
          }),
        ),
      }),
    },
    fails: ['absent'],
  },
  getPanelCode: {
    method: 'GET',
    path: read('/code-panel/download'),
    access: { needs: 'read', about: one(panel, 'query.templateId') },
    summary: 'The code of a panel',
    query: object({ templateId: text() }),
    replies: { 200: object({ templateId: text(), templateName: text(), code: record() }) },
    fails: ['invalid', 'absent'],
  },
  downloadPanel: {
    method: 'GET',
    path: read('/template/{templateId}/download'),
    access: { needs: 'read', about: one(panel, 'params.templateId') },
    summary: 'The zip of a panel as it was uploaded',
    params: object({ templateId: text() }),
    replies: { 200: bytes() },
    fails: ['absent'],
  },
  deletePanel: {
    method: 'POST',
    path: write('/template/delete'),
    access: { needs: 'write', about: one(panel, 'body.templateId'), unbounded: false },
    audit: true,
    summary: 'Delete a panel with every revision of it',
    body: object({ templateId: text() }),
    replies: { 200: saved({}, 'Deleted') },
    fails: ['invalid', 'absent'],
  },
  createDashboard: {
    method: 'POST',
    path: write('/dashboard-template/create'),
    access: { needs: 'write', about: one(project, 'body.project_id') },
    summary: 'Create a dashboard of a project, empty or as a copy',
    body: object({
      project_id: text(),
      template_name: text({ min: 1 }),
      template_id: optional(text()),
      codePanelTemplateIds: optional(texts()),
    }),
    replies: { 200: dashboard },
    fails: ['invalid', 'absent'],
  },
  saveDashboard: {
    method: 'POST',
    path: read('/dashboard-templates/project/upsert'),
    access: { needs: 'write', about: one(project, 'body.project_id') },
    summary: 'Change a dashboard of a project, or create it',
    body: object({
      project_id: text(),
      template_id: optional(text()),
      template_name: optional(text()),
      codePanelTemplateIds: optional(texts()),
    }),
    replies: { 200: dashboard },
    fails: ['invalid', 'absent'],
  },
  deleteDashboard: {
    method: 'POST',
    path: write('/dashboard-template/delete'),
    access: { needs: 'write', about: one(project, 'body.project_id'), unbounded: false },
    audit: true,
    summary: 'Delete a dashboard of a project',
    body: object({ project_id: text(), template_id: text() }),
    replies: { 200: saved({}, 'Deleted') },
    fails: ['invalid', 'absent'],
  },
  listViews: {
    method: 'GET',
    path: read('/views/get-all'),
    access: {
      needs: 'read',
      about: [one(project, 'query.projectId'), maybe(experiment, 'query.experimentKey')],
    },
    summary: 'Views of a project',
    query: listing,
    replies: { 200: views },
    fails: ['invalid', 'absent'],
  },
  listExperimentViews: {
    method: 'GET',
    path: read('/views/chart-templates'),
    access: {
      needs: 'read',
      about: [one(project, 'query.projectId'), maybe(experiment, 'query.experimentKey')],
    },
    summary: 'Views of one experiment',
    query: listing,
    replies: { 200: views },
    fails: ['invalid', 'absent'],
  },
  saveView: {
    method: 'POST',
    path: write('/views/upsert'),
    access: { needs: 'write', about: ofProject },
    summary: 'Create or change a view of a project',
    body: object({ projectId: text(), ...states }),
    replies: { 200: view },
    fails: ['invalid', 'absent'],
  },
  deleteView: {
    method: 'POST',
    path: write('/views/delete'),
    access: { needs: 'write', about: ofProject, unbounded: false },
    audit: true,
    summary: 'Delete a view of a project, or of an experiment in it',
    body: object({ projectId: text(), templateId: text() }),
    replies: { 200: saved({}, 'Deleted') },
    fails: ['invalid', 'absent'],
  },
  saveExperimentView: {
    method: 'POST',
    path: write('/chart-templates/upsert'),
    access: { needs: 'write', about: [ofProject, one(experiment, 'body.experimentKey')] },
    summary: 'Create or change a view of one experiment',
    body: object({ projectId: text(), experimentKey: text(), ...states }),
    replies: { 200: view },
    fails: ['invalid', 'absent'],
  },
});
