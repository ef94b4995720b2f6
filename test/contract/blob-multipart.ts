import { createHash } from 'node:crypto';
import { expect } from 'chai';
import type { Blob } from '#ports/blob';
import type { BlobMultipart, StartedUpload, StoredPart } from '#ports/blob-multipart';
import { isFailure, type FailureKind } from '#ports/failure';

/** An empty store under test that joins parts, and how to end it. */
export interface OpenMultipart {
  readonly blob: Blob;
  readonly multipart: BlobMultipart;
  stop(): Promise<void>;
}

const mebibyte = 1024 * 1024;

/** What every implementation of `BlobMultipart` keeps. Parts are sent as a client does, by a plain PUT. */
export const blobMultipartContract = (open: () => Promise<OpenMultipart>): void => {
  describe('parts', () => {
    let blob: Blob;
    let multipart: BlobMultipart;
    let stop: () => Promise<void>;
    beforeEach(async () => {
      const opened = await open();
      ({ blob, multipart } = opened);
      stop = () => opened.stop();
    });
    afterEach(() => stop());

    const seconds = 60;
    const send = async (link: string, bytes: Uint8Array): Promise<string> => {
      const reply = await fetch(link, { method: 'PUT', body: bytes as Uint8Array<ArrayBuffer> }); // made by the tests, over memory of its own
      await reply.text();
      expect(reply.status).to.equal(200);
      return reply.headers.get('etag') ?? '';
    };
    const sendAll = async (
      key: string,
      upload: string,
      parts: readonly Buffer[],
    ): Promise<readonly StoredPart[]> => {
      const links = await multipart.signParts(key, upload, { count: parts.length, seconds });
      const sent: StoredPart[] = [];
      for (const [at, bytes] of parts.entries())
        sent.push({ number: at + 1, etag: await send(links[at] ?? '', bytes) });
      return sent;
    };
    const digest = async (key: string): Promise<string> => {
      const hash = createHash('sha256');
      for await (const bytes of (await blob.open(key)).stream) hash.update(bytes);
      return hash.digest('hex');
    };

    it('become one blob, which appears when they are joined', async () => {
      const parts = [
        Buffer.alloc(5 * mebibyte, 'one '),
        Buffer.alloc(6 * mebibyte, 'two '),
        Buffer.from('the rest'),
      ];
      const upload = await multipart.start('w1/a1');
      const sent = await sendAll('w1/a1', upload, parts);
      await refuses('absent', blob.stat('w1/a1'));

      const stored = await multipart.complete('w1/a1', upload, sent);

      expect(stored).to.deep.equal({ size: 11 * mebibyte + 8 });
      expect(await digest('w1/a1')).to.equal(
        createHash('sha256').update(Buffer.concat(parts)).digest('hex'),
      );
    });

    it('may be one alone, however small', async () => {
      const upload = await multipart.start('w1/a1');

      const stored = await multipart.complete(
        'w1/a1',
        upload,
        await sendAll('w1/a1', upload, [Buffer.from('x')]),
      );

      expect(stored).to.deep.equal({ size: 1 });
    });

    it('may be sent again: the last one counts', async () => {
      const upload = await multipart.start('w1/a1');
      const [link = ''] = await multipart.signParts('w1/a1', upload, { count: 1, seconds });
      await send(link, Buffer.from('first'));

      const etag = await send(link, Buffer.from('second'));
      await multipart.complete('w1/a1', upload, [{ number: 1, etag }]);

      expect(await digest('w1/a1')).to.equal(createHash('sha256').update('second').digest('hex'));
    });

    it('are refused when a part differs from what was stored, or was never sent', async () => {
      const upload = await multipart.start('w1/a1');
      const sent = await sendAll('w1/a1', upload, [
        Buffer.alloc(5 * mebibyte, 'one '),
        Buffer.from('two'),
      ]);

      await refuses(
        'invalid',
        multipart.complete('w1/a1', upload, [
          ...sent.slice(0, 1),
          { number: 2, etag: '"d41d8cd98f00b204e9800998ecf8427e"' },
        ]),
      );
      await refuses(
        'invalid',
        multipart.complete('w1/a1', upload, [
          ...sent,
          { number: 3, etag: '"d41d8cd98f00b204e9800998ecf8427e"' },
        ]),
      );

      await refuses('absent', blob.stat('w1/a1'));
    });

    it('are refused when one that is not the last is smaller than 5 MiB', async () => {
      const upload = await multipart.start('w1/a1');

      await refuses(
        'invalid',
        multipart.complete(
          'w1/a1',
          upload,
          await sendAll('w1/a1', upload, [Buffer.from('too small'), Buffer.from('the rest')]),
        ),
      );

      await refuses('absent', blob.stat('w1/a1'));
    });

    it('are gone after an abort, which may be repeated', async () => {
      const upload = await multipart.start('w1/a1');
      const sent = await sendAll('w1/a1', upload, [Buffer.from('x')]);

      await multipart.abort('w1/a1', upload);
      await multipart.abort('w1/a1', upload);

      await refuses('absent', multipart.complete('w1/a1', upload, sent));
      await refuses('absent', blob.stat('w1/a1'));
    });

    it('are listed while they are neither joined nor dropped', async () => {
      const [first, second, third] = [
        await multipart.start('w1/a1'),
        await multipart.start('w1/a2'),
        await multipart.start('w1/a3'),
      ];
      await multipart.complete('w1/a2', second, await sendAll('w1/a2', second, [Buffer.from('x')]));
      await multipart.abort('w1/a3', third);

      const started: StartedUpload[] = [];
      for await (const one of multipart.listStarted()) started.push(one);

      expect(started.map(({ key, upload }) => ({ key, upload }))).to.deep.equal([
        { key: 'w1/a1', upload: first },
      ]);
      expect(started[0]?.startedAt).to.be.within(Date.now() - 600_000, Date.now() + 600_000);
    });

    it('are refused under a key that the server does not make', async () => {
      await refuses('invalid', multipart.start('../a'));
    });
  });
};

const refuses = async (kind: FailureKind, call: Promise<unknown>): Promise<void> => {
  const thrown = await call.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(isFailure(thrown) ? thrown.kind : thrown).to.equal(kind);
};
