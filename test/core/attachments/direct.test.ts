// Files of traces whose parts pass by the server, over real stores and a bucket that checks every signature.
import { expect } from 'chai';
import { gcsBlob } from '#adapters/blob/gcs/gcs-blob';
import { systemIds } from '#adapters/system/ids';
import { sweepBlobs } from '#core/assets/offers';
import {
  completeUpload,
  linkInBucket,
  startUpload,
  type UploadEnd,
} from '#core/attachments/direct';
import type { BlobStore } from '#ports/blob-store';
import { isFailure } from '#ports/failure';
import type { Project } from '#ports/model/projects';
import { addProject, freshId, rejection } from '#test/contract/storage/builders';
import { makeGcsBucket, type GcsBucket } from '#test/servers/buckets';
import { startFakeGcs, type FakeGcs } from '#test/servers/gcs/fake';
import { embedded, queueing } from '../opened.js';

const mebibyte = 1024 * 1024;
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

describe('files of traces that pass by the server', function () {
  this.timeout(60_000);
  const opened = embedded();
  const stores = () => opened().storage.stores;
  let fake: FakeGcs;
  let bucket: GcsBucket;
  let store: BlobStore;
  let project: Project;
  let now: number;
  before(async () => {
    fake = await startFakeGcs();
  });
  after(() => fake.stop());
  beforeEach(async () => {
    bucket = await makeGcsBucket(fake);
    store = await gcsBlob(bucket.options);
    project = await addProject(opened().storage);
    now = Date.now();
  });
  afterEach(() => bucket.remove());

  const needs = () => ({
    ...{ storage: opened().storage, store, ids: systemIds, clock: { now: () => now } },
  });
  const signal = new AbortController().signal;
  const begin = async (parts: number, entityId = freshId(), fileName = 'notes.txt') => {
    const of = { entityKind: 'trace', entityId, fileName } as const;
    const begun = await startUpload(needs(), project, { ...of, mimeType: 'text/plain' }, parts);
    return { ...begun, about: { projectId: project.id, ...of } };
  };
  const send = async (
    { id, links, about }: Awaited<ReturnType<typeof begin>>,
    parts: readonly Buffer[],
  ): Promise<UploadEnd> => {
    const sent = [];
    for (const [at, bytes] of parts.entries()) {
      const reply = await fetch(links[at] ?? '', {
        method: 'PUT',
        body: bytes as Buffer<ArrayBuffer>, // made by this test, over memory of its own
      });
      expect(reply.status).to.equal(200);
      sent.push({ e_tag: reply.headers.get('etag') ?? '', part_number: at + 1 });
    }
    const fileSize = parts.reduce((sum, { length }) => sum + length, 0);
    return { uploadId: id, about, fileSize, sent, createdBy: 'ann' };
  };
  const sweep = () =>
    sweepBlobs(
      {
        ...needs(),
        ...queueing(opened().storage),
        ...{ uploads: stores().uploads, blobRecords: stores().blobRecords, blob: store.blob },
      },
      100,
      signal,
    );
  const bytesOf = async (blobKey: string): Promise<number> => (await store.blob.stat(blobKey)).size;

  it('are joined by the bucket, and are one file then, of the size and the type that were said', async () => {
    const begun = await begin(2);
    const end = await send(begun, [Buffer.alloc(5 * mebibyte, 1), Buffer.alloc(10, 2)]);
    expect(await stores().attachments.find(begun.about, 'notes.txt')).to.equal(undefined);

    await completeUpload(needs(), end);

    const found = await stores().attachments.find(begun.about, 'notes.txt');
    expect(found).to.deep.include({
      ...{ projectId: project.id, fileName: 'notes.txt', mimeType: 'text/plain' },
      ...{ fileSize: 5 * mebibyte + 10, createdBy: 'ann' },
    });
    expect(await bytesOf(found?.blobKey ?? '')).to.equal(5 * mebibyte + 10);
  });

  it('are one file with its bytes when their end is told again, or twice at once', async () => {
    const end = await send(await begin(1), [Buffer.from('the bytes')]);

    await Promise.all([completeUpload(needs(), end), completeUpload(needs(), end)]);
    await completeUpload(needs(), end);

    await sweep();
    const found = await stores().attachments.find(end.about, 'notes.txt');
    expect(await bytesOf(found?.blobKey ?? '')).to.equal(9);
  });

  it('stay as they are when the end of a file is told again that was replaced since', async () => {
    const entityId = freshId();
    const first = await send(await begin(1, entityId), [Buffer.from('one')]);
    await completeUpload(needs(), first);
    const second = await send(await begin(1, entityId), [Buffer.from('another')]);
    await completeUpload(needs(), second);
    await completeUpload(needs(), first);

    await sweep();
    const found = await stores().attachments.find(second.about, 'notes.txt');
    expect(await bytesOf(found?.blobKey ?? '')).to.equal(7);
  });

  it('are dropped in the bucket a day after they were begun and not ended', async () => {
    await begin(2);
    const started = async () => {
      let count = 0;
      for await (const _ of store.multipart?.listStarted() ?? []) count++;
      return count;
    };
    const before = await started();
    now += dayMs + 2 * hourMs;
    await sweep();

    expect([before, await started()]).to.deep.equal([1, 0]);
  });

  it('are refused for another file, entity or project, and for parts and sizes that did not come', async () => {
    const end = await send(await begin(1), [Buffer.from('bytes')]);
    const other = await addProject(opened().storage);
    for (const given of [
      { about: { ...end.about, fileName: 'other.txt' } },
      { about: { ...end.about, entityId: freshId() } },
      { about: { ...end.about, entityKind: 'span' } },
      { about: { ...end.about, projectId: other.id } },
      { uploadId: freshId() },
      { uploadId: 'no-such-id' },
      { sent: [] },
      { sent: [{ e_tag: 'x', part_number: 2 }] },
      { fileSize: 4 },
    ] as readonly Partial<UploadEnd>[]) {
      const thrown = await rejection(completeUpload(needs(), { ...end, ...given }));
      expect(isFailure(thrown) ? thrown.kind : thrown, JSON.stringify(given)).to.equal('invalid');
    }
    expect(await stores().attachments.find(end.about, 'notes.txt')).to.equal(undefined);
  });

  it('have no link of a bucket to which clients would send their key', async () => {
    const file = { blobKey: `${freshId()}/${freshId()}`, fileName: 'a', mimeType: 'text/plain' };
    expect(await linkInBucket(needs(), file)).to.equal(undefined);
  });
});
