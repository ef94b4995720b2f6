import { object } from '#ports/api/schema';
import { plugin } from '#ports/plugin';
import { emptyRoom, shelvesArea } from './shelves.js';

export default plugin({
  name: 'made-up',
  api: 1,
  settings: object({}),
  needs: {},
  contribute: () => ({ areas: [shelvesArea(emptyRoom())] }),
});
