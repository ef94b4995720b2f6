import { expect } from 'chai';
import { freshName } from '#test/contract/storage/builders';
import { privateClient } from './private-client.js';

describe('figures of a project', () => {
  const { send } = privateClient();

  it('are left out where they are not wanted', async () => {
    const name = freshName('project');
    await send('POST', 'projects', { name }, 201);
    const retrieve = (wish: object) => send('POST', 'projects/retrieve', { name, ...wish }, 200);

    for (const wish of [{}, { includeStats: true }, { includeStats: null }])
      expect(await retrieve(wish)).to.include({ name, trace_count: 0 });
    const bare = await retrieve({ includeStats: false });
    expect(bare).to.include({ name });
    expect(bare).not.to.have.any.keys('trace_count', 'thread_count', 'usage', 'duration');
  });
});
