// Items of a batch as few pieces of memory, which another thread gets without copying them value by value. Pure.
import type { Item, Value, Values } from './items.js';
import { LaidValues, Layout } from './laid-values.js';
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
  /** All values, item by item; NaN stands for the next one of the texts. */
  readonly numbers: Float64Array<ArrayBuffer>;
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
  const numbers = new Float64Array(valuesIn(items));
  const texts: string[] = [];
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
        numbers[at++] = NaN;
        texts.push(value);
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
    texts,
  };
};

/** The memory that goes with them. */
export const memoryOf = ({
  indexes,
  times,
  labels,
  layoutOf,
  numbers,
}: LaidItems): readonly ArrayBuffer[] =>
  [indexes, times, labels, layoutOf, numbers].map(({ buffer }) => buffer);

export const liftItems = (laid: LaidItems): readonly Item[] => {
  const { workspaceName, modelName, versions, predictionIds, numbers, texts } = laid;
  const empty = Layout.empty();
  const layouts = laid.layouts.map((names) => {
    let layout: Layout | undefined = empty;
    for (const column of names) {
      const { source, name } = partsOf(column);
      layout = layout?.with(source, name);
    }
    return layout;
  });
  let [at, text] = [0, 0];
  return predictionIds.map((predictionId, row) => {
    const place = laid.layoutOf[row] ?? 0;
    const names = laid.layouts[place] ?? [];
    const layout = layouts[place];
    const held: Value[] = [];
    for (let column = 0; column < names.length; column++) {
      const number = numbers[at++] ?? NaN;
      held.push(Number.isNaN(number) ? (texts[text++] ?? '') : number);
    }
    return {
      ...{ index: laid.indexes[row] ?? 0, workspaceName, modelName, predictionId },
      modelVersion: versions[row] ?? '',
      at: laid.times[row] ?? 0,
      isLabel: laid.labels[row] === 1,
      values:
        layout === undefined
          ? new Map(names.map((name, column) => [name, held[column] ?? '']))
          : new LaidValues(layout, held),
    };
  });
};
