import type { AddressInfo } from 'node:net';
import type Koa from 'koa';
import { createHttpServer } from '#adapters/http/server';

/** How slow senders may be here. */
const rate = { graceMs: 300, bytesPerSecond: 1000, lookEveryMs: 50 };

/** Serves an application while something asks it. */
export const listening = async <T>(app: Koa, work: (port: number) => Promise<T>): Promise<T> => {
  const server = createHttpServer(app, rate);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve();
    });
  });
  try {
    return await work((server.address() as AddressInfo).port); // a TCP server's address has this form
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  }
};
