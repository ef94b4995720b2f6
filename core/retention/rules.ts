// Which traces a rule applies to. Pure.
import { retentionDays, type RetentionRule } from '#ports/model/retention';
import type { IdRange } from '#ports/storage/retention';

const dayMs = 24 * 3_600_000;

/** The smallest id that can be made at a moment, in ms. */
const firstIdAt = (ms: number): string => {
  const hex = Math.max(0, Math.floor(ms)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-0000-0000-000000000000`;
};

/** The rule in force for a project: its own, or that of its workspace. */
export const ruleFor = (
  rules: readonly RetentionRule[],
  projectId: string,
): RetentionRule | undefined =>
  rules.find((rule) => rule.projectId === projectId) ??
  rules.find((rule) => rule.projectId === undefined);

/** What a rule deletes at a moment, in ms, by when ids were made; `undefined` where it deletes nothing. */
export const expiredRange = (
  { retention, appliesToPast, createdAt }: RetentionRule,
  now: number,
): IdRange | undefined => {
  const days = retentionDays[retention];
  if (days === undefined) return undefined;
  const before = now - days * dayMs;
  const from = appliesToPast ? undefined : createdAt / 1000;
  if (from !== undefined && from >= before) return undefined;
  return {
    fromId: from === undefined ? undefined : firstIdAt(from),
    beforeId: firstIdAt(before),
  };
};
