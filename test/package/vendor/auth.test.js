// The suite of the auth port outside the tree, on the storage and the accounts that the package brings for it.
import { authContract } from 'orrery/test/contract/auth';
import { openAccounts, openEmbeddedStorage, sessionLife } from 'orrery/test/contract/shipped';

describe('auth by the accounts of the product', () =>
  authContract(async () => {
    const opened = await openEmbeddedStorage();
    let now = 1_700_000_000_000;
    const clock = { now: () => now };
    return {
      auth: openAccounts(opened.storage, clock),
      elsewhere: openAccounts(opened.again(), clock),
      open: (userName) => openAccounts(opened.storage, clock, userName),
      storage: opened.storage,
      pass(ms) {
        now += ms;
      },
      now: () => now,
      life: sessionLife,
      stop: opened.stop,
    };
  }));
