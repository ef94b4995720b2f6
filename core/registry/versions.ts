// Semantic versions, as https://semver.org/spec/v2.0.0.html orders them. Pure.
import { Failure } from '#ports/failure';
import { codes } from '../codes.js';

interface Parsed {
  readonly core: readonly [number, number, number];
  readonly before: readonly string[];
}

const number = '(0|[1-9]\\d{0,14})';
const form = new RegExp(`^${number}\\.${number}\\.${number}(?:-((?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)(?:\\.(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*))*))?(?:\\+[0-9A-Za-z-]+(?:\\.[0-9A-Za-z-]+)*)?$`);
const longest = 100;

/** The version that a model begins with. */
export const firstVersion = '1.0.0';

const parse = (version: string): Parsed | undefined => {
  const [, major, minor, patch, before] = (version.length > longest ? null : form.exec(version)) ?? [];
  return major === undefined ? undefined : { core: [Number(major), Number(minor), Number(patch)], before: before === undefined ? [] : before.split('.') };
};

/** Refuses with `invalid` what is no semantic version. */
export const checkVersion = (version: string): void => {
  if (parse(version) === undefined) throw new Failure('invalid', `version ${version.slice(0, 100)} is not a semantic version like ${firstVersion}`, { code: codes.versionNotSemantic });
};

const isNumber = (identifier: string): boolean => /^\d+$/.test(identifier);
const compareIdentifiers = (one: string, other: string): number => {
  if (isNumber(one) && isNumber(other)) return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
  if (isNumber(one) !== isNumber(other)) return isNumber(one) ? -1 : 1;
  return one < other ? -1 : one > other ? 1 : 0;
};
const compareBefore = (one: readonly string[], other: readonly string[]): number => {
  if (one.length === 0 || other.length === 0) return other.length - one.length;
  for (const [place, identifier] of one.entries()) {
    const facing = other[place];
    const order = facing === undefined ? 1 : compareIdentifiers(identifier, facing);
    if (order !== 0) return order;
  }
  return one.length - other.length;
};

/** Below 0 where the first comes before the second. What is no version comes before all that are. */
export const compareVersions = (one: string, other: string): number => {
  const [left, right] = [parse(one), parse(other)];
  if (left === undefined || right === undefined) return Number(left !== undefined) - Number(right !== undefined);
  for (const place of [0, 1, 2] as const) if (left.core[place] !== right.core[place]) return left.core[place] - right.core[place];
  return compareBefore(left.before, right.before);
};

/** The version that follows one when nobody names any: the next whole major. */
export const nextVersion = (latest: string | undefined): string => {
  const parsed = latest === undefined ? undefined : parse(latest);
  if (parsed === undefined) return firstVersion;
  const [major, minor, patch] = parsed.core;
  return `${parsed.before.length > 0 && minor === 0 && patch === 0 ? major : major + 1}.0.0`;
};

/** Whether a version is of this major and this minor number, where they are asked for. */
export const isOf = (version: string, { major, minor }: { readonly major?: number | undefined; readonly minor?: number | undefined }): boolean => {
  const parsed = parse(version);
  return parsed !== undefined && (major === undefined || parsed.core[0] === major) && (minor === undefined || parsed.core[1] === minor);
};
