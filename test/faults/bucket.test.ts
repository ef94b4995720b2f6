// A server whose bucket fails: what clients are told, and that bytes and rows stay together.
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { s3Blob } from '#adapters/blob/s3/s3-blob';
import { pendingUnlessAll } from '#test/pending';
import { makeS3Bucket, type S3Bucket } from '#test/servers/buckets';
import { findServer } from '#test/servers/servers';
import { startUnruly, type Unruly } from '#test/servers/unruly';
import { mortalServer, type MortalServer } from './server.js';

const cli = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'config', 'cli.js');

describe('a server whose bucket fails', () => {
  let bucket: S3Bucket;
  let unruly: Unruly;
  let server: MortalServer;
  let experiment: string;

  before('start a bucket and a server on it', async function () {
    this.timeout(120_000);
    const found = await findServer('s3');
    if ('missing' in found) return pendingUnlessAll(this, found.missing);
    bucket = await makeS3Bucket(found);
    unruly = await startUnruly(bucket.options.endpoint);
    server = await mortalServer({ ...bucket.settings, ORRERY_S3_ENDPOINT: unruly.url });
    await server.start();
    experiment = (
      (await (
        await call(
          'POST',
          '/api/rest/v2/write/experiment/create',
          JSON.stringify({ workspaceName: 'faults', projectName: 'p' }),
          'application/json',
        )
      ).json()) as { experimentKey: string }
    ).experimentKey; // the row's reply
  });
  after(async function () {
    this.timeout(60_000);
    await server?.destroy();
    await unruly?.stop();
    await bucket?.remove();
  });
  beforeEach(() => {
    unruly?.obey(() => undefined);
  });

  const call = (method: string, path: string, body?: string | FormData, type?: string) =>
    fetch(`${server.url}${path}`, {
      method,
      redirect: 'manual',
      headers: {
        authorization: server.key,
        ...(type === undefined ? {} : { 'content-type': type }),
      },
      ...(body === undefined ? {} : { body }),
    });
  const upload = async (
    fileName: string,
    bytes: Buffer,
    path = '/clientlib/asset/upload?experimentId=',
  ) => {
    const form = new FormData();
    form.append('file', new Blob([bytes as Buffer<ArrayBuffer>]), 'file'); // made by this test, over memory of its own
    const reply = await call('POST', `${path}${experiment}&fileName=${fileName}`, form);
    return { status: reply.status, headers: reply.headers, text: await reply.text() };
  };
  const assets = async () =>
    (
      (await (
        await call('GET', `/api/rest/v2/experiment/asset/list?experimentKey=${experiment}`)
      ).json()) as { assets: { assetId: string; fileName: string }[] }
    ).assets; // the row's reply
  // Straight to the bucket: this process, in which the other way leads, stands still meanwhile.
  const orrery = (...words: readonly string[]) =>
    spawnSync(process.execPath, [cli, ...words], {
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], ORRERY_DATA: server.data, ...bucket.settings },
    });
  const inBucket = async () =>
    (await (await s3Blob(bucket.options)).blob.list({ prefix: '', limit: 1000 })).entries;

  it('tells a client to park an upload while it is busy or full, keeps no row of it, and takes it afterwards', async () => {
    for (const fault of [
      { refuse: 500 },
      { refuse: 503 },
      { refuse: 507 },
      { cutRequest: 10 },
    ] as const) {
      unruly.obey(() => fault);
      const { status, headers } = await upload('parked.bin', Buffer.alloc(100_000));
      expect(
        [
          status,
          Number(headers.get('retry-after')) > 0,
          Number(headers.get('retry-after-custom')) > 0,
        ],
        JSON.stringify(fault),
      ).to.deep.equal([429, true, true]);
    }
    unruly.obey(() => undefined);
    expect((await assets()).map(({ fileName }) => fileName)).not.to.include('parked.bin');

    expect((await upload('parked.bin', Buffer.alloc(100_000))).status).to.equal(200);
    expect((await assets()).map(({ fileName }) => fileName)).to.include('parked.bin');
  });

  it('tells a reader to come back while it is busy, and stops what it cannot finish', async () => {
    await upload('read.bin', Buffer.alloc(4_000_000, 7));
    const { assetId = '' } = (await assets()).find(({ fileName }) => fileName === 'read.bin') ?? {};
    const read = () =>
      call(
        'GET',
        `/api/rest/v2/experiment/asset/get-asset?experimentKey=${experiment}&assetId=${assetId}`,
      );

    unruly.obey(({ method }) => (method === 'GET' ? { refuse: 500 } : undefined));
    const busy = await read();
    await busy.text();
    unruly.obey(({ method }) => (method === 'GET' ? { cutReply: 1_000_000 } : undefined));
    const cut = await read();

    expect([429, 503]).to.include(busy.status);
    expect(
      await cut.arrayBuffer().then(
        () => 'whole',
        () => 'broken off',
      ),
    ).to.equal('broken off');
    unruly.obey(() => undefined);
    expect((await (await read()).arrayBuffer()).byteLength).to.equal(4_000_000);
  });

  it('leaves nothing to find for an audit, which finds and removes what only one side has', async function () {
    this.timeout(120_000);
    await upload('whole.bin', Buffer.alloc(1000));
    await upload('lost.bin', Buffer.alloc(1000));
    const before = orrery('audit', 'blobs');
    expect(
      [before.status, before.stdout.split('\n')[0]?.replaceAll(/\d+/g, 'N')],
      before.stderr,
    ).to.deep.equal([0, 'N blobs and N rows looked at, N findings, N removed']);
    const lost = (await inBucket()).filter(({ size }) => size === 1000).at(-1)?.key ?? '';
    await bucket.client.removeObject(bucket.options.bucket, lost);
    await bucket.client.putObject(bucket.options.bucket, 'w1/orphan', 'no row');
    await bucket.client.putObject(bucket.options.bucket, 'someone/elses/file.txt', 'not ours');

    const found = orrery('audit', 'blobs');
    const fixed = orrery('audit', 'blobs', '--fix');
    const after = orrery('audit', 'blobs');

    expect([
      found.status,
      found.stdout.split('\n').filter((line) => line.startsWith('found')).length,
      found.stdout.includes('6 bytes under w1/orphan'),
      found.stdout.includes(lost),
    ]).to.deep.equal([1, 2, true, true]);
    expect([
      fixed.status,
      fixed.stdout.split('\n').filter((line) => line.startsWith('removed')).length,
    ]).to.deep.equal([0, 2]);
    expect([after.status, after.stdout.includes(', 0 findings,')]).to.deep.equal([0, true]);
    expect((await assets()).map(({ fileName }) => fileName))
      .to.include('whole.bin')
      .and.not.to.include('lost.bin');
    expect(
      (await bucket.client.statObject(bucket.options.bucket, 'someone/elses/file.txt')).size,
    ).to.equal(8);
  });

  it('passes a check, and a check says what is wrong with it', async function () {
    this.timeout(120_000);
    const failed = (run: ReturnType<typeof orrery>) => [
      run.status,
      run.stdout.split('\n').filter((line) => line.startsWith('FAILED')),
    ];
    const checked = (other: Readonly<Record<string, string>>) =>
      failed(
        spawnSync(process.execPath, [cli, 'check'], {
          encoding: 'utf8',
          env: {
            PATH: process.env['PATH'],
            ORRERY_DATA: server.data,
            ...bucket.settings,
            ...other,
          },
        }),
      );
    const place = `${bucket.options.bucket} at ${bucket.options.endpoint}`;

    expect(checked({})).to.deep.equal([0, []]);
    expect(checked({ ORRERY_S3_SECRET_KEY: 'wrong' })).to.deep.equal([
      1,
      [
        `FAILED  the place of blobs can be reached and listed: bucket ${place} does not take the secret key; see ORRERY_S3_SECRET_KEY`,
      ],
    ]);
    expect(checked({ ORRERY_S3_ACCESS_KEY: 'wrong' })).to.deep.equal([
      1,
      [
        `FAILED  the place of blobs can be reached and listed: bucket ${place} does not know the access key; see ORRERY_S3_ACCESS_KEY`,
      ],
    ]);
    expect(checked({ ORRERY_S3_BUCKET: 'no-such-bucket' })).to.deep.equal([
      1,
      [
        `FAILED  the place of blobs can be reached and listed: bucket no-such-bucket at ${bucket.options.endpoint} does not exist; see ORRERY_S3_BUCKET`,
      ],
    ]);
    const policy = {
      Version: '2012-10-17',
      Statement: [
        {
          Effect: 'Deny',
          Principal: '*',
          Action: ['s3:PutObject'],
          Resource: [`arn:aws:s3:::${bucket.options.bucket}/*`],
        },
      ],
    };
    await bucket.client.makeRequestAsyncOmit(
      { method: 'PUT', bucketName: bucket.options.bucket, query: 'policy' },
      JSON.stringify(policy),
      [200, 204],
    );
    expect(checked({})).to.deep.equal([
      1,
      [`FAILED  blobs can be written: the access key may not write in bucket ${place}`],
    ]);
    await bucket.client.makeRequestAsyncOmit(
      { method: 'DELETE', bucketName: bucket.options.bucket, query: 'policy' },
      '',
      [200, 204],
    );
    expect(checked({})).to.deep.equal([0, []]);
  });

  for (const [what, other, sentence] of [
    [
      'a wrong secret',
      { ORRERY_S3_SECRET_KEY: 'wrong' },
      /^Orrery cannot start: bucket \S+ at \S+ does not take the secret key; see ORRERY_S3_SECRET_KEY$/m,
    ],
    [
      'a missing bucket',
      { ORRERY_S3_BUCKET: 'no-such-bucket' },
      /^Orrery cannot start: bucket no-such-bucket at \S+ does not exist; see ORRERY_S3_BUCKET$/m,
    ],
    [
      'a missing bucket under several workers',
      { ORRERY_S3_BUCKET: 'no-such-bucket', ORRERY_WORKERS: '2' },
      /^Orrery cannot start: bucket no-such-bucket at \S+ does not exist; see ORRERY_S3_BUCKET$/m,
    ],
  ] as const) {
    it(`does not start with ${what}, and says so`, async function () {
      this.timeout(60_000);
      const other2 = await mortalServer({ ...bucket.settings, ...other });
      const code = await other2.startToEnd();
      const output = other2.output();
      await other2.destroy();

      expect(code).to.equal(1);
      expect(output).to.match(sentence);
    });
  }
});
