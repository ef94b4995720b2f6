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

/** What live traces are looked for by: a model of the registry, or a version of a prompt. */
export type LiveOf =
  { readonly model: string; readonly version: string | undefined } | { readonly commit: string };

const quoted = (text: string): string => `'${text.replaceAll("'", "''")}'`;

/** Names under which programs call a version of a model: its own alone, or followed by the version. */
const modelNames = (model: string, version: string | undefined): readonly string[] =>
  version === undefined
    ? [model]
    : [model, ...[':', '@', '/', '-'].map((between) => `${model}${between}${version}`)];

const within = (of: LiveOf, projectId?: string): string =>
  [
    'start_time >= {{window_start}}',
    'model' in of
      ? `model IN (${modelNames(of.model, of.version).map(quoted).join(', ')})`
      : `contains(metadata, 'opik_prompts') AND contains(metadata, ${quoted(of.commit)})`,
    ...(projectId === undefined ? [] : [`project_id = ${quoted(projectId)}`]),
  ].join(' AND ');

const mostProjects = 50;

/** How many traces of each project used it within a time, how many of them failed, and when the last began. */
export const liveStatement = (of: LiveOf): string => {
  const [table, each] = 'model' in of ? ['spans', 'DISTINCT trace_id'] : ['traces', 'DISTINCT id'];
  return `SELECT project_id, count(${each}) AS traces, count(${each}) FILTER (WHERE length(error_info) > 2) AS failed, max(start_time) AS last
FROM ${table}
WHERE ${within(of)}
GROUP BY project_id ORDER BY traces DESC LIMIT ${mostProjects}`;
};

/** The traces themselves, the newest first. */
export const liveTraces = (of: LiveOf): string =>
  'model' in of
    ? `SELECT trace_id, min(start_time) AS start_time, any_value(model) AS model, count(*) AS calls
FROM spans
WHERE ${within(of)}
GROUP BY trace_id ORDER BY start_time DESC LIMIT 1000`
    : `SELECT id, name, start_time, duration FROM traces
WHERE ${within(of)}
ORDER BY start_time DESC LIMIT 1000`;
