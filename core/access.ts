// The gate. Rows say whose thing a request touches; here it is loaded and the caller's reach is checked, once, for all of them.
import { Failure, isFailure } from '#ports/failure';
import type { Artifact, ArtifactVersion } from '#ports/model/artifacts';
import type { Asset, DirectUpload } from '#ports/model/assets';
import type { Caller, User } from '#ports/model/identity';
import type { Experiment } from '#ports/model/experiments';
import type { Project } from '#ports/model/projects';
import type { ExperimentModel, RegisteredVersion, RegistryModel } from '#ports/model/registry';
import type { Workspace } from '#ports/model/workspaces';
import type { Gate, Named } from '#ports/api/gate';
import type { Access, Each, Made, One, Operation, Subject } from '#ports/api/operation';
import type { ExperimentStore } from '#ports/storage/experiments';
import type { StoredKey } from '#ports/storage/identity';
import type { Stores } from '#ports/storage/storage';
import { absentArtifact, absentVersion, spellingsOf } from './artifacts/rules.js';
import { codes } from './codes.js';
import { at, naming, textAt } from './naming.js';
import {
  besides,
  checkCaller,
  checkPermission,
  checkRole,
  oneProjectOnly,
  permits,
  readsPublic,
  roleOf,
  writes,
} from './standing.js';
import { absentModel, absentVersion as absentModelVersion, normalName } from './registry/rules.js';

/** What the gate reads; the experiment's finder may remember for a moment. */
export interface GateNeeds {
  readonly stores: Pick<
    Stores,
    | 'workspaces'
    | 'projects'
    | 'experiments'
    | 'assets'
    | 'artifacts'
    | 'panels'
    | 'optimizers'
    | 'registry'
    | 'approvals'
    | 'channels'
    | 'deliveries'
    | 'identity'
    | 'tickets'
  >;
  /** Finds the experiment of requests that only add to it, and may remember it for a moment; the store itself when left out. */
  readonly finder?: Pick<ExperimentStore, 'findByKey'>;
  /** Rejects where the experiment's workspace may take in no more; left out, none is limited. */
  readonly checkRoom?: (experiment: Experiment) => Promise<void>;
}

export const absentExperiment = (key: string) =>
  new Failure('absent', `experiment ${key.slice(0, 80)} not found`, { code: codes.runAbsent });
const absentAsset = (id: string) => new Failure('absent', `asset ${id.slice(0, 80)} not found`);
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const absentWorkspace = (name: string) =>
  new Failure('absent', `workspace ${name.slice(0, 100)} does not exist`, {
    code: codes.workspaceAbsent,
  });
const absentProject = (name: string) =>
  new Failure('absent', `project ${name.slice(0, 100)} not found`);

/** Rows that look for a version answer an unknown artifact as an unknown version, which is all that their clients know. */
const asksForVersion = (operation: Operation): boolean =>
  'about' in operation &&
  operation.about !== 'caller' &&
  [operation.about].flat().some((subject) => 'one' in subject && subject.one === 'artifactVersion');

export const createGate = ({ stores, finder = stores.experiments, checkRoom }: GateNeeds): Gate => {
  /** Clients of the private wire name `default` when they were told no workspace: the caller's own, unless the caller belongs to one that is really called so. */
  const homeOr = async (
    name: ReturnType<typeof naming>,
    caller: Caller,
  ): Promise<string | undefined> => {
    const text = name?.texts.at(-1);
    if (text !== 'default' || name?.path !== 'header.comet-workspace') return text;
    const found = await stores.workspaces.findByName(text);
    return found !== undefined && caller.roles.has(found.id) ? text : undefined;
  };
  const workspace = async (
    subject: One,
    named: Named,
    caller: Caller,
    operation: Operation,
  ): Promise<Workspace> => {
    const name = await homeOr(naming(named, subject.paths), caller);
    if (name === undefined && subject.optional !== true)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'workspace'} is required`,
      );
    if (name === undefined && caller.defaultWorkspaceId === undefined)
      throw new Failure('absent', 'the key has no default workspace', {
        code: codes.workspaceAbsent,
      });
    const found =
      name === undefined
        ? await stores.workspaces.findById(caller.defaultWorkspaceId ?? '')
        : await stores.workspaces.findByName(name);
    if (found === undefined) throw absentWorkspace(name ?? 'of the key');
    const role = roleOf(caller, found.id);
    if (role === undefined && caller.kind === 'service')
      throw new Failure('forbidden', 'the service account is not admitted to this workspace', {
        code: codes.serviceRestricted,
      });
    if (!permits(operation, caller, { workspaceId: found.id, role }))
      checkRole(role, operation, () => absentWorkspace(name ?? found.name));
    await checkProjectNamed(operation, named, caller);
    return found;
  };

  /** A key of one project may do in its workspace only what names that project. */
  const checkProjectNamed = async (
    { inProject }: Operation,
    named: Named,
    { scope }: Caller,
  ): Promise<void> => {
    if (scope?.projectId === undefined) return;
    const of =
      inProject === undefined ? undefined : (await stores.projects.findById(scope.projectId))?.name;
    if (of === undefined || naming(named, inProject ?? [])?.texts.at(-1) !== of)
      throw oneProjectOnly();
  };

  const findProject = async (
    texts: readonly (string | undefined)[],
    caller: Caller,
  ): Promise<Project | undefined> => {
    const [first, second] = texts;
    if (texts.length === 1)
      return first === undefined ? undefined : stores.projects.findById(first);
    const home =
      first === undefined
        ? caller.defaultWorkspaceId
        : (await stores.workspaces.findByName(first))?.id;
    return home === undefined ? undefined : stores.projects.findByName(home, second ?? '');
  };
  const project = async (
    subject: One,
    named: Named,
    caller: Caller,
    operation: Operation,
  ): Promise<Project | undefined> => {
    const { access } = operation;
    const name = naming(named, subject.paths);
    if (name === undefined && subject.optional === true) return undefined;
    if (name === undefined)
      throw new Failure('invalid', 'projectId, or workspaceName and projectName, is required', {
        code: codes.projectMissing,
      });
    const found = await findProject(name.texts, caller);
    const absent = () => absentProject(name.texts.at(-1) ?? '');
    if (found === undefined || besides(caller, found.id)) throw absent();
    if (access === 'read' && found.public && readsPublic(caller, found.workspaceId)) return found;
    const role = roleOf(caller, found.workspaceId);
    checkRole(role, operation, absent);
    if (
      access === 'owner' &&
      found.ownerId !== caller.userId &&
      roleOf(caller, found.workspaceId) !== 'admin'
    )
      throw new Failure('forbidden', 'only the owner of the project may do this');
    return found;
  };

  /** Read reaches through the home, through every project it is linked to, and through a public one. */
  const mayRead = async (experiment: Experiment, caller: Caller): Promise<boolean> => {
    if (besides(caller, experiment.projectId)) return false;
    if (roleOf(caller, experiment.workspaceId) !== undefined) return true;
    const around = [experiment.projectId, ...(await stores.experiments.listLinks(experiment.id))];
    const projects = await Promise.all(around.map((id) => stores.projects.findById(id)));
    return projects.some(
      (one) =>
        one !== undefined &&
        ((one.public && readsPublic(caller, one.workspaceId)) ||
          roleOf(caller, one.workspaceId) !== undefined),
    );
  };
  const checkExperiment = async (
    experiment: Experiment,
    caller: Caller,
    access: Access,
  ): Promise<void> => {
    const role = besides(caller, experiment.projectId)
      ? undefined
      : roleOf(caller, experiment.workspaceId);
    if (role !== undefined) {
      checkRole(role, { access }, () => absentExperiment(experiment.key));
      return;
    }
    if (!(await mayRead(experiment, caller))) throw absentExperiment(experiment.key);
    if (access !== 'read')
      throw new Failure('absent', `experiment ${experiment.key} may be read but not changed`, {
        code: codes.runNotAccessible,
      });
  };
  const experiment = async (
    subject: One,
    named: Named,
    caller: Caller,
    { access, parked }: Operation,
  ): Promise<Experiment | undefined> => {
    const key = naming(named, subject.paths)?.texts.at(-1);
    if (key === undefined && subject.optional === true) return undefined;
    if (key === undefined)
      throw new Failure('invalid', 'experimentKey is required', { code: codes.keyMissing });
    const found = await (parked === true ? finder : stores.experiments).findByKey(key);
    if (found === undefined) throw absentExperiment(key);
    await checkExperiment(found, caller, access);
    if (parked === true && found.workspaceStorageLimit !== undefined) await checkRoom?.(found);
    return found;
  };

  const experiments = async (
    subject: Each,
    named: Named,
    caller: Caller,
    access: Access,
  ): Promise<readonly Experiment[]> => {
    const given = at(named, subject.path);
    const keys = [
      ...new Set(
        (Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]).map(
          String,
        ),
      ),
    ];
    const found = new Map((await stores.experiments.listByKeys(keys)).map((one) => [one.key, one]));
    const passed: Experiment[] = [];
    for (const key of keys) {
      const one = found.get(key);
      try {
        if (one === undefined) throw absentExperiment(key);
        await checkExperiment(one, caller, access);
        passed.push(one);
      } catch (refusal) {
        if (subject.lax !== true) throw refusal;
      }
    }
    return passed;
  };

  /** Workspaces by name, each once; an item that names none means the default one of the key. */
  const workspaces = async (
    subject: Each,
    named: Named,
    caller: Caller,
    operation: Operation,
  ): Promise<readonly Workspace[]> => {
    const given = at(named, subject.path);
    const names = [
      ...new Set(
        (Array.isArray(given) ? given : [given]).map((name: unknown) =>
          typeof name === 'string' && name !== '' ? name : undefined,
        ),
      ),
    ];
    const passed = new Map<string, Workspace>();
    for (const name of names) {
      try {
        const found = await workspace(
          { one: 'workspace', paths: ['body.name'], optional: true },
          { ...named, body: { name } },
          caller,
          operation,
        );
        passed.set(found.id, found);
      } catch (refusal) {
        if (subject.lax !== true) throw refusal;
      }
    }
    return [...passed.values()];
  };

  const existing = async (
    subject: Made,
    named: Named,
    caller: Caller,
  ): Promise<Experiment | undefined> => {
    const key = naming(named, subject.paths)?.texts.at(-1);
    const found = key === undefined ? undefined : await stores.experiments.findByKey(key);
    if (found !== undefined)
      checkRole(
        besides(caller, found.projectId) ? undefined : roleOf(caller, found.workspaceId),
        { access: 'write' },
        () => absentExperiment(found.key),
      );
    return found;
  };

  /** An artifact is its workspace's; a public one may be read by anyone. */
  const checkArtifact = (
    found: Artifact,
    caller: Caller,
    access: Access,
    absent: () => Failure,
  ): void => {
    if (access !== 'read' || !found.public || !readsPublic(caller, found.workspaceId))
      checkRole(roleOf(caller, found.workspaceId), { access }, absent);
  };
  const findArtifact = async (
    texts: readonly (string | undefined)[],
    caller: Caller,
    home: Experiment | undefined,
  ): Promise<Artifact | undefined> => {
    const [first, name = ''] = texts;
    if (texts.length === 1) return first === undefined ? undefined : stores.artifacts.find(first);
    const workspaceId =
      first === undefined
        ? (home?.workspaceId ?? caller.defaultWorkspaceId)
        : (await stores.workspaces.findByName(first))?.id;
    if (workspaceId === undefined) return undefined;
    for (const spelling of spellingsOf(name)) {
      const found = await stores.artifacts.findByName(workspaceId, spelling);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const artifact = async (
    subject: One,
    named: Named,
    caller: Caller,
    operation: Operation,
    met: Readonly<Record<string, unknown>>,
  ): Promise<Artifact | undefined> => {
    const name = naming(named, subject.paths);
    if (name === undefined && subject.optional === true) return undefined;
    if (name === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths
          .map((path) =>
            path
              .split('/')
              .map((one) => one.split('.').at(-1))
              .join(' and '),
          )
          .join(', or ')} is required`,
      );
    const found = await findArtifact(
      name.texts,
      caller,
      met['experiment'] as Experiment | undefined,
    ); // the row names the experiment before what it is the reader of
    const absent = () =>
      absentArtifact(
        name.texts.at(-1) ?? '',
        asksForVersion(operation) ? codes.artifactVersionAbsent : codes.artifactAbsent,
      );
    if (found === undefined) throw absent();
    checkArtifact(found, caller, operation.access, absent);
    return found;
  };

  /** What is written by a run stays in the workspace of that run; a version of another artifact than the one named is absent. */
  const checkVersion = (
    found: ArtifactVersion | undefined,
    id: string,
    caller: Caller,
    access: Access,
    met: Readonly<Record<string, unknown>>,
  ): ArtifactVersion => {
    const absent = () => absentVersion(id);
    if (found === undefined) throw absent();
    checkArtifact(found.artifact, caller, access, absent);
    const [run, of] = [
      met['experiment'] as Experiment | undefined,
      met['artifact'] as Artifact | undefined,
    ]; // the row names them before their version
    if (
      (writes(access) && run !== undefined && run.workspaceId !== found.artifact.workspaceId) ||
      (of !== undefined && of.id !== found.artifact.id)
    )
      throw absent();
    return found;
  };
  const artifactVersion = async (
    subject: One,
    named: Named,
    caller: Caller,
    access: Access,
    met: Readonly<Record<string, unknown>>,
  ): Promise<ArtifactVersion | undefined> => {
    const name = naming(named, subject.paths);
    const id = name?.texts.at(-1);
    if (
      subject.optional === true &&
      (id === undefined || (name?.path === 'query.version' && !uuid.test(id)))
    )
      return undefined; // a version's number, unless it has the form of an id
    if (id === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'version'} is required`,
      );
    return checkVersion(await stores.artifacts.findVersion(id), id, caller, access, met);
  };
  /** Versions by id, each once; items that name none are about no version. */
  const artifactVersions = async (
    subject: Each,
    named: Named,
    caller: Caller,
    access: Access,
    met: Readonly<Record<string, unknown>>,
  ): Promise<readonly ArtifactVersion[]> => {
    const given = at(named, subject.path);
    const ids = [
      ...new Set(
        (Array.isArray(given) ? given : [])
          .filter((id: unknown) => id !== undefined && id !== null && id !== '')
          .map(String),
      ),
    ];
    const found = new Map(
      (ids.length === 0 ? [] : await stores.artifacts.listVersionsByIds(ids)).map((one) => [
        one.id,
        one,
      ]),
    );
    return ids.map((id) => checkVersion(found.get(id), id, caller, access, met));
  };

  /** A file of an artifact version is read as its artifact is, whichever run it came with. */
  const asReadable = async (
    found: Asset | undefined,
    caller: Caller,
  ): Promise<Asset | undefined> => {
    if (found?.artifactVersionId === undefined) return found;
    const version = await stores.artifacts.findVersion(found.artifactVersionId);
    return version !== undefined &&
      ((version.artifact.public && readsPublic(caller, version.artifact.workspaceId)) ||
        roleOf(caller, version.artifact.workspaceId) !== undefined)
      ? found
      : undefined;
  };
  /** Links to pictures that name no experiment: the first of that id that the caller may see. */
  const anywhere = async (id: string, caller: Caller): Promise<Asset | undefined> => {
    const all = await stores.assets.listById(id, 20);
    const homes = await stores.experiments.listByIds(all.map((one) => one.experimentId));
    for (const one of all.filter(({ artifactVersionId }) => artifactVersionId === undefined)) {
      const home = homes.find((experiment) => experiment.id === one.experimentId);
      if (home !== undefined && (await mayRead(home, caller))) return one;
    }
    return undefined;
  };
  const asset = async (
    subject: One,
    named: Named,
    caller: Caller,
    access: Access,
    met: Readonly<Record<string, unknown>>,
  ): Promise<Asset | undefined> => {
    const name = naming(named, subject.paths);
    const id = name?.texts.at(-1);
    if (id === undefined && subject.optional === true) return undefined;
    if (id === undefined) throw new Failure('invalid', 'assetId is required');
    const home = met['experiment'] as Experiment | undefined; // the row names the experiment before what is within it
    const version = met['artifactVersion'] as ArtifactVersion | undefined; // and the version too
    const wandering = access === 'read' && name?.path === 'query.imageId';
    if (home === undefined && version === undefined && !wandering)
      throw new Failure('invalid', 'experimentKey is required', { code: codes.keyMissing });
    const own =
      home === undefined
        ? undefined
        : await asReadable(await stores.assets.find(home.id, id), caller);
    const found =
      version !== undefined
        ? await stores.assets.findInVersion(version.id, id)
        : (own ?? (home === undefined && wandering ? await anywhere(id, caller) : undefined));
    if (found === undefined) throw absentAsset(id);
    return found;
  };

  /** An upload in parts is its experiment's: who may write there may complete it. */
  const upload = async (
    subject: One,
    named: Named,
    caller: Caller,
    access: Access,
  ): Promise<DirectUpload> => {
    const id = naming(named, subject.paths)?.texts.at(-1);
    if (id === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'upload'} is required`,
      );
    const found = uuid.test(id) ? await stores.assets.findDirect(id) : undefined;
    const [home] =
      found === undefined ? [] : await stores.experiments.listByIds([found.experimentId]);
    if (found === undefined || home === undefined || !(await mayRead(home, caller)))
      throw new Failure('absent', `upload ${id.slice(0, 80)} not found`);
    await checkExperiment(home, caller, access);
    return found;
  };

  /** What belongs to a workspace and is named by its id alone; a foreign one is refused as an unknown one is. */
  const inWorkspaces = {
    panel: (id: string) => stores.panels.find(id),
    optimizer: (id: string) => stores.optimizers.find(id),
    statusRequest: (id: string) => stores.approvals.findRequest(id),
    delivery: (id: string) => stores.deliveries.find(id),
    invitation: (id: string) => stores.tickets.findInvitation(id),
    channel: async (id: string) => {
      const found = await stores.channels.find(id);
      return found?.use === 'channel' ? found : undefined;
    },
  } as const;
  const ownedByWorkspace = async (
    kind: keyof typeof inWorkspaces,
    subject: One,
    named: Named,
    caller: Caller,
    operation: Operation,
  ) => {
    const id = naming(named, subject.paths)?.texts.at(-1);
    if (id === undefined)
      throw new Failure('invalid', `${subject.paths[0]?.split('.').at(-1) ?? kind} is required`);
    const absent = () => new Failure('absent', `${kind} ${id.slice(0, 80)} not found`);
    const found = await inWorkspaces[kind](id);
    if (found === undefined) throw absent();
    const role = roleOf(caller, found.workspaceId);
    if (!permits(operation, caller, { workspaceId: found.workspaceId, role }))
      checkRole(role, operation, absent);
    return found;
  };

  /** A registered model is its workspace's; a public one may be read by anybody with a key. */
  const checkModel = (
    model: RegistryModel,
    caller: Caller,
    access: Access,
    absent: () => Failure,
  ): void => {
    if (access !== 'read' || !model.public || !readsPublic(caller, model.workspaceId))
      checkRole(roleOf(caller, model.workspaceId), { access }, absent);
  };
  const registryModel = async (
    subject: One,
    named: Named,
    caller: Caller,
    access: Access,
  ): Promise<RegistryModel> => {
    const name = naming(named, subject.paths);
    const [first, second] = name?.texts ?? [];
    if (name === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'modelName'} is required`,
      );
    const home =
      name.texts.length === 1
        ? undefined
        : first === undefined
          ? caller.defaultWorkspaceId
          : (await stores.workspaces.findByName(first))?.id;
    const found =
      name.texts.length === 1
        ? await stores.registry.findModel(first ?? '')
        : home === undefined
          ? undefined
          : await stores.registry.findModelByName(home, normalName(second ?? ''));
    const absent = () => absentModel(name.texts.at(-1) ?? '');
    if (found === undefined) throw absent();
    checkModel(found, caller, access, absent);
    return found;
  };
  const modelVersion = async (
    subject: One,
    named: Named,
    caller: Caller,
    access: Access,
  ): Promise<RegisteredVersion> => {
    const id = naming(named, subject.paths)?.texts.at(-1);
    if (id === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'registryModelItemId'} is required`,
      );
    const found = await stores.registry.findVersion(id);
    const model = found === undefined ? undefined : await stores.registry.findModel(found.modelId);
    if (found === undefined || model === undefined) throw absentModelVersion(id);
    checkModel(model, caller, access, () => absentModelVersion(id));
    return { ...found, model };
  };
  const experimentModel = async (
    subject: One,
    named: Named,
    caller: Caller,
    access: Access,
  ): Promise<ExperimentModel> => {
    const id = naming(named, subject.paths)?.texts.at(-1);
    if (id === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'experimentModelId'} is required`,
      );
    const found = await stores.assets.findModel(id);
    const [home] =
      found === undefined ? [] : await stores.experiments.listByIds([found.experimentId]);
    if (found === undefined || home === undefined || !(await mayRead(home, caller)))
      throw new Failure('absent', `experiment model ${id.slice(0, 80)} not found`);
    await checkExperiment(home, caller, access);
    return { id, name: found.name, experiment: home };
  };
  /** What a version that the caller may read keeps under these names. */
  const keptFile = async (named: Named, caller: Caller): Promise<Asset | undefined> => {
    const [key, id] = [
      textAt(named, 'query.experimentKey') ?? textAt(named, 'query.experimentId'),
      textAt(named, 'query.assetId'),
    ];
    const ofVersion = at(named, 'query.artifactVersionId') ?? ''; // a file of an artifact version is nobody else's
    const kept =
      key === undefined || id === undefined || ofVersion !== ''
        ? []
        : await stores.registry.findKept(key, id);
    return kept.find(
      (one) =>
        (one.public && readsPublic(caller, one.workspaceId)) ||
        roleOf(caller, one.workspaceId) !== undefined,
    )?.asset;
  };

  /** Whose account a row of the installation's administrators is about. */
  const account = async (subject: One, named: Named): Promise<User> => {
    const name = naming(named, subject.paths)?.texts.at(-1);
    if (name === undefined)
      throw new Failure(
        'invalid',
        `${subject.paths[0]?.split('.').at(-1) ?? 'userName'} is required`,
      );
    const found = await stores.identity.findUser({ name });
    if (found === undefined) throw new Failure('absent', `user ${name.slice(0, 100)} not found`);
    return found;
  };
  const apiKey = async (
    subject: One,
    named: Named,
    caller: Caller,
    { access }: Operation,
  ): Promise<StoredKey> => {
    const id = naming(named, subject.paths)?.texts.at(-1);
    const found =
      id === undefined || !uuid.test(id) ? undefined : await stores.identity.findKey(id);
    if (found === undefined || (found.userId !== caller.userId && access !== 'organization-admin'))
      throw new Failure('absent', `key ${(id ?? '').slice(0, 80)} not found`);
    return found;
  };

  /** What a key of one project reaches: that project, and what is in an experiment of it. */
  const inOneProject: readonly string[] = [
    'workspace',
    'project',
    'experiment',
    'asset',
    'upload',
    'experimentModel',
  ];

  /** Whether a request does not name what it may leave out. */
  const isLeftOut = (subject: Subject, named: Named): boolean =>
    'one' in subject && subject.optional === true && naming(named, subject.paths) === undefined;

  const admitOne = async (
    operation: Operation,
    subject: Subject,
    named: Named,
    caller: Caller,
    met: Readonly<Record<string, unknown>>,
  ): Promise<Record<string, unknown>> => {
    const { access } = operation;
    const kind = 'each' in subject ? subject.each : 'made' in subject ? subject.made : subject.one;
    if (caller.scope?.projectId !== undefined && !inOneProject.includes(kind)) {
      if (isLeftOut(subject, named)) return {};
      throw oneProjectOnly();
    }
    if ('each' in subject && subject.each === 'workspace')
      return { workspaces: await workspaces(subject, named, caller, operation) };
    if ('each' in subject && subject.each === 'artifactVersion')
      return { artifactVersions: await artifactVersions(subject, named, caller, access, met) };
    if ('each' in subject)
      return { [`${subject.each}s`]: await experiments(subject, named, caller, access) };
    if ('made' in subject) return { existing: await existing(subject, named, caller) };
    if (subject.one === 'workspace')
      return { workspace: await workspace(subject, named, caller, operation) };
    if (subject.one === 'project')
      return { project: await project(subject, named, caller, operation) };
    if (
      subject.one === 'panel' ||
      subject.one === 'optimizer' ||
      subject.one === 'statusRequest' ||
      subject.one === 'delivery' ||
      subject.one === 'channel' ||
      subject.one === 'invitation'
    )
      return {
        [subject.one]: await ownedByWorkspace(subject.one, subject, named, caller, operation),
      };
    if (subject.one === 'account') return { account: await account(subject, named) };
    if (subject.one === 'apiKey')
      return { apiKey: await apiKey(subject, named, caller, operation) };
    if (subject.one === 'asset') return { asset: await asset(subject, named, caller, access, met) };
    if (subject.one === 'artifact')
      return { artifact: await artifact(subject, named, caller, operation, met) };
    if (subject.one === 'artifactVersion')
      return { artifactVersion: await artifactVersion(subject, named, caller, access, met) };
    if (subject.one === 'upload') return { upload: await upload(subject, named, caller, access) };
    if (subject.one === 'registryModel')
      return { registryModel: await registryModel(subject, named, caller, access) };
    if (subject.one === 'modelVersion')
      return { modelVersion: await modelVersion(subject, named, caller, access) };
    if (subject.one === 'experimentModel')
      return { experimentModel: await experimentModel(subject, named, caller, access) };
    return { experiment: await experiment(subject, named, caller, operation) };
  };

  return {
    async admit(operation, subjects, named, caller, met) {
      checkCaller(operation, caller);
      if (operation.access === 'organization-admin' && !caller.admin)
        throw new Failure('forbidden', 'only an administrator of the installation may do this');
      let gathered: Record<string, unknown> = { ...met };
      try {
        for (const subject of subjects)
          gathered = {
            ...gathered,
            ...(await admitOne(operation, subject, named, caller, gathered)),
          };
      } catch (refusal) {
        const kept =
          operation.kept === true &&
          caller.scope?.projectId === undefined &&
          isFailure(refusal) &&
          refusal.kind === 'absent'
            ? await keptFile(named, caller)
            : undefined;
        if (kept === undefined) throw refusal;
        return { ...met, asset: kept };
      }
      return gathered;
    },
    permit(operation, named, caller, met) {
      const [project, home] = [
        met['project'] as Project | undefined,
        met['workspace'] as Workspace | undefined,
      ]; // the gate's own names for them
      const workspaceId = project?.workspaceId ?? home?.id;
      if (workspaceId !== undefined)
        checkPermission(operation, named, caller, {
          workspaceId,
          role: roleOf(caller, workspaceId),
          ...(project === undefined ? {} : { before: project.public }),
        });
    },
  };
};
