import { createServer } from 'node:http';
import { Opik } from 'opik';
import { check, fresh, journey } from './journey.mjs';

/** A model that says what it was asked. */
const model = createServer((request, reply) => {
  let text = '';
  request.on('data', (piece) => (text += piece));
  request.on('end', () => {
    const asked = JSON.parse(text);
    if (asked.temperature > 2) {
      reply.writeHead(400, { 'Content-Type': 'application/json' });
      reply.end(JSON.stringify({ error: { message: 'the temperature is too high' } }));
      return;
    }
    reply.writeHead(200, { 'Content-Type': 'application/json' });
    reply.end(
      JSON.stringify({
        id: 'chat-1',
        created: 1,
        model: asked.model,
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: `You said ${asked.messages[0].content[0].text}`,
            },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
      }),
    );
  });
});

await journey(async () => {
  await new Promise((resolve) => {
    model.listen(0, '127.0.0.1', resolve);
  });
  const { api } = new Opik();
  const providerName = fresh('js-provider');
  await api.llmProviderKey.storeLlmProviderApiKey({
    provider: 'custom-llm',
    providerName,
    apiKey: 'none',
    baseUrl: `http://127.0.0.1:${model.address().port}/v1`,
  });
  const ask = (more = {}) =>
    api.chatCompletions.createChatCompletions({
      model: `custom-llm/${providerName}/m1`,
      messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }],
      ...more,
    });

  const answer = await ask({ maxTokens: 9 });
  check('the model', answer.model, 'm1');
  check('what it says', answer.choices[0].message.content, 'You said hello');
  check('why it ends', answer.choices[0].finishReason, 'stop');
  check('what it took', [answer.usage.promptTokens, answer.usage.totalTokens], [2, 5]);
  const refused = (promise) =>
    promise.then(
      () => [200],
      (error) => [error.statusCode, error.body.errors[0]],
    );
  check('what it refuses', await refused(ask({ temperature: 3 })), [
    400,
    'the temperature is too high',
  ]);
  check(
    'a model without a key',
    (await refused(ask({ model: 'custom-llm/nobody/m1' })))[0] === 400,
  );
  await new Promise((resolve) => {
    model.close(resolve);
    model.closeAllConnections();
  });
});
