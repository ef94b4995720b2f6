import type { OAuthStore } from '#ports/storage/oauth';
import type { Connection } from '../connection.js';
import { cleaningStore } from './cleaning.js';
import { clientStore } from './clients.js';
import { codeStore } from './codes.js';
import { familyStore } from './families.js';
import { programStore } from './programs.js';
import { tokenStore } from './tokens.js';

export const oauthStore = (connection: Connection): OAuthStore => ({
  ...clientStore(connection),
  ...codeStore(connection),
  ...familyStore(connection),
  ...tokenStore(connection),
  ...programStore(connection),
  ...cleaningStore(connection),
});
