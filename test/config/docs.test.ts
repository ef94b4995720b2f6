import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readmePath, renew } from '#config/docs';

describe('the README', () => {
  it('holds the tables that the code generates', () => {
    const text = readFileSync(readmePath, 'utf8');

    expect(text === renew(text), 'run npm run docs').to.equal(true);
  });
});
