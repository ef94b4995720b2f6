// What becomes of blobs when their bucket does not do what it should.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { expect } from 'chai';
import { gcsBlob } from '#adapters/blob/gcs/gcs-blob';
import { s3Blob } from '#adapters/blob/s3/s3-blob';
import type { Blob } from '#ports/blob';
import type { BlobStore } from '#ports/blob-store';
import { isFailure } from '#ports/failure';
import { pendingUnlessAll } from '#test/pending';
import { makeGcsBucket, makeS3Bucket } from '#test/servers/buckets';
import { findFreePort } from '#test/servers/launch';
import { findServer, type MissingServer } from '#test/servers/servers';
import { startUnruly, type Fault, type Unruly } from '#test/servers/unruly';

const mebibyte = 1024 * 1024;
/** When a bucket counts as silent: longer than a busy machine takes for a piece of 8 MiB, but where silence is what is tested. */
const [patientMs, silenceMs] = [10_000, 1500];

interface OpenedBucket {
  /** Opens it at another address, with what differs. */
  open(endpoint: string, other?: Readonly<Record<string, string | number>>): Promise<BlobStore>;
  readonly endpoint: string;
  remove(): Promise<void>;
}

interface Kind {
  readonly name: string;
  make(): Promise<OpenedBucket | MissingServer>;
  /** How it says that it is full. */
  readonly full: Fault;
  /** Whether a request carries a piece of a large blob. */
  isPiece(method: string | undefined, url: string | undefined): boolean;
}

const kinds: readonly Kind[] = [
  {
    name: 'S3',
    async make() {
      const server = await findServer('s3');
      if ('missing' in server) return server;
      const { options, remove } = await makeS3Bucket(server);
      return {
        open: (endpoint, other = {}) =>
          s3Blob({ ...options, silenceMs: patientMs, endpoint, ...other }),
        endpoint: options.endpoint,
        remove,
      };
    },
    full: { refuse: 507, body: '<Error><Code>XMinioStorageFull</Code></Error>' },
    isPiece: (method, url = '') => method === 'PUT' && url.includes('partNumber='),
  },
  {
    name: 'GCS',
    async make() {
      const server = await findServer('gcs');
      if ('missing' in server) return server;
      const { options, remove } = await makeGcsBucket(server);
      return {
        open: (endpoint, other = {}) =>
          gcsBlob({ ...options, silenceMs: patientMs, endpoint, ...other }),
        endpoint: options.endpoint,
        remove,
      };
    },
    full: {
      refuse: 403,
      body: '{"error":{"code":403,"errors":[{"reason": "storageQuotaExceeded"}]}}',
    },
    isPiece: (method, url = '') => method === 'PUT' && url.includes('upload_id='),
  },
];

for (const { name, make, full, isPiece } of kinds) {
  describe(`a bucket of ${name} that misbehaves`, () => {
    let bucket: OpenedBucket;
    let unruly: Unruly;
    let blob: Blob;
    /** The same, soon out of patience. */
    let hasty: Blob;
    before(`find ${name}`, async function () {
      const made = await make();
      if ('missing' in made) return pendingUnlessAll(this, made.missing);
      bucket = made;
      unruly = await startUnruly(bucket.endpoint);
      // The first use of a bucket may take a server its time.
      await (
        await bucket.open(bucket.endpoint)
      ).blob
        .put('w1/again', chunksOf('the bytes'))
        .catch(() => undefined);
      ({ blob } = await bucket.open(unruly.url));
      ({ blob: hasty } = await bucket.open(unruly.url, { silenceMs }));
    });
    beforeEach(() => {
      unruly.obey(() => undefined);
    });
    after(async () => {
      await unruly?.stop();
      await bucket?.remove();
    });

    const keys = async () =>
      (await blob.list({ prefix: '', limit: 100 })).entries.map(({ key }) => key);
    const gone = async (key: string) => {
      unruly.obey(() => undefined);
      expect(await keys()).not.to.include(key);
    };
    const once = (
      fault: Fault,
      matches: (method: string | undefined, url: string | undefined) => boolean = () => true,
    ) => {
      let left = 1;
      unruly.obey(({ method, url }) => (matches(method, url) && left-- > 0 ? fault : undefined));
    };

    it('is asked again when it was busy, or let the connection go', async () => {
      for (const fault of [{ refuse: 503 }, { refuse: 500 }, { cutRequest: 2 }] as const) {
        once(fault);
        await blob.put('w1/again', chunksOf('the bytes'));
        once(fault);
        expect(await read(blob, 'w1/again')).to.equal('the bytes');
      }
    });

    it('that stays busy is told as unavailable, and nothing is left', async () => {
      unruly.obey(() => ({ refuse: 500 }));

      const calls = [
        () => blob.put('w1/busy', chunksOf('x')),
        () => blob.put('w1/busy', large(20)),
        () => blob.open('w1/again'),
        () => blob.stat('w1/again'),
        () => blob.remove(['w1/again']),
        () => blob.list({ prefix: '', limit: 1 }),
      ];
      for (const call of calls)
        expect(await sentence(call())).to.match(/bucket \S+ at \S+ answers status 500/);

      await gone('w1/busy');
    });

    it('that keeps silent is given up in time, and nothing is left', async () => {
      unruly.obey(() => 'silence');
      const startedAt = Date.now();

      for (const call of [
        () => hasty.put('w1/silent', chunksOf('x')),
        () => hasty.put('w1/silent', large(20)),
        () => hasty.open('w1/again'),
        () => hasty.stat('w1/again'),
        () => hasty.remove(['w1/again']),
        () => hasty.list({ prefix: '', limit: 1 }),
      ])
        expect(await sentence(call())).to.match(/gave no answer in time/);

      expect(Date.now() - startedAt).to.be.below(30_000);
      await gone('w1/silent');
    });

    it('that is full is told so, and nothing is left', async () => {
      unruly.obey(({ method }) => (method === 'PUT' || method === 'POST' ? full : undefined));

      for (const source of [chunksOf('x'), large(20)])
        expect(await sentence(blob.put('w1/full', source))).to.match(/has no room left/);

      await gone('w1/full');
    });

    it('that fills up in the midst of a large blob keeps nothing of it', async () => {
      let pieces = 0;
      unruly.obey(({ method, url }) => (isPiece(method, url) && ++pieces >= 2 ? full : undefined));

      expect(await sentence(blob.put('w1/full', large(30)))).to.match(/has no room left/);

      await gone('w1/full');
    });

    it('that lets go of the connection in the midst of a piece gets that piece again, and the bytes are whole', async () => {
      once({ cutRequest: 3 * mebibyte }, isPiece);

      const stored = await blob.put('w1/cut', large(30));

      expect(await digest(blob, 'w1/cut')).to.equal(stored.sha256);
    });

    it('that lets go in the midst of a reply never passes for the end of the bytes', async () => {
      await blob.put('w1/reply', large(6));
      once({ cutReply: 2 * mebibyte }, (method) => method === 'GET');
      expect(await sentence(digest(blob, 'w1/reply'))).to.match(/cannot be reached/);

      once({ stallReply: 2 * mebibyte }, (method) => method === 'GET');
      expect(await sentence(digest(hasty, 'w1/reply'))).to.match(/gave no answer in time/);
    });

    it('is not thought silent when it is the reader who takes his time', async () => {
      await blob.put('w1/slow', large(6));

      let size = 0;
      for await (const bytes of (await hasty.open('w1/slow')).stream) {
        if (size === 0)
          await new Promise((resolve) => {
            setTimeout(resolve, 2 * silenceMs);
          });
        size += bytes.length;
      }

      expect(size).to.equal(6 * mebibyte);
    });

    it('that cannot be reached, does not exist or refuses stops the opening with a sentence that names the setting', async () => {
      const closed = `http://127.0.0.1:${String(await findFreePort())}`;
      const prefix = `ORRERY_${name}`;

      expect(await sentence(bucket.open(closed))).to.match(
        new RegExp(
          `^bucket \\S+ at ${closed} cannot be reached \\(ECONNREFUSED\\); see ${prefix}_ENDPOINT$`,
        ),
      );
      expect(
        await sentence(bucket.open(bucket.endpoint, { bucket: 'no-such-bucket-here' })),
      ).to.equal(
        `bucket no-such-bucket-here at ${bucket.endpoint} does not exist; see ${prefix}_BUCKET`,
      );
      for (const [other, setting] of name === 'S3'
        ? ([
            [{ secretKey: 'wrong' }, 'SECRET_KEY'],
            [{ accessKey: 'unknown' }, 'ACCESS_KEY'],
          ] as const)
        : ([
            [{ credentials: foreignAccount() }, 'CREDENTIALS'],
            [{ credentials: 'no such file' }, 'CREDENTIALS'],
            [{ credentials: '{"a": 1}' }, 'CREDENTIALS'],
          ] as const)) {
        expect(await sentence(bucket.open(bucket.endpoint, other)), setting).to.include(
          `${prefix}_${setting}`,
        );
      }
    });

    it('says which permission is missing', async () => {
      const denied = {
        refuse: 403,
        body:
          name === 'S3'
            ? '<Error><Code>AccessDenied</Code></Error>'
            : '{"error":{"code":403,"errors":[{"reason": "forbidden"}]}}',
      } as const;
      unruly.obey(() => denied);

      expect(await sentence(blob.put('w1/denied', chunksOf('x')))).to.match(
        /may not write in bucket/,
      );
      expect(await sentence(blob.open('w1/again'))).to.match(/may not read in bucket/);
      expect(await sentence(blob.remove(['w1/again']))).to.match(/may not remove in bucket/);
      expect(await sentence(bucket.open(unruly.url))).to.match(/may not list in bucket/);
    });
  });
}

/** An account that exists nowhere. */
const foreignAccount = (): string => {
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return JSON.stringify({
    type: 'service_account',
    project_id: 'tests',
    private_key: privateKey,
    client_email: 'another@tests.iam.gserviceaccount.com',
  });
};

async function* chunksOf(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

async function* large(mebibytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < mebibytes; at++) yield Buffer.alloc(mebibyte, `piece ${at} `);
}

const read = async (blob: Blob, key: string): Promise<string> => {
  let text = '';
  for await (const bytes of (await blob.open(key)).stream) text += Buffer.from(bytes).toString();
  return text;
};

const digest = async (blob: Blob, key: string): Promise<string> => {
  const hash = createHash('sha256');
  for await (const bytes of (await blob.open(key)).stream) hash.update(bytes);
  return hash.digest('hex');
};

/** The sentence of a rejection with `unavailable`; anything else as a text. */
const sentence = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'not rejected',
    (thrown: unknown) =>
      isFailure(thrown) && thrown.kind === 'unavailable'
        ? thrown.message
        : `another error: ${String(thrown)}`,
  );
