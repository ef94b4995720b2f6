// Stands before a bucket and breaks requests as a test tells it: refuses, keeps silent, or lets go of the connection in their midst.
import {
  createServer,
  request as send,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { Readable } from 'node:stream';

/** What becomes of one request; `undefined` lets it pass. */
export type Fault =
  | { readonly refuse: number; readonly body?: string }
  | 'silence'
  /** After so many bytes of its body, or of the reply's: the connection is let go, or nothing more comes. */
  | { readonly cutRequest: number }
  | { readonly cutReply: number }
  | { readonly stallReply: number };

export interface Unruly {
  /** Where it listens, without a slash at the end. */
  readonly url: string;
  /** Decides over every request from now on. */
  obey(rule: (request: IncomingMessage) => Fault | undefined): void;
  stop(): Promise<void>;
}

/** Passes at most so many bytes of a stream on; says whether there were more. */
const passSome = async (
  from: Readable,
  to: { write(bytes: Buffer): boolean },
  most: number,
): Promise<boolean> => {
  let left = most;
  for await (const bytes of from) {
    to.write((bytes as Buffer).subarray(0, left)); // no encoding is set, so bytes come
    left -= (bytes as Buffer).length;
    if (left <= 0) return true;
  }
  return false;
};

/** Starts one before the server at that address; it lets everything pass until told otherwise. */
export const startUnruly = async (target: string): Promise<Unruly> => {
  let rule: (request: IncomingMessage) => Fault | undefined = () => undefined;
  const { hostname, port } = new URL(target);

  const pass = (
    request: IncomingMessage,
    reply: ServerResponse,
    fault: Fault | undefined,
  ): void => {
    // The host stays as the client sent it, since it is signed.
    const onward = send(
      { hostname, port, method: request.method, path: request.url, headers: request.headers },
      (answer) => {
        reply.writeHead(answer.statusCode ?? 502, answer.headers);
        if (typeof fault === 'object' && 'cutReply' in fault) {
          void passSome(answer, reply, fault.cutReply).finally(() => {
            reply.destroy();
          });
          return;
        }
        if (typeof fault === 'object' && 'stallReply' in fault) {
          void passSome(answer, reply, fault.stallReply).catch(() => undefined);
          return;
        }
        answer.pipe(reply);
      },
    );
    onward.on('error', () => {
      reply.destroy();
    });
    reply.on('close', () => {
      onward.destroy();
    });
    if (typeof fault === 'object' && 'cutRequest' in fault) {
      void passSome(request, onward, fault.cutRequest).finally(() => {
        onward.destroy();
        request.destroy();
      });
      return;
    }
    request.pipe(onward);
  };
  const server = createServer((request, reply) => {
    const fault = rule(request);
    request.on('error', () => undefined);
    if (fault === 'silence') {
      request.resume();
      return;
    }
    if (typeof fault === 'object' && 'refuse' in fault) {
      request.resume();
      request.once('end', () => {
        reply.writeHead(fault.refuse, { 'content-type': 'application/xml' }).end(fault.body ?? '');
      });
      return;
    }
    pass(request, reply, fault);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    obey(next) {
      rule = next;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => {
        server.close(() => {
          resolve();
        });
      });
    },
  };
};
