// The spans of a trace as a tree and as bars over time. Pure; no step goes deeper into itself the deeper the tree is.

export interface TraceSpan {
  readonly id: string;
  readonly parent: string | undefined;
  readonly name: string;
  readonly type: string;
  readonly model: string | undefined;
  /** Instants in ms; no end where it still runs, or never said so. */
  readonly start: number;
  readonly end: number | undefined;
  /** Its own, in dollars. */
  readonly cost: number;
  readonly tokens: number;
  /** Message of its error; nothing where it has none. */
  readonly error: string | undefined;
}

export interface TreeRow {
  readonly span: TraceSpan;
  readonly depth: number;
  /** Spans right below it. */
  readonly children: number;
  /** Whether it names a parent that is not there, or that is below itself. */
  readonly lost: boolean;
  /** Of it and of all below it. */
  readonly cost: number;
  readonly tokens: number;
  /** How many below it have an error. */
  readonly errorsBelow: number;
  /** The time in it that no span below it takes, ms. */
  readonly ownMs: number;
}

const byStart = (a: TraceSpan, b: TraceSpan): number =>
  a.start - b.start || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
const lasting = ({ start, end }: TraceSpan): number =>
  end === undefined ? 0 : Math.max(0, end - start);

const groupByParent = (spans: readonly TraceSpan[]): ReadonlyMap<string, readonly TraceSpan[]> => {
  const groups = new Map<string, TraceSpan[]>();
  for (const span of spans) {
    if (span.parent === undefined) continue;
    const group = groups.get(span.parent);
    if (group === undefined) groups.set(span.parent, [span]);
    else group.push(span);
  }
  return groups;
};

/** A row while those below it are still to come. */
type Growing = { -readonly [Member in keyof TreeRow]: TreeRow[Member] };

/**
 * The tree from top to bottom, siblings by when they began; costs and tokens summed upward. Each span stands there once, whatever they say of each other.
 * Those at the top have the depth `level`. A row is one object from the start: a trace may have tens of thousands.
 */
export const treeOf = (spans: readonly TraceSpan[], level = 0): readonly TreeRow[] => {
  const known = new Map<string, TraceSpan>();
  for (const span of spans) known.set(span.id, span);
  const sorted = [...known.values()].sort(byStart);
  const below = groupByParent(sorted);
  const rows: Growing[] = [];
  // Of each row where its parent stands, -1 at the top, and up to when spans below it have been seen to run.
  const [above, upTo]: [number[], number[]] = [[], []];
  const seen = new Set<string>();

  const add = (span: TraceSpan, parent: number): number => {
    const within = rows[parent];
    seen.add(span.id);
    above.push(parent);
    upTo.push(span.start);
    if (within !== undefined) {
      const until = Math.min(span.end ?? span.start, within.span.end ?? within.span.start);
      const covered = upTo[parent] ?? span.start;
      if (until > covered) {
        within.ownMs -= until - Math.max(span.start, covered);
        upTo[parent] = until;
      }
      within.children++;
    }
    return (
      rows.push({
        span,
        depth: within === undefined ? level : within.depth + 1,
        children: 0,
        lost: within === undefined && span.parent !== undefined,
        cost: span.cost,
        tokens: span.tokens,
        errorsBelow: 0,
        ownMs: lasting(span),
      }) - 1
    );
  };
  const visit = (top: TraceSpan) => {
    const [waiting, parents] = [[top], [-1]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const parent = parents.pop() ?? -1;
      if (seen.has(next.id)) continue;
      const here = add(next, parent);
      const inside = below.get(next.id) ?? [];
      for (let at = inside.length - 1; at >= 0; at--) {
        const child = inside[at];
        if (child === undefined) continue;
        waiting.push(child);
        parents.push(here);
      }
    }
  };
  for (const span of sorted) if (span.parent === undefined || !known.has(span.parent)) visit(span);
  // What is left goes round in a circle; each circle begins with its first span.
  for (const span of sorted) if (!seen.has(span.id)) visit(span);

  for (let at = rows.length - 1; at >= 0; at--) {
    const [row, within] = [rows[at], rows[above[at] ?? -1]];
    if (row === undefined) continue;
    row.ownMs = Math.max(0, row.ownMs);
    if (within === undefined) continue;
    within.cost += row.cost;
    within.tokens += row.tokens;
    within.errorsBelow += row.errorsBelow + (row.span.error === undefined ? 0 : 1);
  }
  return rows;
};

/** The rows that are shown when some are folded: none below a folded one. */
export const unfolded = (
  rows: readonly TreeRow[],
  folded: ReadonlySet<string>,
): readonly TreeRow[] => {
  if (folded.size === 0) return rows;
  let hiddenBelow = Infinity;
  return rows.filter(({ span, depth }) => {
    if (depth > hiddenBelow) return false;
    hiddenBelow = folded.has(span.id) ? depth : Infinity;
    return true;
  });
};

/** The rows that match, and those above them. */
export const narrowedTo = (
  rows: readonly TreeRow[],
  matches: (span: TraceSpan) => boolean,
): readonly TreeRow[] => {
  const kept: boolean[] = [];
  // From the bottom: how deep the row is whose parent is still to come.
  let wantedDepth = -1;
  for (let at = rows.length - 1; at >= 0; at--) {
    const row = rows[at];
    if (row === undefined) continue;
    const above = row.depth < wantedDepth;
    kept[at] = above || matches(row.span);
    if (kept[at]) wantedDepth = row.depth;
    if (row.depth === 0) wantedDepth = -1;
  }
  return rows.filter((_, at) => kept[at]);
};

/** Whether a span has a text in its name, type, model or error, whatever its case. */
export const spanMatcher = (text: string): ((span: TraceSpan) => boolean) => {
  const part = text.trim().toLowerCase();
  return ({ name, type, model, error, id }) =>
    [name, type, model ?? '', error ?? '', id].some((one) => one.toLowerCase().includes(part));
};

export interface TimeScale {
  readonly from: number;
  readonly lastsMs: number;
}
/** The time that a trace and all its spans take; one that still runs lasts until `now`, of which an hour is the most that is believed. */
export const scaleOf = (
  spans: readonly Pick<TraceSpan, 'start' | 'end'>[],
  now: number,
): TimeScale => {
  let [from, to] = [Infinity, -Infinity];
  for (const { start, end } of spans) {
    from = Math.min(from, start);
    to = Math.max(to, end ?? Math.min(now, start + 3_600_000), start);
  }
  return from === Infinity
    ? { from: 0, lastsMs: 1 }
    : { from, lastsMs: Math.max(to - from, 0.001) };
};

/** Where a bar lies, in parts of 100 of the scale; one that has no end reaches to the end of the scale. */
export const barOf = (
  { from, lastsMs }: TimeScale,
  { start, end }: Pick<TraceSpan, 'start' | 'end'>,
): { readonly left: number; readonly width: number } => {
  const part = (at: number) => Math.min(100, Math.max(0, ((at - from) / lastsMs) * 100));
  const left = part(start);
  const right = end === undefined ? 100 : Math.max(left, part(end));
  return { left, width: right - left };
};

/** Round times since the beginning at which a scale is marked, ms; at most six, none where its words would have no room. */
export const marksOf = ({ lastsMs }: TimeScale): readonly number[] => {
  const rough = lastsMs / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= rough) ?? 10 * power;
  const count = Math.floor((0.9 * lastsMs) / step) + 1;
  return Array.from({ length: count }, (_, at) => at * step);
};

/** A span is slow where it alone takes a quarter of the trace. */
export const isSlow = ({ ownMs }: Pick<TreeRow, 'ownMs'>, { lastsMs }: TimeScale): boolean =>
  ownMs >= lastsMs / 4 && ownMs >= 1;
