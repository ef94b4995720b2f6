// Semantic versions (semver.org, 2.0.0): which texts are some, how they are ordered, and which comes next. Pure.
import { Failure } from '#ports/failure';
import { codes } from '../codes.js';

const form = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?$/;
const mostCharacters = 100;

const parse = (text: string): RegExpExecArray => {
  const parts = text.length > mostCharacters ? null : form.exec(text);
  if (parts === null) throw new Failure('invalid', `version ${text.slice(0, mostCharacters)} is not a semantic version of at most ${mostCharacters} characters, such as 1.0.0`, { code: codes.versionUnfit });
  return parts;
};

/** A number of any length as a text that sorts as it does: how many digits, then the digits. */
const sortable = (digits: string): string => `${String(digits.length).padStart(2, '0')}${digits}`;
/** Numbers come before words. */
const identifier = (text: string): string => (/^\d+$/.test(text) ? `0${sortable(text)}` : `1${text}`);

/**
 * A text that sorts, by its bytes, as the version does: a release comes after what is marked as before it. Versions that differ in their build
 * alone, which the standard does not order, are ordered by it. Rejects with `invalid` for what is no semantic version.
 */
export const orderOf = (version: string): string => {
  const [, major = '', minor = '', patch = '', before, build = ''] = parse(version);
  const numbers = [major, minor, patch].map(sortable).join('');
  // Both signs sort before every sign of a version, so that what is shorter comes first.
  return `${numbers}${before === undefined ? '~' : `-${before.split('.').map(identifier).join('"')}`}!${build}`;
};

/** What follows when nobody says: 1.0.0 first, then the next whole number. */
export const nextVersion = (highest: string | undefined): string => {
  if (highest === undefined) return '1.0.0';
  const [, major = '0'] = parse(highest);
  return `${BigInt(major) + 1n}.0.0`;
};
