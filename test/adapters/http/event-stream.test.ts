// Streams of events on the socket: slow readers, silent streams, and access that ends.
import { connect, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import Koa from 'koa';
import { expect } from 'chai';
import { sendEvents } from '#adapters/http/event-stream';
import { createHttpServer } from '#adapters/http/server';

interface Sent {
  readonly id: string;
  readonly event: string;
  readonly data: unknown;
}

interface Listening {
  readonly socket: Socket;
  text(): string;
  isClosed(): boolean;
}

const ask = (port: number): Promise<Listening> =>
  new Promise((resolve) => {
    let [text, closed] = ['', false];
    const socket = connect(port, '127.0.0.1', () => {
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      resolve({ socket, text: () => text, isClosed: () => closed });
    });
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed = true;
    });
  });

const until = async (holds: () => boolean, ms = 5000): Promise<boolean> => {
  for (const end = performance.now() + ms; performance.now() < end && !holds(); await wait(5));
  return holds();
};

describe('a stream of events', () => {
  const stops: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const stop of stops.splice(0)) await stop();
  });

  const serve = async (
    stream: () => AsyncIterable<readonly Sent[]>,
    stillAllowed: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<number> => {
    const app = new Koa();
    app.use((ctx) => {
      sendEvents(ctx, stream(), { stillAllowed, beatMs: 60 });
    });
    const server = createHttpServer(app, { graceMs: 300, bytesPerSecond: 0, lookEveryMs: 50 });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    stops.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    });
    return (server.address() as AddressInfo).port; // a TCP server's address has this form
  };
  async function* silent(): AsyncIterable<readonly Sent[]> {
    await wait(60_000, undefined, { ref: false });
    yield [{ id: '1', event: 'a', data: 1 }];
  }

  it('says when to come back, and each event with its id and its data in one line', async () => {
    const port = await serve(async function* () {
      yield [{ id: '7', event: 'run', data: { text: 'a\nb' } }];
    });

    const reader = await ask(port);

    expect(await until(() => reader.text().includes('\r\n0\r\n'))).to.equal(true);
    expect(reader.text()).to.include('retry: 2000\n\n');
    expect(reader.text()).to.include('id: 7\nevent: run\ndata: {"text":"a\\nb"}\n\n');
  });

  it('says now and then that it is there', async () => {
    const reader = await ask(await serve(silent));

    expect(await until(() => reader.text().split(':\n\n').length > 3)).to.equal(true);
  });

  it('ends when access ends', async () => {
    let allowed = true;
    const port = await serve(silent, () =>
      allowed ? Promise.resolve() : Promise.reject(new Error('not any more')),
    );
    const reader = await ask(port);
    await until(() => reader.text().includes(':\n\n'));

    allowed = false;

    expect(await until(() => reader.text().includes('\r\n0\r\n'))).to.equal(true);
  });

  it('drops a reader that takes nothing, and holds little for it', async () => {
    let made = 0;
    const port = await serve(async function* () {
      for (;;) yield [{ id: String(++made), event: 'run', data: { text: 'x'.repeat(1000) } }];
    });
    const reader = await ask(port);
    reader.socket.pause();

    let before = -1;
    for (let turns = 0; turns < 100 && made !== before; turns++) {
      before = made;
      await wait(100);
    }

    expect(made, 'nothing more is asked of the source').to.equal(before);
    reader.socket.resume();
    expect(await until(() => reader.isClosed())).to.equal(true);
    expect(reader.text().endsWith('\r\n0\r\n\r\n')).to.equal(false);
  });
});
