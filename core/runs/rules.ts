// Versions of clients, which is too old, and what a user is told at the end of a run. Pure.
import { Failure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import { experimentLink } from '../experiments/rules.js';
import type { RunSettings } from './settings.js';

interface Version {
  readonly numbers: readonly number[];
  readonly before: boolean;
}

/** No version is longer; of a text that is, the search for one is not tried on all of it. */
const longestVersion = 100;

const read = (text: string): Version | undefined => {
  const trimmed = text
    .slice(0, 2 * longestVersion)
    .trim()
    .slice(0, longestVersion);
  const [whole, numbers] = /^v?(\d+(?:\.\d+)*)/.exec(trimmed) ?? [];
  if (whole === undefined || numbers === undefined) return undefined;
  return {
    numbers: numbers.split('.').map(Number),
    before: /^[-.]?(?:a|b|rc|dev|alpha|beta|pre|snapshot)/i.test(trimmed.slice(whole.length)),
  };
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
  throw new Failure(
    'invalid',
    `this server needs version ${least} or newer of the client; yours is ${version.slice(0, 40)}`,
    { reason: 'versionTooOld' },
  );
};

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
type Language = 'python' | 'java' | 'r';

/** The client that sends a request, and its version where it tells one: R in its user agent, the others in a header. */
export const clientOf = (
  headers: Headers,
): { readonly language: Language; readonly version: string | undefined } => {
  const textOf = (name: string): string | undefined => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  const told = textOf('x-comet-debug-sdk-version') ?? textOf('python-sdk-version');
  const [, ofR] = /\bcometr\/([\w.-]{1,40})/.exec(textOf('user-agent')?.slice(0, 500) ?? '') ?? [];
  if (ofR !== undefined) return { language: 'r', version: ofR };
  return { language: textOf('comet-sdk-api') === undefined ? 'python' : 'java', version: told };
};

/** Refuses a request of a client that is older than the installation allows for its language. */
export const checkClient = (headers: Headers, settings: RunSettings): void => {
  const { language, version } = clientOf(headers);
  checkClientVersion(
    version,
    {
      python: settings.MIN_SDK_VERSION_PYTHON,
      java: settings.MIN_SDK_VERSION_JAVA,
      r: settings.MIN_SDK_VERSION_R,
    }[language],
  );
};

interface RunEnd {
  readonly title?: string | undefined;
  readonly status?: string | undefined;
  readonly additional_data?: unknown;
}
const mostFacts = 50;
const [titleAtMost, statusAtMost, valueAtMost] = [200, 200, 2000];
const textOf = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).slice(0, valueAtMost);

/** What a user is told of a run: the client's own words, with names and link as the server knows them. */
export const endLetter = (
  { title = '', status = '', additional_data: data }: RunEnd,
  {
    name,
    key,
    projectName,
    workspaceName,
  }: Pick<Experiment, 'name' | 'key' | 'projectName' | 'workspaceName'>,
  baseUrl: string,
) => {
  const facts =
    typeof data === 'object' && data !== null && !Array.isArray(data)
      ? Object.entries(data)
          .slice(0, mostFacts)
          .map(([fact, value]) => ({ name: fact, value: textOf(value) }))
      : [];
  return {
    title:
      title.trim() === ''
        ? `A message of experiment ${name}`.slice(0, titleAtMost)
        : title.slice(0, titleAtMost),
    facts,
    text: `Experiment ${name} of project ${projectName} in workspace ${workspaceName}${status === '' ? '' : `: ${status.slice(0, statusAtMost)}`}`,
    link: {
      label: 'Open the experiment',
      address: experimentLink(baseUrl, workspaceName, projectName, key),
    },
  };
};
