// Items of a batch as few pieces of memory, which another thread gets without copying them value by value. Pure.
import type { Item, Values } from './items.js';
import { FlatValues, LaidValues, Layout } from './laid-values.js';
import { partsOf } from './models.js';
import { Turns } from './turns.js';

/** Items of one model. */
export interface LaidItems {
  readonly workspaceName: string;
  readonly modelName: string;
  readonly indexes: Uint32Array<ArrayBuffer>;
  readonly times: Float64Array<ArrayBuffer>;
  readonly labels: Uint8Array<ArrayBuffer>;
  readonly versions: readonly string[];
  readonly predictionIds: readonly string[];
  /** Columns in the order in which items name them, and which of these orders each item has. */
  readonly layouts: readonly (readonly string[])[];
  readonly layoutOf: Uint32Array<ArrayBuffer>;
  /** All values, item by item, as they lie side by side. */
  readonly numbers: Float64Array<ArrayBuffer>;
  readonly places: Uint32Array<ArrayBuffer>;
  readonly texts: readonly string[];
}

/** How many values items hold. */
export const valuesIn = (items: readonly Item[]): number =>
  items.reduce((sum, { values }) => sum + values.size, 0);

export const layItems = async (items: readonly Item[]): Promise<LaidItems> => {
  const turns = new Turns();
  const { workspaceName = '', modelName = '' } = items[0] ?? {};
  const layouts: (readonly string[])[] = [];
  const known = new Map<Layout, number>();
  const layoutOf = new Uint32Array(items.length);
  const count = valuesIn(items);
  const [numbers, places] = [new Float64Array(count), new Uint32Array(count)];
  const texts = new Map<string, number>();
  const placeOf = (values: Values): number => {
    if (!(values instanceof LaidValues)) return layouts.push([...values.keys()]) - 1;
    const { layout } = values;
    const place = known.get(layout) ?? layouts.push(layout.names) - 1;
    known.set(layout, place);
    return place;
  };
  let at = 0;
  for (const [row, { values }] of items.entries()) {
    if (turns.isOver()) await turns.pass();
    layoutOf[row] = placeOf(values);
    for (const value of values instanceof LaidValues ? values.held : values.values())
      if (typeof value === 'number') numbers[at++] = value;
      else {
        const place = texts.get(value) ?? texts.size + 1;
        texts.set(value, place);
        numbers[at] = NaN;
        places[at++] = place;
      }
  }
  return {
    workspaceName,
    modelName,
    indexes: Uint32Array.from(items, ({ index }) => index),
    times: Float64Array.from(items, (item) => item.at),
    labels: Uint8Array.from(items, ({ isLabel }) => (isLabel ? 1 : 0)),
    versions: items.map(({ modelVersion }) => modelVersion),
    predictionIds: items.map(({ predictionId }) => predictionId),
    layouts,
    layoutOf,
    numbers,
    places,
    texts: [...texts.keys()],
  };
};

export const liftItems = (laid: LaidItems): readonly Item[] => {
  const { workspaceName, modelName, versions, predictionIds } = laid;
  const empty = Layout.empty();
  const layouts = laid.layouts.map((names) => {
    let layout: Layout | undefined = empty;
    for (const column of names) {
      const { source, name } = partsOf(column);
      layout = layout?.with(source, name);
    }
    // Of items that each name other columns there are too many to share them.
    return layout ?? Layout.of(names);
  });
  const items: Item[] = [];
  for (let row = 0, at = 0; row < predictionIds.length; row++) {
    const layout = layouts[laid.layoutOf[row] ?? 0] ?? empty;
    items.push({
      index: laid.indexes[row] ?? 0,
      workspaceName,
      modelName,
      modelVersion: versions[row] ?? '',
      predictionId: predictionIds[row] ?? '',
      at: laid.times[row] ?? 0,
      isLabel: laid.labels[row] === 1,
      values: new FlatValues(layout, laid, at),
    });
    at += layout.size;
  }
  return items;
};
