// Valid input for a row, from its schema, its subjects and a world.
import type { Kind } from '#ports/api/kind';
import type { CatalogueRow } from '#ports/catalogue';
import { kindOf, subjectsOf, type Operation, type Subject } from '#ports/api/operation';
import { shapeOf, type Shape } from './rows.js';
import type { Input, SentPart } from './sending.js';
import { kindFixture, rowFixture, type Values, type World } from './fixtures.js';
import { freshKey } from './fresh.js';

const file: readonly SentPart[] = [{ name: 'file', fileName: 'a.txt', content: 'text' }];

/** A value that a schema accepts. */
export const sampleOf = (shape: Shape): unknown => {
  if (shape.enum !== undefined) return shape.enum[0];
  if (shape.type === 'array') return shape.items === undefined ? [] : [sampleOf(shape.items)];
  if (shape.type === 'object')
    return Object.fromEntries(
      (shape.required ?? []).map((name) => [name, sampleOf(shape.properties?.[name] ?? {})]),
    );
  const samples: Readonly<Record<string, unknown>> = {
    text: shape.pattern === undefined ? 'x' : freshKey(),
    integer: Math.max(1, shape.minimum ?? 1),
    millis: 1_700_000_000_000,
    number: 1.5,
    flag: true,
    literal: '0.5',
    texts: ['a'],
    objects: [{ name: 'a', key: 'a', value: '1' }],
    object: { a: 1 },
  };
  return samples[shape.lenient ?? ''] ?? {};
};

/** What names a thing of a kind in a world. */
export const nameIn = (world: World, kind: Kind): string =>
  kindFixture(world.fixtures, kind).nameIn(world);

/** What a thing of a kind is called in its workspace. */
export const ownNameIn = (world: World, kind: Kind): string =>
  kindFixture(world.fixtures, kind).ownNameIn(world);

/** The places and values by which an input names a subject, in its way number `choice`. */
export const namingOf = (
  subject: Subject,
  world: World,
  choice = 0,
): Readonly<Record<string, unknown>> => {
  if ('each' in subject && subject.members !== undefined)
    return {
      [`${subject.path}.${subject.members[0] ?? ''}`]: nameIn(world, subject.each),
    };
  if ('each' in subject)
    return {
      [subject.path]: subject.path.includes('*')
        ? nameIn(world, subject.each)
        : [nameIn(world, subject.each)],
    };
  if ('creates' in subject) return { [subject.paths[0] ?? '']: freshKey() };
  const path = subject.paths[Math.min(choice, subject.paths.length - 1)] ?? '';
  const [first = '', second] = path.split('/');
  return second === undefined
    ? { [first]: nameIn(world, subject.one) }
    : { [first]: world.workspace, [second]: ownNameIn(world, subject.one) };
};

interface Draft {
  readonly query: Record<string, unknown>;
  readonly params: Record<string, unknown>;
  readonly part: Record<string, Record<string, unknown>>;
  readonly header: Record<string, string>;
  body: unknown;
}

/** Puts a value at a place of the row's own words; `*` is the first item of a list, which the sample has made. */
const put = (draft: Draft, place: string, value: unknown): void => {
  const [where = '', ...path] = place.split('.');
  const names = path.map((name) => (name === '*' ? '0' : name)); // a sample of a list has one item
  let into = (
    where === 'body'
      ? (draft.body ??= {})
      : where === 'part'
        ? draft.part
        : where === 'header'
          ? draft.header
          : where === 'params'
            ? draft.params
            : draft.query
  ) as Record<string, unknown>; // each is an object
  for (const name of names.slice(0, -1)) into = (into[name] ??= {}) as Record<string, unknown>; // made here, or by a sample of an object
  if (value === undefined) Reflect.deleteProperty(into, names.at(-1) ?? '');
  else into[names.at(-1) ?? ''] = value;
};

export interface Wish {
  /** Which of several ways of naming its subjects it uses. */
  readonly choice?: number;
  /** Values by place that win over all others; `undefined` leaves the member out. */
  readonly with?: Values;
  /** What the input is for: a row may need more to do its work, or to be spared. */
  readonly for?: 'work' | 'many';
}

/** Input that the row accepts from the owner of a world. */
export const inputFor = (
  id: string,
  operation: Operation,
  world: World,
  { choice = 0, with: own = {}, for: purpose }: Wish = {},
): Input => {
  const sample = (where: 'query' | 'params') => ({
    ...(sampleOf({ type: 'object', ...shapeOf(operation, where) }) as Record<string, unknown>),
  }); // a sample of an object
  const row = rowFixture(world.fixtures, id);
  const bodyShape = shapeOf(operation, 'body');
  const draft: Draft = {
    query: sample('query'),
    params: sample('params'),
    part: {},
    header: {},
    body: bodyShape === undefined ? undefined : sampleOf(bodyShape),
  };
  for (const subject of subjectsOf(operation))
    for (const [place, value] of Object.entries(namingOf(subject, world, choice)))
      put(draft, place, value);
  const particular = {
    ...row.with?.(world),
    ...(purpose === 'work' ? row.own?.(world) : {}),
    ...(purpose === 'many' ? row.spare?.(world) : {}),
    ...own,
  };
  for (const [place, value] of Object.entries(particular)) put(draft, place, value);
  const takesParts = operation.body !== undefined && 'multipart' in operation.body;
  const lead = draft.part['requestParams'];
  return {
    query: draft.query,
    params: draft.params,
    headers: draft.header,
    ...(takesParts
      ? {
          parts: row.parts?.(world) ?? file,
          ...(lead === undefined ? {} : { lead }),
        }
      : {
          body: draft.body,
          ...(operation.body !== undefined && 'form' in operation.body ? { form: true } : {}),
        }),
  };
};

/** Whether what a row was asked about is gone or changed after it, so that it needs a world of its own. */
export const consumes = ({ id }: CatalogueRow, { fixtures }: World): boolean =>
  rowFixture(fixtures, id).consumes === true;

/** Whether a row is about a thing that takes long to make. */
export const needsSlow = ({ operation }: CatalogueRow, { fixtures }: World): boolean =>
  subjectsOf(operation).some((subject) => kindFixture(fixtures, kindOf(subject)).thing.slow);
