import { expect } from 'chai';
import { neverStored } from '#test/clients/secrets';
import { openBeside } from '#test/clients/server';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

describe('the default project', () => {
  const { read, send, server } = privateClient();
  const name = 'Default Project';
  const total = async () => (await read(`projects?name=${encodeURIComponent(name)}`))['total'];

  it('is made by who may write when a client asks for it, and once', async () => {
    const { auth, storage, close } = await openBeside(server());
    try {
      const { user, apiKey } = await auth.addUser({ name: freshName('viewer') });
      const workspace = await storage.stores.workspaces.findByName(server().workspace);
      await storage.stores.members.setRole(workspace?.id ?? '', user.id, 'view-only', []);
      const refused = await fetch(`${server().url}/api/v1/private/projects/retrieve`, {
        method: 'POST',
        headers: {
          authorization: neverStored(apiKey),
          'comet-workspace': server().workspace,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ name }),
      });
      expect(refused.status, await refused.text()).to.equal(404);
    } finally {
      await close();
    }
    expect(await total()).to.equal(0);

    const asked = ['default project', name, name, name];
    const all = await Promise.all(
      asked.map((written): Promise<Json> =>
        send('POST', 'projects/retrieve', { name: written }, 200),
      ),
    );
    expect(new Set(all.map(({ id }) => id))).to.have.property('size', 1);
    expect(all[0]).to.include({ name, trace_count: 0 });
    expect(await total()).to.equal(1);
  });
});
