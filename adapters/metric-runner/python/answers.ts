// What a process may say of its metric. It is the metric's word, and is believed in nothing but its scores.
import type { MetricAnswer, MetricLimits } from '#ports/metric-runner';
import type { Ended } from './child.js';

/** Scores of one run, characters of a name, and of a sentence about a fault. */
const [mostScores, longestName, longestFault] = [100, 500, 1000];

export const fault = (message: string, retry = false): MetricAnswer => ({
  fault: { message, retry },
});

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // what a metric wrote by itself
  }
};

const membersOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>) // any object can be read by name
    : {};

type Shown =
  | { readonly failed: string }
  | { readonly name: string; readonly value: number; readonly reason: string | undefined };

const readScore = (sent: unknown): Shown | undefined => {
  const { name, value, reason, failed } = membersOf(sent);
  if (typeof failed === 'string') return { failed: failed.slice(0, longestName) };
  if (typeof name !== 'string' || typeof value !== 'number' || !Number.isFinite(value))
    return undefined;
  return {
    name: name.slice(0, longestName),
    value,
    reason: typeof reason === 'string' ? reason : undefined,
  };
};

const unreadable = fault('answered with what is no score');

const readScores = (sent: readonly unknown[]): MetricAnswer => {
  if (sent.length > mostScores) return fault(`gave more than ${mostScores} scores`);
  const shown = sent.map(readScore);
  if (shown.includes(undefined)) return unreadable;
  return {
    scores: shown.flatMap((one) => (one !== undefined && 'name' in one ? [one] : [])),
    failed: shown.flatMap((one) => (one !== undefined && 'failed' in one ? [one.failed] : [])),
  };
};

/** Why a process could not shut itself in; `undefined` where it did, or never came so far. */
export const refusalIn = (ended: Ended): string | undefined => {
  if (!('written' in ended)) return undefined;
  const { shut } = membersOf(parse(Buffer.from(ended.written).toString()));
  return typeof shut === 'string' ? shut : undefined;
};

export const readAnswer = (ended: Ended, limits: MetricLimits): MetricAnswer => {
  if ('unstarted' in ended) return fault('could not be started', true);
  if ('ended' in ended)
    switch (ended.ended) {
      case 'late':
        return fault(`took more than ${limits.timeMs / 1000} s`);
      case 'talkative':
        return fault(`wrote more than ${limits.outputBytes} bytes`);
      case 'aborted':
        return fault('was stopped', true);
    }
  if (refusalIn(ended) !== undefined) return fault('could not be shut in, and was not run', true);
  if (ended.written.length === 0) return fault('ended its process without an answer');
  const { scores, fault: told } = membersOf(parse(Buffer.from(ended.written).toString()));
  if (typeof told === 'string') return fault(told.replaceAll(/\s+/g, ' ').slice(0, longestFault));
  return Array.isArray(scores) ? readScores(scores) : unreadable;
};
