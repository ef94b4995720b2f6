import { trackingFamily } from '#ports/api/families/tracking';
import { area } from '#ports/api/area';
import { artifactOperations } from '#ports/api/artifacts';
import { Blob } from '#ports/blob';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import type { Artifact, ArtifactVersion } from '#ports/model/artifacts';
import type { Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import { storageOf } from '#ports/storage/storage';
import { Zip } from '#ports/zip';
import { everyFile, zipVersion } from '../assets/offers.js';
import { outsideProjectScope, readsPublic, roleOf } from '../permissions.js';
import { deleteVersion, makeVersion, setState } from './making.js';
import { readAliases, readLabels, readArtifactMetadata } from './requests.js';
import { absentArtifact, absentVersion } from './rules.js';
import { findLatest, selectVersion, type Selection } from './selecting.js';
import { toListedVersion, toWireArtifact, toWireFile, toWireVersion } from './wire.js';
import { artifactKind, artifactVersionKind } from './kinds.js';
import { assetSettings } from '../assets/settings.js';
import { writeList } from '../json-list.js';

const needs = {
  storage: storageOf('artifactUses', 'artifactVersions', 'artifacts', 'assets', 'experiments'),
  blob: Blob,
  zip: Zip,
  clock: Clock,
  ids: Ids,
  settings: assetSettings.port,
};

const atOnce = 1000;
const mostOfRun = 10_000;

interface Reading {
  readonly experiment: Experiment | undefined;
  readonly artifact: Artifact | undefined;
  readonly artifactVersion: ArtifactVersion | undefined;
  readonly query: Selection;
  readonly caller: Caller;
}

/** Whoever may only read a run, by role or by credential, leaves no mark on it. */
const mayMark = (caller: Caller, { workspaceId, projectId }: Experiment): boolean =>
  !caller.viewOnly &&
  caller.scope?.readOnly !== true &&
  !outsideProjectScope(caller, projectId) &&
  ['admin', 'member'].includes(roleOf(caller, workspaceId) ?? '');

/** An artifact is no thing of a project's: a credential that is narrowed to one reads none. */
const mayRead = (caller: Caller, { artifact }: ArtifactVersion): boolean =>
  caller.scope?.projectId === undefined &&
  (roleOf(caller, artifact.workspaceId) !== undefined ||
    (artifact.public && readsPublic(caller, artifact.workspaceId)));

/** Pages of a listing that goes on after an id. */
async function* paged<T extends { readonly id: string }>(
  list: (afterId: string | undefined) => Promise<readonly T[]>,
): AsyncIterable<readonly T[]> {
  for (let afterId: string | undefined; ;) {
    const page = await list(afterId);
    if (page.length > 0) yield page;
    if (page.length < atOnce) return;
    afterId = page.at(-1)?.id;
  }
}

export const artifactsArea = area({
  name: 'artifacts',
  summary: 'Versioned artifacts: versions, aliases, files and lineage.',
  family: trackingFamily,
  table: artifactOperations,
  kinds: [artifactKind, artifactVersionKind],
  needs,
  handlers: ({ storage, blob, zip, clock, ids, settings }) => {
    const { artifacts, artifactVersions, artifactUses, assets, experiments } = storage.stores;
    const making = { storage, clock, ids };

    /** The version that a request means; its reader is noted once the version is closed. */
    const readVersion = async ({
      experiment,
      artifact,
      artifactVersion,
      query,
      caller,
    }: Reading): Promise<ArtifactVersion> => {
      const version = await selectVersion(artifactVersions, artifact, artifactVersion, query);
      if (experiment !== undefined && version.state === 'CLOSED' && mayMark(caller, experiment))
        await artifactUses.noteUse(experiment.id, version.id, clock.now());
      return version;
    };
    async function* listed(workspaceId: string, type: string | undefined) {
      for await (const page of paged((afterId) =>
        artifacts.list({
          workspaceId,
          limit: atOnce,
          ...(type === undefined || type === '' ? {} : { type }),
          ...(afterId === undefined ? {} : { afterId }),
        }),
      )) {
        const figures = await artifacts.figures(page.map(({ id }) => id));
        yield page.map((artifact) => ({
          ...toWireArtifact(artifact, figures.get(artifact.id)),
          versionsCount: figures.get(artifact.id)?.versions ?? 0,
        }));
      }
    }

    return {
      async upsertArtifact({ body, experiment, caller }) {
        const [tags, metadata] = [
          readLabels(body.tags, 'tags'),
          readArtifactMetadata(body.metadata, 'metadata'),
        ];
        return makeVersion(making, {
          experiment,
          caller,
          name: body.artifactName,
          type: body.artifactType,
          version: body.version === '' ? undefined : body.version,
          aliases: readAliases(body.alias) ?? [],
          tags: readLabels(body.versionTags, 'versionTags') ?? [],
          metadata: readArtifactMetadata(body.versionMetadata, 'versionMetadata') ?? undefined,
          note: body.note ?? body.comment,
          public: body.isPublic ?? false,
          change: {
            ...(tags === undefined ? {} : { tags }),
            ...(metadata === undefined ? {} : { metadata }),
            ...(body.description === undefined ? {} : { description: body.description }),
            ...(body.emoji === undefined ? {} : { emoji: body.emoji }),
          },
        });
      },
      async setArtifactState({ body, artifactVersion }) {
        await setState(making, artifactVersion, body.state, body.isPublic);
        return {};
      },
      async updateArtifact({ body, artifact }) {
        const [tags, metadata] = [
          readLabels(body.tags, 'tags'),
          readArtifactMetadata(body.versionMetadata, 'versionMetadata'),
        ];
        const version =
          body.version === undefined || body.version === ''
            ? undefined
            : await artifactVersions.findVersionByNumber(artifact.id, body.version);
        if (version === undefined && body.version !== undefined && body.version !== '')
          throw absentVersion(body.version);
        await storage.transaction(async (stores) => {
          const found = await stores.artifacts.update(artifact.id, {
            ...(body.artifactType === undefined ? {} : { type: body.artifactType }),
            ...(tags === undefined ? {} : { tags }),
            ...(body.isPublic === undefined ? {} : { public: body.isPublic }),
            ...(body.description === undefined ? {} : { description: body.description }),
            ...(body.emoji === undefined ? {} : { emoji: body.emoji }),
            ...(metadata === undefined || version !== undefined ? {} : { metadata }),
          });
          if (!found) throw absentArtifact(artifact.id);
          if (
            version !== undefined &&
            metadata !== undefined &&
            !(await stores.artifactVersions.updateVersion(version.id, { metadata }))
          )
            throw absentVersion(version.id);
        });
        return {};
      },
      async updateArtifactVersion({ body, artifactVersion }) {
        const [aliases, tags, metadata] = [
          readAliases(body.alias),
          readLabels(body.versionTags, 'versionTags'),
          readArtifactMetadata(body.versionMetadata, 'versionMetadata'),
        ];
        await storage.transaction(async (stores) => {
          const found = await stores.artifactVersions.updateVersion(artifactVersion.id, {
            ...(tags === undefined ? {} : { tags }),
            ...(metadata === undefined ? {} : { metadata }),
          });
          if (
            !found ||
            (aliases !== undefined &&
              !(await stores.artifactVersions.setAliases(artifactVersion.id, aliases)))
          )
            throw absentVersion(artifactVersion.id);
        });
        return {};
      },
      async deleteArtifact({ artifact }) {
        if (!(await artifacts.markDeleted(artifact.id, clock.now())))
          throw absentArtifact(artifact.id);
        return {};
      },
      async deleteArtifactVersion({ artifactVersion }) {
        await deleteVersion(making, artifactVersion);
        return {};
      },
      async listArtifacts({ query, workspace }) {
        return { text: writeList({}, 'artifacts', listed(workspace.id, query.type)) };
      },
      async getArtifact({ artifact }) {
        const [figures, newest] = await Promise.all([
          artifacts.figures([artifact.id]),
          findLatest(artifactVersions, artifact.id),
        ]);
        const head = {
          ...toWireArtifact(artifact, figures.get(artifact.id)),
          latestVersion: newest?.version ?? null,
        };
        const versions = paged((id) => artifactVersions.listVersions(artifact.id, id, atOnce));
        return {
          text: writeList(head, 'versions', versions, (one) =>
            JSON.stringify(toListedVersion(one)),
          ),
        };
      },
      getArtifactVersion: async (reading) => toWireVersion(await readVersion(reading)),
      async listArtifactFiles(reading) {
        const version = await readVersion(reading);
        return {
          text: writeList({}, 'files', everyFile(assets, version.id), (file) =>
            JSON.stringify(toWireFile(file, version)),
          ),
        };
      },
      async downloadArtifactVersion(reading) {
        const version = await readVersion(reading);
        return zipVersion(
          { assets, blob, zip, settings },
          version.id,
          `${version.artifact.name}-${version.version}.zip`,
          reading.signal,
        );
      },
      async listArtifactConsumers({ artifactVersion, caller }) {
        const uses = await artifactUses.listUses(artifactVersion.id, mostOfRun);
        const runs = new Map(
          (await experiments.listByIds(uses.map((use) => use.experimentId)))
            .filter(
              (run) =>
                roleOf(caller, run.workspaceId) !== undefined &&
                !outsideProjectScope(caller, run.projectId),
            )
            .map((run) => [run.id, run]),
        );
        return {
          consumers: uses.flatMap(({ experimentId, usedAt }) => {
            const run = runs.get(experimentId);
            return run === undefined
              ? []
              : [
                  {
                    experimentKey: run.key,
                    experimentName: run.name,
                    projectName: run.projectName,
                    workspaceName: run.workspaceName,
                    usedAt,
                  },
                ];
          }),
        };
      },
      async getArtifactLineage({ query, experiment, caller }) {
        const show = (versions: readonly ArtifactVersion[]) =>
          versions.filter((version) => mayRead(caller, version)).map(toWireVersion);
        return {
          inputArtifacts:
            query.filter === 'output'
              ? []
              : show(await artifactUses.listUsed(experiment.id, mostOfRun)),
          outputArtifacts:
            query.filter === 'input'
              ? []
              : show(await artifactUses.listMade(experiment.id, mostOfRun)),
        };
      },
    };
  },
});
