// What runs have assets under, joined over runs. Pure.
import type { AssetsOfName } from '#ports/storage/asset-matrix';

export interface AssetRow {
  readonly type: string;
  readonly name: string;
  readonly runs: number;
  readonly assets: number;
  readonly firstStep: number | null;
  readonly lastStep: number | null;
}

/** The folder of a file name; `undefined` for names without one. */
export const folderOf = (fileName: string): string | undefined => {
  const end = fileName.lastIndexOf('/');
  return end <= 0 ? undefined : fileName.slice(0, end);
};

const lower = (one: number | null, other: number | undefined): number | null =>
  other === undefined ? one : Math.min(one ?? other, other);
const higher = (one: number | null, other: number | undefined): number | null =>
  other === undefined ? one : Math.max(one ?? other, other);

export const compareRows = (
  one: Pick<AssetRow, 'type' | 'name'>,
  other: Pick<AssetRow, 'type' | 'name'>,
): number =>
  one.type === other.type
    ? one.name === other.name
      ? 0
      : one.name < other.name
        ? -1
        : 1
    : one.type < other.type
      ? -1
      : 1;

/** One row for every type and name, or every type and folder, in their order. */
export const joinRows = (
  found: readonly AssetsOfName[],
  by: 'name' | 'folder',
): readonly AssetRow[] => {
  const rows = new Map<string, AssetRow & { readonly of: Set<string> }>();
  for (const { experimentId, type, fileName, count, firstStep, lastStep } of found) {
    const name = by === 'name' ? fileName : folderOf(fileName);
    if (name === undefined) continue;
    const key = `${type.length}:${type}${name}`;
    const known = rows.get(key);
    const of = known?.of ?? new Set<string>();
    of.add(experimentId);
    rows.set(key, {
      type,
      name,
      of,
      runs: of.size,
      assets: (known?.assets ?? 0) + count,
      firstStep: lower(known?.firstStep ?? null, firstStep),
      lastStep: higher(known?.lastStep ?? null, lastStep),
    });
  }
  return [...rows.values()].map(({ of: _, ...row }) => row).sort(compareRows);
};
