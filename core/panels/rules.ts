// What panels, dashboards and views look like on the wire. Pure.
import { Failure } from '#ports/failure';
import type { View } from '#ports/storage/views';

/** What a client keeps in a view. Texts of states come back as sent. */
export interface ViewContent {
  readonly experimentQueryState?: string | undefined;
  readonly dashboardChartState?: string | undefined;
  readonly reactGridTableState?: string | undefined;
  readonly v2?: unknown;
  readonly v3?: unknown;
  readonly codePanelTemplateIds?: readonly string[] | undefined;
  readonly pinnedExperiments?: readonly string[] | undefined;
  readonly autoRefreshEnabled?: boolean | undefined;
  readonly createdFromTemplateId?: string | undefined;
}

export const readContent = (view: View): ViewContent => JSON.parse(view.content) as ViewContent; // written by `writeContent`

/** What is kept after a change: members that the change does not name stay. */
export const writeContent = (before: ViewContent | undefined, change: ViewContent): string =>
  JSON.stringify({
    ...before,
    ...Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined)),
  });

export const toWireView = (view: View) => {
  const content = readContent(view);
  return {
    templateId: view.id,
    templateName: view.name,
    projectId: view.projectId,
    experimentKey: view.experimentKey ?? null,
    experimentQueryState: content.experimentQueryState ?? null,
    dashboardChartState: content.dashboardChartState ?? null,
    reactGridTableState: content.reactGridTableState ?? null,
    v2: content.v2 ?? null,
    v3: content.v3 ?? null,
    source: null,
    viewSource: null,
    current: false,
    unsavedView: false,
    createdBy: view.createdBy,
    createdFromTemplateId: content.createdFromTemplateId ?? null,
    projectDefault: false,
    projectPersonalDefault: false,
    autoRefreshEnabled: content.autoRefreshEnabled ?? false,
    lastUpdate: view.updatedAt,
    pinnedExperiments: content.pinnedExperiments ?? [],
    codePanelTemplateIds: content.codePanelTemplateIds ?? [],
  };
};

export const toWireDashboard = (view: View) => ({
  template_id: view.id,
  template_name: view.name,
  project_id: view.projectId,
  codePanelTemplateIds: readContent(view).codePanelTemplateIds ?? [],
  created_by: view.createdBy,
  last_update: view.updatedAt,
});

/** The description that a panel's archive holds: its name and its code. Throws `invalid` for anything else. */
export const readTemplate = (
  text: string | undefined,
): { readonly name: string; readonly code: Readonly<Record<string, unknown>> } => {
  const found = text === undefined ? undefined : parse(text);
  if (found === undefined)
    throw new Failure('invalid', 'the archive of a panel must hold a description in JSON');
  const { templateName, code } = found;
  if (typeof templateName !== 'string' || templateName === '')
    throw new Failure('invalid', 'the description of a panel must have a templateName');
  if (!isRecord(code))
    throw new Failure('invalid', 'the description of a panel must have its code');
  return { name: templateName, code };
};

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parse = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const found: unknown = JSON.parse(text);
    return isRecord(found) ? found : undefined;
  } catch {
    return undefined; // what is no JSON is refused by the caller in a sentence of its own
  }
};
