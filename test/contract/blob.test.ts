import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { filesystemBlob } from '#adapters/blob/filesystem/filesystem-blob';
import type { Blob } from '#ports/blob';
import { pendingUnlessAll } from '#test/pending';
import { blobAdapters, type BlobAdapter, type OpenedStore } from './blob-adapters.js';
import { blobContract, type OpenBlob } from './blob.js';
import { blobLinksContract } from './blob-links.js';
import { blobMultipartContract } from './blob-multipart.js';
import { runAside, withoutEffect } from './teeth.js';

const opened = async (adapter: BlobAdapter): Promise<OpenedStore> => {
  const result = await adapter.open();
  if ('missing' in result) throw new Error(result.missing);
  return result;
};

for (const adapter of blobAdapters) {
  describe(`blob on ${adapter.name}`, () => {
    before(`find ${adapter.name}`, async function () {
      const result = await adapter.open();
      if ('missing' in result) return pendingUnlessAll(this, result.missing);
      await result.stop();
    });
    blobContract(async () => {
      const { store, stop } = await opened(adapter);
      return { blob: store.blob, stop };
    }, adapter.memoryMiB);
    if (!adapter.direct) return;
    blobLinksContract(async () => {
      const { store, stop } = await opened(adapter);
      if (store.links === undefined) throw new Error('a bucket must offer links');
      return { blob: store.blob, links: store.links, stop };
    });
    blobMultipartContract(async () => {
      const { store, stop } = await opened(adapter);
      if (store.multipart === undefined) throw new Error('a bucket must join parts');
      return { blob: store.blob, multipart: store.multipart, stop };
    });
  });
}

const onFilesystem = async (): Promise<OpenBlob> => {
  const folder = await mkdtemp(join(tmpdir(), 'orrery-blob-'));
  return {
    blob: await filesystemBlob({ folder }),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
};

/** What a method does is proved by cases on small blobs. */
const isSmall = (title: string): boolean => !title.includes('MiB of memory');

describe('the blob suite', () => {
  const methods: readonly (keyof Blob)[] = ['put', 'open', 'stat', 'remove', 'list'];
  for (const method of methods) {
    it(`turns red when ${method} does nothing`, async function () {
      this.timeout(60_000);

      const { failed } = await runAside(
        () => {
          blobContract(async () => {
            const opened = await onFilesystem();
            return { blob: withoutEffect(opened.blob, method), stop: () => opened.stop() };
          });
        },
        { bail: true, only: isSmall },
      );

      expect(failed).not.to.deep.equal([]);
    });
  }

  it('turns red when a failed put leaves its bytes', async function () {
    this.timeout(60_000);

    const { passed, failed } = await runAside(
      () => {
        blobContract(async () => {
          const opened = await onFilesystem();
          return { blob: keepingBroken(opened.blob), stop: () => opened.stop() };
        });
      },
      { only: isSmall },
    );

    expect(failed.some((title) => title.includes('leaves nothing when the source fails'))).to.equal(
      true,
    );
    expect(passed.some((title) => title.includes('reads the middle'))).to.equal(true);
  });
});

/** Stores what came before the source failed. */
const keepingBroken = (blob: Blob): Blob => ({
  ...blob,
  put: async (key, source, options) => {
    const faults: unknown[] = [];
    const stored = await blob.put(key, untilFault(source, faults), options);
    if (faults.length > 0) throw faults[0];
    return stored;
  },
});

async function* untilFault(
  source: AsyncIterable<Uint8Array>,
  faults: unknown[],
): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (fault) {
    faults.push(fault);
  }
}
