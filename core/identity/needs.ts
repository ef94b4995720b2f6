import { Audit } from '#ports/audit';
import { Auth } from '#ports/auth';
import { Clock } from '#ports/clock';
import { Ids } from '#ports/ids';
import { Log } from '#ports/log';
import { Notifiers } from '#ports/notify';
import { Meters } from '#ports/meters';
import type { Resolved } from '#ports/port';
import { Secrets } from '#ports/secrets';
import { Sealer } from '#ports/sealer';
import { SignInWays } from '#ports/sign-in';
import { storageOf } from '#ports/storage/storage';
import { identitySettings } from './settings.js';

/** What proving who one is needs, whether by a program or on a page. */
export const identityNeeds = {
  storage: storageOf(
    'apiKeys',
    'attempts',
    'credentials',
    'members',
    'oauth',
    'sessions',
    'tickets',
    'usage',
    'users',
    'workspaces',
  ),
  auth: Auth,
  audit: Audit,
  clock: Clock,
  ids: Ids,
  log: Log,
  meters: Meters,
  notifiers: Notifiers,
  sealer: Sealer,
  secrets: Secrets,
  settings: identitySettings.port,
  ways: SignInWays,
};
export type IdentityNeeds = Resolved<typeof identityNeeds>;

/** Where a request came from, for records. */
export interface Origin {
  readonly address: string;
  /** What stands for everybody behind the address. */
  readonly source: string;
  readonly agent: string;
}
export const originOf = ({ address, source, agent }: Origin): Origin => ({
  address,
  source,
  agent,
});
