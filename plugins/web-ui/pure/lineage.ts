// Places of what came of what: a column for each step, in it one below the other. Pure.

export interface Placed {
  readonly x: number;
  readonly y: number;
}
export const lineageBox = { width: 190, height: 40, across: 60, down: 14 } as const;

interface Edge {
  readonly from: number;
  readonly to: number;
}

const mean = (of: readonly number[]): number => of.reduce((sum, one) => sum + one, 0) / of.length;

/** Numbers that are as near to these as they can be, each at least `apart` after the one before. */
const spacedOut = (wanted: readonly number[], apart: number): readonly number[] => {
  // Those that would overlap move together, to the mean of where they would be.
  const blocks: { sum: number; count: number }[] = [];
  wanted.forEach((place, at) => {
    let block = { sum: place - at * apart, count: 1 };
    for (
      let before = blocks.at(-1);
      before !== undefined && before.sum / before.count > block.sum / block.count;
      before = blocks.at(-1)
    ) {
      blocks.pop();
      block = { sum: block.sum + before.sum, count: block.count + before.count };
    }
    blocks.push(block);
  });
  return blocks
    .flatMap(({ sum, count }) => new Array<number>(count).fill(sum / count))
    .map((place, at) => place + at * apart);
};

/** How often columns are put in the order of their neighbours; more changes nothing that one would see. */
const sweeps = 4;

/**
 * A place for each node by its level, the most upstream on the left, and how large the whole is. What is joined lies side by side, as far as there is
 * room: the longest column stands without gaps, and each other node beside the topmost of those that it is joined to.
 */
export const placesOf = (
  levels: readonly number[],
  edges: readonly Edge[] = [],
): { readonly places: readonly Placed[]; readonly width: number; readonly height: number } => {
  const { width, height, across, down } = lineageBox;
  const step = height + down;
  const columns = [...new Set(levels)]
    .sort((a, b) => a - b)
    .map((level) => levels.flatMap((one, at) => (one === level ? [at] : [])));
  const longest = columns.reduce(
    (most, { length }, at) => (length > (columns[most]?.length ?? 0) ? at : most),
    0,
  );
  const joined = levels.map((): number[] => []);
  for (const { from, to } of edges) {
    joined[from]?.push(to);
    joined[to]?.push(from);
  }
  const y = levels.map(() => 0);
  const columnOf = new Map(
    columns.flatMap((nodes, at) => nodes.map((node) => [node, at] as const)),
  );
  /** Where what a node is joined to stands, on the side from which places are known; its own place where there is nothing. */
  const beside = (node: number, isKnown: (column: number) => boolean): readonly number[] => {
    const known = (joined[node] ?? []).filter((one) => isKnown(columnOf.get(one) ?? -1));
    return known.length === 0 ? [y[node] ?? 0] : known.map((one) => y[one] ?? 0);
  };
  /** In the order of the middle of what they are joined to, each beside the topmost of that: what is read first has no empty space above it. */
  const put = (nodes: number[], isKnown: (column: number) => boolean): void => {
    const order = nodes.map((node) => {
      const places = beside(node, isKnown);
      return {
        node,
        middle: mean(places),
        first: places.reduce((least, one) => Math.min(least, one), Infinity),
      };
    });
    order.sort((a, b) => a.middle - b.middle);
    const places = spacedOut(
      order.map(({ first }) => first),
      step,
    );
    order.forEach(({ node }, at) => {
      nodes[at] = node;
      y[node] = places[at] ?? 0;
    });
  };
  for (const nodes of columns)
    nodes.forEach((node, at) => {
      y[node] = at * step;
    });
  for (let sweep = 0; sweep < sweeps; sweep++) {
    // The longest gives the order of the others, and takes theirs in turn, without gaps.
    const core = columns[longest] ?? [];
    const wanted = new Map(
      core.map((node) => [node, mean(beside(node, (column) => column !== longest))]),
    );
    core.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
    core.forEach((node, at) => {
      y[node] = at * step;
    });
    for (let at = longest + 1; at < columns.length; at++)
      put(columns[at] ?? [], (column) => column >= longest && column < at);
    for (let at = longest - 1; at >= 0; at--)
      put(columns[at] ?? [], (column) => column <= longest && column > at);
  }
  const top = y.reduce((least, one) => Math.min(least, one), Infinity);
  const bottom = y.reduce((most, one) => Math.max(most, one), -Infinity);
  return {
    places: y.map((one, node) => ({
      x: (columnOf.get(node) ?? 0) * (width + across),
      y: one - top,
    })),
    width: Math.max(1, columns.length) * (width + across) - across,
    height: levels.length === 0 ? height : bottom - top + height,
  };
};

interface NamedModel {
  readonly model: string;
  readonly version: string | undefined;
}
/** What live traces are looked for by: a model of the registry or several, or a version of a prompt or several. */
export type LiveOf =
  | NamedModel
  | { readonly models: readonly NamedModel[] }
  | { readonly commit: string }
  | { readonly commits: readonly string[] };

/** Whether they are those of prompts, which the traces name themselves. */
export const ofPrompts = (
  of: LiveOf,
): of is { readonly commit: string } | { readonly commits: readonly string[] } =>
  'commit' in of || 'commits' in of;

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Names under which programs call a version of a model: its own alone, or followed by the version. */
const modelNames = ({ model, version }: NamedModel): readonly string[] =>
  version === undefined
    ? [model]
    : [model, ...[':', '@', '/', '-'].map((between) => `${model}${between}${version}`)];

const namesOne = (commits: readonly string[]): string =>
  `(${commits.map((one) => `contains(metadata, ${quoted(one)})`).join(' OR ')})`;

const within = (of: LiveOf, projectId?: string): string =>
  [
    'start_time >= {{window_start}}',
    ofPrompts(of)
      ? `contains(metadata, 'opik_prompts') AND ${namesOne('commit' in of ? [of.commit] : of.commits)}`
      : `model IN (${[...new Set(('models' in of ? of.models : [of]).flatMap(modelNames))].map(quoted).join(', ')})`,
    ...(projectId === undefined ? [] : [`project_id = ${quoted(projectId)}`]),
  ].join(' AND ');

const mostProjects = 50;

/** How many traces of each project used it within a time, how many of them failed, and when the last began. */
export const liveStatement = (of: LiveOf): string => {
  const [table, each] = ofPrompts(of) ? ['traces', 'DISTINCT id'] : ['spans', 'DISTINCT trace_id'];
  return `SELECT project_id, count(${each}) AS traces, count(${each}) FILTER (WHERE length(error_info) > 2) AS failed, max(start_time) AS last
FROM ${table}
WHERE ${within(of)}
GROUP BY project_id ORDER BY traces DESC LIMIT ${mostProjects}`;
};

/** The traces themselves, the newest first. */
export const liveTraces = (of: LiveOf): string =>
  ofPrompts(of)
    ? `SELECT id, name, start_time, duration FROM traces
WHERE ${within(of)}
ORDER BY start_time DESC LIMIT 1000`
    : `SELECT trace_id, min(start_time) AS start_time, any_value(model) AS model, count(*) AS calls
FROM spans
WHERE ${within(of)}
GROUP BY trace_id ORDER BY start_time DESC LIMIT 1000`;

interface Reached {
  readonly type: string;
  readonly level: number;
}

/** How many of each kind came of what is asked about, in the order in which one thing leads to another. */
export const reachOf = (nodes: readonly Reached[]): readonly (readonly [string, number])[] =>
  ['artifactVersion', 'run', 'modelVersion', 'promptVersion', 'dataset', 'evaluation']
    .map(
      (type) => [type, nodes.filter((one) => one.type === type && one.level > 0).length] as const,
    )
    .filter(([, count]) => count > 0);
