import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { blobContract } from 'orrery/test/contract/blob';
import { openFolder } from './folder-blob.js';

describe("blob in a vendor's folder", () =>
  blobContract(async () => {
    const folder = await mkdtemp(join(tmpdir(), 'vendor-blob-'));
    return { blob: openFolder(folder), stop: () => rm(folder, { recursive: true, force: true }) };
  }));
