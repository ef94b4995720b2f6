// What is found in the workspace although a project was named says so in a header.
import { expect } from 'chai';
import { freshName } from '#test/contract/storage/builders';
import { privateClient, type Json } from './private-client.js';

describe('records that are asked for with a project', () => {
  const { send, server } = privateClient();
  const headerOf = async (path: string, body: Json): Promise<string | null> => {
    const reply = await fetch(`${server().url}/api/v1/private/${path}`, {
      method: 'POST',
      headers: { Authorization: server().apiKey, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(reply.status, await reply.text()).to.equal(200);
    return reply.headers.get('X-Opik-Deprecation');
  };
  const told = /^this (dataset|prompt) is in no project: it was found in the workspace/;

  it('and are found in the workspace alone say so', async () => {
    const [project_name, name] = [freshName('project'), freshName('shared')];
    await send('POST', 'projects', { name: project_name }, 201);
    await send('POST', 'datasets', { name }, 201);
    await send('POST', 'prompts', { name, template: 'Hi' }, 201);

    expect(await headerOf('datasets/retrieve', { dataset_name: name, project_name })).to.match(
      told,
    );
    expect(await headerOf('prompts/versions/retrieve', { name, project_name })).to.match(told);
    expect(await headerOf('datasets/retrieve', { dataset_name: name })).to.equal(null);
    expect(await headerOf('prompts/versions/retrieve', { name })).to.equal(null);
  });

  it('and are in that project say nothing', async () => {
    const [project_name, name] = [freshName('project'), freshName('own')];
    await send('POST', 'datasets', { name, project_name }, 201);
    await send('POST', 'prompts', { name, project_name, template: 'Hi' }, 201);

    expect(await headerOf('datasets/retrieve', { dataset_name: name, project_name })).to.equal(
      null,
    );
    expect(await headerOf('prompts/versions/retrieve', { name, project_name })).to.equal(null);
  });
});
