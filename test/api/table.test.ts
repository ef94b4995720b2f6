import { expect } from 'chai';
import { compiles } from '#adapters/http/input';
import { schemasOf } from '#config/schemas';
import { subjectsOf } from '#ports/api/operation';
import { open, signed, visited } from './open.js';
import { fieldsOf, isRestricted, pathsOf, placesOf, rows } from './rows.js';

/** Rows that are about nobody's thing but the caller. */
const aboutCaller: Readonly<Record<string, string>> = {
  readAuthorizeContext: 'lists the workspaces that the caller belongs to',
  consent:
    "allows a program what the caller may do; the workspace is held against the caller's own",
  accountDetails: 'tells of the caller',
  listWorkspaces: 'lists what the caller belongs to',
  createWorkspace: "what is made becomes the caller's",
  addLog: 'stores nothing',
  whoAmI: 'tells of the caller',
  signOut: "ends the caller's own session",
  signOutEverywhere: "ends the caller's own sessions",
  listSessions: "lists the caller's own",
  endSession: "ends the caller's own session",
  changePassword: "is the caller's own",
  listPrograms: "lists the caller's own",
  endProgram: 'ends what the caller allowed',
  endMyProgram: 'ends what the caller allowed',
  disableProgram: 'is about the installation',
  logout: "ends the caller's own session",
  showAccount: "shows the caller's own",
  changeMyPassword: "is the caller's own",
  endMySession: "ends the caller's own session",
  endMySessions: "ends the caller's own sessions",
  makeMyKey: "becomes the caller's own",
  revokeMyKey: "ends the caller's own key",
  listKeys: "lists the caller's own",
  listUsers: 'is about the installation',
  createUser: 'is about the installation',
  listAllWorkspaces: 'is about the installation',
  createServiceAccount: 'is about the installation',
  listServiceAccounts: 'is about the installation',
  chargebackReport: 'is about the installation',
  licenseReport: 'is about the installation',
  usageReport: 'is about the installation',
  readSchema: 'is about the installation',
  checkInstallation: 'is about the installation',
  auditBlobs: 'is about the installation',
  exportInstallation: 'is about the installation',
  listQueues: 'is about the installation',
  listQueueFaults: 'is about the installation',
  retryQueue: 'is about the installation',
  listAudit: 'is about the installation',
  exportAudit: 'is about the installation',
  listAlgorithms: 'lists what the product can do',
  getSpec: 'lists what the product can do',
  listToggles: 'is about the installation',
  changeToggle: 'is about the installation',
  listSettings: 'is about the installation',
  listStatuses: 'is about the installation',
  setStatuses: 'is about the installation',
};
/** Fields that look like an id of ours and are none, or are the client's to choose. */
const notOurs: Readonly<Record<string, string>> = {
  'moveWorkspaceContents body.targetWorkspaceName':
    'is asked by administrators of the installation, who reach every workspace',
  'consent body.workspace_id':
    'held against the workspaces of the caller, as the name beside it is',
  'uploadAsset query.projectId': 'not read',
  'uploadAsset query.assetId': "the new asset's id",
  'uploadAsset query.imageId': "the new asset's id",
  'uploadImage query.projectId': 'not read',
  'uploadImage query.assetId': "the new asset's id",
  'uploadImage query.imageId': "the new asset's id",
  'startAssetUpload body.projectId': 'not read',
  'startAssetUpload body.assetId': "the new asset's id",
  'startAssetUpload body.imageId': "the new asset's id",
  'startImageUpload body.projectId': 'not read',
  'startImageUpload body.assetId': "the new asset's id",
  'startImageUpload body.imageId': "the new asset's id",
  'logRemoteModel body.remoteEntities.*.assetId': "the new asset's id",
  'logRemoteAssets body.remoteAssets.*.assetId': "the new asset's id",
  'logRemoteAssets body.remoteAssets.*.artifactId': 'not read: the version says it',
  'logRemoteAssetBatch body.remoteArtifactAssetRequests.*.assetId': "the new asset's id",
  'logRemoteAssetBatch body.remoteArtifactAssetRequests.*.artifactId':
    'not read: the version says it',
  'createUser body.workspaceName': "the new user's own",
  'createServiceAccount body.teamName':
    'an administrator of the installation reaches every workspace',
  'renameWorkspace body.newWorkspaceName': 'its new name',
  'renameOwnWorkspace body.newWorkspaceName': 'its new name',
  'listAudit query.workspaceName': 'an administrator of the installation reaches every workspace',
  'exportAudit query.workspaceName': 'an administrator of the installation reaches every workspace',
  'reportStatus body.projectId': 'not read: the experiment says it',
  'putPart params.uploadId': 'the link carries the permission',
  'getSigned params.rowId': 'the link carries the permission',
};
const namesOurs =
  /(^|\.)((new|previous|copied|targeted|target)?(exp?eriment|project|workspace|team|asset|image|request|upload|artifact|artifactVersion|model|registryModel|modelItem|registryModelItem|experimentModel|row)(_?(Key|Id|key|id)s?|Name)|targetedExperiments|previousExperiment|copiedExperimentKey|experiment_key)$/i;
/** What gives a new thing its name, or searches among the things of a subject. */
const isOwnName = (id: string, place: string): boolean =>
  (
    (
      ({
        upsertArtifact: ['body.artifactName'],
        createExperiment: ['body.projectName', 'body.experimentName'],
        moveExperiments: ['body.targetProjectName'],
        notifyEnd: ['body.experiment_name'],
        logPrompts: [
          'body.*.createExperimentRequest.projectName',
          'body.*.createExperimentRequest.experimentName',
        ],
        updateProject: ['body.newProjectName'],
        listAssetsByName: ['query.assetName'],
        openRun: ['body.projectName'],
        createProject: ['body.projectName'],
        linkExperiment: ['query.projectName'],
        linkRun: ['query.projectName'],
        logRemoteModel: ['body.modelName'],
        listModelAssets: ['query.modelName'],
        downloadModel: ['query.modelName'],
        registerModel: ['body.registryModelName'],
        promoteModel: ['body.registryModelName'],
        registerByName: ['body.registryModelName', 'body.experimentModelName'],
        updateRegistryModel: ['body.registryModelName'],
        listStatusRequests: ['query.modelName'],
        // The model is looked for in the workspace that the gate has let through.
        updateWebhooks: ['body.webhookConfigs.*.modelName'],
        overrideWebhooks: ['body.webhookConfigs.*.modelName'],
        listWebhooks: ['query.modelName'],
        deleteWebhooks: ['query.modelName'],
        testWebhook: ['body.modelName'],
        listDeliveries: ['query.modelName'],
        createChannel: ['body.modelName'],
      }) as Readonly<Record<string, readonly string[]>>
    )[id] ?? []
  ).includes(place);

describe('the table of operations', () => {
  it('serves a path once for each method', () => {
    const served = rows.flatMap((row) =>
      pathsOf(row.operation).map(
        (path) => `${row.operation.method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
      ),
    );

    expect(served.filter((one, i) => served.indexOf(one) !== i)).to.deep.equal([]);
  });

  it('names each operation once', () => {
    const ids = rows.map((row) => row.id);

    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).to.deep.equal([]);
  });

  it('leaves only listed rows open, and lists none that is not open', () => {
    expect(
      rows
        .filter(({ operation }) => operation.access === 'public')
        .map(({ id }) => id)
        .sort(),
    ).to.deep.equal(Object.keys(open).sort());
    expect(
      rows
        .filter(({ operation }) => operation.access === 'visitor')
        .map(({ id }) => id)
        .sort(),
    ).to.deep.equal(Object.keys(visited).sort());
    expect(
      rows
        .filter(({ operation }) => operation.access === 'signed')
        .map(({ id }) => id)
        .sort(),
    ).to.deep.equal(Object.keys(signed).sort());
  });

  it('says of every row whose thing it is about', () => {
    const nobodys = rows
      .filter(({ operation }) => isRestricted(operation) && subjectsOf(operation).length === 0)
      .map(({ id }) => id);

    expect(nobodys.sort()).to.deep.equal(Object.keys(aboutCaller).sort());
  });

  for (const { id, operation } of rows.filter((row) => isRestricted(row.operation))) {
    it(`${id} has a subject for every id it takes`, () => {
      const places = new Set(subjectsOf(operation).flatMap(placesOf));
      const loose = fieldsOf(operation)
        .filter(
          (place) =>
            namesOurs.test(place) &&
            !places.has(place) &&
            !places.has(place.replace(/\.\*$/, '')) &&
            !isOwnName(id, place),
        )
        .filter((place) => notOurs[`${id} ${place}`] === undefined);

      expect(loose).to.deep.equal([]);
    });
  }

  it('lists no exception for a field that is gone or has a subject', () => {
    const taken = new Set(
      rows.flatMap(({ id, operation }) => fieldsOf(operation).map((place) => `${id} ${place}`)),
    );
    const subjects = new Set(
      rows.flatMap(({ id, operation }) =>
        subjectsOf(operation)
          .flatMap(placesOf)
          .map((place) => `${id} ${place}`),
      ),
    );

    expect(
      Object.keys(notOurs).filter((name) => !taken.has(name) || subjects.has(name)),
    ).to.deep.equal([]);
  });

  it('names subjects only in fields that the row reads', () => {
    const unread = rows.flatMap(({ id, operation }) =>
      subjectsOf(operation)
        .flatMap(placesOf)
        .filter(
          (place) =>
            !place.startsWith('part.') &&
            !place.startsWith('header.') &&
            !place.includes('*') &&
            !fieldsOf(operation).includes(place),
        )
        .map((place) => `${id} ${place}`),
    );

    expect(unread).to.deep.equal([]);
  });

  it('has schemas that compile', () => {
    for (const { id, operation } of rows)
      for (const schema of schemasOf({ [id]: operation }))
        expect(() => {
          compiles(schema);
        }, id).not.to.throw();
  });

  it('says in one line what each row does, and what it answers', () => {
    for (const { id, operation } of rows) {
      expect(operation.summary, id).to.match(/^[A-Z].{2,}[^.]$/);
      expect(Object.keys(operation.replies), id).to.not.deep.equal([]);
    }
  });

  it('has a schema for each name in a path, and a path for each name in its schema', () => {
    for (const { id, operation } of rows) {
      const inPaths = new Set(
        pathsOf(operation).flatMap((path) =>
          [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
        ),
      );
      expect([...inPaths].sort(), id).to.deep.equal(
        fieldsOf(operation)
          .filter((place) => place.startsWith('params.'))
          .map((place) => place.slice(7))
          .sort(),
      );
    }
  });
});
