import { expect } from 'chai';
import { isForeign } from '#adapters/http/foreign-pages';

describe('pages of other sites', () => {
  const agent = { 'user-agent': 'Mozilla/5.0' };
  const base = 'https://orrery.example';
  const cases: readonly (readonly [boolean, string, Record<string, string>])[] = [
    [false, 'a program', { host: 'orrery:4400' }],
    [false, 'a browser at the address of the server', { ...agent, host: 'orrery.example' }],
    [false, 'a browser on this machine', { ...agent, host: 'localhost:4400' }],
    [false, 'a browser by number', { ...agent, host: '127.0.0.1:4400' }],
    [false, 'a browser by the longer number', { ...agent, host: '[::1]:4400' }],
    [
      false,
      'a page of the server behind a proxy that changes the host',
      { ...agent, host: '10.0.0.7:4400', origin: 'https://orrery.example' },
    ],
    [false, 'an address that is typed', { ...agent, host: 'localhost', 'sec-fetch-site': 'none' }],
    [true, 'another site', { ...agent, host: 'localhost', 'sec-fetch-site': 'cross-site' }],
    [true, 'a sibling', { ...agent, host: 'orrery.example', 'sec-fetch-site': 'same-site' }],
    [true, 'an origin of elsewhere', { host: 'localhost:4400', origin: 'http://evil.example' }],
    [true, 'another port', { host: 'localhost:4400', origin: 'http://localhost:8080' }],
    [true, 'a sandboxed page', { host: 'localhost:4400', origin: 'null' }],
    [true, 'a name that leads here', { ...agent, host: 'evil.example:4400' }],
    [true, 'a number within a name', { ...agent, host: '127.0.0.1.evil.example' }],
    [true, 'no host', { ...agent, host: '' }],
  ];
  for (const [foreign, name, headers] of cases)
    it(`${foreign ? 'are' : 'are not'} ${name}`, () => {
      expect(isForeign(headers, base)).to.equal(foreign);
    });
});
