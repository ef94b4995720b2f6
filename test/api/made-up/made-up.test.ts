// An area is a value: one that no shared file knows is mounted, guarded, documented, and held to the table of roles.
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { gatherKinds } from '#core/kinds';
import { privateFamily } from '#ports/api/families/private';
import { area, type Area } from '#ports/api/area';
import { kind } from '#ports/api/kind';
import { defineKind } from '#ports/api/kind-definition';
import { one, operations, subjectsOf, within, type Handler } from '#ports/api/operation';
import { projects } from '#test/areas/workspaces/things';
import { askEveryOperation } from '../asking-rows.js';
import { allFixtures } from '../all-fixtures.js';
import { fixtures as shelfFixtures, shelves } from './fixtures.js';
import { askers, openBattery, type Battery } from '../askers.js';
import { gateOver, namedIn, straysOf, verdictOf } from '../role-table.js';
import { allAreas, pathsOf, rowsOf } from '../rows.js';
import { send } from '../sending.js';
import { freshKey } from '../fresh.js';
import { book, emptyRoom, shelf, shelfOperations, shelvesArea } from './shelves.js';

const entry = fileURLToPath(new URL('plugin.js', import.meta.url));
const root = '/api/made-up/shelves';
const fixtures = [...allFixtures, shelfFixtures];

describe('an area that a plugin brings, with kinds of its own', () => {
  let battery: Battery;
  let shelfId: string;
  let bookId: string;

  const ask = (method: string, path: string, key: string, body?: unknown) =>
    send(
      battery.url,
      method,
      `${root}${path}`,
      { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
      key,
    );

  before('start a server with it, and a world that has a shelf', async () => {
    battery = await openBattery(
      { ORRERY_PLUGINS: entry, ORRERY_CHECK_REPLIES: '1', SHELVES_MOST_BOOKS: '3' },
      fixtures,
    );
    ({ shelfId, bookId } = battery.home.of(shelves));
  });
  after(() => battery?.stop());

  it('answers its members with the records that its kinds found', async () => {
    const { apiKey } = battery.people.viewer;

    expect((await ask('GET', `/${shelfId}/books/${bookId}`, apiKey)).json).to.deep.equal({
      title: 'On kinds',
      shelfId,
    });
    expect(
      (await ask('POST', '/list', apiKey, { shelfIds: [shelfId, shelfId] })).json['books'],
    ).to.have.length(1);
  });

  it('answers a stranger as if nothing were there, in the words of its kind', async () => {
    const { apiKey } = battery.people.stranger;
    for (const [method, path, body] of [
      ['GET', (id: string) => `/${id}/books/${bookId}`, undefined],
      ['POST', (id: string) => `/${id}/books`, { bookId: 'b', title: 't' }],
    ] as const) {
      const [foreign, unknown] = [
        await ask(method, path(shelfId), apiKey, body),
        await ask(method, path('unknown'), apiKey, body),
      ];
      expect([foreign.status, unknown.status]).to.deep.equal([404, 404]);
      expect(foreign.json['message']).to.equal(`no shelf is called ${shelfId}`);
      expect(unknown.json['message']).to.equal('no shelf is called unknown');
    }
    const listed = await ask('POST', '/list', apiKey, { shelfIds: [shelfId] });
    const taken = await ask('POST', '', apiKey, {
      projectId: battery.home.of(projects).projectId,
      shelfId,
    });
    expect([listed.status, taken.status]).to.deep.equal([404, 404]);
  });

  it('refuses a stranger a key that is taken, in a project of the stranger', async () => {
    const { apiKey, workspace } = battery.people.stranger;
    const made = await send(
      battery.url,
      'POST',
      '/api/rest/v2/write/project/create',
      { query: {}, params: {}, body: { workspaceName: workspace, projectName: 'own' } },
      apiKey,
    );
    const { projectId } = made.json;

    expect((await ask('POST', '', apiKey, { projectId, shelfId })).status).to.equal(404);
    expect((await ask('POST', '', apiKey, { projectId, shelfId: freshKey() })).status).to.equal(
      200,
    );
  });

  it('refuses changes by view-only members, and a call without a credential', async () => {
    const body = { bookId: 'b', title: 't' };

    expect(
      (await ask('POST', `/${shelfId}/books`, battery.people.viewer.apiKey, body)).status,
    ).to.equal(403);
    expect(
      (await send(battery.url, 'GET', `${root}/${shelfId}/books/b`, { query: {}, params: {} }))
        .status,
    ).to.equal(401);
  });

  it('finds a part only within the thing that the row names', async () => {
    const { apiKey } = battery.people.home;
    const other = freshKey();
    await ask('POST', '', apiKey, {
      projectId: battery.home.of(projects).projectId,
      shelfId: other,
    });

    expect((await ask('GET', `/${other}/books/${bookId}`, apiKey)).json['message']).to.equal(
      `book ${bookId} not found`,
    );
  });

  it('is described with the rest', async () => {
    const { paths } = (await (await fetch(`${battery.url}/openapi.json`)).json()) as {
      readonly paths: Readonly<Record<string, object>>;
    }; // checked by the test of that document

    for (const operation of Object.values(shelfOperations))
      for (const path of pathsOf(operation))
        expect(paths[path]).to.have.property(operation.method.toLowerCase());
  });

  const administer = (method: string, path: string, body?: unknown) =>
    send(
      battery.url,
      method,
      `/api/admin${path}`,
      { query: {}, params: {}, ...(body === undefined ? {} : { body }) },
      battery.apiKey,
    );

  it('has its setting in force, and shown with the rest', async () => {
    const { apiKey } = battery.people.home;
    const other = freshKey();
    await ask('POST', '', apiKey, {
      projectId: battery.home.of(projects).projectId,
      shelfId: other,
    });
    const add = async () =>
      (await ask('POST', `/${other}/books`, apiKey, { bookId: freshKey(), title: 't' })).status;

    expect([await add(), await add(), await add(), await add()]).to.deep.equal([
      200, 200, 200, 422,
    ]);
    const settings = JSON.parse((await administer('GET', '/settings')).text) as readonly {
      readonly name: string;
    }[]; // the row's reply
    expect(settings.find(({ name }) => name === 'SHELVES_MOST_BOOKS')).to.include({
      value: 3,
      default: 2,
      source: 'environment',
    });
  });

  it('has a row behind its toggle, which an administrator switches', async () => {
    const down = async () =>
      (await ask('POST', '/unknown/take-down', battery.people.home.apiKey)).json['message'];
    const before = await down();

    await administer('PUT', '/feature-toggles', { name: 'shelves-come-down', enabled: false });

    expect([before, await down()]).to.deep.equal([
      'no shelf is called unknown',
      'this is switched off here (toggle shelves-come-down)',
    ]);
    await administer('PUT', '/feature-toggles', { name: 'shelves-come-down', enabled: true });
    expect(await down()).to.equal(before);
  });

  describe('before the table of roles', () => {
    const room = emptyRoom();
    const areas = [...allAreas, shelvesArea(room)];
    const rows = rowsOf([shelvesArea(room)]);

    before('put up shelves in process', async () => {
      const workspaceId = await battery.workspaceId();
      const place = {
        workspaceId,
        projectId: battery.home.of(projects).projectId,
        ownerId: 'somebody',
      };
      room.shelves.set(shelfId, { id: shelfId, ...place, public: false, opensAt: 0 });
      room.shelves.set('later', { id: 'later', ...place, public: false, opensAt: Infinity });
      room.shelves.set('open', { id: 'open', ...place, public: true, opensAt: 0 });
      room.books.set(bookId, { id: bookId, shelfId, title: 'On kinds' });
    });

    for (const asker of Object.entries(askers))
      it(`lets a ${asker[0]} through or refuses as the table says`, async () => {
        const gate = gateOver(battery.storage, areas);

        expect(await straysOf(rows, gate, battery, asker)).to.deep.equal([]);
      });

    const verdictsOf = async (given: {
      readonly readOnly?: boolean;
      readonly project?: string;
    }) => {
      const asks = await battery.narrowedTo({ workspace: battery.home.workspace, ...given });
      const gate = gateOver(battery.storage, areas);
      const verdicts = [];
      for (const row of rows)
        verdicts.push([row.id, await verdictOf(gate, row, battery.home, asks)]);
      return Object.fromEntries(verdicts) as Readonly<Record<string, string>>; // pairs of texts
    };

    it('lets a key that may only read read', async () => {
      expect(await verdictsOf({ readOnly: true })).to.deep.equal({
        addShelf: 'refused',
        addBook: 'refused',
        readBook: 'allowed',
        listBooks: 'allowed',
        takeDownShelf: 'refused',
      });
    });

    it('lets a key of its project through, and no key of another project', async () => {
      const { projectId, otherProject } = battery.home.of(projects);
      const workspaceId = await battery.workspaceId();
      const other = await battery.storage.stores.projects.findByName(workspaceId, otherProject);

      expect(await verdictsOf({ project: projectId })).to.include({
        addShelf: 'allowed',
        addBook: 'allowed',
        readBook: 'allowed',
      });
      expect(new Set(Object.values(await verdictsOf({ project: other?.id ?? '' })))).to.deep.equal(
        new Set(['unknown']),
      );
    });

    const tell = async (id: string, key: string) => {
      const row = rows.find((one) => one.id === 'listBooks');
      if (row === undefined) throw new Error('the row is gone');
      const home = battery.home.with(shelves, { shelfId: id, bookId });
      return verdictOf(gateOver(battery.storage, areas), row, home, await battery.byKey(key));
    };

    it('lets anybody with a key read a public one', async () => {
      expect(await tell('open', battery.people.stranger.apiKey)).to.equal('allowed');
      expect(await tell(shelfId, battery.people.stranger.apiKey)).to.equal('unknown');
    });

    it('lets the owner through where a row asks for the owner', async () => {
      const asks = await battery.byKey(battery.people.member.apiKey);
      const [row] = rows.filter(({ id }) => id === 'takeDownShelf');
      const gate = gateOver(battery.storage, areas);
      const own = { ...room.shelves.get(shelfId)!, id: 'own', ownerId: asks.userId };
      room.shelves.set('own', own);
      const named = namedIn(row!, battery.home.with(shelves, { shelfId: 'own', bookId }));

      expect(
        await gate.admit(row!.operation, subjectsOf(row!.operation), named, asks, {}),
      ).to.deep.equal({ shelf: own });
    });

    it('gives its rules the ports that they need', async () => {
      expect(await tell('later', battery.people.home.apiKey)).to.equal('unknown');
    });
  });
});

describe('every operation of an area that a plugin brings', () => {
  askEveryOperation({
    rows: rowsOf([shelvesArea(emptyRoom())]),
    fixtures,
    env: { ORRERY_PLUGINS: entry, SHELVES_MOST_BOOKS: '100' },
  });
});

describe('the kinds of all areas', () => {
  const page = kind<{ readonly id: string }>()('page');
  const pageKind = defineKind(page, {
    needs: {},
    rules: () => ({ find: () => Promise.resolve(undefined), placeOf: () => 'parent' }),
  });
  const about = (subject: unknown) =>
    operations({
      readPage: {
        method: 'GET',
        path: '/pages',
        access: { needs: 'read', about: subject as ReturnType<typeof one> },
        // as a row in JavaScript might say it
        summary: 'Read a page',
        replies: { 200: null },
      },
    });
  const areaOf = (name: string, subject: unknown, kinds: Area['kinds'] = []): Area =>
    area({
      name,
      family: privateFamily,
      table: about(subject),
      kinds,
      needs: {},
      handlers: () => ({ readPage: () => Promise.resolve(undefined) }),
    });

  it('are each defined by one area', () => {
    expect(() =>
      gatherKinds([areaOf('one', one(page), [pageKind]), areaOf('two', one(page), [pageKind])]),
    ).to.throw('the areas one and two both define the kind page');
  });

  it('are defined where a row is about them', () => {
    expect(() => gatherKinds([areaOf('one', one(page))])).to.throw(
      'operation readPage of the area one is about the kind page, which no area defines',
    );
    expect(() => gatherKinds([areaOf('one', { one: 'page', paths: [] })])).to.throw(
      'operation readPage of the area one names a kind by its text; import the kind that stands beside the record',
    );
  });

  it('are parts only of what they say', () => {
    expect(() =>
      gatherKinds([
        ...allAreas,
        shelvesArea(emptyRoom()),
        areaOf('one', within(shelf, page), [pageKind]),
      ]),
    ).to.throw(
      'operation readPage of the area one is about the kind page within shelf, of which it is never a part',
    );
  });

  it('type what handlers are given', () => {
    const readBook: Handler<typeof shelfOperations.readBook> = ({ shelf, book: { title } }) =>
      Promise.resolve({ title, shelfId: shelf.id });
    // @ts-expect-error -- a shelf has no colour
    const wrong: Handler<typeof shelfOperations.readBook> = ({ shelf: { colour } }) => colour;

    expect([readBook, wrong, book.name]).to.have.length(3);
  });
});
