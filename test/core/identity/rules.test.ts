import { expect } from 'chai';
import fc from 'fast-check';
import { systemSecrets } from '#adapters/system/secrets';
import {
  backOffs,
  checkEmail,
  faultsOf,
  refuseFaults,
  waitAfter,
  type PasswordRules,
} from '#core/identity/rules';
import { browserOf, fromNow } from '#adapters/http/pages/format';
import { isFailure } from '#ports/failure';

const rules: PasswordRules = {
  minLength: 12,
  maxSequence: 3,
  maxRepeat: 3,
  isCommon: systemSecrets.isCommonPassword,
};
const nobody = { name: 'somebody', email: undefined };
const faults = (
  password: string,
  owner: { readonly name: string; readonly email: string | undefined } = nobody,
  more: Partial<PasswordRules> = {},
) => faultsOf(password, owner, { ...rules, ...more });

describe('a password', () => {
  it('of twelve characters and more that nobody guesses is acceptable, in any script and with blanks', () => {
    for (const password of [
      'seven lamps in a boat',
      'Tr0ub4dor&3xyl',
      'пароль-из-трёх-слов',
      '七つの灯りと舟の歌がある夜',
      '🦄🐙🌵🧭🪁🥁🧵🪐🎷🛶🌋🍄',
      'aaabbbcccdddeee',
    ])
      expect(faults(password), password).to.deep.equal([]);
  });

  it('is counted in characters as people see them written, and one in all its Unicode forms', () => {
    expect(faults('🦄'.repeat(3) + '🐙'.repeat(3) + 'xkcdw')).to.deep.equal(['TOO_SHORT']);
    expect(faults('ﬁﬁxkvw-pqzm')).to.deep.equal([]); // two ligatures are four letters
    expect(faults('\uff21\uff22\uff23\uff24 lamp boat')).to.deep.equal(['SEQUENCE']); // full width A to D
  });

  it('has no more than 128 characters', () => {
    expect([faults('xk-'.repeat(42) + 'ab'), faults('xk-'.repeat(43))]).to.deep.equal([
      [],
      ['TOO_LONG'],
    ]);
  });

  it('holds neither the user name nor the name of the mailbox, in any case, unless they are shorter than three', () => {
    expect(faults('my-SOMEbody-lamp')).to.deep.equal(['CONTAINS_USER_NAME']);
    expect(
      faults('boat-with-Ines-lamp', { name: 'x', email: 'ines@people.example' }),
    ).to.deep.equal(['CONTAINS_USER_NAME']);
    expect(
      faults('boat-with-example-lamp', { name: 'x', email: 'ines@people.example' }),
    ).to.deep.equal([]);
    expect(faults('boat-with-xy-lamp', { name: 'xy', email: 'ed@people.example' })).to.deep.equal(
      [],
    );
  });

  it('has no four characters that follow each other, up or down, in the alphabet or along a keyboard', () => {
    for (const run of [
      'abcd',
      'DCBA',
      '4567',
      '7654',
      'qwer',
      'REWQ',
      'jkl;',
      'вапр',
      'йцук',
      '\u{1f980}\u{1f981}\u{1f982}\u{1f983}',
    ])
      expect(faults(`lamp ${run} boat`), run).to.deep.equal(['SEQUENCE']);
    for (const none of ['abc', '456', 'qwe', 'acegik', '1357', 'abc1def'])
      expect(faults(`lamp ${none} boat`), none).to.deep.equal([]);
    expect(faults('lamp abcd boat', nobody, { maxSequence: 4 })).to.deep.equal([]);
  });

  it('has no four equal characters in a row', () => {
    expect([
      faults('lamp 1111 boat'),
      faults('lamp 111 boat'),
      faults('lamp 1111 boat', nobody, { maxRepeat: 4 }),
    ]).to.deep.equal([['REPEAT'], [], []]);
  });

  it('is not among the passwords that are tried first, in any case', () => {
    for (const common of ['password', 'Dragon', 'letmein', 'Trustno1'])
      expect(faults(common, nobody, { minLength: 1, maxSequence: 99 }), common).to.deep.equal([
        'COMMON',
      ]);
    for (const given of [
      'changemechangeme',
      'ORRERYorrery',
      'correct horse battery staple',
      'administrator',
    ])
      expect(faults(given), given).to.deep.equal(['COMMON']);
  });

  it('is told every rule that it breaks, in a sentence and in words', () => {
    expect(faults('1234somebody1111')).to.deep.equal(['CONTAINS_USER_NAME', 'SEQUENCE', 'REPEAT']);
    let refusal: unknown;
    try {
      refuseFaults(faults('111111'), rules);
    } catch (thrown) {
      refusal = thrown;
    }

    expect(isFailure(refusal) && [refusal.kind, refusal.rules, refusal.message]).to.deep.equal([
      'invalid',
      ['TOO_SHORT', 'REPEAT', 'COMMON'],
      'the password is not acceptable: it must have at least 12 characters; it must not have the same character more than 3 times in a row; it is among the passwords that are tried first',
    ]);
    expect(() => {
      refuseFaults([], rules);
    }).not.to.throw();
  });

  it('is judged whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (password) => {
        expect(faults(password)).to.be.an('array');
      }),
    );
  });
});

describe('hashes of passwords', () => {
  it('are argon2id with 19 MiB and two passes, and never the same twice', async () => {
    const [one, other] = [
      await systemSecrets.hashPassword('seven lamps'),
      await systemSecrets.hashPassword('seven lamps'),
    ];

    expect(one).to.match(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(one).not.to.equal(other);
    expect(
      await Promise.all([
        systemSecrets.verifyPassword('seven lamps', one),
        systemSecrets.verifyPassword('seven lamps ', one),
        systemSecrets.verifyPassword('', one),
      ]),
    ).to.deep.equal([true, false, false]);
  });

  it('know a password in each of its Unicode forms', async () => {
    expect(
      await systemSecrets.verifyPassword(
        'cafe\u0301 ﬁ',
        await systemSecrets.hashPassword('café fi'),
      ),
    ).to.equal(true);
  });

  it('take nothing that another algorithm made', async () => {
    for (const hashed of [
      '',
      'seven lamps',
      'scrypt$32768$8$1$AAAA$AAAA',
      '$argon2i$v=19$m=4096,t=3,p=1$c29tZXNhbHQ$iWh06vD8Fy27wf9npn6FXWiCX4K6pW6Ue1Bnzz07Z8A',
    ])
      expect(await systemSecrets.verifyPassword('seven lamps', hashed), hashed).to.equal(false);
  });
});

describe('guessing', () => {
  it('is free at first, then waits twice as long each time, up to a bound', () => {
    expect(
      [0, 4, 5, 6, 7, 9, 10, 1000].map((tries) => waitAfter(tries, backOffs.account)),
    ).to.deep.equal([0, 0, 1000, 2000, 4000, 16_000, 30_000, 30_000]);
    expect([19, 20, 29, 30, 5000].map((tries) => waitAfter(tries, backOffs.address))).to.deep.equal(
      [0, 1000, 512_000, 900_000, 900_000],
    );
  });

  it('from one address is held back long before an account is: no stranger keeps its owner out', () => {
    expect(backOffs.address.mostMs).to.be.at.least(30 * backOffs.account.mostMs);
  });
});

describe('an e-mail', () => {
  it('is the address of one mailbox', () => {
    for (const right of ['a@b', 'ada.lovelace+x@people.example', 'ü@müller.example'])
      expect(() => {
        checkEmail(right);
      }, right).not.to.throw();
    for (const wrong of [
      '',
      'ada',
      '@b',
      'a@',
      'a@b, c@d',
      'a@b\r\nBcc: c@d',
      'Ada <a@b>',
      'a b@c',
      `${'a'.repeat(250)}@b.example`,
    ])
      expect(() => {
        checkEmail(wrong);
      }, wrong).to.throw('email must be the address of one mailbox');
  });
});

describe('what people are told of their sessions', () => {
  it('is how long ago, in one unit', () => {
    expect(
      [0, 59_000, 60_000, 3_599_000, 7_200_000, 86_400_000 * 3].map((ms) =>
        fromNow(1e12 - ms, 1e12),
      ),
    ).to.deep.equal([
      'just now',
      'just now',
      '1 minute ago',
      '59 minutes ago',
      '2 hours ago',
      '3 days ago',
    ]);
    expect([1, 86_400_000].map((ms) => fromNow(1e12 + ms, 1e12))).to.deep.equal([
      'in a moment',
      'in 1 day',
    ]);
  });

  it('is which browser it was', () => {
    expect(
      browserOf(
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
      ),
    ).to.equal('Chrome on Linux');
    expect([
      browserOf(
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
      ),
      browserOf('curl/8.1'),
      browserOf('<script>'),
    ]).to.deep.equal(['Safari on iPhone', 'curl', 'Another browser']);
  });
});
