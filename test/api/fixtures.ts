// What an area tells the battery of tests: how one of each of its kinds is made, and what its rows need to be asked well.
import type { Kind } from '#ports/api/kind';
import type { Auth } from '#ports/auth';
import type { Storage } from '#ports/storage/storage';
import type { SentPart } from './sending.js';

/** Somebody with a key. */
export interface Member {
  readonly name: string;
  readonly apiKey: string;
  readonly password?: string;
}
/** Somebody who administers a workspace of that name. */
export type Owner = Member & { readonly workspace: string };

/** What is at hand to make a thing in a world. */
export interface Making {
  readonly url: string;
  readonly owner: Owner;
  /** Posts JSON, or bytes of a type, and gives the reply, an object; fails where it is refused. */
  ask(path: string, body: unknown, type?: string): Promise<Readonly<Record<string, string>>>;
  /** Reads a JSON object; fails where it is refused. */
  read(path: string): Promise<Readonly<Record<string, unknown>>>;
  /** Another thing of the same world, made first where it is not there yet. */
  of<T>(thing: Thing<T>): Promise<T>;
}
/** Something that each world has one of, made through the API. Whoever holds the reference knows its type. */
export interface Thing<T = unknown> {
  make(making: Making): Promise<T>;
  /** Takes long, and is made only where it is needed. */
  readonly slow: boolean;
}
export const thing = <T>(make: Thing<T>['make']): Thing<T> => ({ make, slow: false });
export const slowThing = <T>(make: Thing<T>['make']): Thing<T> => ({ make, slow: true });

/** What is at hand to lay in a supply. */
export interface Stocking {
  readonly storage: Storage;
  readonly auth: Auth;
  /** Who owns the world, and the workspace that it is in. */
  readonly owner: { readonly id: string; readonly workspaceId: string };
  /** Ids of users who are left alone. */
  readonly viewerId: string;
  readonly memberId: string;
}
/** What tests use up, laid in once for each server in its database, since the API has no way to it. */
export interface Supply<T = unknown> {
  stock(stocking: Stocking): Promise<T>;
  /** What worlds have that were given none. */
  readonly none: T;
}
export const supply = <T>(none: T, stock: Supply<T>['stock']): Supply<T> => ({ stock, none });

/** One of everything that a request may name, all in one workspace. */
export interface World {
  readonly workspace: string;
  readonly owner: Owner;
  readonly fixtures: readonly AreaFixtures[];
  /** A thing of this world, or what is left of a supply. Fails for a slow thing that was not asked for. */
  of<T>(what: Thing<T> | Supply<T>): T;
  /** Whether it was made. */
  has(what: Thing): boolean;
  /** The same world with another thing in the place of its own. */
  with<T>(what: Thing<T> | Supply<T>, other: T): World;
  /** The same world with supplies of its own, so that what is taken from them stays there for the next. */
  copy(): World;
}

/** How one of a kind is found in a world. */
export interface KindFixture {
  readonly kind: Kind;
  readonly thing: Thing;
  /** What names it. */
  nameIn(world: World): string;
  /** What it is called in its workspace, for kinds that are named so too. */
  ownNameIn(world: World): string;
  /** What names none of this kind, in the form of those that do. */
  unknown(): string;
  /** What the tracking wire's code is where a request names none. */
  readonly missingCode: number;
  /** It is its owner's alone, whatever others may do in its workspace. */
  readonly ownersAlone: boolean;
  /** By name it is looked for in the caller's own workspace, where another may be called so. */
  readonly namedAnywhere: boolean;
}
/** One of a kind in a world, by a thing that was made there. */
export const kindIn = <T>(
  kind: Kind,
  thing: Thing<T>,
  {
    name,
    ownName = name,
    unknown,
    missingCode = 7777777,
    ownersAlone = false,
    namedAnywhere = false,
  }: {
    readonly name: (made: T, world: World) => string;
    readonly ownName?: (made: T, world: World) => string;
    readonly unknown: () => string;
    readonly missingCode?: number;
    readonly ownersAlone?: boolean;
    readonly namedAnywhere?: boolean;
  },
): KindFixture => ({
  kind,
  thing,
  // A slow thing that was not asked for is named like one that is not there.
  nameIn: (world) => (world.has(thing) ? name(world.of(thing), world) : unknown()),
  ownNameIn: (world) => ownName(world.of(thing), world),
  unknown,
  missingCode,
  ownersAlone,
  namedAnywhere,
});

/** Values by place, in the row's own words: `{ 'body.name': 'x' }`; `undefined` leaves a member out. */
export type Values = Readonly<Record<string, unknown>>;

/** What the schema of a row alone cannot tell. */
export interface RowFixture {
  /** Values that its fields need. */
  with?(world: World): Values;
  /** More of them, where it is asked to do its work and not only to refuse. */
  own?(world: World): Values;
  /** More of them, where it is asked so often that what it is about must be spared. */
  spare?(world: World): Values;
  /** The parts of its multipart body. */
  parts?(world: World): readonly SentPart[];
  /** What names things of a world at places where the row is particular about them. */
  foreign?(world: World): Readonly<Record<string, string>>;
  /** Makes an address that carries a permission, for rows of access `signed`. */
  link?(making: Making): Promise<string>;
  /** What it was asked about is gone, changed or elsewhere after it. */
  readonly consumes?: boolean;
  /** Who asks, where it ends sessions or memberships: somebody who may lose them. */
  readonly asks?: 'keeper' | 'leaver';
  /** It is there to refuse, or answers a provider alone. */
  readonly refusesEverybody?: boolean;
  /** Its reply says of each item what became of it. */
  readonly answersItems?: boolean;
  /** It stands in for a plugin while that is off. */
  readonly insteadOfPlugin?: boolean;
  /** Why it asks for no credential. */
  readonly open?: string;
  /** Why it is about nobody's thing but the caller. */
  readonly aboutCaller?: string;
  /** Why a field that looks like an id of ours has no subject, by place. */
  readonly notOurs?: Readonly<Record<string, string>>;
  /** Fields that give a new thing its name, or search among the things of a subject. */
  readonly ownNames?: readonly string[];
}

/** What one part of the product tells of its areas. */
export interface AreaFixtures {
  /** The areas whose rows and kinds it speaks of. */
  readonly areas: readonly string[];
  readonly kinds?: readonly KindFixture[];
  /** What its rows name that is of no kind. */
  readonly things?: readonly Thing[];
  readonly supplies?: readonly Supply[];
  /** By the id of the row. */
  readonly rows?: Readonly<Record<string, RowFixture>>;
  /** Settings that a server needs so that every row can be asked. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** What is told of a row; nothing special, where nothing is. */
export const rowFixture = (of: readonly AreaFixtures[], id: string): RowFixture =>
  of.find(({ rows }) => rows !== undefined && Object.hasOwn(rows, id))?.rows?.[id] ?? {};
/** What is told of a kind. */
export const kindFixture = (of: readonly AreaFixtures[], { name }: Kind): KindFixture => {
  const found = of.flatMap(({ kinds = [] }) => kinds).find(({ kind }) => kind.name === name);
  if (found === undefined)
    throw new Error(`no area says how a thing of the kind ${name} is made for the tests`);
  return found;
};
/** Every row that some area speaks of, with what it says. */
export const fixedRows = (
  of: readonly AreaFixtures[],
): readonly (readonly [string, RowFixture])[] =>
  of.flatMap(({ rows = {} }) => Object.entries(rows));
/** The settings that all of them need. */
export const settingsFor = (of: readonly AreaFixtures[]): Readonly<Record<string, string>> =>
  Object.assign({}, ...of.map(({ settings = {} }) => settings)) as Record<string, string>; // made of those alone
