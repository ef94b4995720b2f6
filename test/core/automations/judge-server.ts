// A server of models on this machine that speaks OpenAI's wire, and answers as the name of the model says.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface JudgeRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: unknown;
}
/** What a model does the n-th time, from 0 on, that it is asked: says a text, refuses with a status, or never answers. */
export type Script = (n: number) => string | number | undefined;

export interface JudgeServer {
  readonly url: string;
  readonly asked: JudgeRequest[];
  stop(): Promise<void>;
}

export const startJudgeServer = async (
  scripts: Readonly<Record<string, Script>>,
): Promise<JudgeServer> => {
  const asked: JudgeRequest[] = [];
  const server = createServer((request, reply) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const sent = JSON.parse(Buffer.concat(pieces).toString()) as JudgeRequest; // as the wire has it
      const n = asked.filter(({ model }) => model === sent.model).length;
      asked.push(sent);
      const said = scripts[sent.model]?.(n);
      if (said === undefined) return;
      reply.writeHead(typeof said === 'number' ? said : 200, {
        'Content-Type': 'application/json',
      });
      const message = { role: 'assistant', content: said };
      const whole = {
        ...{ id: 'chat-1', object: 'chat.completion', created: 1, model: sent.model },
        choices: [{ index: 0, message, finish_reason: 'stop' }],
      };
      reply.end(
        JSON.stringify(typeof said === 'number' ? { error: { message: 'not now' } } : whole),
      );
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address has this form
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};
