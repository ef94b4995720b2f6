import { plainFamily } from '#ports/api/families/plain';
import { expect } from 'chai';
import { ownAddresses } from '#adapters/http/addresses';
import { familiesOf, familyAt } from '#adapters/http/families';
import { families } from '#ports/api/families/families';
import { privateFamily } from '#ports/api/families/private';
import type { Route } from '#adapters/http/route';

const row = (area: string, path: string): Route => ({
  id: path,
  area,
  family: plainFamily,
  operation: {
    method: 'GET',
    path,
    access: { needs: 'public' },
    summary: '',
    replies: { 200: null },
  },
  handle: async () => undefined,
});

describe('families', () => {
  it('have names and roots that no other family has', () => {
    const names = families.map(({ name }) => name);
    const roots = families.flatMap((family) => family.roots);

    expect(names.filter((name, i) => names.indexOf(name) !== i)).to.deep.equal([]);
    expect(roots.filter((root, i) => roots.indexOf(root) !== i)).to.deep.equal([]);
  });

  it('that only an area of a plugin brings answer below their roots too', () => {
    const own = { ...privateFamily, name: 'own', roots: ['/own'], reserves: ['/kept'] };
    const routes = [{ ...row('shelves', '/own/shelves'), family: own }];

    expect(familyAt('/own/nothing', familiesOf(routes))).to.equal(own);
    expect(familyAt('/own/nothing').name).to.equal('plain');
    expect(ownAddresses(routes)('/kept/a')).to.equal(true);
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
