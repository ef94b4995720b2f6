// A server of one model on this machine, which answers in a stream as OpenAI's wire has it: what the playground shows in its picture.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer =
  'Yes. In Mill Lane parking is free on Sundays, and from 18:00 to 8:00 on other days (page “Parking in the centre”). Signs that are put up for a day come first.';

export const startModel = async (): Promise<{ readonly url: string; readonly server: Server }> => {
  const server = createServer((request, reply) => {
    request.resume().on('end', () => {
      reply.writeHead(200, { 'content-type': 'text/event-stream' });
      const piece = (delta: object, finish_reason: string | null, more = {}) =>
        reply.write(
          `data: ${JSON.stringify({
            ...{ id: 'chat-1', object: 'chat.completion.chunk', created: 1, model: 'street-small' },
            choices: [{ index: 0, delta, finish_reason }],
            ...more,
          })}\n\n`,
        );
      for (const word of answer.split(/(?= )/)) piece({ content: word }, null);
      piece({}, 'stop', {
        usage: { prompt_tokens: 61, completion_tokens: 44, total_tokens: 105 },
      });
      reply.end('data: [DONE]\n\n');
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address has this form
  return { url: `http://127.0.0.1:${port}/v1`, server };
};
