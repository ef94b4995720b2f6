import { pageFamily } from '#ports/api/families/page';
import { area } from '#ports/api/area';
import { weblinkOperations } from '#ports/api/weblinks';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Caller } from '#ports/model/identity';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { ThingView } from '#ports/pages';
import { Settings } from '#ports/settings';
import { storageOf } from '#ports/storage/storage';
import { Toggles } from '#ports/toggles';
import { stateOf } from '../experiments/rules.js';

/** A small page of one thing: what it is, where it belongs, and how a program reads it. */
const show = (
  caller: Caller,
  kind: string,
  name: string,
  facts: ThingView['facts'],
  read: string,
) => ({ page: 'thing', shows: { caller, kind, name, facts, read } }) as const;

const shown = (...given: Parameters<typeof show>) =>
  ({ status: 200, body: show(...given) }) as const;

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');

/** Parts of the page of a run in the web UI, by the names that clients give them in links. */
const runParts: ReadonlyMap<string, string> = new Map([
  ...['artifacts', 'code', 'graph', 'html'].map((name) => [name, name] as const),
  ...['chart', 'metrics', 'panels'].map((name) => [name, 'charts'] as const),
  ...['images', 'audio', 'histograms', 'confusionMatrix', 'text'].map(
    (name) => [name, 'media'] as const,
  ),
  ...['params', 'other'].map((name) => [name, 'params'] as const),
  ['installedPackages', 'code'],
  ['assets', 'files'],
  ['stdout', 'logs'],
  ['systemMetrics', 'system'],
]);
const partsShown = (tab: string | undefined): readonly string[] => {
  const part = runParts.get(tab ?? '');
  return part === undefined ? [] : [part];
};

/** Addresses of pages; to be mounted after every other area, since its paths are the widest. */
export const weblinksArea = area({
  name: 'weblinks',
  summary: 'Links that clients print and people open in a browser.',
  family: pageFamily,
  table: weblinkOperations,
  needs: {
    settings: Settings,
    storage: storageOf('artifactVersions', 'modelVersions', 'projects'),
    clock: Clock,
    toggles: Toggles,
  },
  handlers: ({ settings, storage: { stores }, clock, toggles }) => {
    const rest = (path: string): string =>
      `curl -H "Authorization: $COMET_API_KEY" "${settings.baseUrl}/api/rest/v2/${path}"`;
    /** Where the web UI shows it; nothing for a program, which reads the small page. */
    const inWebUi = (caller: Caller, workspace: string, ...place: readonly string[]) =>
      caller.via === 'session' && toggles.isOn('web-ui')
        ? ({
            status: 302,
            body: `${settings.baseUrl}/w/${[workspace, ...place].map(encodeURIComponent).join('/')}`,
          } as const)
        : undefined;
    const showRun = (experiment: Experiment, caller: Caller, tab: string | undefined) =>
      inWebUi(
        caller,
        experiment.workspaceName,
        'p',
        experiment.projectName,
        'run',
        experiment.key,
        ...partsShown(tab),
      ) ??
      shown(
        caller,
        'Experiment',
        experiment.name,
        {
          Workspace: experiment.workspaceName,
          Project: experiment.projectName,
          Key: experiment.key,
          State: stateOf(experiment, clock.now()),
          Started: `${day(experiment.startTimeMillis)} UTC`,
          'Logged by': experiment.userName,
        },
        rest(`experiment/metadata?experimentKey=${encodeURIComponent(experiment.key)}`),
      );
    const showOne = async (project: Project, caller: Caller) =>
      inWebUi(caller, project.workspaceName, 'p', project.name, 'runs') ??
      shown(
        caller,
        'Project',
        project.name,
        {
          Workspace: project.workspaceName,
          Visibility: project.public ? 'public' : 'private',
          Experiments: String(
            (await stores.projects.figures([project.id])).get(project.id)?.experiments ?? 0,
          ),
          Description: project.description,
        },
        rest(`experiments?projectId=${encodeURIComponent(project.id)}`),
      );
    return {
      redirectToExperiment: async ({ query }) =>
        `${settings.baseUrl}/experiment/${encodeURIComponent(query.experimentKey)}`,
      // The Python client puts a second question mark before the id of a view, which is none of ours.
      redirectToProject: async ({ query }) =>
        `${settings.baseUrl}/project/${encodeURIComponent(query.projectId.split('?')[0] ?? '')}`,
      showSettings: async () => `${settings.baseUrl}/account`,
      showExperimentByKey: async ({ experiment, caller, query }) =>
        showRun(experiment, caller, query['experiment-tab']),
      showProjectById: ({ project, caller }) => showOne(project, caller),
      showProject: ({ project, caller }) => showOne(project, caller),
      async showRegistryVersion({ params, registryModel, caller }) {
        const version =
          params.version === undefined
            ? undefined
            : (await stores.modelVersions.listVersions(registryModel.id)).find(
                (one) => one.version === params.version,
              );
        if (params.version !== undefined && version === undefined)
          throw new Failure(
            'absent',
            `version ${params.version.slice(0, 80)} of ${registryModel.name} not found`,
          );
        const versioned = version === undefined ? [] : [version.version];
        return (
          inWebUi(caller, params.workspace, 'model', registryModel.name, ...versioned) ??
          shown(
            caller,
            'Registered model',
            registryModel.name,
            {
              Workspace: params.workspace,
              Version: params.version,
              Description: registryModel.description,
            },
            rest(
              `registry-model/details?workspaceName=${encodeURIComponent(params.workspace)}&modelName=${encodeURIComponent(registryModel.name)}`,
            ),
          )
        );
      },
      async showArtifactVersion({ params, artifact, caller }) {
        const version =
          params.version === undefined
            ? undefined
            : ((await stores.artifactVersions.findVersionByNumber(artifact.id, params.version)) ??
              (await stores.artifactVersions.findVersionByAlias(artifact.id, params.version)));
        if (params.version !== undefined && version === undefined)
          throw new Failure(
            'absent',
            `version ${params.version.slice(0, 80)} of ${artifact.name} not found`,
          );
        const versioned = version === undefined ? [] : [version.version];
        return (
          inWebUi(caller, params.workspace, 'artifact', artifact.name, ...versioned) ??
          shown(
            caller,
            'Artifact',
            artifact.name,
            {
              Workspace: params.workspace,
              Version: params.version,
              Type: artifact.type,
              Description: artifact.description,
            },
            rest(`artifacts/get?artifactId=${encodeURIComponent(artifact.id)}`),
          )
        );
      },
      showExperiment: async ({ experiment, caller, query }) =>
        showRun(experiment, caller, query['experiment-tab']),
      showWorkspace: async ({ workspace: { name }, caller }) =>
        inWebUi(caller, name) ??
        shown(
          caller,
          'Workspace',
          name,
          {},
          rest(`projects?workspaceName=${encodeURIComponent(name)}`),
        ),
    };
  },
});
