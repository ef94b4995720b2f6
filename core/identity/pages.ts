import { pageFamily } from '#ports/api/families/page';
import { area } from '#ports/api/area';
import { pageOperations } from '#ports/api/pages';
import { identityNeeds } from './needs.js';
import { signInPages } from './sign-in-pages.js';
import { resetPages } from './reset-pages.js';
import { joinPages } from './join-pages.js';
import { accountPages } from './account-page.js';

export const pagesArea = area({
  name: 'pages',
  summary: 'Pages on which people sign in and look after their accounts.',
  family: pageFamily,
  table: pageOperations,
  needs: identityNeeds,
  handlers: (needs) => ({
    ...signInPages(needs),
    ...resetPages(needs),
    ...joinPages(needs),
    ...accountPages(needs),
  }),
});
