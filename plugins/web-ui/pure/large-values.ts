// Values that are too large to be looked at as a whole: what of them is handed out, and what stands for the rest. Pure.

export type Path = readonly (string | number)[];

/** Stands for a part that was left out. */
export interface Stub {
  /** Where it would stand. */
  readonly path: Path;
  readonly kind: 'list' | 'object' | 'text';
  /** Its members, or its letters. */
  readonly count: number;
  /** The first letters of a text. */
  readonly begins: string;
}

/** A value that holds nothing in place of what was left out. */
export interface Light {
  readonly value: unknown;
  readonly stubs: readonly Stub[];
}

/** Letters of JSON, about, that a part may have and still be handed out whole. */
const mostWhole = 20_000;
const mostBegun = 2000;
/** What is a picture is shown whole or not at all. */
const picture = /^data:image\/(png|jpeg|gif|webp);base64,/;

/** Whether a value is small enough to be handed out; of a large one it looks at no more than that takes. */
const isSmall = (value: unknown): boolean => {
  const waiting: unknown[] = [value];
  for (let left = mostWhole; waiting.length > 0;) {
    const one = waiting.pop();
    if (typeof one === 'string') left -= picture.test(one) ? 0 : one.length;
    else if (typeof one === 'object' && one !== null) {
      const members: unknown[] = Object.values(one);
      left -= 4 * members.length;
      if (left < 0) return false;
      for (const member of members) waiting.push(member);
    } else left -= 4;
    if (left < 0) return false;
  }
  return true;
};

const stubOf = (value: unknown, path: Path): Stub =>
  typeof value === 'string'
    ? { path, kind: 'text', count: value.length, begins: value.slice(0, mostBegun) }
    : Array.isArray(value)
      ? { path, kind: 'list', count: value.length, begins: '' }
      : { path, kind: 'object', count: Object.keys(value ?? {}).length, begins: '' };

/** The value without its large parts; so many levels of it are kept even where they are large together. */
export const lighten = (value: unknown, levels: number): Light => {
  const stubs: Stub[] = [];
  const of = (one: unknown, path: Path, left: number): unknown => {
    if (isSmall(one)) return one;
    if (left === 0 || typeof one !== 'object' || one === null) {
      stubs.push(stubOf(one, path));
      return null;
    }
    return Array.isArray(one)
      ? one.map((member: unknown, at) => of(member, [...path, at], left - 1))
      : Object.fromEntries(
          Object.entries(one).map(([name, member]) => [
            name,
            of(member, [...path, name], left - 1),
          ]),
        );
  };
  return { value: of(value, [], levels), stubs };
};

type Named = Record<string | number, unknown>;

/** Where something stands in a value; nothing where there is no such place. */
export const atPath = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name)
        ? (at as Named)[name]
        : undefined,
    value,
  );

/** The value with something of the reader's in place of each part that was left out. */
export const filled = ({ value, stubs }: Light, make: (stub: Stub) => unknown): unknown => {
  const root: Named = { value };
  for (const stub of stubs) {
    const path: Path = ['value', ...stub.path];
    const above = atPath(root, path.slice(0, -1)) as Named; // what holds a stub was kept
    above[path.at(-1) ?? ''] = make(stub);
  }
  return root['value'];
};

/** Members of an entry that can be of any size. */
const largeMembers = ['input', 'output', 'metadata', 'expected_output'] as const;

const lightEntry = (entry: unknown, path: Path, stubs: Stub[]): unknown => {
  if (typeof entry !== 'object' || entry === null) return entry;
  const copy = { ...entry } as Named;
  for (const name of largeMembers) {
    if (!Object.hasOwn(copy, name)) continue;
    const light = lighten(copy[name], 0);
    copy[name] = light.value;
    for (const stub of light.stubs) stubs.push({ ...stub, path: [...path, name, ...stub.path] });
  }
  return copy;
};

/** A reply that is an entry, or a page of them in `content`, without what is large in its entries. */
export const lightReply = (reply: unknown): Light => {
  const stubs: Stub[] = [];
  const content: unknown = atPath(reply, ['content']);
  const value = Array.isArray(content)
    ? {
        ...(reply as Named), // it has a member
        content: content.map((one: unknown, at) => lightEntry(one, ['content', at], stubs)),
      }
    : lightEntry(reply, [], stubs);
  return { value, stubs };
};

/** What the page asks of the thread that keeps large values. `of` names a value that was given out, `path` a part of it. */
export type Asked = { readonly id: number; readonly reply: number } & (
  | { readonly what: 'read'; readonly bytes: ArrayBuffer }
  | ({ readonly root: number; readonly path: Path } & (
      | { readonly what: 'members'; readonly from: number; readonly most: number }
      | { readonly what: 'messages'; readonly most: number }
      | { readonly what: 'search'; readonly text: string; readonly most: number }
      | { readonly what: 'text'; readonly from: number; readonly to: number }
      | { readonly what: 'file' }
    ))
  | { readonly what: 'forget' }
);

/** Its answer: a value whose parts are asked for by `root`, or what went wrong. */
export type Answered = { readonly id: number } & (
  | { readonly root: number; readonly light: Light }
  | { readonly file: Blob }
  | { readonly fault: string }
);
