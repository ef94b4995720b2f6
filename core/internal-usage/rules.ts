// What figures over every workspace are about. Pure.
import type { CreationCount } from '#ports/storage/creation-counts';

const dayMs = 86_400_000;

/** The day before the one of a moment (ms), both in UTC, in microseconds; its end is no part of it. */
export const previousDay = (now: number): { readonly from: number; readonly before: number } => {
  const today = Math.floor(now / dayMs) * dayMs;
  return { from: (today - dayMs) * 1000, before: today * 1000 };
};

/** What the users of each workspace made together, in the order in which workspaces come. */
export const sumByWorkspace = (
  counts: readonly CreationCount[],
): readonly (readonly [string, number])[] => {
  const sums = new Map<string, number>();
  for (const { workspaceId, count } of counts)
    sums.set(workspaceId, (sums.get(workspaceId) ?? 0) + count);
  return [...sums];
};
