import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { Gate } from '#ports/api/gate';
import type { Kind } from '#ports/api/kind';
import { lineageBounds, lineageOperations } from '#ports/api/lineage';
import { eachAccessible } from '#ports/api/operation';
import { Failure } from '#ports/failure';
import { artifactVersion, type ArtifactVersion } from '#ports/model/artifacts';
import { experiment, type Experiment } from '#ports/model/experiments';
import type { Caller } from '#ports/model/identity';
import { modelVersion, type RegisteredVersion } from '#ports/model/registry';
import { storageOf, type Stores } from '#ports/storage/storage';
import { reachesRecord } from '../private-wire/records.js';
import { walkLineage, type LineageItem, type LineageNode, type Visible } from './walking.js';

const needs = {
  storage: storageOf(
    'artifactUses',
    'datasets',
    'evaluations',
    'experiments',
    'libraryPrompts',
    'modelVersions',
    'projects',
    'workspaces',
  ),
  gate: Gate,
};

/** What the gate lets this caller see. A key of one project sees nothing that lies in no project. */
const visibleTo = (gate: Gate, stores: Pick<Stores, 'projects'>, caller: Caller): Visible => {
  const pass = async (kind: Kind, names: readonly string[]): Promise<unknown> => {
    if (names.length === 0) return [];
    const named = { query: {}, params: {}, body: { names }, part: {}, header: {} };
    const subjects = [eachAccessible(kind, 'body.names')];
    const admitted = await gate.admit(lineageOperations.readLineage, subjects, named, caller, {});
    return admitted[`${kind.name}s`];
  };
  const oneProject = caller.scope?.projectId !== undefined;
  return {
    // As the subjects give them.
    runs: async (keys) => (await pass(experiment, keys)) as readonly Experiment[],
    artifactVersions: async (ids) =>
      (oneProject ? [] : await pass(artifactVersion, ids)) as readonly ArtifactVersion[],
    modelVersions: async (ids) =>
      (oneProject ? [] : await pass(modelVersion, ids)) as readonly RegisteredVersion[],
    async records(all) {
      const seen = await Promise.all(all.map((one) => reachesRecord(stores, caller, one)));
      return all.filter((_, at) => seen[at]);
    },
  };
};

/** The workspace that it lies in, by its id. */
const workspaceOf = ({ type, of }: LineageItem): string =>
  type === 'modelVersion'
    ? of.model.workspaceId
    : type === 'artifactVersion'
      ? of.artifact.workspaceId
      : of.workspaceId;

const toNode = ({ item: { type, of }, level }: LineageNode, workspace: string) => {
  const common = { type, workspace, level, version: null } as const;
  switch (type) {
    case 'run':
      return { ...common, id: of.key, name: of.name };
    case 'modelVersion':
      return { ...common, id: of.id, name: of.model.name, version: of.version };
    case 'artifactVersion':
      return { ...common, id: of.id, name: of.artifact.name, version: of.version };
    case 'promptVersion': {
      const { id, name } = of.prompt;
      return { ...common, id: of.id, name, version: of.commit, prompt: id };
    }
    case 'dataset':
    case 'evaluation':
      return { ...common, id: of.id, name: of.name };
  }
};

export const lineageArea = area({
  name: 'lineage',
  summary: 'What runs and versions came of, and what came of them.',
  family: privateFamily,
  table: lineageOperations,
  needs,
  handlers: ({ storage, gate }) => ({
    async readLineage({
      query,
      experiment: run,
      artifactVersion: data,
      modelVersion: model,
      dataset,
      libraryPromptVersion: prompted,
      evaluation,
      caller,
    }) {
      const roots: LineageItem[] = [
        ...(run === undefined ? [] : [{ type: 'run', of: run } as const]),
        ...(data === undefined ? [] : [{ type: 'artifactVersion', of: data } as const]),
        ...(model === undefined ? [] : [{ type: 'modelVersion', of: model } as const]),
        ...(dataset === undefined ? [] : [{ type: 'dataset', of: dataset } as const]),
        ...(prompted === undefined ? [] : [{ type: 'promptVersion', of: prompted } as const]),
        ...(evaluation === undefined ? [] : [{ type: 'evaluation', of: evaluation } as const]),
      ];
      if (roots.length === 0)
        throw new Failure(
          'invalid',
          'run, artifactVersion, modelVersion, dataset, promptVersion or evaluation must be named',
        );
      const { direction = 'both' } = query;
      const { nodes, edges, folded } = await walkLineage(
        storage.stores,
        visibleTo(gate, storage.stores, caller),
        roots,
        {
          depth: query.depth ?? lineageBounds.usualDepth,
          directions: direction === 'both' ? ['up', 'down'] : [direction],
        },
      );
      const workspaces = await storage.stores.workspaces.listByIds([
        ...new Set(nodes.map(({ item }) => workspaceOf(item))),
      ]);
      const names = new Map(workspaces.map(({ id, name }) => [id, name]));
      return {
        nodes: nodes.map((one) => toNode(one, names.get(workspaceOf(one.item)) ?? '')),
        edges,
        folded,
      };
    },
  }),
});
