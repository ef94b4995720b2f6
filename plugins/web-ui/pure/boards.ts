// What a board holds: widgets on a grid of six columns, in the form in which SDKs write it. Members that are not known here stay as they are. Pure.

export const gridColumns = 6;
/** Rows that a widget is high at most. */
export const mostHigh = 12;
/** The version of the form; SDKs refuse to change a board of another one. */
export const formVersion = 4;

type Members = Readonly<Record<string, unknown>>;
/** Where a widget stands, in columns and rows from the upper left. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
export interface Placed extends Box {
  readonly id: string;
}
export interface Widget {
  readonly id: string;
  readonly type: string;
  readonly title: string;
  readonly config: Members;
  readonly box: Box;
}
export interface BoardSection {
  readonly id: string;
  readonly title: string;
  readonly widgets: readonly Widget[];
}
export interface WidgetDraft {
  readonly type: string;
  readonly title: string;
  readonly config: Members;
}

/** Types that SDKs know, and one of our own. */
export const widgetTypes = {
  metrics: 'project_metrics',
  figure: 'project_stats_card',
  text: 'text_markdown',
  query: 'ollie_chart',
  runs: 'orrery_run_metric',
} as const;

/** How large a new widget of a type is. */
export const sizes: Readonly<Record<string, { readonly w: number; readonly h: number }>> = {
  [widgetTypes.metrics]: { w: 3, h: 4 },
  [widgetTypes.figure]: { w: 1, h: 2 },
  [widgetTypes.text]: { w: 2, h: 4 },
  [widgetTypes.query]: { w: 3, h: 4 },
  [widgetTypes.runs]: { w: 3, h: 4 },
};
export const usualSize = { w: 2, h: 4 } as const;

export const membersOf = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Members) // an object, as was just checked
    : {};
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : []; // a list, as was just checked
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const whole = (value: unknown, least: number, most: number, usual: number): number =>
  typeof value === 'number' && Number.isFinite(value)
    ? Math.min(most, Math.max(least, Math.floor(value)))
    : usual;

const fit = ({ x, y, w, h }: Box): Box => {
  const wide = whole(w, 1, gridColumns, usualSize.w);
  return {
    x: whole(x, 0, gridColumns - wide, 0),
    y: whole(y, 0, 10_000, 0),
    w: wide,
    h: whole(h, 1, mostHigh, usualSize.h),
  };
};

const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
const below = (a: Box, b: Box): number => a.y - b.y || a.x - b.x;

/** The first place from the top where so large a box is free. */
export const freePlace = (all: readonly Box[], w: number, h: number): Box => {
  for (let y = 0; ; y++)
    for (let x = 0; x + w <= gridColumns; x++) {
      const box = { x, y, w, h };
      if (!all.some((one) => overlap(one, box))) return box;
    }
};

/** The same boxes without a gap above any, none over another: `first` keeps its place against the others, which make room below it. */
export const packed = (all: readonly Placed[], first?: string): readonly Placed[] => {
  const order = [...all].sort(
    (a, b) => Number(b.id === first) - Number(a.id === first) || below(a, b),
  );
  const apart: Placed[] = [];
  for (const one of order) {
    let y = one.y;
    while (apart.some((other) => overlap(other, { ...one, y }))) y++;
    apart.push({ ...one, y });
  }
  const up: Placed[] = [];
  for (const one of apart.sort(below)) {
    let y = one.y;
    while (y > 0 && !up.some((other) => overlap(other, { ...one, y: y - 1 }))) y--;
    up.push({ ...one, y });
  }
  return up;
};

export const directions = ['left', 'right', 'up', 'down'] as const;
export type Direction = (typeof directions)[number];

const besides = (a: Box, b: Box): boolean => a.y < b.y + b.h && b.y < a.y + a.h;
const inColumn = (a: Box, b: Box): boolean => a.x < b.x + b.w && b.x < a.x + a.w;

/** One step to a side: past the next widget above or below, and one column to the left or right, where a neighbour as wide changes places. */
export const stepped = (
  all: readonly Placed[],
  id: string,
  direction: Direction,
): readonly Placed[] => {
  const one = all.find((each) => each.id === id);
  if (one === undefined) return all;
  const others = all.filter((each) => each.id !== id);
  if (direction === 'left' || direction === 'right') {
    const right = direction === 'right';
    const next = others.find(
      (each) =>
        besides(each, one) && (right ? each.x === one.x + one.w : each.x + each.w === one.x),
    );
    if (next?.w === one.w && next.h === one.h)
      return packed(
        all.map((each) =>
          each === one
            ? { ...one, x: next.x, y: next.y }
            : each === next
              ? { ...next, x: one.x, y: one.y }
              : each,
        ),
        id,
      );
    const x = one.x + (right ? 1 : -1);
    return x < 0 || x + one.w > gridColumns
      ? all
      : packed(
          all.map((each) => (each === one ? { ...one, x } : each)),
          id,
        );
  }
  const column = others.filter((each) => inColumn(each, one)).sort(below);
  const next =
    direction === 'down'
      ? column.find((each) => each.y >= one.y + one.h)
      : column.findLast((each) => each.y + each.h <= one.y);
  if (next === undefined) return all;
  const y = direction === 'down' ? next.y + next.h : next.y;
  return packed(
    all.map((each) => (each === one ? { ...one, y } : each)),
    id,
  );
};

/** So many columns and rows more or fewer, as far as the grid goes. */
export const resized = (
  all: readonly Placed[],
  id: string,
  by: { readonly w?: number; readonly h?: number },
): readonly Placed[] =>
  packed(
    all.map((each) => {
      if (each.id !== id) return each;
      const w = Math.min(gridColumns, Math.max(1, each.w + (by.w ?? 0)));
      const h = Math.min(mostHigh, Math.max(1, each.h + (by.h ?? 0)));
      return { ...each, w, h, x: Math.min(each.x, gridColumns - w) };
    }),
    id,
  );

/** To a place on the grid. */
export const movedTo = (
  all: readonly Placed[],
  id: string,
  to: { readonly x: number; readonly y: number },
): readonly Placed[] =>
  packed(
    all.map((each) => (each.id === id ? { id, ...fit({ ...each, ...to }) } : each)),
    id,
  );

const boxesOf = (section: Members): ReadonlyMap<string, Box> =>
  new Map(
    listOf(section['layout']).map((item) => {
      const { i, x, y, w, h } = membersOf(item);
      return [textOf(i), fit({ x: Number(x), y: Number(y), w: Number(w), h: Number(h) })];
    }),
  );

/** What a section is named by; one that has no id is named by its place. */
export const sectionIdOf = (section: Members, at: number): string =>
  textOf(section['id']) || String(at);

/** The sections of a board. What is no widget is left out; a widget without a place gets the first that is free. */
export const readBoard = (config: unknown): readonly BoardSection[] =>
  listOf(membersOf(config)['sections']).map((each, at): BoardSection => {
    const section = membersOf(each);
    const boxes = boxesOf(section);
    const taken: Box[] = [];
    const widgets = listOf(section['widgets']).flatMap((one): readonly Widget[] => {
      const { id, type, title, generatedTitle, config: of } = membersOf(one);
      if (textOf(id) === '' || textOf(type) === '') return [];
      const { w, h } = sizes[textOf(type)] ?? usualSize;
      const box = boxes.get(textOf(id)) ?? freePlace([...boxes.values(), ...taken], w, h);
      taken.push(box);
      return [
        {
          id: textOf(id),
          type: textOf(type),
          title: textOf(title) || textOf(generatedTitle),
          config: membersOf(of),
          box,
        },
      ];
    });
    return { id: sectionIdOf(section, at), title: textOf(section['title']), widgets };
  });

export const placesOf = ({ widgets }: BoardSection): readonly Placed[] =>
  widgets.map(({ id, box }) => ({ id, ...box }));

export const emptyBoard = (sectionId: string, now: number): Members => ({
  version: formVersion,
  sections: [{ id: sectionId, title: 'Overview', widgets: [], layout: [] }],
  lastModified: now,
});

export type BoardChange = (config: Members) => Members;

/** A board with its sections changed. Those that another version of the form wrote keep their version, and SDKs go on refusing them. */
const withSections =
  (change: (section: Members, at: number) => Members): BoardChange =>
  (config) => ({
    version: formVersion,
    ...config,
    sections: listOf(config['sections']).map((one, at) => change(membersOf(one), at)),
  });

export const holds = (section: Members, id: string): boolean =>
  listOf(section['widgets']).some((one) => membersOf(one)['id'] === id);

/** The layout with each widget where it is said to be; all else that an item says of itself stays. */
export const withPlaces = (section: Members, places: readonly Placed[]): Members => {
  const items = new Map(
    listOf(section['layout']).map((item) => [textOf(membersOf(item)['i']), membersOf(item)]),
  );
  return {
    ...section,
    layout: places.map(({ id, x, y, w, h }) => ({ ...items.get(id), i: id, x, y, w, h })),
  };
};

export const placesIn = (section: Members): readonly Placed[] => {
  const [read] = readBoard({ sections: [section] });
  return read === undefined ? [] : placesOf(read);
};

/** Adds a widget to the first section, at a place of its own where one is named. */
export const addWidget =
  (id: string, draft: WidgetDraft, box?: Box, sectionId?: string): BoardChange =>
  (config) => {
    const sections = listOf(config['sections']).map(membersOf);
    const named = sections.findIndex((one, at) => sectionIdOf(one, at) === sectionId);
    const into = Math.max(0, named);
    const whole = sections.length === 0 ? { ...config, ...emptyBoard(`${id}-section`, 0) } : config;
    return withSections((section, at) => {
      if (at !== into) return section;
      const { w, h } = sizes[draft.type] ?? usualSize;
      const places = placesIn(section);
      const place = box ?? freePlace(places, w, h);
      return withPlaces(
        { ...section, widgets: [...listOf(section['widgets']), { id, subtitle: '', ...draft }] },
        packed([...places, { id, ...place }], id),
      );
    })(whole);
  };

export const editWidget = (id: string, { title, config }: WidgetDraft): BoardChange =>
  withSections((section) => ({
    ...section,
    widgets: listOf(section['widgets']).map((one) => {
      const widget = membersOf(one);
      return widget['id'] === id
        ? { ...widget, title, config: { ...membersOf(widget['config']), ...config } }
        : one;
    }),
  }));

export const removeWidget = (id: string): BoardChange =>
  withSections((section) =>
    holds(section, id)
      ? withPlaces(
          {
            ...section,
            widgets: listOf(section['widgets']).filter((one) => membersOf(one)['id'] !== id),
          },
          packed(placesIn(section).filter((one) => one.id !== id)),
        )
      : section,
  );

/** Moves a widget, or changes its size: `how` is given the places of its section. */
export const placeWidget = (
  id: string,
  how: (all: readonly Placed[]) => readonly Placed[],
): BoardChange =>
  withSections((section) =>
    holds(section, id) ? withPlaces(section, how(placesIn(section))) : section,
  );

/** The latest time that a board was written, as SDKs mark it. */
export const stamped =
  (change: BoardChange, now: number): BoardChange =>
  (config) => ({ ...change(config), lastModified: now });
