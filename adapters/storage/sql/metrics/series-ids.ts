import { idOf } from '../connection.js';

const remembered = new Map<string, string>();
const most = 200_000;

/** The id of a series within its experiment. */
export const seriesIdOf = (name: string, context: string | undefined): string => {
  const both = context === undefined ? name : `${context}\0${name}`;
  const known = remembered.get(both);
  if (known !== undefined) return known;
  if (remembered.size >= most) remembered.clear();
  const id = idOf(name, context ?? '');
  remembered.set(both, id);
  return id;
};

/** Every series that can have this full name: a context is always a prefix that ends before an underscore. */
export const seriesIdsOf = (name: string): readonly string[] => {
  const ids = [seriesIdOf(name, undefined)];
  for (let at = name.indexOf('_'); at !== -1; at = name.indexOf('_', at + 1))
    if (at > 0) ids.push(seriesIdOf(name, name.slice(0, at)));
  return ids;
};
