import { kindIn, thing, type AreaFixtures } from '#test/api/fixtures';
import { freshKey } from '#test/api/fresh';
import { projects } from '#test/areas/workspaces/things';
import { book, shelf } from './shelves.js';

const root = '/api/made-up/shelves';

/** A shelf of the project, with a book on it. */
export const shelves = thing(async ({ ask, of }) => {
  const { projectId } = await of(projects);
  const [shelfId, bookId] = [freshKey(), freshKey()];
  await ask(root, { projectId, shelfId });
  await ask(`${root}/${shelfId}/books`, { bookId, title: 'On kinds' });
  return { shelfId, bookId };
});

export const fixtures: AreaFixtures = {
  areas: ['shelves'],
  kinds: [
    kindIn(shelf, shelves, { name: ({ shelfId }) => shelfId, unknown: freshKey }),
    kindIn(book, shelves, { name: ({ bookId }) => bookId, unknown: freshKey }),
  ],
  rows: {
    addBook: { with: () => ({ 'body.bookId': freshKey() }) },
    takeDownShelf: { consumes: true },
  },
};
