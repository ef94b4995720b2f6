// What is wrong with a row of an operation table that the compiler has not seen: words that mean nothing, and subjects that its input lacks.
import type { Area } from '#ports/api/area';
import {
  kindOf,
  type AccessRule,
  type FailureName,
  type Operation,
  type Subject,
  type Wire,
} from '#ports/api/operation';
import { reach } from '#ports/api/reach';
import { isObject, quoted, unknownMember } from './plugin-manifest.js';
import { nearest } from './nearest.js';

type Json = Readonly<Record<string, unknown>>;

/** The words that rows may use. */
export interface RowWords {
  /** The names of the kinds that areas define. */
  readonly kinds: ReadonlySet<string>;
  readonly toggles: readonly string[];
}

const subjectsOf = ({ about }: Json): readonly Subject[] => {
  return about === undefined || about === 'caller' ? [] : ([about].flat() as Subject[]); // a subject or a list of them
};
/** The name of a reference to a kind; `undefined` for anything else, which rows in JavaScript may hold. */
export const nameOf = (kind: unknown): string | undefined =>
  isObject(kind) && typeof kind['name'] === 'string' ? kind['name'] : undefined;

type Members<T> = Readonly<Record<T extends unknown ? keyof T : never, true>>;
const rowMembers: Members<Operation> = {
  method: true,
  path: true,
  summary: true,
  params: true,
  query: true,
  body: true,
  replies: true,
  fails: true,
  toggle: true,
  deprecated: true,
  access: true,
  wire: true,
  metered: true,
  adds: true,
  projectsOfVersion7: true,
  audit: true,
};
const accessMembers: Members<AccessRule> = {
  needs: true,
  about: true,
  by: true,
  permission: true,
  unbounded: true,
  inProject: true,
  beyondProject: true,
  changes: true,
  token: true,
  personal: true,
  fallBackToRegistryCopy: true,
};
const wireMembers: Members<Wire> = {
  credential: true,
  shareCode: true,
  retryableWith429: true,
  keepsNul: true,
  mostBytes: true,
  needsBody: true,
  jsonOnly: true,
  once: true,
  refusals: true,
  resourceMetadata: true,
  cors: true,
  anyClient: true,
};

const failures: Readonly<Record<FailureName, true>> = {
  invalid: true,
  unauthenticated: true,
  absent: true,
  forbidden: true,
  conflict: true,
  throttled: true,
  tooLarge: true,
  unsupported: true,
  unprocessable: true,
};

/** The words of these areas' rows. */
export const wordsOf = (areas: readonly Area[]): Omit<RowWords, 'toggles'> => {
  return {
    kinds: new Set(areas.flatMap(({ kinds = [] }) => kinds.map(({ kind }) => kind.name))),
  };
};

/** Whether a schema has a member of that path; one that takes any members has all of them. */
const has = (schema: unknown, [first, ...more]: readonly string[]): boolean => {
  if (first === undefined) return true;
  if (!isObject(schema)) return false;
  if (first === '*') return schema['items'] === undefined || has(schema['items'], more);
  const properties = schema['properties'];
  if (!isObject(properties)) return schema['type'] === undefined;
  return Object.hasOwn(properties, first) && has(properties[first], more);
};

const hasPath = (row: Json, path: string): boolean => {
  const [where = '', ...names] = path.split('.');
  const body = isObject(row['body']) ? row['body'] : {};
  if (names.length === 0) return false;
  if (where === 'header') return true;
  if (where === 'query') return has(row['query'], names);
  if (where === 'params')
    return [row['path']].flat().every((one) => String(one).includes(`{${names[0] ?? ''}}`));
  if (where === 'part') return isObject(body['multipart']) && (names[0] ?? '') in body['multipart'];
  return (
    where === 'body' &&
    !('multipart' in body || 'raw' in body) &&
    has('form' in body ? body['form'] : row['body'], names)
  );
};

const subjectFault = (
  row: Json,
  subject: Subject,
  before: ReadonlySet<unknown>,
  { kinds }: RowWords,
): string | undefined => {
  const kind = nameOf(kindOf(subject));
  if (kind === undefined)
    return `names the kind ${quoted(kindOf(subject))} by its text; import the kind that stands beside the record`;
  if (!kinds.has(kind)) return `is about a ${quoted(kind)}, which is no kind of thing here`;
  const parent = 'within' in subject ? nameOf(subject.within) : undefined;
  if (parent !== undefined && !before.has(parent))
    return `is about a ${quoted(kind)} within a ${quoted(parent)}, which it does not name before`;
  const stray = placesIn(subject)
    .flatMap((path) => String(path).split('/'))
    .find((path) => !hasPath(row, path));
  return stray === undefined
    ? undefined
    : `says that ${stray} names its ${quoted(kind)}, which its input does not have`;
};

/** Where a row says that its input names a thing. */
const placesIn = (subject: Subject): readonly string[] => {
  if (!('each' in subject)) return subject.paths;
  const { path, members } = subject;
  return members?.map((member) => `${path}.${member}`) ?? [path];
};

const methods: readonly string[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const open: readonly string[] = ['public', 'visitor', 'signed'];
const accesses = Object.keys(reach);

/** What is wrong with who may ask, and about what. */
const accessFault = (row: Json, words: RowWords): string | undefined => {
  const { access } = row;
  if (!isObject(access)) return 'does not say who may ask: its access is not an object';
  const { needs, about } = access;
  const stray = unknownMember('its access', access, Object.keys(accessMembers));
  if (stray !== undefined) return `cannot be read: ${stray}`;
  if (!accesses.includes(String(needs)))
    return `asks for the access ${quoted(needs)}; did you mean ${nearest(quoted(needs), accesses)}?`;
  if (about === undefined && !open.includes(String(needs)))
    return 'does not say what it is about; "caller" stands for nobody else\'s thing';
  const before = new Set<unknown>();
  for (const subject of subjectsOf(access)) {
    const fault = isObject(subject)
      ? subjectFault(row, subject, before, words)
      : 'is about something that is not a subject';
    if (fault !== undefined) return fault;
    before.add(nameOf(kindOf(subject)));
  }
  return undefined;
};

const wireFault = ({ wire }: Json): string | undefined => {
  if (wire === undefined) return undefined;
  if (!isObject(wire)) return 'has a wire that is not an object';
  const stray = unknownMember('its wire', wire, Object.keys(wireMembers));
  return stray === undefined ? undefined : `cannot be read: ${stray}`;
};

const failsFault = ({ fails }: Json): string | undefined => {
  if (fails === undefined) return undefined;
  if (!Array.isArray(fails)) return 'has fails that are not a list';
  const stray: unknown = fails.find((name) => !Object.hasOwn(failures, String(name)));
  return stray === undefined
    ? undefined
    : `fails as ${quoted(stray)}; did you mean ${nearest(quoted(stray), Object.keys(failures))}?`;
};

/** A member of the path that its `params` leave out would reach no handler, and no reader of the description. */
const pathFault = ({ path, params }: Json): string | undefined => {
  const stray = [path]
    .flat()
    .flatMap((one) => String(one).match(/\{[^{}]+\}/g) ?? [])
    .find((member) => params === undefined || !has(params, [member.slice(1, -1)]));
  return stray === undefined ? undefined : `has ${stray} in its path, which its params leave out`;
};

/** What is wrong with a row, as the end of a sentence about it. */
export const rowFault = (value: unknown, words: RowWords): string | undefined => {
  if (!isObject(value)) return 'is not an object';
  const { method, path, summary, replies, toggle } = value;
  const stray = unknownMember('a row', value, Object.keys(rowMembers));
  if (stray !== undefined) return `cannot be read: ${stray}`;
  if (!methods.includes(String(method))) return `has the method ${quoted(method)}`;
  if (![path].flat().every((one) => typeof one === 'string' && one.startsWith('/')))
    return 'has a path that does not begin with /';
  if (typeof summary !== 'string' || !isObject(replies)) return 'has no summary or no replies';
  if (toggle !== undefined && !words.toggles.includes(String(toggle)))
    return `stands behind the toggle ${quoted(toggle)}, which does not exist`;
  return pathFault(value) ?? accessFault(value, words) ?? failsFault(value) ?? wireFault(value);
};
