// What stands in the metadata of assets, by keys. Pure.

/** Keys that are looked at in one asset, and how far within one another. */
const [mostKeys, deepest] = [200, 4];

const gather = (value: unknown, path: string, depth: number, into: Map<string, string>): void => {
  if (into.size >= mostKeys) return;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
    if (path !== '') into.set(path, String(value));
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) || depth === deepest)
    return;
  for (const [name, within] of Object.entries(value))
    gather(within, path === '' ? name : `${path}.${name}`, depth + 1, into);
};

/** The texts, numbers and flags in metadata, each under its key, those within one another joined by a dot. Nothing of what is no JSON object. */
export const valuesIn = (metadata: string | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  if (metadata === undefined) return found;
  try {
    gather(JSON.parse(metadata), '', 0, found);
  } catch {
    found.clear(); // stored leniently, so it may be any text
  }
  return found;
};
