// What clients send, item by item: read, and held against the rules of the wire. Pure.
import { LaidValues, Layout } from './laid-values.js';
import { dayMs, rawDays } from './needs.js';

export const reasons = [
  'MISSING_FIELD',
  'WRONG_TYPE',
  'NESTED_VALUE',
  'NOT_FINITE',
  'PROBABILITY_RANGE',
  'TIMESTAMP_FUTURE',
  'TIMESTAMP_TOO_OLD',
  'NAME_TOO_LONG',
  'TOO_MANY_FIELDS',
  'UNKNOWN_WORKSPACE',
  'DUPLICATE',
  'LABEL_WITHOUT_EVENT',
  'TYPE_CHANGED',
  'MODEL_LIMIT',
] as const;
export type Reason = (typeof reasons)[number];

export interface Fault {
  /** Place in the batch, from 0 on. */
  readonly index: number;
  readonly predictionId: string | null;
  readonly field: string | null;
  readonly reason: Reason;
  readonly message: string;
}

/** Where a field stands in an event: among the inputs, the outputs or the labels. */
export type Source = 'feature' | 'prediction' | 'label';
export type Value = string | number;
/** `feature_age` → its value; what is missing is left out. */
export type Values = ReadonlyMap<string, Value>;

/** An event or a late label, as it is kept. */
export interface Item {
  readonly index: number;
  readonly workspaceName: string;
  readonly modelName: string;
  readonly modelVersion: string;
  readonly predictionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** It only brings labels for an event of its id. */
  readonly isLabel: boolean;
  readonly values: Values;
}

export interface Reading {
  readonly items: readonly Item[];
  /** Of items that are refused. */
  readonly faults: readonly Fault[];
  /** Of items that are kept all the same. */
  readonly doubts: readonly Fault[];
  readonly warnings: readonly string[];
}

const [mostFields, longestName, longestId, longestText] = [2000, 256, 256, 8192] as const;

/** A fault that is about one member of the item. */
class Refused extends Error {
  constructor(
    readonly field: string | null,
    readonly reason: Reason,
    message: string,
  ) {
    super(message);
  }
}

type Members = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const nameAt = (item: Members, field: string, longest: number): string => {
  const value = item[field];
  if (value === undefined || value === null || value === '')
    throw new Refused(field, 'MISSING_FIELD', `${field} is missing`);
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new Refused(field, 'WRONG_TYPE', `${field} must be a text`);
  const text = String(value);
  if (text.length > longest)
    throw new Refused(field, 'NAME_TOO_LONG', `${field} has more than ${longest} characters`);
  return text;
};

const secondsBelow = 100_000_000_000;

/** A time as milliseconds, as seconds where the number is that small, or as text of ISO 8601. */
const timeAt = (value: unknown, now: number, warn: (what: string) => void): number => {
  if (value === undefined || value === null) return now;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  const time =
    typeof number === 'number' && Number.isFinite(number)
      ? Math.abs(number) < secondsBelow
        ? number * 1000
        : number
      : typeof value === 'string'
        ? Date.parse(value)
        : NaN;
  if (!Number.isFinite(time))
    throw new Refused('timestamp', 'WRONG_TYPE', 'timestamp is no time in milliseconds');
  if (typeof number === 'number' && time !== number && Number.isFinite(number))
    warn('timestamps in seconds were taken for such');
  if (time > now + dayMs)
    throw new Refused('timestamp', 'TIMESTAMP_FUTURE', 'timestamp is more than 24 hours ahead');
  if (time < now - rawDays * dayMs)
    throw new Refused('timestamp', 'TIMESTAMP_TOO_OLD', `timestamp is older than ${rawDays} days`);
  return Math.floor(time);
};

const valueOf = (name: string, value: unknown, warn: (what: string) => void): Value | undefined => {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new Refused(name, 'NOT_FINITE', `${name} is no finite number`);
    return value;
  }
  if (typeof value !== 'string')
    throw new Refused(name, 'NESTED_VALUE', `${name} holds a list or an object`);
  if (value.length <= longestText) return value;
  warn(`texts of more than ${longestText} characters were cut`);
  return value.slice(0, longestText);
};

/** What items of a batch are read with. */
interface ReadingOf {
  readonly onlyLabels: boolean;
  readonly now: number;
  readonly layouts: Layout;
  warn(what: string): void;
}

/** Values of an item while it is read. */
class Gathered {
  #layout: Layout | undefined;
  readonly #held: Value[] = [];
  /** Where the names come twice, or in too many orders. */
  #map: Map<string, Value> | undefined;

  constructor(layouts: Layout) {
    this.#layout = layouts;
  }

  get size(): number {
    return this.#map?.size ?? this.#held.length;
  }

  add(source: Source, name: string, value: Value): void {
    if (this.#map === undefined) {
      const before = this.#layout;
      this.#layout = before?.with(source, name);
      if (this.#layout !== undefined) {
        this.#held.push(value);
        return;
      }
      this.spread(before);
    }
    this.#map?.set(`${source}_${name}`, value);
  }

  /** From here on names may come again, of which the later value counts. */
  spread(layout = this.#layout): void {
    this.#map ??= new Map(layout === undefined ? [] : new LaidValues(layout, this.#held));
  }

  values(): Values {
    return (
      this.#map ??
      (this.#layout === undefined ? new Map() : new LaidValues(this.#layout, this.#held))
    );
  }
}

const addAll = (
  into: Gathered,
  item: Members,
  member: string,
  source: Source,
  { warn }: ReadingOf,
): void => {
  const given = item[member];
  if (given === undefined || given === null) return;
  if (!isObject(given))
    throw new Refused(member, 'WRONG_TYPE', `${member} must be an object of values by name`);
  for (const name of Object.keys(given)) {
    if (name.length > longestName)
      throw new Refused(
        name.slice(0, 50),
        'NAME_TOO_LONG',
        `a name in ${member} has more than ${longestName} characters`,
      );
    const value = valueOf(name, given[name], warn);
    if (value !== undefined) into.add(source, name, value);
  }
  if (into.size > mostFields)
    throw new Refused(member, 'TOO_MANY_FIELDS', `the item has more than ${mostFields} fields`);
};

/** A label in the form of older clients: an object with `label`, or the value itself. */
const olderLabel = (item: Members): Members =>
  (item['labels'] ?? undefined) !== undefined || item['value'] === undefined
    ? item
    : {
        ...item,
        labels: isObject(item['value'])
          ? { value: item['value']['label'] }
          : { value: item['value'] },
      };

const readItem = (given: unknown, index: number, reading: ReadingOf): Item => {
  const { onlyLabels, now, warn, layouts } = reading;
  if (!isObject(given)) throw new Refused(null, 'WRONG_TYPE', 'the item is no object');
  const item = onlyLabels ? olderLabel(given) : given;
  const values = new Gathered(layouts);
  const has = (member: string) => item[member] !== undefined && item[member] !== null;
  if (!onlyLabels) {
    addAll(values, item, 'features', 'feature', reading);
    addAll(values, item, 'prediction', 'prediction', reading);
    if (has('prediction') && has('predictions')) values.spread();
    addAll(values, item, 'predictions', 'prediction', reading);
  }
  const isLabel =
    onlyLabels || (has('labels') && !has('features') && !has('prediction') && !has('predictions'));
  addAll(values, item, 'labels', 'label', reading);
  if (onlyLabels && !has('labels'))
    throw new Refused('labels', 'MISSING_FIELD', 'labels is missing');
  return {
    index,
    workspaceName: nameAt(item, 'workspaceName', longestName),
    modelName: nameAt(item, 'modelName', longestName),
    modelVersion: isLabel && !has('modelVersion') ? '' : nameAt(item, 'modelVersion', longestName),
    predictionId: nameAt(item, 'predictionId', longestId),
    at: timeAt(item['timestamp'], now, warn),
    isLabel,
    values: values.values(),
  };
};

const doubtOf = ({ index, predictionId, values }: Item): Fault | undefined => {
  const probability = values.get('prediction_probability');
  return typeof probability === 'number' && (probability < 0 || probability > 1)
    ? {
        index,
        predictionId,
        field: 'probability',
        reason: 'PROBABILITY_RANGE',
        message: 'probability is not between 0 and 1',
      }
    : undefined;
};

/** Reads a batch item by item. With `onlyLabels`, every item is a late label. */
export class ItemReader {
  readonly #items: Item[] = [];
  readonly #faults: Fault[] = [];
  readonly #doubts: Fault[] = [];
  readonly #warnings = new Set<string>();
  readonly #reading: ReadingOf;

  constructor(how: { readonly onlyLabels: boolean; readonly now: number }) {
    const warn = (what: string) => this.#warnings.add(what);
    this.#reading = { ...how, layouts: Layout.empty(), warn };
  }

  /** Whether nothing is wrong with the item. */
  read(given: unknown, index: number): boolean {
    try {
      const item = readItem(given, index, this.#reading);
      this.#items.push(item);
      const doubt = doubtOf(item);
      if (doubt !== undefined) this.#doubts.push(doubt);
      return doubt === undefined;
    } catch (thrown) {
      if (!(thrown instanceof Refused)) throw thrown;
      const id = isObject(given) ? given['predictionId'] : undefined;
      const predictionId = typeof id === 'string' ? id.slice(0, longestId) : null;
      const { field, reason, message } = thrown;
      this.#faults.push({ index, predictionId, field, reason, message });
      return false;
    }
  }

  /** What was read so far. */
  result(): Reading {
    return {
      items: this.#items,
      faults: this.#faults,
      doubts: this.#doubts,
      warnings: [...this.#warnings],
    };
  }
}

/** Reads a batch at once. */
export const readItems = (
  batch: readonly unknown[],
  how: ConstructorParameters<typeof ItemReader>[0],
): Reading => {
  const reader = new ItemReader(how);
  for (const [index, given] of batch.entries()) reader.read(given, index);
  return reader.result();
};

/** The items of a body: a list, the list in `data`, or, where one may stand alone, that one. */
export const batchOf = (body: unknown, mayBeOne: boolean): unknown[] | undefined => {
  if (Array.isArray(body)) return body as unknown[]; // of anything
  if (!isObject(body)) return undefined;
  if (Array.isArray(body['data'])) return body['data'] as unknown[]; // as above
  return mayBeOne && body['data'] === undefined ? [body] : undefined;
};
