// Uploads and downloads that pass by the server, over real stores and a bucket that checks every signature.
import { expect } from 'chai';
import { gcsBlob } from '#adapters/blob/gcs/gcs-blob';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { systemSecrets } from '#adapters/system/secrets';
import {
  completeDirect,
  putPart,
  startDirect,
  type DirectEnd,
  type DirectNeeds,
} from '#core/assets/direct';
import { createLinks, redirectFor } from '#core/assets/links';
import { keepText, sweepBlobs } from '#core/assets/offers';
import type { Stores } from '#ports/storage/storage';
import type { BlobStore } from '#ports/blob-store';
import { isFailure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { AssetSettings } from '#core/assets/settings';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { addExperiment, rejection } from '#test/contract/storage/builders';
import { queueing } from '../opened.js';
import { makeGcsBucket, type GcsBucket } from '#test/servers/buckets';
import { startFakeGcs, type FakeGcs } from '#test/servers/gcs/fake';

const mebibyte = 1024 * 1024;
const dayMs = 24 * 60 * 60 * 1000;

describe('assets that pass by the server', () => {
  let opened: OpenedStorage;
  let fake: FakeGcs;
  let bucket: GcsBucket;
  let store: BlobStore;
  let experiment: Experiment;
  let needs: DirectNeeds & Pick<Stores, 'blobRecords'>;
  let now: number;

  before('open a database and a bucket', async () => {
    const result = await storageAdapters[0]!.open(); // the embedded one comes first
    if ('missing' in result) throw new Error(result.missing);
    opened = result;
    fake = await startFakeGcs();
  });
  after(async () => {
    await opened?.stop();
    await fake?.stop();
  });
  beforeEach(async () => {
    bucket = await makeGcsBucket(fake);
    store = await gcsBlob(bucket.options);
    experiment = await addExperiment(opened.storage);
    now = systemClock.now();
    needs = needsWith({});
  });
  afterEach(() => bucket.remove());

  const needsWith = (given: Partial<AssetSettings>): typeof needs => {
    const { assets, blobRecords, experiments, links, uploads, workspaces } = opened.storage.stores;
    const clock = { now: () => now };
    const settings = {
      ADD_IMAGE_DIMENSIONS: true,
      ORRERY_ASSET_SIZE_LIMIT_MB: 100,
      ORRERY_VIDEO_SIZE_LIMIT_MB: 1,
      ORRERY_IMAGES_PER_EXPERIMENT_LIMIT: 0,
      ORRERY_ASSETS_PER_KIND_LIMIT: 0,
      ASSET_REDIRECT_SIZE_LIMIT: 10,
      ALLOW_S3_DIRECT_DOWNLOAD: false,
      IMAGE_PRE_SIGNED_URL_EXP_SECONDS: 111,
      VIDEO_PRE_SIGNED_URL_EXP_SECONDS: 222,
      baseUrl: 'http://orrery.test',
      ...given,
    } as AssetSettings; // what these use-cases read of it
    return {
      assets,
      uploads,
      blobRecords,
      experiments,
      workspaces,
      blob: store.blob,
      store,
      ids: systemIds,
      clock,
      settings,
      throttle: { take: () => ({ allowed: true, retryAfter: 0, perMinute: 0 }) },
      links: createLinks({ linkSecrets: links, clock, secrets: systemSecrets }),
    };
  };
  const signal = new AbortController().signal;
  const begin = async (fields: Parameters<typeof startDirect>[1]['fields'], parts: number) => {
    const { requestId, preSignUrl } = await startDirect(needs, {
      experiment,
      fields,
      parts,
      seconds: undefined,
    });
    const upload = await needs.uploads.findDirect(requestId);
    if (upload === undefined) throw new Error('the upload was not kept');
    return { upload, links: preSignUrl };
  };
  const send = async (links: readonly string[], parts: readonly Buffer[]): Promise<DirectEnd> => {
    const sent: { ETag: string; PartNumber: number }[] = [];
    for (const [at, bytes] of parts.entries()) {
      const reply = await fetch(links[at] ?? '', {
        method: 'PUT',
        body: bytes as Buffer<ArrayBuffer>,
      }); // made by this test, over memory of its own
      expect(reply.status).to.equal(200);
      sent.push({ ETag: reply.headers.get('etag') ?? '', PartNumber: at + 1 });
    }
    return { succeed: true, fileSize: parts.reduce((sum, { length }) => sum + length, 0), sent };
  };
  const blobs = async () => (await store.blob.list({ prefix: '', limit: 100 })).entries;
  const started = async () => {
    let count = 0;
    for await (const _ of store.multipart?.listStarted() ?? []) count++;
    return count;
  };
  const kindOf = (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown);

  it('are sent to links of the bucket, which need no key, and become an asset of their size', async () => {
    const parts = [Buffer.alloc(5 * mebibyte, 1), Buffer.alloc(mebibyte, 2)];
    const { upload, links } = await begin({ fileName: 'large.bin' }, 2);
    expect(
      links.every(
        (link) => link.startsWith(bucket.options.endpoint) && link.includes('X-Goog-Signature='),
      ),
    ).to.equal(true);

    const id = await completeDirect(needs, upload, await send(links, parts), signal);

    const stored = await needs.assets.find(experiment.id, id);
    expect([stored?.fileName, stored?.fileSize, stored?.sha256]).to.deep.equal([
      'large.bin',
      6 * mebibyte,
      undefined,
    ]);
    expect(await blobs()).to.deep.equal([{ key: stored?.blobKey, size: 6 * mebibyte }]);
  });

  it('tell the dimensions of a picture', async () => {
    const png = Buffer.from('89504e470d0a1a0a0000000d4948445200000140000000f00806000000', 'hex');
    const { upload, links } = await begin({ fileName: 'p.png', type: 'image' }, 1);

    const stored = await needs.assets.find(
      experiment.id,
      await completeDirect(needs, upload, await send(links, [png]), signal),
    );

    expect([stored?.width, stored?.height]).to.deep.equal([320, 240]);
  });

  it('stay one asset with its bytes when their end is told again, or twice at once', async () => {
    for (const replacing of [false, true]) {
      const { upload, links } = await begin({ fileName: 'twice.bin', overwrite: replacing }, 1);
      const end = await send(links, [Buffer.from('the bytes')]);
      const fresh = await needs.uploads.findDirect(upload.id);

      const ids = await Promise.all([
        completeDirect(needs, upload, end, signal),
        completeDirect(needs, fresh ?? upload, end, signal),
      ]);
      const again = await completeDirect(
        needs,
        (await needs.uploads.findDirect(upload.id)) ?? upload,
        end,
        signal,
      );

      expect(new Set([...ids, again]).size, `replacing: ${String(replacing)}`).to.equal(1);
      await sweepBlobs(
        { ...needs, ...queueing(opened.storage) },
        100,
        new AbortController().signal,
      );
      const stored = await needs.assets.find(experiment.id, again);
      expect((await blobs()).map(({ key }) => key)).to.include(stored?.blobKey);
    }
  });

  it('are refused when a tag is another, and taken when it is told right', async () => {
    const { upload, links } = await begin({ fileName: 'a' }, 1);
    const end = await send(links, [Buffer.from('the bytes')]);

    const wrong = await rejection(
      completeDirect(
        needs,
        upload,
        { ...end, sent: [{ ETag: '"d41d8cd98f00b204e9800998ecf8427e"', PartNumber: 1 }] },
        signal,
      ),
    );
    const short = await rejection(completeDirect(needs, upload, { ...end, sent: [] }, signal));
    await completeDirect(needs, upload, end, signal);

    expect([wrong, short].map(kindOf)).to.deep.equal(['invalid', 'invalid']);
    expect(await blobs()).to.have.length(1);
  });

  it('are refused, and gone, when they are more or less than was said, or than an asset may have', async () => {
    const { upload, links } = await begin({ fileName: 'a' }, 1);
    const end = await send(links, [Buffer.from('the bytes')]);
    const other = await rejection(completeDirect(needs, upload, { ...end, fileSize: 8 }, signal));
    const video = await begin({ fileName: 'v', type: 'video' }, 1);
    const large = await rejection(
      completeDirect(
        needs,
        video.upload,
        await send(video.links, [Buffer.alloc(mebibyte + 1)]),
        signal,
      ),
    );

    expect([other, large].map(kindOf)).to.deep.equal(['invalid', 'tooLarge']);
    expect(await blobs()).to.deep.equal([]);
  });

  it('are dropped from the bucket when the client gives them up, and when it never comes back', async () => {
    const [given, forgotten] = [
      await begin({ fileName: 'a' }, 1),
      await begin({ fileName: 'b' }, 1),
    ];
    await send(given.links, [Buffer.from('the bytes')]);
    expect(await started()).to.equal(2);

    await completeDirect(needs, given.upload, { succeed: false, fileSize: -1, sent: [] }, signal);
    await sweepBlobs({ ...needs, ...queueing(opened.storage) }, 100, new AbortController().signal);
    expect(await started()).to.equal(1);
    now += 2 * dayMs;
    await sweepBlobs({ ...needs, ...queueing(opened.storage) }, 100, new AbortController().signal);

    expect([
      await started(),
      await needs.uploads.findDirect(forgotten.upload.id),
      (await blobs()).length,
    ]).to.deep.equal([0, undefined, 0]);
  });

  it('are not taken by the server for an upload that goes to the bucket', async () => {
    const { upload } = await begin({ fileName: 'a' }, 1);
    const words = new URLSearchParams(await needs.links.permit(`put:${upload.id}:1`, 60));
    async function* content(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('x');
    }

    const thrown = await rejection(
      putPart(needs, {
        upload: upload.id,
        number: 1,
        permission: {
          expires: Number(words.get('expires')),
          signature: words.get('signature') ?? '',
        },
        content: content(),
        signal,
      }),
    );

    expect(kindOf(thrown)).to.equal('absent');
  });

  it('are read from the bucket when they are large or direct access is on, for as long as the settings say', async () => {
    const keep = async (type: string, text: string) =>
      (await needs.assets.find(
        experiment.id,
        await keepText(needs, experiment, { fileName: `folder/${type}.txt`, type }, text, signal),
      ))!;
    const [small, asset, image, video] = [
      await keep('asset', 'small'),
      await keep('asset', 'larger than ten'),
      await keep('image', 'larger than ten'),
      await keep('video', 'larger than ten'),
    ];
    const lifeOf = (link: string | undefined) =>
      Number(new URL(link ?? 'http://none').searchParams.get('X-Goog-Expires'));

    expect(await redirectFor(needs, small)).to.equal(undefined);
    expect(
      [
        lifeOf(await redirectFor(needs, asset)),
        lifeOf(await redirectFor(needs, image)),
        lifeOf(await redirectFor(needs, video)),
      ].map((life) => Math.round(life / 10)),
    ).to.deep.equal([1080, 11, 22]);
    const direct = await fetch(
      (await redirectFor(needsWith({ ALLOW_S3_DIRECT_DOWNLOAD: true }), small)) ?? '',
    );
    expect([
      await direct.text(),
      direct.headers.get('content-type'),
      direct.headers.get('content-disposition'),
    ]).to.deep.equal([
      'small',
      'text/plain',
      `attachment; filename="asset.txt"; filename*=UTF-8''asset.txt`,
    ]);
  });

  it('are read by a link of the server where the bucket signs none', async () => {
    const large = (await needs.assets.find(
      experiment.id,
      await keepText(needs, experiment, { fileName: 'a' }, 'larger than ten', signal),
    ))!;

    expect(await redirectFor({ ...needs, store: { ...store, links: undefined } }, large)).to.match(
      /^http:\/\/orrery\.test\/api\/asset\/signed\/[0-9a-f-]+\?expires=\d+&signature=/,
    );
  });
});
