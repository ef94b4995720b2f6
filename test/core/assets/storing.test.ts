// Bytes and rows together, over the real stores of one machine.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';
import { systemClock } from '#adapters/system/clock';
import { systemIds } from '#adapters/system/ids';
import { keepText, sweepBlobs } from '#core/assets/offers';
import { receiveAsset, type ReceivingNeeds } from '#core/assets/receiving';
import type { Stores } from '#ports/storage/storage';
import type { Blob } from '#ports/blob';
import { asBlobStore, type BlobStore } from '#ports/blob-store';
import type { ByteStream, Part } from '#ports/bytes';
import { Failure, isFailure } from '#ports/failure';
import type { Experiment } from '#ports/model/experiments';
import type { AssetSettings } from '#core/assets/settings';
import { storageAdapters, type OpenedStorage } from '#test/contract/adapters';
import { countLiveBytes } from '#test/contract/memory';
import { addExperiment, rejection } from '#test/contract/storage/builders';
import { queueing } from '../opened.js';

const mebibyte = 1024 * 1024;

describe('bytes and rows of assets', () => {
  let opened: OpenedStorage;
  let folder: string;
  let blob: Blob;
  let experiment: Experiment;
  let needs: ReceivingNeeds & { readonly store: BlobStore } & Pick<Stores, 'blobRecords'>;
  let now: number;

  before('open a database and a folder', async () => {
    const result = await storageAdapters[0]!.open(); // the embedded one comes first
    if ('missing' in result) throw new Error(result.missing);
    opened = result;
    folder = await mkdtemp(join(tmpdir(), 'orrery-assets-'));
    blob = await filesystemBlob({ folder });
  });
  after(async () => {
    await opened?.stop();
    await rm(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    experiment = await addExperiment(opened.storage);
    now = systemClock.now();
    const { assets, blobRecords, experiments, uploads, workspaces } = opened.storage.stores;
    const settings = {
      ADD_IMAGE_DIMENSIONS: true,
      ORRERY_ASSET_SIZE_LIMIT_MB: 2048,
      ORRERY_VIDEO_SIZE_LIMIT_MB: 1,
      ORRERY_IMAGES_PER_EXPERIMENT_LIMIT: 1,
      ORRERY_ASSETS_PER_KIND_LIMIT: 0,
    } as AssetSettings; // what these use-cases read of it
    needs = {
      assets,
      uploads,
      blobRecords,
      experiments,
      workspaces,
      blob,
      store: asBlobStore(blob),
      ids: systemIds,
      clock: { now: () => now },
      settings,
      throttle: { take: () => ({ allowed: true, retryAfter: 0, perMinute: 0 }) },
    };
  });

  const blobs = async () =>
    (await blob.list({ prefix: `${experiment.workspaceId}/`, limit: 1000 })).entries.length;
  const part = (content: ByteStream, name = 'file'): Part => ({
    name,
    fileName: undefined,
    type: undefined,
    content,
    text: async () => {
      let text = '';
      for await (const bytes of content) text += Buffer.from(bytes).toString();
      return text;
    },
  });
  async function* stream(...texts: readonly string[]): ByteStream {
    for (const text of texts) yield Buffer.from(text);
  }
  async function* parts(...some: readonly Part[]) {
    yield* some;
  }
  const receive = (
    fields: Parameters<typeof receiveAsset>[1]['fields'],
    ...some: readonly Part[]
  ) =>
    receiveAsset(needs, {
      experiment,
      fields,
      upload: parts(...some),
      declaredBytes: undefined,
      signal: new AbortController().signal,
    });
  const kindOf = (thrown: unknown) => (isFailure(thrown) ? thrown.kind : thrown);

  it('removes bytes that are refused after they were written', async () => {
    await receive({ type: 'image', fileName: 'a' }, part(stream('x')));
    const full = await rejection(receive({ type: 'image', fileName: 'b' }, part(stream('y'))));
    const unfit = await rejection(
      receive({ fileName: 'c' }, part(stream('y')), part(stream('no json'), 'metadata')),
    );
    const broken = await rejection(
      receive(
        { fileName: 'd' },
        part(
          (async function* () {
            yield Buffer.from('y');
            throw new Failure('invalid', 'the request ended before its body');
          })(),
        ),
      ),
    );

    expect([full, unfit, broken].map(kindOf)).to.deep.equal(['invalid', 'invalid', 'invalid']);
    expect(await blobs()).to.equal(1);
  });

  it('leaves the bytes of a row that may have been stored to the sweep, which finds them a day later', async () => {
    const faulty = {
      ...needs,
      assets: {
        ...needs.assets,
        insert: async () => {
          throw new Failure('unavailable', 'the database cannot be reached at the moment');
        },
      },
    };
    await rejection(
      receiveAsset(faulty, {
        experiment,
        fields: { fileName: 'a' },
        upload: parts(part(stream('x'))),
        declaredBytes: undefined,
        signal: new AbortController().signal,
      }),
    );
    expect(await blobs()).to.equal(1);

    await sweepBlobs({ ...needs, ...queueing(opened.storage) }, 100, new AbortController().signal);
    expect(await blobs()).to.equal(1);
    now += 25 * 60 * 60 * 1000;
    await sweepBlobs({ ...needs, ...queueing(opened.storage) }, 100, new AbortController().signal);
    expect(await blobs()).to.equal(0);
  });

  it('removes every other blob when one cannot be removed, and that one once it can', async () => {
    const ids = [];
    for (const fileName of ['a', 'b', 'c'])
      ids.push(await keepText(needs, experiment, { fileName }, 'x', new AbortController().signal));
    const { blobKey: stuck = '' } = (await needs.assets.find(experiment.id, ids[0] ?? ''))!;
    for (const id of ids) await needs.assets.remove(experiment.id, id);
    const sticky: typeof blob = {
      ...blob,
      remove: (keys) =>
        keys.includes(stuck)
          ? Promise.reject(new Error('this blob may not be removed'))
          : blob.remove(keys),
    };
    const faulty = { ...needs, blob: sticky, ...queueing(opened.storage) };
    const before = await blobs();

    await sweepBlobs(faulty, 100, new AbortController().signal);

    expect(await blobs()).to.equal(before - 2);
    const [fault] = await faulty.faults.list({ queue: 'blob-removal', offset: 0, limit: 10 });
    expect([fault?.item, fault?.reason]).to.deep.equal([stuck, 'this blob may not be removed']);
    await faulty.faults.retry('blob-removal', stuck, 0);
    await sweepBlobs({ ...needs, ...queueing(opened.storage) }, 100, new AbortController().signal);
    expect([
      await blobs(),
      await faulty.faults.list({ queue: 'blob-removal', offset: 0, limit: 10 }),
    ]).to.deep.equal([before - 3, []]);
  });

  it('counts nothing against a blob while the bucket is away', async () => {
    const id = await keepText(
      needs,
      experiment,
      { fileName: 'a' },
      'x',
      new AbortController().signal,
    );
    await needs.assets.remove(experiment.id, id);
    const away = {
      ...needs,
      blob: {
        ...blob,
        remove: () => Promise.reject(new Failure('unavailable', 'the bucket cannot be reached')),
      },
      ...queueing(opened.storage),
    };

    const thrown = await rejection(sweepBlobs(away, 100, new AbortController().signal));

    expect([
      kindOf(thrown),
      await away.faults.list({ queue: 'blob-removal', offset: 0, limit: 10 }),
    ]).to.deep.equal(['unavailable', []]);
  });

  it('removes the bytes of deleted and replaced assets, and no others', async () => {
    const gone = await keepText(
      needs,
      experiment,
      { fileName: 'gone' },
      'x',
      new AbortController().signal,
    );
    await keepText(
      needs,
      experiment,
      { fileName: 'same', overwrite: true },
      'old',
      new AbortController().signal,
    );
    const stays = await keepText(
      needs,
      experiment,
      { fileName: 'same', overwrite: true },
      'new',
      new AbortController().signal,
    );
    await needs.assets.remove(experiment.id, gone);
    await sweepBlobs({ ...needs, ...queueing(opened.storage) }, 100, new AbortController().signal);

    expect(await blobs()).to.equal(1);
    const { blobKey } = (await needs.assets.find(experiment.id, stays))!;
    let text = '';
    for await (const bytes of (await blob.open(blobKey ?? '')).stream) text += String(bytes);
    expect(text).to.equal('new');
  });

  it('reads the dimensions of a picture while it passes', async () => {
    const head = Buffer.from('89504e470d0a1a0a0000000d4948445200000140000000f00806000000', 'hex');
    const { id } = await receive(
      { type: 'image', fileName: 'p' },
      part(
        (async function* () {
          for (const byte of head) yield Buffer.from([byte]);
        })(),
      ),
    );

    const stored = await needs.assets.find(experiment.id, id);
    expect([stored?.width, stored?.height, stored?.fileSize]).to.deep.equal([
      320,
      240,
      head.length,
    ]);
  });

  it('keeps no large file in memory', async function () {
    this.timeout(120_000);
    const live = countLiveBytes(48 * mebibyte);
    const piece = Buffer.alloc(mebibyte);
    let sent = 0;
    const { id } = await receive(
      { fileName: 'large.png' },
      part(
        (async function* () {
          for (; sent < 256; sent++) {
            if (sent % 32 === 0) live.sample();
            yield Buffer.from(piece);
          }
        })(),
      ),
    );
    live.sample();

    expect((await needs.assets.find(experiment.id, id))?.fileSize).to.equal(256 * mebibyte);
    expect(live.growth()).to.be.below(48 * mebibyte);
  });
});
