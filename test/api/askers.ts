// Everybody who may ask, over one world, and what the gate says to each of them: held against the table of what each may do.
import { createGate } from '#core/gate';
import { gatherKinds } from '#core/kinds';
import { systemClock } from '#adapters/system/clock';
import type { Area } from '#ports/api/area';
import type { Gate, Named } from '#ports/api/gate';
import { subjectsOf } from '#ports/api/operation';
import { verdictOn, type Narrowing, type Standing, type Verdict } from '#ports/api/reach';
import type { Auth } from '#ports/auth';
import type { CatalogueRow } from '#ports/catalogue';
import { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { Caller, Role, User } from '#ports/model/identity';
import { ExperimentFinder } from '#ports/storage/experiments';
import { Storage } from '#ports/storage/storage';
import { openBeside, startServer } from '#test/clients/server';
import { inputFor } from './building.js';
import { isRestricted, placesOf, rowsOf } from './rows.js';
import {
  freshName,
  makePeople,
  makeWorld,
  mayCallNowhere,
  type People,
  type World,
} from './world.js';

/** The gate over the kinds of these areas. */
export const gateOver = (storage: Storage, areas: readonly Area[]): Gate => {
  const ports = new Map<symbol, unknown>([
    [Storage, storage],
    [ExperimentFinder, storage.stores.experiments],
    [Clock, systemClock],
  ]);
  const kinds = new Map(
    gatherKinds(areas).map(({ kind, parents, needs, rules }) => {
      const met = Object.entries(needs).map(([name, port]) => [name, ports.get(port)]);
      return [kind.name, { parents, rules: rules(Object.fromEntries(met) as never) }]; // the kind's own needs
    }),
  );
  return createGate(() => kinds);
};

/** A server with a world, and what lies behind it. */
export interface Battery {
  readonly url: string;
  /** A key of an administrator of the installation. */
  readonly apiKey: string;
  readonly people: People;
  readonly home: World;
  readonly storage: Storage;
  readonly auth: Auth;
  byKey(apiKey: string): Promise<Caller>;
  /** Id of the world's workspace, or of another of that name. */
  workspaceId(name?: string): Promise<string>;
  /** Somebody new, with a role in the world's workspace. */
  joined(
    role: Role | undefined,
    more?: Joining,
  ): Promise<{ readonly user: User; readonly apiKey: string }>;
  /** A new member who asks with a key that reaches no further. */
  narrowedTo(given: KeyBounds): Promise<Caller>;
  stop(): Promise<void>;
}
interface Joining {
  readonly viewOnly?: boolean;
  readonly permitted?: boolean;
  readonly service?: 'free' | 'restricted';
}
interface KeyBounds {
  readonly readOnly?: boolean;
  readonly workspace?: string;
  readonly project?: string;
}

/** Starts a server and makes a world in it. */
export const openBattery = async (env: Readonly<Record<string, string>> = {}): Promise<Battery> => {
  const server = await startServer({
    storage: 'embedded',
    env: { ...mayCallNowhere, ORRERY_LOG_LEVEL: 'error', ...env },
  });
  if ('missing' in server) throw new Error(server.missing);
  const people = await makePeople(server);
  const home = await makeWorld(server.url, people.home);
  const { storage, auth, close } = await openBeside(server);

  const byKey = async (apiKey: string): Promise<Caller> => {
    const caller = await auth.identify(apiKey);
    if (caller === undefined) throw new Error('the key is not known');
    return caller;
  };
  const workspaceId = async (name = home.workspace): Promise<string> =>
    (await storage.stores.workspaces.findByName(name))?.id ?? '';
  const joined: Battery['joined'] = async (role, more = {}) => {
    const { user, apiKey } = await auth.addUser({
      name: freshName('asker'),
      viewOnly: more.viewOnly ?? false,
      ...(more.service === undefined
        ? {}
        : { kind: 'service', restricted: more.service === 'restricted', workspace: null }),
    });
    if (role !== undefined)
      await auth.setRole(
        await workspaceId(),
        user.id,
        role,
        more.permitted === true ? ['invite', 'publish'] : [],
      );
    return { user, apiKey };
  };
  const narrowedTo: Battery['narrowedTo'] = async (given) => {
    const { user } = await joined('member');
    const scope = {
      readOnly: given.readOnly ?? false,
      workspaceId: given.workspace === undefined ? undefined : await workspaceId(given.workspace),
      projectId: given.project,
    };
    return byKey((await auth.issueKey(user.id, { name: 'narrow', scope })).apiKey);
  };
  return {
    url: server.url,
    apiKey: server.apiKey,
    people,
    home,
    storage,
    auth,
    byKey,
    workspaceId,
    joined,
    narrowedTo,
    async stop() {
      await close();
      await server.stop();
    },
  };
};

export interface Asker {
  readonly standing: Standing;
  readonly narrowing?: Narrowing;
  readonly caller: (battery: Battery) => Promise<Caller>;
}

/** What a row is asked, in the form in which things are named. */
export const namedIn = (row: CatalogueRow, home: World): Named => {
  const input = inputFor(row.id, row.operation, { ...home, owner: structuredClone(home.owner) }); // what it takes from the lists stays there for the next
  return {
    query: input.query ?? {},
    params: input.params ?? {},
    body: input.body,
    part: { requestParams: input.lead },
    header: input.headers ?? {},
  };
};

/** What the gate says to a caller who asks a row about a world. */
export const verdictOf = async (
  gate: Gate,
  row: CatalogueRow,
  home: World,
  caller: Caller,
): Promise<Verdict> => {
  try {
    await gate.admit(row.operation, subjectsOf(row.operation), namedIn(row, home), caller, {});
    return 'allowed';
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'absent') return 'unknown';
    if (isFailure(thrown) && thrown.kind === 'forbidden') return 'refused';
    throw thrown;
  }
};

const isOthersKey = (row: CatalogueRow): boolean =>
  row.operation.access === 'caller' &&
  subjectsOf(row.operation).some((subject) => 'one' in subject && subject.one.name === 'apiKey');
const isPerItem = (row: CatalogueRow): boolean =>
  subjectsOf(row.operation).some(
    (subject) => 'each' in subject && subject.skipInaccessible === true,
  );
const namesNothing = (row: CatalogueRow): boolean =>
  subjectsOf(row.operation).length > 0 && subjectsOf(row.operation).flatMap(placesOf).length === 0;
const isOnlySession = ({ operation: { by } }: CatalogueRow): boolean =>
  by !== undefined && !by.includes('key');

/** What the table of roles says of a row, of this asker. */
const expectedOf = (
  row: CatalogueRow,
  { standing, narrowing }: Asker,
  asks: Caller,
  isOwner: boolean,
): Verdict => {
  const atHome =
    asks.defaultWorkspaceId !== undefined &&
    (asks.everywhere || asks.roles.has(asks.defaultWorkspaceId))
      ? 'admin'
      : 'stranger';
  // A row that can name nothing is about the caller's own workspace, where he stands as he may.
  const stated =
    isOnlySession(row) && asks.via !== 'session'
      ? 'refused'
      : verdictOn(row.operation, namesNothing(row) ? atHome : standing, narrowing);
  // A key is its owner's alone, whatever the role; items that are refused one by one refuse no request.
  if (stated === 'allowed' && isOthersKey(row) && !isOwner) return 'unknown';
  return stated !== 'allowed' && isPerItem(row) && narrowing?.readsOnly !== true
    ? 'allowed'
    : stated;
};

/** The rows of these areas that do not answer an asker as the table of roles says, each with what happened. */
export const straysOf = async (
  areas: readonly Area[],
  battery: Battery,
  [who, asker]: readonly [string, Asker],
  { home, storage }: Pick<Battery, 'home' | 'storage'> = battery,
): Promise<readonly string[]> => {
  const gate = gateOver(storage, areas);
  const asks = await asker.caller(battery);
  const strays: string[] = [];
  for (const row of rowsOf(areas).filter(({ operation }) => isRestricted(operation))) {
    const expected = expectedOf(row, asker, asks, who === 'workspace administrator');
    const verdict = await verdictOf(gate, row, home, asks);
    if (verdict !== expected) strays.push(`${row.id}: ${verdict} instead of ${expected}`);
  }
  return strays;
};

/** Everybody who may stand differently to a world. */
export const askers: Readonly<Record<string, Asker>> = {
  stranger: {
    standing: 'stranger',
    caller: (battery) => battery.byKey(battery.people.stranger.apiKey),
  },
  'view-only member': {
    standing: 'view-only',
    caller: (battery) => battery.byKey(battery.people.viewer.apiKey),
  },
  member: { standing: 'member', caller: (battery) => battery.byKey(battery.people.member.apiKey) },
  'member who may invite and publish': {
    standing: 'member',
    narrowing: { permitted: true },
    caller: async (battery) =>
      battery.byKey((await battery.joined('member', { permitted: true })).apiKey),
  },
  'workspace administrator': {
    standing: 'admin',
    caller: (battery) => battery.byKey(battery.people.home.apiKey),
  },
  'installation administrator': {
    standing: 'installation',
    caller: (battery) => battery.byKey(battery.apiKey),
  },
  'view-only member of the installation': {
    standing: 'member',
    narrowing: { readsOnly: true },
    caller: async (battery) =>
      battery.byKey(
        (
          await battery.auth.openSession(
            (await battery.joined('member', { viewOnly: true })).user.id,
            {
              address: '',
              agent: '',
              way: 'password',
            },
          )
        ).token,
      ),
  },
  'free service account': {
    standing: 'admin',
    caller: async (battery) =>
      battery.byKey((await battery.joined(undefined, { service: 'free' })).apiKey),
  },
  'restricted service account that was admitted': {
    standing: 'member',
    caller: async (battery) =>
      battery.byKey((await battery.joined('member', { service: 'restricted' })).apiKey),
  },
  'member with a key that may only read': {
    standing: 'member',
    narrowing: { readsOnly: true, narrowed: true },
    caller: (battery) => battery.narrowedTo({ readOnly: true }),
  },
  'member with a key of this workspace': {
    standing: 'member',
    narrowing: { narrowed: true },
    caller: (battery) => battery.narrowedTo({ workspace: battery.home.workspace }),
  },
  'member with a key of another workspace': {
    standing: 'stranger',
    narrowing: { narrowed: true },
    caller: (battery) => battery.narrowedTo({ workspace: battery.people.stranger.workspace }),
  },
};
