// Every row, asked by every role: what the gate says is held against the table of what each may do.
import { expect } from 'chai';
import { createGate } from '#core/access';
import { isFailure } from '#ports/failure';
import type { Named } from '#ports/api/gate';
import {
  standings,
  verdictOn,
  type Narrowing,
  type Standing,
  type Verdict,
} from '#ports/api/reach';
import type { Auth } from '#ports/auth';
import type { CatalogueRow } from '#ports/catalogue';
import type { Caller } from '#ports/model/identity';
import type { Storage } from '#ports/storage/storage';
import { openBeside, startServer, type StartedServer } from '#test/clients/server';
import { inputFor } from './building.js';
import { isRestricted, placesOf, rows, subjectsOf } from './rows.js';
import {
  freshName,
  makePeople,
  makeWorld,
  mayCallNowhere,
  type People,
  type World,
} from './world.js';

interface Asker {
  readonly standing: Standing;
  readonly narrowing?: Narrowing;
  readonly caller: () => Promise<Caller>;
}

describe('every role, at every operation', () => {
  let server: StartedServer;
  let people: People;
  let home: World;
  let storage: Storage;
  let auth: Auth;
  let close: () => Promise<void>;

  before(async () => {
    const started = await startServer({
      storage: 'embedded',
      env: { ...mayCallNowhere, ORRERY_LOG_LEVEL: 'error' },
    });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
    people = await makePeople(server);
    home = await makeWorld(server.url, people.home);
    ({ storage, auth, close } = await openBeside(server));
  });
  after(async () => {
    await close?.();
    await server?.stop();
  });

  const byKey = async (apiKey: string): Promise<Caller> => {
    const caller = await auth.identify(apiKey);
    if (caller === undefined) throw new Error('the key is not known');
    return caller;
  };
  const workspaceId = async (name = home.workspace): Promise<string> =>
    (await storage.stores.workspaces.findByName(name))?.id ?? '';
  /** Somebody new, with a role in the world's workspace. */
  const joined = async (
    role: 'admin' | 'member' | 'view-only' | undefined,
    more: {
      readonly viewOnly?: boolean;
      readonly permitted?: boolean;
      readonly service?: 'free' | 'restricted';
    } = {},
  ) => {
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
  const narrowedTo = async (given: {
    readonly readOnly?: boolean;
    readonly workspace?: string;
    readonly project?: string;
  }) => {
    const { user } = await joined('member');
    const scope = {
      readOnly: given.readOnly ?? false,
      workspaceId: given.workspace === undefined ? undefined : await workspaceId(given.workspace),
      projectId: given.project,
    };
    return byKey((await auth.issueKey(user.id, { name: 'narrow', scope })).apiKey);
  };

  const askers: Readonly<Record<string, Asker>> = {
    stranger: { standing: 'stranger', caller: () => byKey(people.stranger.apiKey) },
    'view-only member': { standing: 'view-only', caller: () => byKey(people.viewer.apiKey) },
    member: { standing: 'member', caller: () => byKey(people.member.apiKey) },
    'member who may invite and publish': {
      standing: 'member',
      narrowing: { permitted: true },
      caller: async () => byKey((await joined('member', { permitted: true })).apiKey),
    },
    'workspace administrator': { standing: 'admin', caller: () => byKey(people.home.apiKey) },
    'installation administrator': { standing: 'installation', caller: () => byKey(server.apiKey) },
    'view-only member of the installation': {
      standing: 'member',
      narrowing: { readsOnly: true },
      caller: async () =>
        byKey(
          (
            await auth.openSession((await joined('member', { viewOnly: true })).user.id, {
              address: '',
              agent: '',
              way: 'password',
            })
          ).token,
        ),
    },
    'free service account': {
      standing: 'admin',
      caller: async () => byKey((await joined(undefined, { service: 'free' })).apiKey),
    },
    'restricted service account that was admitted': {
      standing: 'member',
      caller: async () => byKey((await joined('member', { service: 'restricted' })).apiKey),
    },
    'member with a key that may only read': {
      standing: 'member',
      narrowing: { readsOnly: true, narrowed: true },
      caller: () => narrowedTo({ readOnly: true }),
    },
    'member with a key of this workspace': {
      standing: 'member',
      narrowing: { narrowed: true },
      caller: () => narrowedTo({ workspace: home.workspace }),
    },
    'member with a key of another workspace': {
      standing: 'stranger',
      narrowing: { narrowed: true },
      caller: () => narrowedTo({ workspace: people.stranger.workspace }),
    },
  };

  const namedIn = (row: CatalogueRow): Named => {
    const input = inputFor(row.id, row.operation, { ...home, owner: structuredClone(home.owner) }); // what it takes from the lists stays there for the next
    return {
      query: input.query ?? {},
      params: input.params ?? {},
      body: input.body,
      part: { requestParams: input.lead },
      header: input.headers ?? {},
    };
  };
  const verdictOf = async (row: CatalogueRow, caller: Caller): Promise<Verdict> => {
    const gate = createGate({ stores: storage.stores });
    try {
      await gate.admit(row.operation, subjectsOf(row.operation), namedIn(row), caller, {});
      return 'allowed';
    } catch (thrown) {
      if (isFailure(thrown) && thrown.kind === 'absent') return 'unknown';
      if (isFailure(thrown) && thrown.kind === 'forbidden') return 'refused';
      throw thrown;
    }
  };
  const isOthersKey = (row: CatalogueRow): boolean =>
    row.operation.access === 'caller' &&
    subjectsOf(row.operation).some((subject) => 'one' in subject && subject.one === 'apiKey');
  const isPerItem = (row: CatalogueRow): boolean =>
    subjectsOf(row.operation).some((subject) => 'each' in subject && subject.lax === true);
  const namesNothing = (row: CatalogueRow): boolean =>
    subjectsOf(row.operation).length > 0 &&
    subjectsOf(row.operation).flatMap(placesOf).length === 0;
  const isOnlySession = ({ operation: { by } }: CatalogueRow): boolean =>
    by !== undefined && !by.includes('key');

  const restricted = rows.filter(({ operation }) => isRestricted(operation));
  for (const [who, { standing, narrowing, caller }] of Object.entries(askers)) {
    it(`a ${who} is let through or refused as the table says`, async () => {
      const asks = await caller();
      const atHome =
        asks.defaultWorkspaceId !== undefined &&
        (asks.everywhere || asks.roles.has(asks.defaultWorkspaceId))
          ? 'admin'
          : 'stranger';
      const strays: string[] = [];
      for (const row of restricted) {
        // A row that can name nothing is about the caller's own workspace, where he stands as he may.
        const stated =
          isOnlySession(row) && asks.via !== 'session'
            ? 'refused'
            : verdictOn(row.operation, namesNothing(row) ? atHome : standing, narrowing);
        // A key is its owner's alone, whatever the role; items that are refused one by one refuse no request.
        const expected =
          stated === 'allowed' && isOthersKey(row) && who !== 'workspace administrator'
            ? 'unknown'
            : stated !== 'allowed' && isPerItem(row) && narrowing?.readsOnly !== true
              ? 'allowed'
              : stated;
        const verdict = await verdictOf(row, asks);
        if (verdict !== expected) strays.push(`${row.id}: ${verdict} instead of ${expected}`);
      }
      expect(strays).to.deep.equal([]);
    });
  }

  it('states a verdict for every access and every standing', () => {
    for (const { operation } of rows)
      for (const standing of standings)
        expect(verdictOn(operation, standing)).to.be.oneOf(['allowed', 'refused', 'unknown']);
  });

  it('a restricted service account is told that it is not admitted to a workspace', async () => {
    const asks = await byKey((await joined(undefined, { service: 'restricted' })).apiKey);
    const row = rows.find(({ id }) => id === 'listProjects');
    if (row === undefined) throw new Error('the row is gone');

    const refusal = await createGate({ stores: storage.stores })
      .admit(
        row.operation,
        subjectsOf(row.operation),
        {
          query: { workspaceName: home.workspace },
          params: {},
          body: undefined,
          part: {},
          header: {},
        },
        asks,
        {},
      )
      .catch((thrown: unknown) => thrown);

    expect(isFailure(refusal) && [refusal.kind, refusal.code]).to.deep.equal([
      'forbidden',
      7000023,
    ]);
  });

  it('a key of one project reaches that project, its experiments and nothing else', async () => {
    const asks = await narrowedTo({ workspace: home.workspace, project: home.projectId });
    const verdicts = new Map<string, Verdict>();
    for (const row of restricted) verdicts.set(row.id, await verdictOf(row, asks));
    const of = (verdict: Verdict) =>
      [...verdicts].filter(([, one]) => one === verdict).map(([id]) => id);

    expect(of('allowed')).to.include.members([
      'getProject',
      'logMetric',
      'downloadAsset',
      'getProjectNotes',
      'accountDetails',
    ]);
    expect(of('refused')).to.include.members([
      'listProjects',
      'createProject',
      'upsertArtifact',
      'registerModel',
      'getArtifact',
      'addMember',
      'listUsers',
      'createWorkspace',
      'createKey',
    ]);
    const other =
      (await storage.stores.projects.findByName(await workspaceId(), home.otherProject))?.id ?? '';
    const elsewhere = await Promise.all(
      restricted
        .filter(({ operation }) =>
          subjectsOf(operation).some(
            (subject) =>
              'one' in subject &&
              subject.one === 'project' &&
              subject.paths.includes('query.projectId'),
          ),
        )
        .map((row) =>
          createGate({ stores: storage.stores })
            .admit(
              row.operation,
              subjectsOf(row.operation),
              { query: { projectId: other }, params: {}, body: {}, part: {}, header: {} },
              asks,
              {},
            )
            .then(
              () => `${row.id} let through`,
              () => 'refused',
            ),
        ),
    );
    expect([...new Set(elsewhere)]).to.deep.equal(['refused']);
  });
});
