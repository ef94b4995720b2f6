// Versions of clients, and which is too old. Pure.
import { Failure } from '#ports/failure';
import { codes } from '../codes.js';

interface Version {
  readonly numbers: readonly number[];
  readonly before: boolean;
}

const read = (text: string): Version | undefined => {
  const [, numbers, rest = ''] = /^v?(\d+(?:\.\d+)*)(.*)$/.exec(text.trim()) ?? [];
  return numbers === undefined ? undefined : { numbers: numbers.split('.').map(Number), before: /^[-.]?(a|b|rc|dev|alpha|beta|pre|snapshot)/i.test(rest) };
};

/** Whether `version` comes before `least`; a pre-release comes before its release. */
export const isOlder = (version: string, least: string): boolean => {
  const [a, b] = [read(version), read(least)];
  if (a === undefined || b === undefined) return false;
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i++) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return a.before && !b.before;
};

/** Refuses a client older than the installation allows; one that does not tell its version passes. */
export const checkClientVersion = (version: string | undefined, least: string): void => {
  if (least === '' || version === undefined || !isOlder(version, least)) return;
  throw new Failure('invalid', `this server needs version ${least} or newer of the client; yours is ${version.slice(0, 40)}`, { code: codes.versionTooOld });
};
