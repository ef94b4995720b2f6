// Everybody who may ask, over a world of a running server.
import type { Narrowing, Standing } from '#ports/api/reach';
import type { Auth } from '#ports/auth';
import type { Caller, Role, User } from '#ports/model/identity';
import type { Storage } from '#ports/storage/storage';
import { openBeside, startServer } from '#test/clients/server';
import { allFixtures } from './all-fixtures.js';
import type { AreaFixtures, World } from './fixtures.js';
import { freshName, mayCallNowhere } from './fresh.js';
import { makePeople, type People } from './people.js';
import { makeWorld } from './world.js';

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
export const openBattery = async (
  env: Readonly<Record<string, string>> = {},
  fixtures: readonly AreaFixtures[] = allFixtures,
): Promise<Battery> => {
  const server = await startServer({
    storage: 'embedded',
    env: { ...mayCallNowhere, ORRERY_LOG_LEVEL: 'error', ...env },
  });
  if ('missing' in server) throw new Error(server.missing);
  const people = await makePeople(server, fixtures);
  const home = await makeWorld(server.url, people.home, { fixtures, supplies: people.supplies });
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
