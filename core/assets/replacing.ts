// What becomes of an asset beside those that its experiment holds. Stores decide it in one statement; this says what they must decide. Pure.
import type { Asset } from '#ports/model/assets';
import type { Keeping } from '#ports/storage/assets';

/** `replaced`: ids of the assets that go. */
export type Decision =
  | { readonly outcome: 'kept'; readonly id: string; readonly replaced: readonly string[] }
  | { readonly outcome: 'present' | 'full' };

const isSamePlace = (one: Asset, other: Asset): boolean =>
  one.fileName === other.fileName &&
  one.type === other.type &&
  (one.groupingName ?? '') === (other.groupingName ?? '') &&
  one.artifactVersionId === other.artifactVersionId;

/** Those that an asset takes the place of: one of its id, if the client chose it, and the newest in its place. */
const replacedBy = (
  present: readonly Asset[],
  asset: Asset,
  { replacing, idGiven }: Keeping,
): readonly Asset[] => {
  if (!replacing) return [];
  const same = idGiven ? present.filter(({ id }) => id === asset.id) : [];
  const newest = present.findLast((one) => isSamePlace(one, asset));
  return newest === undefined || same.includes(newest) ? same : [...same, newest];
};

/** The reference of `AssetStore.insert`, over the assets of the experiment in the order in which they were stored. */
export const decideInsert = (
  present: readonly Asset[],
  asset: Asset,
  keeping: Keeping,
): Decision => {
  const replaced = replacedBy(present, asset, keeping);
  const [first] = replaced;
  const id = keeping.idGiven || first === undefined ? asset.id : first.id;
  if (present.some((one) => one.id === id && !replaced.includes(one)))
    return { outcome: 'present' };
  if (
    replaced.some(
      ({ artifactVersionId: version }) =>
        version !== undefined && version !== asset.artifactVersionId,
    )
  )
    return { outcome: 'present' };
  const { limit } = keeping;
  const counted = (one: Asset) =>
    limit?.types.includes(one.type) === true && one.artifactVersionId === undefined;
  if (limit !== undefined && first === undefined && present.filter(counted).length >= limit.most)
    return { outcome: 'full' };
  return { outcome: 'kept', id, replaced: replaced.map((one) => one.id) };
};
