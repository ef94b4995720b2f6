import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { panelOperations } from '#ports/api/panels';
import type { Upload } from '#ports/bytes';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { storageOf } from '#ports/storage/storage';
import type { View } from '#ports/storage/views';
import { Zip } from '#ports/zip';
import {
  readTemplate,
  readContent,
  toWireDashboard,
  toWireView,
  writeContent,
  type ViewContent,
} from './rules.js';
import { panelKind } from './kinds.js';
import { panelSettings, panelToggles } from './settings.js';

const needs = { storage: storageOf('panels', 'views'), clock: Clock, ids: Ids, zip: Zip };
const mostBytes = 8 * 1024 * 1024;
const description = 'tempVisualizationTemplate.json';

const absentView = (id: string) =>
  new Failure('absent', `template ${id.slice(0, 80)} not found in the project`);

const readFile = async (parts: Upload): Promise<Uint8Array> => {
  for await (const part of parts) {
    if (part.name !== 'file') {
      await part.text(mostBytes);
      continue;
    }
    const pieces: Uint8Array[] = [];
    let size = 0;
    for await (const piece of part.content) {
      size += piece.length;
      if (size > mostBytes)
        throw new Failure('tooLarge', `the archive of a panel must be at most ${mostBytes} bytes`);
      pieces.push(piece);
    }
    return join(pieces, size);
  }
  throw new Failure('invalid', 'the part file is required');
};

const join = (pieces: readonly Uint8Array[], size: number): Uint8Array => {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
};

interface ViewRequest {
  readonly projectId: string;
  readonly experimentId: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly content: ViewContent;
  readonly userName: string;
}

export const panelsArea = area({
  name: 'panels',
  summary: 'Panels, dashboards and views of projects.',
  family: trackingFamily,
  table: panelOperations,
  kinds: [panelKind],
  settings: panelSettings,
  toggles: panelToggles,
  needs,
  handlers: ({ storage, clock, ids, zip }) => {
    const { panels, views } = storage.stores;

    const requireView = async (projectId: string, id: string): Promise<View> => {
      const found = await views.find(projectId, id);
      if (found === undefined) throw absentView(id);
      return found;
    };
    /** Parts of one view that different callers save are all kept: each is written over what is there by then. */
    const change = async ({ projectId, name, content }: ViewRequest, id: string): Promise<View> => {
      await storage.transaction(async (stores) => {
        const before = await stores.views.lock(projectId, id);
        if (before === undefined) throw absentView(id);
        await stores.views.update(projectId, id, {
          name: name ?? before.name,
          content: writeContent(readContent(before), content),
          updatedAt: clock.now(),
        });
      });
      return requireView(projectId, id);
    };
    const create = async (request: ViewRequest): Promise<View> => {
      const [id, now] = [ids.next(), clock.now()];
      await views.insert({
        id,
        projectId: request.projectId,
        experimentId: request.experimentId,
        name: request.name ?? 'Dashboard',
        content: writeContent(undefined, request.content),
        createdBy: request.userName,
        createdAt: now,
        updatedAt: now,
      });
      return requireView(request.projectId, id);
    };
    const remove = async (projectId: string, id: string) => {
      if (!(await views.remove(projectId, id))) throw absentView(id);
      return {};
    };
    const save = async (request: ViewRequest): Promise<View> =>
      request.id === undefined ? create(request) : change(request, request.id);

    return {
      async uploadPanel({ query, body, workspace, caller }) {
        const archive = await readFile(body);
        const files = await zip.unpack(archive, { most: 100, bytes: mostBytes });
        const template = files.find((file) => file.name.split('/').at(-1) === description)?.text;
        const { name } = readTemplate(template);
        const kept = { name, template: template ?? '', archive };
        if (query.templateId === undefined) {
          const id = ids.next();
          await panels.insert({
            id,
            workspaceId: workspace.id,
            ownerId: caller.userId,
            createdAt: clock.now(),
            ...kept,
          });
          return { templateId: id };
        }
        if (
          !(await panels.revise(workspace.id, query.templateId, {
            ...kept,
            revisedAt: clock.now(),
          }))
        )
          throw new Failure(
            'absent',
            `panel ${query.templateId.slice(0, 80)} not found in the workspace`,
          );
        return { templateId: query.templateId };
      },
      async listPanels({ workspace }) {
        const rows = await panels.list(workspace.id);
        return {
          codePanelTemplateRows: rows.map((panel) => ({
            templateId: panel.id,
            owner: panel.ownerName,
            teamId: panel.workspaceId,
            templateName: panel.name,
            queryBuilderId: null,
            scopeType: 'PRIVATE',
            revisionId: panel.revisedAt,
            createdAt: panel.createdAt,
          })),
        };
      },
      async getPanelCode({ panel }) {
        return {
          templateId: panel.id,
          templateName: panel.name,
          code: readTemplate(panel.template).code,
        };
      },
      async downloadPanel({ panel }) {
        const archive = await panels.readArchive(panel.id);
        if (archive === undefined) throw new Failure('absent', `panel ${panel.id} not found`);
        return {
          type: 'application/octet-stream',
          size: archive.length,
          fileName: `${panel.name}.zip`,
          open: (range) =>
            (async function* () {
              yield range === undefined ? archive : archive.subarray(range.start, range.end + 1);
            })(),
        };
      },
      async deletePanel({ panel }) {
        if (!(await panels.remove(panel.id)))
          throw new Failure('absent', `panel ${panel.id} not found`);
        return {};
      },
      deleteDashboard: ({ body, project }) => remove(project.id, body.template_id),
      deleteView: ({ body, project }) => remove(project.id, body.templateId),
      async createDashboard({ body, project, caller }) {
        const source =
          body.template_id === undefined
            ? undefined
            : await requireView(project.id, body.template_id);
        const content = {
          ...(source === undefined ? {} : readContent(source)),
          createdFromTemplateId: source?.id,
          ...(body.codePanelTemplateIds === undefined
            ? {}
            : { codePanelTemplateIds: body.codePanelTemplateIds }),
        };
        return toWireDashboard(
          await create({
            projectId: project.id,
            experimentId: undefined,
            id: undefined,
            name: body.template_name,
            content,
            userName: caller.userName,
          }),
        );
      },
      async saveDashboard({ body, project, caller }) {
        return toWireDashboard(
          await save({
            projectId: project.id,
            experimentId: undefined,
            id: body.template_id,
            name: body.template_name,
            content: { codePanelTemplateIds: body.codePanelTemplateIds },
            userName: caller.userName,
          }),
        );
      },
      async listViews({ project, experiment }) {
        const own = experiment === undefined ? [] : await views.list(project.id, experiment.id);
        return { views: [...(await views.list(project.id, undefined)), ...own].map(toWireView) };
      },
      async listExperimentViews({ project, experiment }) {
        return {
          views:
            experiment === undefined
              ? []
              : (await views.list(project.id, experiment.id)).map(toWireView),
        };
      },
      async saveView({ body, project, caller }) {
        const { projectId: _, templateId, templateName, ...content } = body;
        return toWireView(
          await save({
            projectId: project.id,
            experimentId: undefined,
            id: templateId,
            name: templateName,
            content,
            userName: caller.userName,
          }),
        );
      },
      async saveExperimentView({ body, project, experiment, caller }) {
        const { projectId: _, experimentKey: _key, templateId, templateName, ...content } = body;
        return toWireView(
          await save({
            projectId: project.id,
            experimentId: experiment.id,
            id: templateId,
            name: templateName,
            content,
            userName: caller.userName,
          }),
        );
      },
    };
  },
});
