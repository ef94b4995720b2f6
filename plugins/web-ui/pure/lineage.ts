// Places of what came of what: a column for each step, in it one below the other. Pure.

export interface Placed {
  readonly x: number;
  readonly y: number;
}
export const lineageBox = { width: 190, height: 40, across: 60, down: 14 } as const;

/** A place for each node by its level, the most upstream on the left; and how large the whole is. */
export const placesOf = (
  levels: readonly number[],
): { readonly places: readonly Placed[]; readonly width: number; readonly height: number } => {
  const columns = [...new Set(levels)].sort((a, b) => a - b);
  const count = new Map<number, number>();
  const { width, height, across, down } = lineageBox;
  const places = levels.map((level) => {
    const row = count.get(level) ?? 0;
    count.set(level, row + 1);
    return { x: columns.indexOf(level) * (width + across), y: row * (height + down) };
  });
  const rows = Math.max(1, ...count.values());
  // Columns of fewer stand in the middle of the longest.
  return {
    places: places.map(({ x, y }, at) => ({
      x,
      y: y + ((rows - (count.get(levels[at] ?? 0) ?? 0)) * (height + down)) / 2,
    })),
    width: Math.max(1, columns.length) * (width + across) - across,
    height: rows * (height + down) - down,
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
