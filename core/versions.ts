// Semantic versions (semver.org, 2.0.0): which texts are some, how they are ordered, and which comes next. Pure.
import { Failure } from '#ports/failure';

const form =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;
const mostCharacters = 100;

/** The version that a thing begins with. */
export const firstVersion = '1.0.0';

interface Parsed {
  readonly major: string;
  readonly minor: string;
  readonly patch: string;
  /** What marks it as before a release. */
  readonly before: string | undefined;
  readonly build: string;
}

const parse = (text: string): Parsed | undefined => {
  const parts = text.length > mostCharacters ? null : form.exec(text);
  if (parts === null) return undefined;
  const [, major = '', minor = '', patch = '', before, build = ''] = parts;
  return { major, minor, patch, before, build };
};

const requireParsed = (text: string): Parsed => {
  const parsed = parse(text);
  if (parsed === undefined)
    throw new Failure(
      'invalid',
      `version ${text.slice(0, mostCharacters)} is not a semantic version of at most ${mostCharacters} characters, such as ${firstVersion}`,
      { reason: 'versionUnfit' },
    );
  return parsed;
};

/** Rejects with `invalid` what is no semantic version. */
export const checkVersion = (version: string): void => {
  requireParsed(version);
};

/** A number of any length as a text that sorts as it does: how many digits, then the digits. */
const sortable = (digits: string): string => `${String(digits.length).padStart(2, '0')}${digits}`;
/** Numbers come before words. */
const identifier = (text: string): string =>
  /^\d+$/.test(text) ? `0${sortable(text)}` : `1${text}`;

const toOrder = ({ major, minor, patch, before, build }: Parsed): string =>
  // Both signs sort before every sign of a version, so that what is shorter comes first.
  `${[major, minor, patch].map(sortable).join('')}${before === undefined ? '~' : `-${before.split('.').map(identifier).join('"')}`}!${build}`;

/**
 * A text that sorts, by its bytes, as the version does: a release comes after what is marked as before it. Versions that differ in their build
 * alone, which the standard does not order, are ordered by it. Rejects with `invalid` for what is no semantic version.
 */
export const orderOf = (version: string): string => toOrder(requireParsed(version));

/** Below 0 where the first comes before the second, 0 where they differ in nothing but what they were built from. What is no version comes before all that are. */
export const compareVersions = (one: string, other: string): number => {
  const [left, right] = [one, other].map((text) => {
    const parsed = parse(text);
    return parsed === undefined ? '' : toOrder({ ...parsed, build: '' });
  }) as [string, string]; // two of two
  return left < right ? -1 : Number(left > right);
};

/** What follows when nobody says: the next whole number, which is its own release where the highest is marked as before it. Rejects with `invalid` for what is no semantic version. */
export const nextVersion = (highest: string | undefined): string => {
  if (highest === undefined) return firstVersion;
  const { major, minor, patch, before } = requireParsed(highest);
  return `${before !== undefined && minor === '0' && patch === '0' ? major : String(BigInt(major) + 1n)}.0.0`;
};

/** Whether a version is of this major and this minor number, where they are asked for. */
export const isOf = (
  version: string,
  { major, minor }: { readonly major?: number | undefined; readonly minor?: number | undefined },
): boolean => {
  const parsed = parse(version);
  return (
    parsed !== undefined &&
    (major === undefined || Number(parsed.major) === major) &&
    (minor === undefined || Number(parsed.minor) === minor)
  );
};
