import { thing, type AreaFixtures } from '#test/api/fixtures';
import { freshName, mayCallNowhere, nowhere } from '#test/api/fresh';

/** A model of a provider who does not answer. */
const chatModels = thing(async ({ ask }) => {
  const provider = freshName('provider');
  await ask('/v1/private/llm-provider-key', {
    provider: 'custom-llm',
    provider_name: provider,
    base_url: nowhere,
  });
  return { model: `custom-llm/${provider}/model` };
});

export const fixtures: AreaFixtures = {
  areas: ['chat-completions'],
  settings: mayCallNowhere,
  things: [chatModels],
  rows: {
    createChatCompletion: {
      with: (world) => ({
        'body.model': world.of(chatModels).model,
        'body.messages': [{ role: 'user', content: 'Hello' }],
        'body.stream': undefined,
      }),
    },
  },
};
