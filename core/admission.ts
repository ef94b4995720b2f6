// How one subject of a row is loaded and checked, by the rules of its kind.
import type { Asking, Name, Place, ResolvedKind } from '#ports/api/kind-definition';
import type { Kind } from '#ports/api/kind';
import { kindOf, type Creates, type Each, type One, type Subject } from '#ports/api/operation';
import { Failure, isFailure } from '#ports/failure';
import { namesAt, naming } from './subject-paths.js';
import { oneProjectOnly } from './permissions.js';
import { checkPlace } from './places.js';

/** Records by the names that handlers know them by. */
export type Found = Readonly<Record<string, unknown>>;

/** Loads what a subject names. Rejects with `absent` what is not there or out of reach, with `forbidden` what may only be read. */
export const admitSubject = async (
  subject: Subject,
  resolved: ResolvedKind,
  asking: Asking,
): Promise<Found> => {
  const kind = kindOf(subject);
  const { rules } = resolved;
  const admission = { ...resolved, kind, asking };
  if (asking.caller.scope?.projectId !== undefined && rules.forProjectKeys === undefined) {
    if (isLeftOut(subject, asking)) return {};
    throw oneProjectOnly();
  }
  if ('each' in subject) return { [`${kind.name}s`]: await admitEach(subject, admission) };
  if ('creates' in subject) return { existing: await admitExisting(subject, admission) };
  return { [kind.name]: await admitOne(subject, admission) };
};

interface Admission extends ResolvedKind {
  readonly kind: Kind;
  readonly asking: Asking;
}

const isLeftOut = (subject: Subject, { named }: Asking): boolean =>
  'one' in subject && subject.optional === true && naming(named, subject.paths) === undefined;

/** The last word of a path: the member that should have named the thing. */
const memberOf = (paths: readonly string[]): string | undefined => paths[0]?.split('.').at(-1);

const absent = ({ kind, rules, asking }: Admission, text: string): Failure =>
  rules.absent?.(text, asking) ??
  new Failure('absent', `${kind.name} ${text.slice(0, 80)} not found`);

/** How the caller's default one is called in an answer. */
const ofTheKey = 'of the key';

const admitOne = async (subject: One, admission: Admission): Promise<unknown> => {
  const { kind, rules, asking } = admission;
  const name = naming(asking.named, subject.paths);
  if (name === undefined || (await rules.isNone?.(name, asking)) === true) {
    if (subject.optional === true && kind.hasDefault)
      return pass(admission, await rules.findDefault?.(asking), ofTheKey);
    if (subject.optional === true) return undefined;
    throw (
      rules.missing?.(subject.paths) ??
      new Failure('invalid', `${memberOf(subject.paths) ?? kind.name} is required`)
    );
  }
  const record = await pass(admission, await rules.find(name, asking), name.text);
  await rules.checkRoom?.(record, asking);
  return record;
};

const admitEach = async (subject: Each, admission: Admission): Promise<readonly unknown[]> => {
  const { rules, asking } = admission;
  const names = namesAt(asking.named, subject);
  const many =
    names.length === 0
      ? undefined
      : await rules.findMany?.(
          names.flatMap((name) => name?.text ?? []),
          asking,
        );
  const find = async (name: Name | undefined): Promise<unknown> => {
    if (name === undefined) return rules.findDefault?.(asking);
    return many === undefined ? rules.find(name, asking) : many.get(name.text);
  };
  const passed = new Map<string, unknown>();
  for (const name of names)
    try {
      const record = await pass(admission, await find(name), name?.text ?? ofTheKey);
      passed.set(rules.idOf?.(record) ?? name?.text ?? '', record);
    } catch (refusal) {
      if (subject.skipInaccessible !== true || !isRefusal(refusal)) throw refusal;
    }
  return [...passed.values()];
};

/** Whether this refuses one item, and is no fault of the server. */
const isRefusal = (thrown: unknown): boolean => isFailure(thrown) && thrown.kind !== 'unavailable';

/** What exists already under the key of a new one must be the caller's to write; to read it through another place does not do. */
const admitExisting = async (subject: Creates, admission: Admission): Promise<unknown> => {
  const { rules, asking } = admission;
  const name = naming(asking.named, subject.paths);
  const found = name === undefined ? undefined : await rules.find(name, asking);
  if (name === undefined || found === undefined) return undefined;
  const place = await rules.placeOf(found, asking);
  await checkPlace(atHome(place), { needs: 'write' }, asking.caller, {
    absent: () => absent(admission, name.text),
  });
  return found;
};
const atHome = (place: Place): Exclude<Place, 'parent'> => {
  if (typeof place === 'string' || 'userId' in place) return 'installation'; // whose keys no client chooses
  const { readableThrough: _, ...home } = place;
  return home;
};

/** Refuses a thing that is not there, lies out of reach, or does not go with what the row named before it. */
const pass = async (admission: Admission, record: unknown, text: string): Promise<unknown> => {
  const { rules, asking } = admission;
  const { operation, caller } = asking;
  const refusals = { absent: () => absent(admission, text), notAdmitted: rules.notAdmitted };
  if (record === undefined) throw refusals.absent();
  const parents = admission.parents.flatMap((parent) => {
    const of = asking.found(parent.kind);
    return of === undefined ? [] : [{ ...parent, of }];
  });
  const place = await rules.placeOf(record, asking);
  if (place !== 'parent') await checkPlace(place, operation.access, caller, refusals);
  else if (parents.length === 0) throw refusals.absent();
  if (
    caller.scope?.projectId !== undefined &&
    typeof rules.forProjectKeys === 'function' &&
    !(await rules.forProjectKeys(asking, record))
  )
    throw oneProjectOnly();
  if (parents.some(({ of, holds }) => !holds(record, of, asking))) throw refusals.absent();
  return record;
};
