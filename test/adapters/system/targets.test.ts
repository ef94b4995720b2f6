// Where requests may go whose address a user gave: judged in any spelling, after resolution, and pinned.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { createOutgoing, readRetryAfter } from '#adapters/system/outgoing';
import { judgeTargets } from '#adapters/system/targets';
import { isFailure } from '#ports/failure';
import { startReceiver } from '#test/clients/receiver';

const thrownBy = (act: () => unknown): unknown => {
  try {
    act();
  } catch (thrown) {
    return thrown;
  }
  return undefined;
};
const refused = (thrown: unknown): string | undefined =>
  isFailure(thrown) && thrown.kind === 'invalid' ? thrown.message : undefined;
const resolveTo =
  (...addresses: readonly string[]) =>
  async () =>
    addresses;
const never = new AbortController().signal;
const post = (url: string) => ({ method: 'POST', url, headers: {}, body: '{}' }) as const;

/** Private, special and cloud addresses, each in spellings that reach them. */
const spellings = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0x7f.1',
  '0',
  '0.0.0.0',
  '10.0.0.1',
  '10.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '0xc0a80001',
  '169.254.1.1',
  '100.64.0.1',
  '192.0.0.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '１２７.0.0.1',
  '127。0。0。1',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[::ffff:0:10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::a00:1]',
  '[2002:a00:1::]',
  '[2001::1]',
  '[fc00::1]',
  '[fd12:3456::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.',
];
const cloud = [
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '[::ffff:169.254.169.254]',
  '[::ffff:a9fe:a9fe]',
  '[64:ff9b::169.254.169.254]',
  '[2002:a9fe:a9fe::]',
  '169.254.170.2',
  '100.100.100.200',
  '168.63.129.16',
  '[fd00:ec2::254]',
  'metadata.google.internal',
  'METADATA.google.internal.',
  'metadata',
];

describe('addresses that users give', () => {
  it('are refused when they are private, in any spelling, with the setting that opens them', () => {
    const { check } = judgeTargets('');

    for (const host of spellings)
      expect(refused(thrownBy(() => check(`http://${host}:8080/x`))), host).to.match(
        /is a private address.*ORRERY_ALLOW_PRIVATE_TARGETS/,
      );
    for (const host of [
      '8.8.8.8',
      '[2606:4700::1111]',
      '[::ffff:8.8.8.8]',
      'hooks.example',
      '172.32.0.1',
      '11.0.0.1',
      '[2600::1]',
    ])
      expect(
        thrownBy(() => check(`https://${host}/x`)),
        host,
      ).to.equal(undefined);
  });

  it('are refused when they are of cloud metadata, whatever is listed', () => {
    for (const { check } of [
      judgeTargets(''),
      judgeTargets(
        '169.254.0.0/16, 169.254.169.254, metadata.google.internal, 0.0.0.0/0, ::/0, metadata',
      ),
    ])
      for (const host of cloud)
        expect(refused(thrownBy(() => check(`http://${host}/`))), host).to.include(
          'cloud metadata',
        );
  });

  it('are refused when they are no address of the web, or hold a password', () => {
    const { check } = judgeTargets('127.0.0.1');

    for (const text of [
      '',
      'x',
      '//a.example',
      'ftp://a.example/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'http://',
      'https://user@a.example/',
      'https://:pass@a.example/',
      'gopher://127.0.0.1/',
    ])
      expect(refused(thrownBy(() => check(text))), text).to.be.a('string');
  });

  it('are open where hosts, addresses and networks list them', async () => {
    const { check, resolve } = judgeTargets(
      '127.0.0.1, 10.1.0.0/16 fd00::/8 Hooks.Internal,[::1]',
      resolveTo('192.168.7.7'),
    );

    for (const host of [
      '127.0.0.1',
      '2130706433',
      '[::ffff:127.0.0.1]',
      '10.1.255.1',
      '[fd12::1]',
      '[::1]',
      'localhost',
      'hooks.internal',
    ])
      expect(
        thrownBy(() => check(`http://${host}/`)),
        host,
      ).to.equal(undefined);
    for (const host of ['127.0.0.2', '10.2.0.1', '[fc00::1]'])
      expect(refused(thrownBy(() => check(`http://${host}/`))), host).to.be.a('string');
    expect((await resolve('http://hooks.internal/')).address).to.equal('192.168.7.7');
    expect(
      refused(await resolve('http://other.internal/').catch((thrown: unknown) => thrown)),
    ).to.include('other.internal is a private address');
  });

  it('refuse a list that holds what is neither host, address nor network', () => {
    for (const entry of ['10.0.0.0/33', 'http://a', '1.2.3', 'a b_$', '::1/129', 'a/8'])
      expect(refused(thrownBy(() => judgeTargets(entry))), entry).to.include(
        'ORRERY_ALLOW_PRIVATE_TARGETS',
      );
  });

  it('are judged by what their name resolves to, of which one that may be called is taken', async () => {
    for (const address of [
      '10.0.0.1',
      '127.0.0.1',
      '::1',
      '::ffff:10.0.0.1',
      'fe80::1%eth0',
      '169.254.169.254',
    ])
      expect(
        refused(
          await judgeTargets('', resolveTo(address))
            .resolve('https://innocent.example/')
            .catch((thrown: unknown) => thrown),
        ),
        address,
      ).to.include('innocent.example');
    expect(
      (await judgeTargets('', resolveTo('10.0.0.1', '93.184.216.34')).resolve('https://a.example/'))
        .address,
    ).to.equal('93.184.216.34');
    expect(
      refused(
        await judgeTargets('0.0.0.0/0', resolveTo('169.254.169.254'))
          .resolve('http://a.example/')
          .catch((thrown: unknown) => thrown),
      ),
    ).to.include('cloud metadata');
  });
});

describe('requests to them', () => {
  it('go to the very address that was judged, under the name that was given', async () => {
    const receiver = await startReceiver();
    let asked = 0;
    // A name that tells another address each time it is asked.
    const outgoing = createOutgoing(
      judgeTargets('127.0.0.1', async () => (asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1'])),
    );

    const reply = await outgoing.send(
      post(`http://rebinding.example:${String(receiver.port)}/x?y=1`),
      never,
    );

    expect([
      reply.status,
      asked,
      receiver.got()[0]?.headers.host,
      receiver.got()[0]?.path,
    ]).to.deep.equal([204, 1, `rebinding.example:${String(receiver.port)}`, '/x?y=1']);
    await receiver.stop();
  });

  it('that are refused reach nobody, and are not tried again', async () => {
    const receiver = await startReceiver();

    const reply = await createOutgoing(judgeTargets('')).send(post(receiver.url), never);

    expect([
      reply.status,
      reply.retry,
      String(reply.error).includes('ORRERY_ALLOW_PRIVATE_TARGETS'),
      receiver.got().length,
    ]).to.deep.equal([undefined, false, true, 0]);
    await receiver.stop();
  });

  it('follow no redirect', async () => {
    const receiver = await startReceiver();
    for (const status of [301, 302, 303, 307, 308])
      receiver.answer(`/${String(status)}`, () => ({
        status,
        headers: { Location: `${receiver.url}/inside` },
      }));

    for (const status of [301, 302, 303, 307, 308])
      expect(
        await createOutgoing(judgeTargets('127.0.0.1')).send(
          post(`${receiver.url}/${String(status)}`),
          never,
        ),
      ).to.include({
        status,
        retry: false,
        error: `the target redirects (${String(status)}), which is not followed`,
      });
    expect(receiver.got('/inside')).to.have.length(0);
    await receiver.stop();
  });

  it('read the beginning of a reply that does not end, and leave it', async () => {
    const server = createServer((_, reply) => {
      reply.writeHead(200);
      const more = setInterval(() => {
        reply.write('é'.repeat(10_000));
      }, 1);
      reply.on('close', () => {
        clearInterval(more);
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const began = Date.now();

    const reply = await createOutgoing(judgeTargets('127.0.0.1')).send(
      post(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`),
      never,
    ); // a TCP server's address has this form

    expect([
      reply.status,
      reply.error,
      reply.text.length <= 2048,
      Date.now() - began < 3000,
    ]).to.deep.equal([200, undefined, true, true]);
    server.closeAllConnections();
    server.close();
  });

  it('go out again where the receiver had closed the connection that was kept, and nowhere else', async () => {
    let [asked, connections] = [0, 0];
    const server = createServer((request, reply) => {
      request.resume();
      asked++;
      if (asked === 2) request.socket.destroy();
      else reply.writeHead(204).end();
    });
    server.on('connection', () => {
      connections++;
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${String((server.address() as AddressInfo).port)}/`; // as above
    const outgoing = createOutgoing(judgeTargets('127.0.0.1'));

    const statuses = [
      (await outgoing.send(post(url), never)).status,
      (await outgoing.send(post(url), never)).status,
      (await outgoing.send(post(url), never)).status,
    ];

    expect([statuses, asked, connections]).to.deep.equal([[204, 204, 204], 4, 2]);
    server.closeAllConnections();
    server.close();
  });

  it('end after 10 s without an answer', async function () {
    this.timeout(15_000);
    const receiver = await startReceiver();
    receiver.answer('/', () => ({ afterMs: 60_000 }));

    const reply = await createOutgoing(judgeTargets('127.0.0.1')).send(
      post(`${receiver.url}/`),
      never,
    );

    expect([
      reply.status,
      reply.retry,
      reply.error,
      reply.durationMs >= 9900 && reply.durationMs < 12_000,
    ]).to.deep.equal([undefined, true, 'the target did not answer within 10 s', true]);
    await receiver.stop();
  });

  it('tell which refusals are worth another attempt', async () => {
    const receiver = await startReceiver();
    const outgoing = createOutgoing(judgeTargets('127.0.0.1'));
    const retried = async (status: number) => {
      receiver.answer(`/${String(status)}`, () => ({ status }));
      return (await outgoing.send(post(`${receiver.url}/${String(status)}`), never)).retry;
    };

    for (const status of [408, 425, 429, 500, 502, 503, 504])
      expect(await retried(status), String(status)).to.equal(true);
    for (const status of [200, 204, 400, 401, 403, 404, 410, 422])
      expect(await retried(status), String(status)).to.equal(false);
    await receiver.stop();
  });

  it('read how long they are asked to wait, in seconds or until a date', () => {
    const now = Date.parse('2026-11-21T00:00:00Z');

    expect(
      [
        '7',
        ' 120 ',
        '1.5',
        'Sat, 21 Nov 2026 00:01:00 GMT',
        'Sat, 21 Nov 2020 00:00:00 GMT',
        'soon',
        '',
        undefined,
      ].map((header) => readRetryAfter(header, now)),
    ).to.deep.equal([7, 120, 1.5, 60, 0, undefined, undefined, undefined]);
  });
});

describe('replies that are read as they come', () => {
  const outgoing = createOutgoing(judgeTargets('127.0.0.1'));
  const read = async (pieces: AsyncIterable<Uint8Array> | undefined) => {
    const all: Uint8Array[] = [];
    let refusal: string | undefined;
    try {
      for await (const piece of pieces ?? []) all.push(piece);
    } catch (thrown) {
      refusal = isFailure(thrown) && thrown.kind === 'unavailable' ? thrown.message : 'another';
    }
    return { text: Buffer.concat(all).toString(), refusal };
  };
  const bounds = { mostBytes: 1000, silenceMs: 100, limitMs: 400 } as const;

  it('are whole, or what refused them', async () => {
    const receiver = await startReceiver();
    receiver.answer('/whole', () => ({ status: 200, body: 'é'.repeat(400) }));
    receiver.answer('/refuses', () => ({
      status: 503,
      body: 'later',
      headers: { 'Retry-After': '3' },
    }));

    const whole = await outgoing.stream({ ...post(`${receiver.url}/whole`), ...bounds }, never);
    const refuses = await outgoing.stream({ ...post(`${receiver.url}/refuses`), ...bounds }, never);
    const refusedOne = await createOutgoing(judgeTargets('')).stream(
      { ...post(receiver.url), ...bounds },
      never,
    );

    expect(await read(whole.pieces)).to.deep.equal({ text: 'é'.repeat(400), refusal: undefined });
    expect([refuses.status, refuses.text, refuses.retryAfter, refuses.pieces]).to.deep.equal([
      503,
      'later',
      3,
      undefined,
    ]);
    expect([refusedOne.retry, refusedOne.pieces, receiver.got().length]).to.deep.equal([
      false,
      undefined,
      2,
    ]);
    await receiver.stop();
  });

  it('end with a sentence where they are too long, too slow or silent', async () => {
    const server = createServer((request, reply) => {
      reply.writeHead(200);
      const every = request.url === '/fast' ? 1 : 30;
      const more =
        request.url === '/silent'
          ? undefined
          : setInterval(() => reply.write(request.url === '/fast' ? 'x'.repeat(500) : 'x'), every);
      reply.write('begins');
      reply.on('close', () => {
        clearInterval(more);
      });
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    const at = (path: string) =>
      `http://127.0.0.1:${String((server.address() as AddressInfo).port)}${path}`; // a TCP server's address has this form
    const refusalOf = async (path: string) =>
      (await read((await outgoing.stream({ ...post(at(path)), ...bounds }, never)).pieces)).refusal;

    expect(await refusalOf('/fast')).to.equal('the target answered with more than 1000 bytes');
    expect(await refusalOf('/slow')).to.equal('the target did not answer within 0.4 s');
    expect(await refusalOf('/silent')).to.equal('the target said nothing for 0.1 s');
    server.closeAllConnections();
    server.close();
  });
});
