// Which share of things a rule scores. Pure.
import type { TracedKind } from '#ports/model/traces';
import type { QueuedRule, RuleSample } from '#ports/storage/automations';
import { longestMessage, markerOf } from './logging.js';

/** A number from 0 up to 1 that is spread evenly over texts, and always the same for one (FNV-1a, then mixed as MurmurHash3 ends). */
const spread = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
};

/** Whether a rule scores a thing. Asked again, after a crash or for a thing that is sent twice, it answers the same. */
export const isSampled = (ruleId: string, entityId: string, rate: number): boolean =>
  spread(`${ruleId} ${entityId}`) < rate;

/** What is told of a thing that is not in the sample of a rule. */
export const leftOut = (
  kind: TracedKind,
  entityId: string,
  { name, samplingRate }: QueuedRule,
): string =>
  `The ${kind} ${entityId} was skipped by rule '${name}': it is not in the sample at the rate ${samplingRate}`;

/** The samples of rules among things of one kind. */
export const sampleOf = (kind: TracedKind): RuleSample => ({
  holds: ({ id, samplingRate }, entityId) => isSampled(id, entityId, samplingRate),
  lineOf: (rule, entityId) => ({
    level: 'INFO',
    message: leftOut(kind, entityId, rule).slice(0, longestMessage),
    markers: { [markerOf[kind]]: entityId },
  }),
});
