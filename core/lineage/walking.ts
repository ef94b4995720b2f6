// Walks from runs, versions and evaluations to what they came of and what came of them, one step after another.
import { lineageBounds } from '#ports/api/lineage';
import type { ArtifactVersion } from '#ports/model/artifacts';
import type { Dataset } from '#ports/model/datasets';
import type { Evaluation } from '#ports/model/evaluations';
import type { Experiment } from '#ports/model/experiments';
import type { LibraryPrompt, LibraryPromptVersion } from '#ports/model/library-prompts';
import type { RegisteredVersion } from '#ports/model/registry';
import type { Stores } from '#ports/storage/storage';

/** A version of a prompt, and the prompt. */
export interface OfPrompt extends Pick<LibraryPromptVersion, 'workspaceId' | 'id' | 'commit'> {
  readonly prompt: Pick<LibraryPrompt, 'id' | 'name' | 'projectId'>;
}
type Evaluating =
  | { readonly type: 'dataset'; readonly of: Dataset }
  | { readonly type: 'promptVersion'; readonly of: OfPrompt }
  | { readonly type: 'evaluation'; readonly of: Evaluation };
type Training =
  | { readonly type: 'run'; readonly of: Experiment }
  | { readonly type: 'artifactVersion'; readonly of: ArtifactVersion }
  | { readonly type: 'modelVersion'; readonly of: RegisteredVersion };
export type LineageItem = Training | Evaluating;
export type Direction = 'up' | 'down';
export type EdgeKind = 'made' | 'used' | 'registered';

export type LineageStores = Pick<
  Stores,
  'artifactUses' | 'datasets' | 'evaluations' | 'experiments' | 'libraryPrompts' | 'modelVersions'
>;

/** Leaves out what the caller may not see. Versions of models are named by their ids, runs by their keys. */
export interface Visible {
  runs(keys: readonly string[]): Promise<readonly Experiment[]>;
  artifactVersions(ids: readonly string[]): Promise<readonly ArtifactVersion[]>;
  modelVersions(ids: readonly string[]): Promise<readonly RegisteredVersion[]>;
  /** Datasets, prompts and evaluations. */
  records<
    R extends {
      readonly workspaceId: string;
      readonly projectId: string | undefined;
    },
  >(
    records: readonly R[],
  ): Promise<readonly R[]>;
}

export interface LineageNode {
  readonly item: LineageItem;
  readonly level: number;
}
export interface Lineage {
  readonly nodes: readonly LineageNode[];
  readonly edges: readonly {
    readonly from: number;
    readonly to: number;
    readonly kind: EdgeKind;
  }[];
  readonly folded: readonly {
    readonly node: number;
    readonly direction: Direction;
    readonly count: number;
    readonly more: boolean;
  }[];
}

export const nameOf = (item: LineageItem): string =>
  `${item.type}:${item.type === 'run' ? item.of.key : item.of.id}`;

interface Neighbours {
  readonly found: readonly { readonly item: LineageItem; readonly kind: EdgeKind }[];
  /** Whether there are more than were looked at. */
  readonly more: boolean;
}

const { neighbours: most, nodes: mostNodes } = lineageBounds;

const runsOf = async (
  { experiments }: LineageStores,
  visible: Visible,
  ids: readonly string[],
): Promise<readonly Experiment[]> => {
  const found = new Map((await experiments.listByIds(ids)).map((run) => [run.id, run]));
  return visible.runs(
    ids.flatMap((id) => {
      const run = found.get(id);
      return run === undefined ? [] : [run.key];
    }),
  );
};

const asRuns = (runs: readonly Experiment[], kind: EdgeKind) =>
  runs.map((of) => ({ item: { type: 'run', of } as const, kind }));
const asArtifacts = (versions: readonly ArtifactVersion[], kind: EdgeKind) =>
  versions.map((of) => ({ item: { type: 'artifactVersion', of } as const, kind }));

const none: Neighbours = { found: [], more: false };

/** The dataset that an evaluation ran over, and the versions of prompts that it ran. */
const givenTo = async (
  { datasets, libraryPrompts }: LineageStores,
  visible: Visible,
  { workspaceId, datasetId, prompts: named }: Evaluation,
): Promise<Neighbours> => {
  const over = datasetId === undefined ? [] : await datasets.findMany(workspaceId, [datasetId]);
  const versions = await libraryPrompts.findVersions(
    workspaceId,
    named.slice(0, most).map(({ versionId }) => versionId),
  );
  const ids = [...new Set(versions.map(({ promptId }) => promptId))];
  const prompts = await visible.records(await libraryPrompts.findMany(workspaceId, ids));
  return {
    found: [
      ...(await visible.records(over)).map((of) => ({
        item: { type: 'dataset', of } as const,
        kind: 'used' as const,
      })),
      ...versions.flatMap((version) => {
        const prompt = prompts.find(({ id }) => id === version.promptId);
        return prompt === undefined
          ? []
          : [
              {
                item: { type: 'promptVersion', of: { ...version, prompt } } as const,
                kind: 'used' as const,
              },
            ];
      }),
    ],
    more: named.length > most,
  };
};

/** The evaluations over a dataset or of a version of a prompt, the newest first. */
const evaluationsOf = async (
  { evaluations }: LineageStores,
  visible: Visible,
  item: Extract<Evaluating, { type: 'dataset' | 'promptVersion' }>,
): Promise<Neighbours> => {
  const found = await evaluations.list({
    workspaceId: item.of.workspaceId,
    ...(item.type === 'dataset' ? { datasetId: item.of.id } : { promptId: item.of.prompt.id }),
    ...{ filters: [], orders: [], limit: most + 1 },
  });
  const those = found
    .slice(0, most)
    .filter(
      ({ prompts }) =>
        item.type === 'dataset' || prompts.some(({ versionId }) => versionId === item.of.id),
    );
  return {
    found: (await visible.records(those)).map((of) => ({
      item: { type: 'evaluation', of } as const,
      kind: 'used' as const,
    })),
    more: found.length > most,
  };
};

const upOf = async (
  stores: LineageStores,
  visible: Visible,
  item: LineageItem,
): Promise<Neighbours> => {
  if (item.type === 'evaluation') return givenTo(stores, visible, item.of);
  if (item.type === 'dataset' || item.type === 'promptVersion') return none;
  if (item.type !== 'run') {
    const kind = item.type === 'modelVersion' ? 'registered' : 'made';
    return {
      found: asRuns(await runsOf(stores, visible, [item.of.experimentId]), kind),
      more: false,
    };
  }
  const used = await stores.artifactUses.listUsed(item.of.id, most + 1);
  const seen = await visible.artifactVersions(used.slice(0, most).map(({ id }) => id));
  return { found: asArtifacts(seen, 'used'), more: used.length > most };
};

const downOf = async (
  stores: LineageStores,
  visible: Visible,
  item: LineageItem,
): Promise<Neighbours> => {
  if (item.type === 'modelVersion' || item.type === 'evaluation') return none;
  if (item.type === 'dataset' || item.type === 'promptVersion')
    return evaluationsOf(stores, visible, item);
  if (item.type === 'artifactVersion') {
    const uses = await stores.artifactUses.listUses(item.of.id, most + 1);
    const ids = uses.slice(0, most).map(({ experimentId }) => experimentId);
    return {
      found: asRuns(await runsOf(stores, visible, ids), 'used'),
      more: uses.length > most,
    };
  }
  const made = await stores.artifactUses.listMade(item.of.id, most + 1);
  const records = await stores.modelVersions.listRecords(item.of.id);
  const ids = [
    made.slice(0, most).map(({ id }) => id),
    records.slice(0, most).map((one) => one.versionId),
  ];
  const models = await visible.modelVersions(ids[1] ?? []);
  return {
    found: [
      ...asArtifacts(await visible.artifactVersions(ids[0] ?? []), 'made'),
      ...models.map((of) => ({
        item: { type: 'modelVersion', of } as const,
        kind: 'registered' as const,
      })),
    ],
    more: made.length > most || records.length > most,
  };
};

/** What is reached within so many steps. Upstream is only followed upstream, and downstream downstream. */
export const walkLineage = async (
  stores: LineageStores,
  visible: Visible,
  roots: readonly LineageItem[],
  { depth, directions }: { readonly depth: number; readonly directions: readonly Direction[] },
): Promise<Lineage> => {
  const nodes: LineageNode[] = roots.map((item) => ({ item, level: 0 }));
  const places = new Map(roots.map((item, at) => [nameOf(item), at]));
  const edges = new Map<string, Lineage['edges'][number]>();
  const folded: Lineage['folded'][number][] = [];
  for (const direction of directions) {
    const walked = new Set(places.values());
    let last = roots.map((_, at) => at);
    for (let step = 1; step <= depth && last.length > 0; step++) {
      const next: number[] = [];
      for (const at of last) {
        const node = nodes[at];
        if (node === undefined) continue;
        const look = direction === 'up' ? upOf : downOf;
        const { found, more } = await look(stores, visible, node.item);
        let left = 0;
        for (const { item, kind } of found) {
          const name = nameOf(item);
          let place = places.get(name);
          if (place === undefined && next.length >= mostNodes) {
            left++;
            continue;
          }
          if (place === undefined) {
            place = nodes.length;
            nodes.push({ item, level: direction === 'up' ? -step : step });
            places.set(name, place);
          }
          if (!walked.has(place)) {
            walked.add(place);
            next.push(place);
          }
          const [from, to] = direction === 'up' ? [place, at] : [at, place];
          edges.set(`${from} ${to} ${kind}`, { from, to, kind });
        }
        if (left > 0 || more) folded.push({ node: at, direction, count: left, more });
      }
      last = next;
    }
  }
  return { nodes, edges: [...edges.values()], folded };
};
