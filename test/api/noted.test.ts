import { expect } from 'chai';
import { borrowServer, type StartedServer } from '#test/clients/server';

describe('facts noted beside what is logged', () => {
  let server: StartedServer;
  before(async () => {
    const started = await borrowServer({ storage: 'embedded', env: { ORRERY_CHECK_REPLIES: '1' } });
    if ('missing' in started) throw new Error(started.missing);
    server = started;
  });
  after(() => server.stop());

  const ask = async (path: string, body?: unknown): Promise<Record<string, unknown>> => {
    const reply = await fetch(`${server.url}/api/rest/v2${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: server.apiKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return (await reply.json()) as Record<string, unknown>; // every reply of the API is an object
  };

  it('find runs by their commit and by what they have installed, and are no columns of their own kind', async () => {
    const { experimentKey } = await ask('/write/experiment/create', { projectName: 'noted' });
    await ask('/write/experiment/create', { projectName: 'noted' });
    await ask('/write/experiment/git/metadata', {
      experimentKey,
      user: null,
      root: 'r',
      branch: 'b',
      parent: 'abc123',
      origin: null,
    });
    await ask('/write/experiment/system-details', {
      experimentKey,
      installedPackages: ['numpy==2.0', 'torch==3.1'],
    });
    const { projectId } = await ask(`/project?projectName=noted&workspaceName=${server.workspace}`);
    const find = async (name: string, operator: string, value: string) => {
      const rule = { id: name, field: name, type: 'string', operator, value, source: 'metadata' };
      const found = await ask('/experiments/search', {
        projectId,
        rulesTree: { condition: 'AND', rules: [rule], valid: true },
        limit: 10,
        page: 1,
        deleted: false,
      });
      if (found['experiments'] === undefined) throw new Error(JSON.stringify(found));
      return (found['experiments'] as { experimentKey: string }[]).map((one) => one.experimentKey);
    };

    expect(await find('codeSHA', 'equal', 'abc123')).to.deep.equal([experimentKey]);
    expect(await find('codeSHA', 'equal', 'abc')).to.deep.equal([]);
    expect(await find('installed_packages', 'contains', 'torch==3')).to.deep.equal([experimentKey]);
    const { columns } = await ask(`/project/column-names?projectId=${String(projectId)}`);
    expect(
      (columns as { id: string }[]).filter(({ id }) => id.startsWith('codeSHA')),
    ).to.have.length(1);
  });
});
