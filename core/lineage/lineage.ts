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
import { storageOf } from '#ports/storage/storage';
import { walkLineage, type LineageItem, type LineageNode, type Visible } from './walking.js';

const needs = {
  storage: storageOf('artifactUses', 'experiments', 'modelVersions', 'workspaces'),
  gate: Gate,
};

/** What the gate lets this caller see. A key of one project sees nothing that lies in no project. */
const visibleTo = (gate: Gate, caller: Caller): Visible => {
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
  };
};

/** The workspace that it lies in, by its id. */
const workspaceOf = ({ type, of }: LineageItem): string =>
  type === 'run' ? of.workspaceId : (type === 'modelVersion' ? of.model : of.artifact).workspaceId;

const toNode = ({ item, level }: LineageNode, workspace: string) => {
  const { type, of } = item;
  if (type === 'run') return { type, id: of.key, name: of.name, version: null, workspace, level };
  const { name } = type === 'modelVersion' ? of.model : of.artifact;
  return { type, id: of.id, name, version: of.version, workspace, level };
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
      caller,
    }) {
      const roots: LineageItem[] = [
        ...(run === undefined ? [] : [{ type: 'run', of: run } as const]),
        ...(data === undefined ? [] : [{ type: 'artifactVersion', of: data } as const]),
        ...(model === undefined ? [] : [{ type: 'modelVersion', of: model } as const]),
      ];
      if (roots.length === 0)
        throw new Failure('invalid', 'run, artifactVersion or modelVersion must be named');
      const { direction = 'both' } = query;
      const { nodes, edges, folded } = await walkLineage(
        storage.stores,
        visibleTo(gate, caller),
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
