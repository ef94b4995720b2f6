import { expect } from 'chai';
import { localAuth } from '#adapters/auth/local/local-auth';
import { systemIds } from '#adapters/system/ids';
import { systemSecrets } from '#adapters/system/secrets';
import type { SqlStorage } from '#adapters/storage/sql/storage';
import { passwordCheck } from '#config/sign-in';
import { checkWorkspaceName } from '#core/workspaces/rules';
import { loadSettings } from '#config/load';
import type { Auth } from '#ports/auth';
import { pendingUnlessAll } from '#test/pending';
import { someOf } from '#test/sampling';
import { authContract, type OpenedAuth } from './auth.js';
import { storageAdapters, type OpenedStorage } from './adapters.js';
import { runAside, withoutEffect } from './teeth.js';

const life = { idleMs: 60_000, mostMs: 150_000 };

/** Local accounts in a database, as two processes see them, under a clock that stands still until it is moved. */
const onStorage = async (opened: OpenedStorage, stop = opened.stop): Promise<OpenedAuth> => {
  let now = 1_700_000_000_000;
  const make = (storage: SqlStorage, everybodyIs?: string): Auth =>
    localAuth({
      storage,
      clock: { now: () => now },
      ids: systemIds,
      secrets: systemSecrets,
      nameMinLength: 3,
      checkNewPassword: passwordCheck(loadSettings({}).values),
      checkWorkspaceName,
      sessionLife: life,
      keySuffix: '*suffix',
      everybodyIs,
      takesTokens: true,
    });
  return {
    auth: make(opened.storage),
    elsewhere: make(opened.again()),
    open: (userName) => make(opened.storage, userName),
    storage: opened.storage,
    pass(ms) {
      now += ms;
    },
    now: () => now,
    life,
    stop,
  };
};

for (const adapter of storageAdapters) {
  describe(`auth by local accounts on ${adapter.name}`, () => {
    let storage: OpenedStorage;
    before(`open ${adapter.name}`, async function () {
      const result = await adapter.open();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      storage = result;
    });
    authContract(() => onStorage(storage));
  });
}

describe('the suite of the auth port', function () {
  this.timeout(300_000);
  let storage: OpenedStorage;
  before('open the embedded storage', async () => {
    const result = await storageAdapters[0]?.open();
    if (result === undefined || 'missing' in result)
      throw new Error('the embedded storage does not open');
    storage = result;
  });
  after(() => storage?.stop());

  it('turns red when a method does nothing', async () => {
    const sound = (await onStorage(storage)).auth;
    const unproven: string[] = [];
    for (const method of someOf(Object.keys(sound) as (keyof Auth)[], 4, 'methods of auth')) {
      // the methods of the port
      const { failed } = await runAside(
        () => {
          authContract(async () => {
            const opened = await onStorage(storage, async () => undefined);
            return {
              ...opened,
              auth: withoutEffect(opened.auth, method),
              open: (userName) => withoutEffect(opened.open(userName), method),
            };
          });
        },
        { bail: true },
      );
      if (failed.length === 0) unproven.push(method);
    }

    expect(unproven).to.deep.equal([]);
  });
});
