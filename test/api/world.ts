// Worlds: one of everything in a workspace, made from what the areas say. Two of them know nothing of each other.
import { allFixtures } from './all-fixtures.js';
import type { AreaFixtures, Making, Owner, Supply, Thing, World } from './fixtures.js';

export type { World } from './fixtures.js';

/** What was laid in, by the supply that it is of. */
export type Supplies = ReadonlyMap<Thing | Supply, unknown>;

/** What is left of a supply among those. */
export const heldIn = <T>(supplies: Supplies, supply: Supply<T>): T =>
  supplies.has(supply) ? (supplies.get(supply) as T) : structuredClone(supply.none); // what it stocked

export interface WorldWish {
  readonly fixtures?: readonly AreaFixtures[];
  readonly supplies?: Supplies;
  /** Whether it has the things that take long to make. */
  readonly slow?: boolean;
}

const asker = (url: string, owner: Owner): Pick<Making, 'ask' | 'read'> => {
  const send = async (path: string, more: RequestInit, type: string) => {
    const headers = {
      Authorization: owner.apiKey,
      'Content-Type': type,
      // Where no workspace is named the private rows take the caller's usual one, which a case may have changed.
      ...(path.startsWith('/v1/private/') ? { 'Comet-Workspace': owner.workspace } : {}),
    };
    const reply = await fetch(url + path, { ...more, headers });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text}`);
    return JSON.parse(text === '' ? '{}' : text) as Record<string, string>; // an object, as every reply that a thing is made by
  };
  return {
    ask: (path, body, type = 'application/json') =>
      send(
        path,
        {
          method: 'POST',
          body: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body),
        },
        type,
      ),
    read: (path) => send(path, {}, 'application/json'),
  };
};

/** What is at hand to make a thing for an owner; each is made once. */
export const makingFor = (
  url: string,
  owner: Owner,
  made = new Map<Thing, Promise<unknown>>(),
): Making => {
  const making: Making = {
    url,
    owner,
    ...asker(url, owner),
    of<T>(thing: Thing<T>) {
      const found = made.get(thing) ?? thing.make(making);
      made.set(thing, found);
      return found as Promise<T>; // what this very thing made
    },
  };
  return making;
};

const worldOf = (
  owner: Owner,
  fixtures: readonly AreaFixtures[],
  held: ReadonlyMap<Thing | Supply, unknown>,
): World => ({
  workspace: owner.workspace,
  owner,
  fixtures,
  of<T>(what: Thing<T> | Supply<T>) {
    if ('none' in what) return heldIn(held, what);
    if (held.has(what)) return held.get(what) as T; // what it made
    throw new Error('the world has no such thing; is it one that takes long to make?');
  },
  has: (what) => held.has(what),
  with: (what, other) => worldOf(owner, fixtures, new Map([...held, [what, other]])),
  copy: () =>
    worldOf(
      owner,
      fixtures,
      new Map(
        [...held].map(([what, value]) => [what, 'none' in what ? structuredClone(value) : value]),
      ),
    ),
});

/** Makes one of everything that the areas tell of in an owner's workspace. */
export const makeWorld = async (
  url: string,
  owner: Owner,
  { fixtures = allFixtures, supplies = new Map(), slow = true }: WorldWish = {},
): Promise<World> => {
  const making = makingFor(url, owner);
  const things = new Set(
    fixtures.flatMap(({ kinds = [], things: others = [] }) => [
      ...kinds.map((one) => one.thing),
      ...others,
    ]),
  );
  const held = new Map<Thing | Supply, unknown>(supplies);
  // One after the other, so that what they have in common is made by the first of them.
  for (const thing of things) if (slow || !thing.slow) held.set(thing, await making.of(thing));
  return worldOf(owner, fixtures, held);
};
