// The official client, unmodified, is what shows that our stand-in for Google Cloud Storage is like the service.
import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Storage, type Bucket } from '@google-cloud/storage';
import { expect } from 'chai';
import { makeGcsBucket, type GcsBucket } from './buckets.js';
import { startFakeGcs, type FakeGcs } from './gcs/fake.js';

const mebibyte = 1024 * 1024;

describe('the official client of GCS on our stand-in', () => {
  let fake: FakeGcs;
  let made: GcsBucket;
  let bucket: Bucket;
  before(async () => {
    fake = await startFakeGcs();
  });
  after(() => fake.stop());
  beforeEach(async () => {
    made = await makeGcsBucket(fake);
    bucket = made.client.bucket(made.options.bucket);
  });
  afterEach(() => made.remove());

  const codeOf = (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => 'not refused',
      (thrown: { readonly code?: unknown }) => thrown.code,
    );

  it('saves in one request and reads back, with both hashes held against the bytes', async () => {
    const bytes = randomBytes(300_000);
    for (const validation of ['md5', 'crc32c'] as const)
      await bucket.file(`a/${validation}`).save(bytes, { resumable: false, validation });

    expect(Buffer.concat(await bucket.file('a/md5').download())).to.deep.equal(bytes);
    const [{ size, contentType }] = await bucket.file('a/crc32c').getMetadata();
    expect([Number(size), contentType]).to.deep.equal([300_000, 'application/octet-stream']);
  });

  it('streams an upload that can be taken up again, in one request and in chunks', async () => {
    const bytes = randomBytes(3 * mebibyte + 17);
    for (const [name, chunkSize] of [
      ['a/streamed', undefined],
      ['a/chunked', mebibyte],
    ] as const) {
      // Begun apart: the client's stream forgets its credentials where the endpoint is not Google's own.
      const [uri] = await bucket.file(name).createResumableUpload();
      await pipeline(
        Readable.from([bytes.subarray(0, 1_000_000), bytes.subarray(1_000_000)]),
        bucket
          .file(name)
          .createWriteStream({ uri, ...(chunkSize === undefined ? {} : { chunkSize }) }),
      );

      expect((await bucket.file(name).download())[0]).to.deep.equal(bytes);
    }
  });

  it('tells how far an upload came that broke off, and takes it up from there', async () => {
    const bytes = randomBytes(2 * mebibyte);
    const [address] = await bucket.file('a/broken').createResumableUpload();
    const broken = await fetch(address, {
      method: 'PUT',
      headers: { 'content-range': `bytes 0-${mebibyte - 1}/*` },
      body: bytes.subarray(0, mebibyte),
    });
    const asked = await fetch(address, {
      method: 'PUT',
      headers: { 'content-range': 'bytes */*' },
    });
    expect([
      broken.status,
      asked.status,
      asked.headers.get('range'),
      await codeOf(bucket.file('a/broken').getMetadata()),
    ]).to.deep.equal([308, 308, `bytes=0-${mebibyte - 1}`, 404]);

    await pipeline(
      Readable.from([bytes.subarray(mebibyte)]),
      bucket
        .file('a/broken')
        .createWriteStream({ uri: address, offset: mebibyte, validation: false }),
    );

    expect((await bucket.file('a/broken').download())[0]).to.deep.equal(bytes);
  });

  it('refuses a chunk that is no multiple of 256 KiB, one that skips bytes, and an upload that was cancelled', async () => {
    const [address] = await bucket.file('a/odd').createResumableUpload();
    const put = (range: string, size: number) =>
      fetch(address, {
        method: 'PUT',
        headers: { 'content-range': range },
        body: Buffer.alloc(size),
      });

    expect([
      (await put('bytes 262144-262145/*', 2)).status,
      (await put('bytes 0-9/*', 10)).status,
    ]).to.deep.equal([503, 400]);
    expect([
      (await fetch(address, { method: 'DELETE' })).status,
      (await put('bytes */*', 0)).status,
    ]).to.deep.equal([499, 404]);
  });

  it('reads a range, and refuses one beyond the end', async () => {
    await bucket.file('a/b').save('0123456789', { resumable: false });

    expect((await bucket.file('a/b').download({ start: 3, end: 6 }))[0].toString()).to.equal(
      '3456',
    );
    expect(await codeOf(bucket.file('a/b').download({ start: 10 }))).to.equal(416);
  });

  it('lists by prefix, page by page, in the order of names', async () => {
    for (const name of ['b/2', 'a/1', 'a/3', 'a/2'])
      await bucket.file(name).save('x', { resumable: false });

    const [first, next] = await bucket.getFiles({
      prefix: 'a/',
      maxResults: 2,
      autoPaginate: false,
    });
    const [second, end] = await bucket.getFiles({ ...next });
    const [started] = await bucket.getFiles({ startOffset: 'a/3' });

    expect([first, second, started].map((files) => files.map(({ name }) => name))).to.deep.equal([
      ['a/1', 'a/2'],
      ['a/3'],
      ['a/3', 'b/2'],
    ]);
    expect(end).to.equal(null);
  });

  it('holds conditions, and keeps a bucket that is not empty', async () => {
    await bucket.file('a/b').save('first', { resumable: false });

    expect(
      await codeOf(
        bucket
          .file('a/b')
          .save('second', { resumable: false, preconditionOpts: { ifGenerationMatch: 0 } }),
      ),
    ).to.equal(412);
    expect(await codeOf(bucket.delete())).to.equal(409);
    expect((await bucket.file('a/b').download())[0].toString()).to.equal('first');
  });

  it('lets nobody in without a token of its account', async () => {
    const anonymous = await fetch(`${made.options.endpoint}/storage/v1/b/${bucket.name}/o`);
    const address = new URL(fake.url);
    const account = JSON.parse(
      Buffer.from(address.searchParams.get('credentials') ?? '', 'base64url').toString(),
    ) as { readonly client_email: string; readonly private_key: string };
    const foreign = new Storage({
      apiEndpoint: address.origin,
      projectId: 'tests',
      useAuthWithCustomEndpoint: true,
      credentials: { ...account, client_email: 'another@tests.iam.gserviceaccount.com' },
    });
    foreign.authClient.useJWTAccessWithScope = true;

    expect([anonymous.status, await codeOf(foreign.bucket(bucket.name).getFiles())]).to.deep.equal([
      401, 401,
    ]);
  });

  it('opens links that it signed, and none that were changed or have ended', async () => {
    await bucket.file('a/b').save('the bytes', { resumable: false });
    const [link] = await bucket
      .file('a/b')
      .getSignedUrl({ version: 'v4', action: 'read', expires: Date.now() + 60_000 });
    const [ended] = await bucket.file('a/b').getSignedUrl({
      version: 'v4',
      action: 'read',
      expires: Date.now() + 1000,
      accessibleAt: Date.now() - 10_000,
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 1100);
    });

    expect(await (await fetch(link)).text()).to.equal('the bytes');
    expect([
      (await fetch(link.replace('X-Goog-Expires=60', 'X-Goog-Expires=61'))).status,
      (await fetch(ended)).status,
      (await fetch(link, { method: 'PUT', body: 'x' })).status,
    ]).to.deep.equal([403, 400, 403]);
  });
});
