// Items of datasets: what is written into a form, and how two versions differ. Pure.
import { previewOf } from './trace-values.js';

type Named = Readonly<Record<string, unknown>>;

/** What somebody wrote as the data of an item. Throws, in a sentence, where it is no JSON object or an empty one. */
export const readData = (text: string): Record<string, unknown> => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw new Error(`this is no JSON: ${thrown instanceof Error ? thrown.message : ''}`, {
      cause: thrown,
    });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error('an item is a JSON object, such as {"question": "…"}');
  if (Object.keys(value).length === 0) throw new Error('an item has at least one member');
  return value as Record<string, unknown>; // an object of JSON
};

/** Members of an object in one order, so that equal ones are equal as texts. */
const ordered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(ordered);
  if (typeof value !== 'object' || value === null) return value;
  const of = value as Named; // any object can be read by name
  return Object.fromEntries(
    Object.keys(of)
      .sort()
      .map((name) => [name, ordered(of[name])]),
  );
};

/** Data as people read and compare it. */
export const shownData = (value: unknown): string => JSON.stringify(ordered(value), null, 2) ?? '';

export interface VersionItem {
  readonly id: string;
  readonly data: unknown;
  readonly tags?: readonly string[] | undefined;
  readonly description?: string | undefined;
}
export type ItemDifference =
  | { readonly kind: 'added' | 'removed'; readonly item: VersionItem }
  | { readonly kind: 'changed'; readonly item: VersionItem; readonly before: VersionItem };

const contentOf = ({ data, tags, description }: VersionItem): string =>
  shownData({ data, tags: tags ?? [], description: description ?? '' });

/** Which items one version has that another had not, or had otherwise: those that changed, then those that came and went. */
export const versionDifferences = (
  from: readonly VersionItem[],
  to: readonly VersionItem[],
): readonly ItemDifference[] => {
  const before = new Map(from.map((item) => [item.id, item]));
  const after = new Set(to.map(({ id }) => id));
  const found = to.flatMap((item): readonly ItemDifference[] => {
    const was = before.get(item.id);
    if (was === undefined) return [{ kind: 'added', item }];
    return contentOf(was) === contentOf(item) ? [] : [{ kind: 'changed', item, before: was }];
  });
  const removed = from
    .filter(({ id }) => !after.has(id))
    .map((item): ItemDifference => ({ kind: 'removed', item }));
  return [
    ...found.filter(({ kind }) => kind === 'changed'),
    ...found.filter(({ kind }) => kind === 'added'),
    ...removed,
  ];
};

/** What an item is called where there is one line for it: what it says, else all of it, else its id. */
export const itemName = (id: string, data: unknown): string =>
  [previewOf(data), previewOf(JSON.stringify(data)), id].find((one) => one !== '') ?? id;

/** A member of an item's data as a cell shows it. */
export const memberOf = (data: unknown, name: string): unknown =>
  typeof data === 'object' && data !== null ? (data as Named)[name] : undefined; // likewise
