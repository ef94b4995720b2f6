// What anybody may send without a credential, and all callers together: the server refuses the rest, and lives on with a small heap.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { areas } from '#core/areas';
import { isJsonBody } from '#adapters/http/route';
import { mortalServer, type MortalServer } from './server.js';

const mebibyte = 1024 * 1024;

interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

describe('what a stranger may send', function () {
  this.timeout(120_000);
  let server: MortalServer;
  before(async () => {
    server = await mortalServer({
      NODE_OPTIONS: '--max-old-space-size=400',
      ORRERY_SIGN_UP: 'true',
      ORRERY_TOGGLE_ANONYMOUS_MODE: 'true',
      ORRERY_LOG_LEVEL: 'error',
    });
    await server.start();
  });
  after(() => server.destroy());
  afterEach('the server lives', async () => {
    expect((await ask('GET', '/health/live')).status).to.equal(200);
  });

  const ask = (
    method: string,
    path: string,
    body?: Buffer | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const sent = request(
        server.url + path,
        {
          method,
          headers: {
            ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
            ...headers,
          },
        },
        (reply) => {
          const pieces: Buffer[] = [];
          reply.on('data', (piece: Buffer) => pieces.push(piece));
          reply.on('end', () => {
            resolve({
              status: reply.statusCode ?? 0,
              headers: reply.headers,
              text: Buffer.concat(pieces).toString(),
            });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body);
    });
  const open = (head: string): Promise<Socket> =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(server.url);
      const socket = connect(Number(port), hostname, () => {
        socket.write(head);
        resolve(socket);
      });
      socket.on('error', () => undefined);
    });

  it('is at most 64 KiB on every row that needs no credential, said, unsaid or packed', async () => {
    const rows = areas
      .flatMap(({ table }) => Object.entries(table))
      .filter(
        ([, row]) =>
          ['public', 'visitor', 'signed'].includes(row.access.needs) &&
          row.body !== undefined &&
          (isJsonBody(row.body) || 'form' in row.body),
      );
    expect(rows.length).to.be.above(10);
    for (const [id, row] of rows) {
      const path = [row.path].flat()[0]?.replaceAll(/\{\w+\}/g, 'x') ?? '';
      const isForm = row.body !== undefined && !isJsonBody(row.body);
      const type = {
        'Content-Type': isForm ? 'application/x-www-form-urlencoded' : 'application/json',
      };
      const body = isForm
        ? `name=${'x'.repeat(65_536)}`
        : JSON.stringify({ name: 'x'.repeat(65_536) });

      const said = await ask(row.method, path, body, type);
      const unsaid = await ask(row.method, path, body, { ...type, 'Transfer-Encoding': 'chunked' });
      const packed = await ask(row.method, path, gzipSync(body), {
        ...type,
        'Content-Encoding': 'gzip',
      });

      for (const [how, { status, text }] of Object.entries({
        said,
        unsaid,
        ...(isForm ? {} : { packed }),
      }))
        expect(status, `${id} ${how} ${text.slice(0, 200)}`).to.be.oneOf(
          // Whoever lacks the token of a row is told so before the body is looked at.
          row.access.token !== undefined
            ? [401]
            : [
                row.wire?.refusals?.every?.status ?? row.wire?.refusals?.invalid?.status ?? 413,
                413,
                400,
              ],
        );
      for (const { text } of [said, unsaid])
        if (text.startsWith('{') && row.access.token === undefined)
          expect(text, id).to.contain('must be at most 65536 bytes');
    }
  });

  it('is as much where a row would take the credential from the body', async () => {
    const body = JSON.stringify({
      apiKey: server.key,
      experimentKey: 'x'.repeat(70_000),
      addedTags: [],
    });

    expect((await ask('POST', '/api/rest/v2/write/experiment/tags', body)).status).to.equal(413);
    expect(
      (await ask('POST', '/api/rest/v2/write/experiment/tags', body, { Authorization: server.key }))
        .status,
    ).to.equal(400);
  });

  it('takes no time worth telling, whatever it is', async () => {
    const bodies = [
      `NaN"${'\\"'.repeat(30_000)}`,
      `NaN${'"\\'.repeat(30_000)}`,
      `{"a":${'['.repeat(60_000)}`,
      '{},'.repeat(20_000),
      `{"name":"${'\\u0000'.repeat(10_000)}"}`,
    ];
    for (const body of bodies) {
      const began = performance.now();
      const reply = await ask('POST', '/api/auth/sign-in', gzipSync(body), {
        'Content-Encoding': 'gzip',
      });

      expect(reply.status).to.equal(400);
      expect(performance.now() - began, body.slice(0, 20)).to.be.below(1000);
    }
  });

  it('is refused at once where it is a gigabyte, and the rest is not read', async () => {
    for (const [path, key] of [
      ['/api/auth/sign-in', ''],
      ['/api/rest/v2/write/experiment/html', server.key],
      ['/nothing/in/any/of/them', ''],
      ['/api/rest/v2/write/experiment/html', 'no-such-key'],
    ] as const) {
      const began = performance.now();
      const socket = await open(
        `POST ${path} HTTP/1.1\r\nHost: a\r\n${key === '' ? '' : `Authorization: ${key}\r\n`}Content-Type: application/json\r\nContent-Length: ${1024 * mebibyte}\r\n\r\n`,
      );
      let [received, repliedAfter, written] = ['', Infinity, 0];
      socket.on('data', (piece: Buffer) => {
        received += piece.toString();
        repliedAfter = Math.min(repliedAfter, performance.now() - began);
      });
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => {
          resolve();
        });
      });
      const pump = (): void => {
        while (!socket.destroyed && written < 1024) {
          written++;
          if (!socket.write(Buffer.alloc(mebibyte))) {
            socket.once('drain', pump);
            return;
          }
        }
      };
      pump();
      await closed;

      expect(received, path).to.match(/^HTTP\/1\.1 4(13|04|01|00)/);
      expect(repliedAfter).to.be.below(2000);
      expect(written, path).to.be.below(128);
    }
  });

  it('is refused in a reply that a client still reads when it sent more than is read on', async () => {
    const socket = await open(
      `POST /api/rest/v2/write/experiment/html HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.key}\r\nContent-Type: application/json\r\nContent-Length: ${90 * mebibyte}\r\n\r\n`,
    );
    const fault = new Promise<string>((resolve) => {
      socket.once('error', ({ message }) => {
        resolve(message);
      });
    });
    const sent = new Promise<string>((resolve) => {
      socket.write(Buffer.alloc(32 * mebibyte + mebibyte / 4), () => {
        resolve('sent');
      });
    });
    expect(await Promise.race([sent, fault])).to.equal('sent');
    await wait(300);
    const more = new Promise<string>((resolve) => {
      socket.write(Buffer.alloc(1000), () => {
        resolve('sent');
      });
    });
    expect(await Promise.race([more, fault])).to.equal('sent');
    const reply = new Promise<string>((resolve) => {
      socket.once('data', (piece: Buffer) => {
        resolve(piece.toString());
      });
    });

    expect(await reply).to.match(/^HTTP\/1\.1 413/);
    socket.destroy();
  });

  it('is no more for all together than there is memory for: who parks is told to wait, others that the server is busy', async () => {
    const key = (
      JSON.parse(
        (
          await ask(
            'POST',
            '/api/rest/v2/write/experiment/create',
            JSON.stringify({ workspaceName: 'faults', projectName: 'p' }),
            { Authorization: server.key },
          )
        ).text,
      ) as { readonly experimentKey: string }
    ).experimentKey;
    const begin = (path: string) =>
      open(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: ${server.key}\r\nContent-Type: application/json\r\nContent-Length: ${72 * mebibyte}\r\n\r\n`,
      );
    const [batches, others] = await Promise.all([
      Promise.all(
        Array.from({ length: 60 }, () => begin('/clientlib/batch/logger/experiment/metric')),
      ),
      Promise.all(Array.from({ length: 40 }, () => begin('/api/rest/v2/write/experiment/create'))),
    ]);
    const heard = new Map<Socket, string>();
    for (const socket of [...batches, ...others])
      socket.on('data', (piece: Buffer) =>
        heard.set(socket, (heard.get(socket) ?? '') + piece.toString()),
      );
    const piece = Buffer.alloc(mebibyte, 0x20);
    const answered = () => batches.filter((socket) => heard.has(socket)).length;
    // A second, or as long as a busy machine needs; never as much as makes a body whole.
    for (let i = 0; i < 20 || (i < 70 && answered() <= 20); i++) {
      for (const socket of [...batches, ...others])
        if (!socket.destroyed && !heard.has(socket)) socket.write(piece);
      await wait(50);
    }

    const memory =
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid()}/status`, 'utf8'))?.[1]) *
      1024;
    expect(memory).to.be.below(900 * mebibyte);
    const [ofBatches, ofOthers] = [batches, others].map((some) =>
      some.flatMap((socket) => heard.get(socket) ?? []),
    ) as [string[], string[]]; // one for each
    expect(ofBatches.length).to.be.above(20);
    for (const text of ofBatches)
      expect(text)
        .to.match(/^HTTP\/1\.1 429/)
        .and.to.match(/Retry-After-Custom: \d/);
    for (const text of ofOthers)
      expect(text)
        .to.match(/^HTTP\/1\.1 503/)
        .and.to.match(/Retry-After: \d/);
    for (const socket of [...batches, ...others]) socket.destroy();
    await wait(500);
    const after = await ask(
      'POST',
      '/clientlib/batch/logger/experiment/metric',
      JSON.stringify({
        experimentKey: key,
        values: [{ metricName: 'a', metricValue: 1, step: 1 }],
      }),
      { Authorization: server.key },
    );
    expect(after.status, after.text).to.equal(200);
  });

  it('does not end the process with a small text that unpacks to many objects, whoever sends it', async () => {
    const bomb = gzipSync(`[${'{},'.repeat(7 * mebibyte)}{}]`);
    expect(bomb.length).to.be.below(64 * 1024);

    expect(
      (await ask('POST', '/api/auth/sign-in', bomb, { 'Content-Encoding': 'gzip' })).status,
    ).to.equal(413);
    for (let i = 0; i < 3; i++)
      expect(
        (
          await ask('POST', '/clientlib/batch/logger/experiment/metric', bomb, {
            'Content-Encoding': 'gzip',
            Authorization: server.key,
          })
        ).status,
      ).to.equal(413);
  });
});
