// A saved view is what the address of a page says; the address then names the view and may differ from it. Pure.

/** Members of an address that are part of a view of the runs of a project; the rest is where one is at the moment. */
const ofRuns = [
  'q',
  'cols',
  'pin',
  'widths',
  'sort',
  'group',
  'differing',
  'archived',
  'x',
  'smooth',
  'smoothby',
  'charts',
  'colour',
  'stroke',
  'spread',
  'newest',
  'latest',
  'tree',
  'panels',
  'axes',
  'logx',
  'logy',
  'band',
  'clip',
  'plot',
  'px',
  'py',
  'pc',
  'trend',
] as const;
/** Likewise of its traces. */
const ofTraces = ['q', 'filters', 'cols', 'sort', 'range', 'from', 'to', 'charts'] as const;
const viewMembers = { runs: ofRuns, traces: ofTraces } as const;
/** What a view is of. */
export type ViewOf = keyof typeof viewMembers;

export type ViewContent = Readonly<Record<string, string>>;

/** What a view of this address holds. */
export const contentOf = (query: URLSearchParams, of: ViewOf = 'runs'): ViewContent =>
  Object.fromEntries(
    viewMembers[of].flatMap((name) => {
      const value = query.get(name);
      return value === null || value === '' ? [] : [[name, value]];
    }),
  );

/** The content as it was stored, by whomever; what is no text of a member is left out. */
export const readContent = (
  stored: Readonly<Record<string, unknown>>,
  of: ViewOf = 'runs',
): ViewContent =>
  Object.fromEntries(
    viewMembers[of].flatMap((name) => {
      const value = stored[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );

/** The changes of an address that make it show the view and nothing else. */
export const changesTo = (
  content: ViewContent,
  of: ViewOf = 'runs',
): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(viewMembers[of].map((name) => [name, content[name]]));

export const sameContent = (one: ViewContent, other: ViewContent, of: ViewOf = 'runs'): boolean =>
  viewMembers[of].every((name) => one[name] === other[name]);
