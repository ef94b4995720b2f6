// Where a request says what it is about.
import type { Named } from '#ports/api/gate';

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
/** The text there, or a number or a boolean as its text, as readers of input have it; `undefined` for an empty one. */
export const textAt = (named: Named, path: string): string | undefined => {
  const found = at(named, path);
  return typeof found === 'string' && found !== ''
    ? found
    : typeof found === 'number' || typeof found === 'boolean'
      ? String(found)
      : undefined;
};

/** The first way of naming that the request uses: one text, or a workspace's name and a name in it. */
export const naming = (
  named: Named,
  paths: readonly string[],
): { readonly path: string; readonly texts: readonly (string | undefined)[] } | undefined => {
  for (const path of paths) {
    const texts = path.split('/').map((single) => textAt(named, single));
    if (texts.at(-1) !== undefined) return { path, texts };
  }
  return undefined;
};
