// A receiver of webhooks on this machine, which answers as it is told and keeps what it was sent.
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

export interface Got {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as a JSON object; fails when it is not one. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly at: number;
}

export interface Told {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Answers this much later. */
  readonly afterMs?: number;
  /** Closes the connection in place of an answer. */
  readonly hangUp?: boolean;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  /** Everything sent so far, in order; of one path when it is named. */
  got(path?: string): readonly Got[];
  /** How a path answers from now on; `place` counts what it was sent before. */
  answer(path: string, how: (got: Got, place: number) => Told): void;
  /** Waits until a path was sent so many. Fails after some seconds. */
  until(path: string, count: number): Promise<readonly Got[]>;
  stop(): Promise<void>;
}

export const startReceiver = async (): Promise<Receiver> => {
  const all: Got[] = [];
  const ways = new Map<string, (got: Got, place: number) => Told>();
  const server = createServer((request, reply) => {
    const pieces: Buffer[] = [];
    request.on('error', () => undefined);
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      const body = Buffer.concat(pieces).toString();
      const got: Got = {
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        body,
        at: Date.now(),
        get json() {
          return JSON.parse(body) as Record<string, unknown>;
        },
      }; // webhooks send objects
      const place = all.filter(({ path }) => path === got.path).length;
      all.push(got);
      const {
        status = 204,
        headers = {},
        body: text = '',
        afterMs = 0,
        hangUp = false,
      } = ways.get(got.path)?.(got, place) ?? {};
      void wait(afterMs, undefined, { ref: false }).then(() => {
        if (hangUp) request.socket.destroy();
        else reply.writeHead(status, headers).end(text);
      });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo; // a TCP server's address has this form
  const got = (path?: string) => all.filter((one) => path === undefined || one.path === path);
  return {
    url: `http://127.0.0.1:${String(port)}`,
    port,
    got,
    answer(path, how) {
      ways.set(path, how);
    },
    async until(path, count) {
      for (let tries = 0; tries < 600 && got(path).length < count; tries++) await wait(25);
      if (got(path).length < count)
        throw new Error(`${path} was sent ${String(got(path).length)} of ${String(count)}`);
      return got(path);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
};
