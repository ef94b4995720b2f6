import { expect } from 'chai';
import type { OAuthFamily, OAuthToken } from '#ports/model/oauth';
import {
  isRedirectUri,
  judgeRefresh,
  matchesRedirect,
  sourcesFor,
  withParameters,
} from '#core/oauth/rules';

describe('addresses of clients', () => {
  it('are of https, of http on this machine, or of a scheme with a dot', () => {
    for (const good of [
      'https://a.example/cb',
      'https://a.example',
      'https://a.example:8443/cb?x=1&y=2',
      'https://[2001:db8::1]/cb',
      'http://127.0.0.1/cb',
      'http://localhost:1/',
      'http://[::1]:65535/cb',
      'com.example.app:/cb',
      'com.example.app://host/cb',
    ])
      expect(isRedirectUri(good), good).to.equal(true);
    for (const bad of [
      'http://a.example/',
      'https://a.example/#',
      'https://a@a.example/',
      'https://a.example:99999/',
      'myapp:/x',
      'javascript.x:alert(1)#',
      'a b',
      'https://a.example/\u00e9',
      'https://a_b.example/',
      'https://%61.example/',
      '',
    ])
      expect(isRedirectUri(bad), bad).to.equal(false);
  });

  it('match as the same text, or with another port on this machine', () => {
    expect(matchesRedirect(['https://a.example/cb'], 'https://a.example/cb')).to.equal(true);
    expect(matchesRedirect(['http://[::1]:3/cb?x'], 'http://[::1]/cb?x')).to.equal(true);
    for (const [one, other] of [
      ['https://a.example/', 'https://a.example'],
      ['http://127.0.0.1', 'http://127.0.0.1:3/'],
      ['http://localhost/', 'http://127.0.0.1/'],
      ['http://localhost/?x', 'http://localhost:3/'],
      ['com.example.app:/cb', 'com.example.app:/CB'],
    ] as const)
      expect(matchesRedirect([one], other), other).to.equal(false);
  });

  it('keep their query when more is added, and nothing that is empty is', () => {
    expect(
      withParameters('https://a.example/cb?x=1', { code: 'a b&', state: undefined, iss: '' }),
    ).to.equal('https://a.example/cb?x=1&code=a%20b%26');
    expect(withParameters('https://a.example/cb', { state: '+\ud800é' })).to.equal(
      'https://a.example/cb?state=%2B%EF%BF%BD%C3%A9',
    );
    expect(withParameters('com.example.app:/cb', { code: 'c' })).to.equal(
      'com.example.app:/cb?code=c',
    );
    expect(withParameters('https://a.example/cb?', { code: 'c' })).to.equal(
      'https://a.example/cb?code=c',
    );
  });

  it('are named in a policy with wherever they may lead from there', () => {
    const machine = 'http://127.0.0.1:* http://localhost:*';
    expect(
      [
        'https://a.example:8443/cb',
        'http://127.0.0.1:7/cb',
        'http://[::1]:7/cb',
        'com.example.app:/cb',
      ].map((uri) => sourcesFor(uri).join(' ')),
    ).to.deep.equal([
      `https: ${machine}`,
      `https: ${machine}`,
      `https: ${machine} http:`,
      'com.example.app:',
    ]);
  });
});

describe('a refresh token that is presented', () => {
  const family: OAuthFamily = {
    id: 'f',
    clientId: 'c',
    userId: 'u',
    workspaceId: 'w',
    resource: 'r',
    createdAt: 0,
    usedAt: 0,
    expiresAt: 1000,
    revokedAt: undefined,
    reason: undefined,
  };
  const token: OAuthToken = {
    id: 't',
    familyId: 'f',
    kind: 'refresh',
    rotatedFrom: undefined,
    pairs: 0,
    createdAt: 0,
    expiresAt: 500,
    revokedAt: undefined,
    reason: undefined,
  };
  const rotated: OAuthToken = { ...token, pairs: 1, revokedAt: 100, reason: 'ROTATED' };
  const judge = (of: OAuthToken, now: number, given: Partial<OAuthFamily> = {}) =>
    judgeRefresh({ token: of, family: { ...family, ...given } }, now, 30);

  it('gives a pair as long as it lives', () => {
    expect([
      judge(token, 499),
      judge(token, 500),
      judge(token, 100, { expiresAt: 100 }),
      judge({ ...token, kind: 'access' }, 1),
      judge(token, 1, { revokedAt: 1 }),
    ]).to.deep.equal(['pair', 'refused', 'refused', 'refused', 'refused']);
  });

  it('gives up to three pairs more within the grace, and ends the family beyond', () => {
    expect([
      judge(rotated, 129),
      judge({ ...rotated, pairs: 3 }, 129),
      judge({ ...rotated, pairs: 4 }, 129),
      judge(rotated, 130),
      judge({ ...rotated, reason: 'CLIENT_REQUEST' }, 101),
    ]).to.deep.equal(['pair', 'pair', 'reuse', 'reuse', 'reuse']);
    expect(judge(rotated, 101, { revokedAt: 50 })).to.equal('refused');
  });
});

describe('the source of a registration', () => {});
