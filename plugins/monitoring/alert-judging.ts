// What a rule makes of one window after the other: when it begins to fire, whom it tells of what, and when it is over. Pure, and the same for windows
// as they come and for windows of the past.
import { dayMs, hourMs } from './needs.js';
import type { Rule } from './alert-rules.js';

export const levels = ['warning', 'critical'] as const;
export type Level = (typeof levels)[number];
export type Standing = 'OK' | 'PENDING' | 'FIRING' | 'NO_DATA' | 'ERROR';

/** What a window says of one target, and what it is held against. */
export interface Reading {
  readonly value: number | null;
  readonly sampleCount: number;
  /** What chance alone explains; null where that is not known. */
  readonly noiseFloor: number | null;
  /** Whether it is more than chance; null where that is not asked. */
  readonly significant: boolean | null;
  readonly warning: readonly number[] | null;
  readonly critical: readonly number[] | null;
  /** Why it could not be read. */
  readonly error?: string;
}

/** How a target stands after a window. */
export interface TargetState {
  readonly standing: Standing;
  readonly level: Level | null;
  /** The end of the window that was judged last. */
  readonly windowTo: number;
  /** Windows in a row that were beyond the threshold, or within it. */
  readonly beyond: number;
  readonly within: number;
  /** The end of the window in which it began to fire. */
  readonly startedAt: number | null;
  readonly toldAt: number | null;
  /** When it last began to be told; no new one begins within the cooldown. */
  readonly firedAt: number | null;
  readonly acknowledged: boolean;
}

export const freshState: TargetState = {
  standing: 'OK',
  level: null,
  windowTo: 0,
  beyond: 0,
  within: 0,
  startedAt: null,
  toldAt: null,
  firedAt: null,
  acknowledged: false,
};

export type Told = 'FIRING' | 'LEVEL' | 'RESOLVED' | 'REMINDER';
export interface Judged {
  readonly state: TargetState;
  /** What people are told; nothing for most windows. */
  readonly told?: Told;
}

const isBeyond = (
  comparator: Rule['comparator'],
  value: number,
  [low = 0, high = low]: readonly number[],
): boolean => {
  if (comparator === 'above') return value > high;
  if (comparator === 'below') return value < low;
  if (comparator === 'outside') return value < low || value > high;
  return comparator === 'inside' ? value >= low && value <= high : Math.abs(value) > high;
};

/** How bad a reading is; `undefined` where it says nothing. */
export const levelOf = (
  rule: Pick<Rule, 'comparator' | 'minSamples'>,
  reading: Reading,
  asksSamples: boolean,
): Level | null | undefined => {
  const { value, sampleCount, significant, warning, critical } = reading;
  if (value === null || (asksSamples && sampleCount < rule.minSamples)) return undefined;
  if (warning === null && critical === null) return undefined;
  if (significant === false) return null;
  if (critical !== null && isBeyond(rule.comparator, value, critical)) return 'critical';
  return warning !== null && isBeyond(rule.comparator, value, warning) ? 'warning' : null;
};

const reminderMs = dayMs;

const whileFiring = (rule: Rule, before: TargetState, level: Level, windowTo: number): Judged => {
  const state = { ...before, level, windowTo, beyond: before.beyond + 1, within: 0 };
  if (level !== before.level) return { state: { ...state, toldAt: windowTo }, told: 'LEVEL' };
  const due =
    rule.remind && !before.acknowledged && windowTo - (before.toldAt ?? windowTo) >= reminderMs;
  return due ? { state: { ...state, toldAt: windowTo }, told: 'REMINDER' } : { state };
};

const whileQuiet = (rule: Rule, before: TargetState, level: Level, windowTo: number): Judged => {
  const beyond = before.beyond + 1;
  const cools = before.firedAt !== null && windowTo - before.firedAt < rule.cooldownHours * hourMs;
  const waiting = { ...before, windowTo, beyond, within: 0, level };
  if (beyond < rule.consecutive || cools) return { state: { ...waiting, standing: 'PENDING' } };
  return {
    state: {
      ...waiting,
      standing: 'FIRING',
      startedAt: windowTo,
      toldAt: windowTo,
      firedAt: windowTo,
      acknowledged: false,
    },
    told: 'FIRING',
  };
};

const whenWithin = (rule: Rule, before: TargetState, windowTo: number): Judged => {
  const within = before.within + 1;
  const state = { ...before, windowTo, beyond: 0, within };
  if (before.standing === 'FIRING')
    return within < rule.autoResolveAfter
      ? { state }
      : {
          state: { ...state, standing: 'OK', level: null, toldAt: windowTo, startedAt: null },
          told: 'RESOLVED',
        };
  return { state: { ...state, standing: 'OK', level: null } };
};

/**
 * Judges one window of a target. A window that was judged before is counted once: it can begin an alarm that it did not begin then, and nothing else. What
 * cannot be read ends no alarm.
 */
export const judge = (
  rule: Rule,
  given: TargetState,
  reading: Reading,
  windowTo: number,
  asksSamples: boolean,
): Judged => {
  const isAgain = given.windowTo === windowTo;
  const before = isAgain ? { ...given, beyond: Math.max(0, given.beyond - 1) } : given;
  const level = levelOf(rule, reading, asksSamples);
  if (level === undefined) {
    const standing = reading.error === undefined ? 'NO_DATA' : 'ERROR';
    return {
      state: {
        ...before,
        windowTo,
        standing: before.standing === 'FIRING' ? 'FIRING' : standing,
      },
    };
  }
  if (level === null) return isAgain ? { state: given } : whenWithin(rule, before, windowTo);
  return before.standing === 'FIRING'
    ? whileFiring(rule, before, level, windowTo)
    : whileQuiet(rule, before, level, windowTo);
};
