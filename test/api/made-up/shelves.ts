// An area that the product does not have: shelves of a project, and books on them. All that is its own stands in this folder.
import { privateFamily } from '#ports/api/families/private';
import { area, type Area } from '#ports/api/area';
import { areaSettings, whole } from '#ports/area-settings';
import { kind } from '#ports/api/kind';
import { defineKind, parent } from '#ports/api/kind-definition';
import { creates, each, one, operations, within } from '#ports/api/operation';
import { list, object, text, texts } from '#ports/api/schema';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { project } from '#ports/model/projects';

export interface Shelf {
  readonly id: string;
  readonly workspaceId: string;
  readonly projectId: string;
  readonly ownerId: string;
  readonly public: boolean;
  /** Nobody finds it before. */
  readonly opensAt: number;
}
export const shelf = kind<Shelf>()('shelf');

export interface Book {
  readonly id: string;
  readonly shelfId: string;
  readonly title: string;
}
export const book = kind<Book>()('book');

/** Where the records are. */
export interface Room {
  readonly shelves: Map<string, Shelf>;
  readonly books: Map<string, Book>;
}
export const emptyRoom = (): Room => ({ shelves: new Map(), books: new Map() });

const root = '/api/made-up/shelves';

export const shelfSettings = areaSettings('shelves', {
  SHELVES_MOST_BOOKS: whole(2, 'Books that a shelf may hold', 1),
});
const toggles = {
  'shelves-come-down': { default: true, says: 'Shelves may be taken down' },
} as const;
const inPath = one(shelf, 'params.shelfId');
const shelfParams = object({ shelfId: text() });
const bookParams = object({ shelfId: text(), bookId: text() });
const shown = object({ title: text(), shelfId: text() });

export const shelfOperations = operations({
  addShelf: {
    method: 'POST',
    path: root,
    access: {
      needs: 'write',
      about: [one(project, 'body.projectId'), creates(shelf, project, 'body.shelfId')],
    },
    summary: 'Put up a shelf, or find it up already',
    body: object({ projectId: text(), shelfId: text() }),
    replies: { 200: object({ shelfId: text() }) },
  },
  addBook: {
    method: 'POST',
    path: `${root}/{shelfId}/books`,
    access: { needs: 'write', about: inPath },
    summary: 'Put a book on a shelf',
    params: shelfParams,
    body: object({ bookId: text(), title: text() }),
    replies: { 200: object({ bookId: text() }) },
    fails: ['unprocessable'],
  },
  readBook: {
    method: 'GET',
    path: `${root}/{shelfId}/books/{bookId}`,
    access: { needs: 'read', about: [inPath, within(shelf, book, 'params.bookId')] },
    summary: 'Read a book of a shelf',
    params: bookParams,
    replies: { 200: shown },
  },
  listBooks: {
    method: 'POST',
    path: `${root}/list`,
    access: { needs: 'read', about: each(shelf, 'body.shelfIds') },
    summary: 'The books of several shelves',
    body: object({ shelfIds: texts() }),
    replies: { 200: object({ books: list(shown) }) },
  },
  takeDownShelf: {
    method: 'POST',
    path: `${root}/{shelfId}/take-down`,
    toggle: 'shelves-come-down',
    access: { needs: 'owner', about: inPath },
    summary: 'Take a shelf down',
    params: shelfParams,
    replies: { 200: object({ shelfId: text() }) },
  },
});

const shelfKind = (room: Room) =>
  defineKind(shelf, {
    needs: { clock: Clock },
    rules: ({ clock }) => {
      const open = (id: string) => {
        const found = room.shelves.get(id);
        return found !== undefined && found.opensAt <= clock.now() ? found : undefined;
      };
      return {
        find: ({ text }) => Promise.resolve(open(text)),
        placeOf: ({ workspaceId, projectId, ownerId, public: isPublic }) => ({
          workspaceId,
          projectId,
          ownerId,
          public: isPublic,
        }),
        absent: (id) => new Failure('absent', `no shelf is called ${id}`),
        forProjectKeys: true,
      };
    },
  });

const bookKind = (room: Room) =>
  defineKind(book, {
    parents: [parent(shelf, (one, of) => one.shelfId === of.id)],
    needs: {},
    rules: () => ({
      find: ({ text }) => Promise.resolve(room.books.get(text)),
      placeOf: () => 'parent',
      forProjectKeys: true,
    }),
  });

export const shelvesArea = (room: Room): Area =>
  area({
    name: 'shelves',
    family: privateFamily,
    table: shelfOperations,
    kinds: [shelfKind(room), bookKind(room)],
    settings: shelfSettings,
    toggles,
    needs: { clock: Clock, settings: shelfSettings.port },
    handlers: ({ clock, settings }) => ({
      addShelf({ body: { shelfId }, project: { id: projectId, workspaceId }, existing, caller }) {
        const added = { id: shelfId, projectId, workspaceId, ownerId: caller.userId };
        if (existing === undefined)
          room.shelves.set(shelfId, { ...added, public: false, opensAt: clock.now() });
        return Promise.resolve({ shelfId });
      },
      addBook({ body: { bookId, title }, shelf }) {
        const held = [...room.books.values()].filter(({ shelfId }) => shelfId === shelf.id);
        if (held.length >= settings.SHELVES_MOST_BOOKS)
          return Promise.reject(new Failure('unprocessable', 'the shelf is full'));
        room.books.set(bookId, { id: bookId, shelfId: shelf.id, title });
        return Promise.resolve({ bookId });
      },
      readBook: ({ shelf, book: { title } }) => Promise.resolve({ title, shelfId: shelf.id }),
      listBooks({ shelfs: shelves }) {
        const ids = shelves.map(({ id }) => id);
        return Promise.resolve({
          books: [...room.books.values()].filter(({ shelfId }) => ids.includes(shelfId)),
        });
      },
      takeDownShelf({ shelf: { id } }) {
        room.shelves.delete(id);
        return Promise.resolve({ shelfId: id });
      },
    }),
  });
