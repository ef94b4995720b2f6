// The sections of a board: made, named, put in another order, taken away, and widgets moved between them. Pure.
import {
  formVersion,
  freePlace,
  holds,
  listOf,
  membersOf,
  packed,
  placesIn,
  sectionIdOf,
  sizes,
  textOf,
  usualSize,
  withPlaces,
  type BoardChange,
} from './boards.js';

type Section = ReturnType<typeof membersOf>;

const change =
  (how: (sections: readonly Section[]) => readonly Section[]): BoardChange =>
  (config) => ({
    version: formVersion,
    ...config,
    sections: how(listOf(config['sections']).map(membersOf)),
  });

const indexOf = (sections: readonly Section[], id: string): number =>
  sections.findIndex((one, at) => sectionIdOf(one, at) === id);

/** A section as it is stored, and its place. */
export const storedSection = (
  config: Section,
  id: string,
): { readonly section: Section; readonly at: number } | undefined => {
  const sections = listOf(config['sections']).map(membersOf);
  const at = indexOf(sections, id);
  const section = sections[at];
  return section === undefined ? undefined : { section, at };
};

/** Puts a section at a place; at the end where none is named. */
export const addSection = (section: Section, at?: number): BoardChange =>
  change((all) => [...all.slice(0, at ?? all.length), section, ...all.slice(at ?? all.length)]);

export const emptySection = (id: string, title: string): Section => ({
  ...{ id, title, widgets: [], layout: [] },
});

export const renameSection = (id: string, title: string): BoardChange =>
  change((all) => {
    const named = indexOf(all, id);
    return all.map((one, at) => (at === named ? { ...one, title } : one));
  });

/** Takes a section away with all that it holds. */
export const removeSection = (id: string): BoardChange =>
  change((all) => {
    const named = indexOf(all, id);
    return all.filter((_, at) => at !== named);
  });

/** So many places down, or up where it is less than nothing. */
export const moveSection = (id: string, by: number): BoardChange =>
  change((all) => {
    const from = indexOf(all, id);
    const moved = all[from];
    if (moved === undefined) return all;
    const rest = all.filter((_, at) => at !== from);
    const to = Math.max(0, Math.min(rest.length, from + by));
    return [...rest.slice(0, to), moved, ...rest.slice(to)];
  });

/** Takes a widget to another section, where it gets the first place that is free. */
export const moveToSection = (widgetId: string, sectionId: string): BoardChange =>
  change((all) => {
    const from = all.findIndex((one) => holds(one, widgetId));
    const to = indexOf(all, sectionId);
    const [source, target] = [all[from], all[to]];
    if (source === undefined || target === undefined || from === to) return all;
    const isIt = (one: unknown) => membersOf(one)['id'] === widgetId;
    const widgets = listOf(source['widgets']);
    const widget = widgets.find(isIt);
    const places = placesIn(target);
    const { w, h } =
      placesIn(source).find(({ id }) => id === widgetId) ??
      sizes[textOf(membersOf(widget)['type'])] ??
      usualSize;
    return all.map((one, at) =>
      at === from
        ? withPlaces(
            { ...one, widgets: widgets.filter((each) => !isIt(each)) },
            packed(placesIn(one).filter(({ id }) => id !== widgetId)),
          )
        : at === to
          ? withPlaces({ ...one, widgets: [...listOf(one['widgets']), widget] }, [
              ...places,
              { id: widgetId, ...freePlace(places, w, h) },
            ])
          : one,
    );
  });
