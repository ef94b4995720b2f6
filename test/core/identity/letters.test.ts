import { expect } from 'chai';
import { systemSecrets } from '#adapters/system/secrets';
import { mailUser, tellUser, type LetterNeeds } from '#core/identity/offers';
import type { Message } from '#ports/notify';
import { addUser, freshId } from '#test/contract/storage/builders';
import { embedded } from '../opened.js';

const hourMs = 3_600_000;
const letter = {
  title: 'Done',
  text: 'It ended.',
  link: { label: 'Open', address: 'https://orrery.example/w/p/k' },
};

describe('letters that users have sent to themselves', () => {
  const opened = embedded();

  /** A mailbox that notes what came, and a clock that stands still until it is moved. */
  const aPostOffice = () => {
    let now = 1_700_000_000_000;
    const sent: { readonly to: string; readonly message: Message }[] = [];
    const mail = {
      kind: 'email',
      check: () => undefined,
      async send(message: Message, { address }: { readonly address: string }) {
        sent.push({ to: address, message });
        return { durationMs: 1, text: '', retry: false };
      },
    };
    const needs: LetterNeeds = {
      storage: opened().storage,
      secrets: systemSecrets,
      clock: { now: () => now },
      ids: { next: freshId, key: freshId, digest: freshId },
      notifiers: { find: (kind) => (kind === 'email' ? mail : undefined), kinds: () => ['email'] },
      log: {
        error: () => undefined,
        warn: () => undefined,
        info: () => undefined,
        debug: () => undefined,
      },
    };
    return {
      needs,
      sent,
      pass(ms: number) {
        now += ms;
      },
    };
  };
  const add = (given: Parameters<typeof addUser>[1] = {}) =>
    addUser(opened().storage, {
      email: `${freshId()}@people.example`,
      emailProved: true,
      ...given,
    });

  it("go to the mailbox that is proved to be the user's, at most twenty in an hour", async () => {
    const { needs, sent, pass } = aPostOffice();
    const [user, other] = [await add(), await add()];
    const countTo = (email: string | undefined) => sent.filter(({ to }) => to === email).length;

    await Promise.all(Array.from({ length: 25 }, () => mailUser(needs, user.id, letter)));
    await mailUser(needs, other.id, letter);

    expect([countTo(user.email), countTo(other.email)]).to.deep.equal([20, 1]);
    pass(hourMs);
    await mailUser(needs, user.id, letter);
    expect(countTo(user.email)).to.equal(21);
  });

  it("go nowhere where the e-mail is not proved, the account is switched off, or it is a program's", async () => {
    const { needs, sent } = aPostOffice();

    for (const given of [
      { emailProved: false },
      { suspendedAt: 1 },
      { kind: 'service' },
      { email: undefined },
    ] as const)
      await mailUser(needs, (await add(given)).id, letter);

    expect(sent).to.deep.equal([]);
  });

  it('fail nobody: what goes wrong is logged', async () => {
    const { needs } = aPostOffice();
    const { stores } = needs.storage;
    const warned = new Promise<string>((resolve) => {
      const broken = {
        ...needs.storage,
        stores: {
          ...stores,
          users: { ...stores.users, findUser: () => Promise.reject(new Error('away')) },
        },
      };
      tellUser(
        { ...needs, storage: broken, log: { ...needs.log, warn: resolve } },
        freshId(),
        letter,
      );
    });

    expect(await warned).to.equal('a user was not told of a run');
  });
});
