// Where a request says what it is about.
import type { Named } from '#ports/api/gate';
import { Failure } from '#ports/failure';
import type { Name } from '#ports/api/kind-definition';
import type { Each } from '#ports/api/operation';

/** Walks by names; `*` goes into every item of a list. */
const walk = (found: unknown, [name, ...rest]: readonly string[]): unknown => {
  if (name === undefined) return found;
  if (name === '*') return Array.isArray(found) ? found.map((item) => walk(item, rest)) : undefined;
  return typeof found === 'object' && found !== null && Object.hasOwn(found, name)
    ? walk((found as Record<string, unknown>)[name], rest)
    : undefined; // any object can be read by name
};
/** What a request holds at a place, in a row's own words: `body.items.*.id`. */
export const at = (named: Named, path: string): unknown => {
  const [where = '', ...names] = path.split('.');
  return walk(
    where === 'query'
      ? named.query
      : where === 'params'
        ? named.params
        : where === 'part'
          ? named.part
          : where === 'header'
            ? named.header
            : named.body,
    names,
  );
};
/** A text, or a number or a boolean as its text, as readers of input have it; `undefined` for an empty one. */
const asText = (found: unknown): string | undefined =>
  typeof found === 'string' && found !== ''
    ? found
    : typeof found === 'number' || typeof found === 'boolean'
      ? String(found)
      : undefined;
/** The text there. */
export const textAt = (named: Named, path: string): string | undefined => asText(at(named, path));

/** The first of these paths that the request uses: one text, or a workspace's name and a name in it. */
export const naming = (named: Named, paths: readonly string[]): Name | undefined => {
  for (const path of paths) {
    const texts = path.split('/').map((single) => textAt(named, single));
    const text = texts.at(-1);
    if (text !== undefined) return { path, texts, text };
  }
  return undefined;
};

const isMissing = (item: unknown): boolean => item === undefined || item === null;

/** The items of a list, or the one that stands in its place; none given is one item for a kind that has a default. */
const itemsOf = (given: unknown, hasDefault: boolean): readonly unknown[] => {
  if (Array.isArray(given)) return given;
  return isMissing(given) && !hasDefault ? [] : [given];
};

/** An item as a name; nothing is looked up by the text of an object or a list. */
const nameOf = (item: unknown, path: string): string => {
  if (typeof item !== 'object' || item === null) return String(item);
  const member = path.split('.').slice(1).join('.').replace(/\.\*$/, '');
  throw new Failure('invalid', `${member} must hold texts that name things`);
};

/** The name in an item that is an object: the first of its members that is present. */
const nameWithin = (item: unknown, path: string, members: readonly string[]): Name | undefined => {
  for (const member of members) {
    const text = asText(walk(item, [member]));
    if (text !== undefined && text.trim() !== '')
      return { path: `${path}.${member}`, texts: [text], text };
  }
  return undefined;
};

/** The names at the path of an `each`, every one once; `undefined` for the default one. Throws `invalid` for an item that is an object or a list and names nothing. */
export const namesAt = (
  named: Named,
  { each: { hasDefault }, path, members, optional = false }: Each,
): readonly (Name | undefined)[] => {
  const names = itemsOf(at(named, path), hasDefault).flatMap((item): (Name | undefined)[] => {
    if (members !== undefined) return [nameWithin(item, path, members)];
    if (typeof item === 'string' && item !== '') return [{ path, texts: [item], text: item }];
    if (hasDefault) return [undefined];
    // An item that must name one and does not is looked up all the same, and is absent.
    if (optional && (isMissing(item) || item === '')) return [];
    const text = nameOf(item, path);
    return [{ path, texts: [text], text }];
  });
  return [
    ...new Map(names.map((name) => [name && `${name.path} ${name.text}`, name] as const)).values(),
  ];
};
