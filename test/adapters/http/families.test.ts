import { expect } from 'chai';
import { ownAddresses } from '#adapters/http/addresses';
import { families, familyAt } from '#adapters/http/families/families';
import type { Route } from '#adapters/http/route';

const row = (area: string, path: string): Route => ({
  id: path,
  area,
  family: 'plain',
  operation: { method: 'GET', path, access: 'public', summary: '', replies: { 200: null } },
  handle: async () => undefined,
});

describe('families', () => {
  it('are each registered by their own name', () => {
    expect(Object.keys(families).sort()).to.deep.equal([
      'administration',
      'oauth',
      'optimizer',
      'page',
      'plain',
      'private',
      'tracking',
    ]);
    for (const [name, family] of Object.entries(families)) expect(family.name).to.equal(name);
  });

  it('answer unknown addresses below their roots, the longest root first', () => {
    const answering = {
      '/api/rest/v2/nothing': 'tracking',
      '/clientlib/nothing': 'tracking',
      '/api/admin/nothing': 'administration',
      '/clientlib/api/admin/nothing': 'administration',
      '/optimizer/nothing': 'optimizer',
      '/api/v1/nothing': 'private',
      '/opik/api/v1/nothing': 'private',
      '/apiary': 'plain',
      '/oauth/nothing': 'plain',
      '/nothing': 'plain',
    };

    for (const [path, name] of Object.entries(answering))
      expect(familyAt(path).name, path).to.equal(name);
  });
});

describe('addresses of the server', () => {
  const isOwn = ownAddresses([
    row('service', '/health/live'),
    row('service', '/'),
    row('links', '/{workspace}/{project}'),
    row('links', '/experiment/{key}'),
  ]);

  it('begin with a name of a row or of a family, also of one that is switched off', () => {
    for (const path of ['/health/else', '/api/a', '/oauth/a', '/swagger/a', '/opik/a', '/v1/a'])
      expect(isOwn(path), path).to.equal(true);
  });

  it('leave to people the names that only areas of wide paths have', () => {
    for (const path of ['/', '/experiment/a', '/vision/mnist', '/healthy/a'])
      expect(isOwn(path), path).to.equal(false);
  });
});
