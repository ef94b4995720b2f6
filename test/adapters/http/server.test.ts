// The server around its rows: slow senders, headers of every reply, proxies that are not known.
import { connect } from 'node:net';
import Koa from 'koa';
import { expect } from 'chai';
import { createApplication, type HttpNeeds } from '#adapters/http/server';
import { trustedProxies } from '#adapters/http/source';
import { createBudget } from '#adapters/http/budget';
import { promMeters } from '#adapters/system/meters';
import { systemIds } from '#adapters/system/ids';
import { listening } from './listening.js';

/** Sends a piece now and then, and gives what came back and how long it took. */
const trickle = (
  port: number,
  bytes: number,
  everyMs: number,
  length: number,
): Promise<{ readonly reply: string; readonly ms: number }> =>
  new Promise((resolve) => {
    const began = performance.now();
    let reply = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(
        `POST / HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n`,
      );
    });
    let left = length;
    const sending = setInterval(() => {
      if (left > 0 && !socket.connecting) {
        // what is written before the connection stands would go out before the head
        const piece = Math.min(bytes, left);
        left -= piece;
        socket.write('x'.repeat(piece));
      }
    }, everyMs);
    socket.on('data', (piece: Buffer) => {
      reply += piece.toString();
    });
    socket.on('error', () => undefined);
    socket.once('close', () => {
      clearInterval(sending);
      resolve({ reply, ms: performance.now() - began });
    });
  });

describe('the server', function () {
  this.timeout(20_000);

  const counting = (readMs = 0): Koa =>
    new Koa().use(async (ctx) => {
      let size = 0;
      for await (const piece of ctx.req as AsyncIterable<Buffer>) {
        size += piece.length;
        if (readMs > 0) await new Promise((wake) => setTimeout(wake, readMs));
      }
      ctx.body = `got ${size}`;
    });

  it('ends a connection whose body comes more slowly than it must', async () => {
    await listening(counting(), async (port) => {
      const { reply, ms } = await trickle(port, 1, 100, 1000);

      expect(reply).to.equal('');
      expect(ms).to.be.below(3000);
    });
  });

  it('waits for a slow body that keeps to the least rate, however long it takes', async () => {
    await listening(counting(), async (port) => {
      const { reply, ms } = await trickle(port, 200, 100, 4000);

      expect(reply).to.match(/got 4000$/);
      expect(ms).to.be.above(1500);
    });
  });

  it('does not blame a sender for the time that it reads nothing itself', async () => {
    await listening(counting(400), async (port) => {
      const { reply } = await trickle(port, 200_000, 1, 400_000);

      expect(reply).to.match(/got 400000$/);
    });
  });

  const application = (
    given: Partial<HttpNeeds>,
  ): { readonly app: Koa; readonly warnings: string[] } => {
    const warnings: string[] = [];
    const log = {
      error: () => undefined,
      warn: (sentence: string) => {
        warnings.push(sentence);
      },
      info: () => undefined,
      debug: () => undefined,
    };
    const needs = {
      ids: systemIds,
      meters: promMeters(),
      corsOrigins: [],
      baseUrl: 'http://localhost',
      proxies: trustedProxies(''),
      traffic: { begin: () => () => undefined },
      log,
      budget: createBudget(1000),
      isSecure: false,
      ...given,
    } as unknown as HttpNeeds; // no row asks for the rest
    return { app: createApplication([], needs), warnings };
  };
  const ask = (app: Koa, headers: Readonly<Record<string, string>> = {}) =>
    listening(app, async (port) => fetch(`http://127.0.0.1:${port}/nothing`, { headers }));

  it('tells browsers to come by https where that is how it is reached', async () => {
    expect(
      (await ask(application({ isSecure: true }).app)).headers.get('strict-transport-security'),
    ).to.equal('max-age=31536000');
    expect(
      (await ask(application({ isSecure: false }).app)).headers.get('strict-transport-security'),
    ).to.equal(null);
  });

  it('says once that a proxy is not known', async () => {
    const { app, warnings } = application({});
    for (let i = 0; i < 3; i++) await ask(app, { 'X-Forwarded-For': '192.0.2.1' });
    const known = application({ proxies: trustedProxies('127.0.0.1') });
    await ask(known.app, { 'X-Forwarded-For': '192.0.2.1' });

    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.contain('ORRERY_TRUSTED_PROXIES');
    expect(known.warnings).to.deep.equal([]);
  });
});
