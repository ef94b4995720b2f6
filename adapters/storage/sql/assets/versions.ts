import type { Asset } from '#ports/model/assets';

/** How many of these assets belong to each artifact version, in the order of the versions' ids. */
export const countByVersion = (
  assets: readonly Asset[],
): readonly (readonly [string, number])[] => {
  const counts = new Map<string, number>();
  for (const { artifactVersionId: id } of assets)
    if (id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  return [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
};
