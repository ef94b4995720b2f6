import { expect } from 'chai';
import type { Blob } from '#ports/blob';
import type { BlobLinks } from '#ports/blob-links';
import { isFailure } from '#ports/failure';

/** An empty store under test with its links, and how to end it. */
export interface OpenLinks {
  readonly blob: Blob;
  readonly links: BlobLinks;
  stop(): Promise<void>;
}

/** What every implementation of `BlobLinks` keeps. The links are followed as a client does, without any header of ours. */
export const blobLinksContract = (open: () => Promise<OpenLinks>): void => {
  describe('links', () => {
    let blob: Blob;
    let links: BlobLinks;
    let stop: () => Promise<void>;
    beforeEach(async () => {
      const opened = await open();
      ({ blob, links } = opened);
      stop = () => opened.stop();
    });
    afterEach(() => stop());

    const seconds = 60;
    const put = (key: string, text: string) => blob.put(key, chunksOf(text));

    it('let bytes be read without a key', async () => {
      await put('w1/a1', 'the bytes');

      const reply = await fetch(await links.signGet('w1/a1', { seconds }));

      expect(reply.status).to.equal(200);
      expect(await reply.text()).to.equal('the bytes');
    });

    it('let a range be read', async () => {
      await put('w1/a1', '0123456789');

      const reply = await fetch(await links.signGet('w1/a1', { seconds }), {
        headers: { range: 'bytes=3-6' },
      });

      expect(reply.status).to.equal(206);
      expect(reply.headers.get('content-range')).to.equal('bytes 3-6/10');
      expect(await reply.text()).to.equal('3456');
    });

    it('give the bytes as an attachment of the name and type that were signed', async () => {
      await put('w1/a1', 'x');

      const reply = await fetch(
        await links.signGet('w1/a1', {
          seconds,
          fileName: 'a "b" ü €.txt',
          contentType: 'text/x-special',
        }),
      );
      await reply.text();

      expect(reply.headers.get('content-type')).to.equal('text/x-special');
      const disposition = reply.headers.get('content-disposition') ?? '';
      expect(disposition).to.match(/^attachment; filename="a _b_ _ _.txt"/);
      expect(disposition).to.include("filename*=UTF-8''a%20%22b%22%20%C3%BC%20%E2%82%AC.txt");
    });

    it('give the bytes as an attachment where no name was said', async () => {
      await put('w1/a1', '<script>');

      const reply = await fetch(await links.signGet('w1/a1', { seconds }));
      await reply.text();

      expect(reply.headers.get('content-disposition')).to.match(/^attachment/);
    });

    it('take bytes by a plain PUT', async () => {
      const link = await links.signPut('w1/a1', { seconds });

      const reply = await fetch(link, { method: 'PUT', body: Buffer.from('sent past the server') });

      expect(reply.status).to.equal(200);
      expect((await blob.stat('w1/a1')).size).to.equal(20);
    });

    it('stop working when they expire', async () => {
      await put('w1/a1', 'the bytes');
      const link = await links.signGet('w1/a1', { seconds: 1 });
      await untilPast(Date.now() + 2100);

      const reply = await fetch(link);
      await reply.text();

      expect(reply.status).to.be.within(400, 403);
    });

    it('live for a week when more is asked for', async () => {
      await put('w1/a1', 'the bytes');

      const reply = await fetch(await links.signGet('w1/a1', { seconds: 90 * 24 * 3600 }));

      expect(await reply.text()).to.equal('the bytes');
    });

    it('permit one blob only, and reading only', async () => {
      await put('w1/a1', 'mine');
      await put('w1/a2', 'another');
      const link = await links.signGet('w1/a1', { seconds });

      const other = await fetch(link.replace('/w1/a1?', '/w1/a2?'));
      const writing = await fetch(link, { method: 'PUT', body: 'x' });
      const bare = await fetch(link.slice(0, link.indexOf('?')));
      for (const reply of [other, writing, bare]) await reply.text();

      expect(
        [other.status, writing.status, bare.status].map(
          (status) => status === 401 || status === 403,
        ),
      ).to.deep.equal([true, true, true]);
      expect((await blob.stat('w1/a1')).size).to.equal(4);
    });

    it('refuse a signature that was changed', async () => {
      await put('w1/a1', 'mine');
      const link = await links.signGet('w1/a1', { seconds });
      const digit = link.at(-1) === '0' ? '1' : '0';

      const reply = await fetch(link.slice(0, -1) + digit);
      await reply.text();

      expect(reply.status).to.equal(403);
    });

    it('are refused for a key that the server does not make', async () => {
      for (const sign of [links.signGet('../a', { seconds }), links.signPut('a', { seconds })]) {
        const thrown = await sign.then(
          () => undefined,
          (error: unknown) => error,
        );
        expect(isFailure(thrown) ? thrown.kind : thrown).to.equal('invalid');
      }
    });
  });
};

async function* chunksOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** The life of a link is told in whole seconds of the store's own clock, which no test can move. */
const untilPast = (time: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, Math.max(0, time - Date.now()));
  });
