import type { BucketUpload, DirectPart, DirectUpload } from '../model/assets.js';
import { once, reads, sets, type Methods } from './methods.js';

/** Uploads that are under way: bytes that have no asset yet. */
export interface UploadStore {
  /** Says that bytes are about to be written under this key, so that a sweep finds them should the writer die. */
  noteUpload(blobKey: string, at: number): Promise<void>;
  /** Takes that back, once the bytes are gone. */
  forgetUpload(blobKey: string): Promise<void>;
  insertDirect(upload: DirectUpload): Promise<void>;
  findDirect(id: string): Promise<DirectUpload | undefined>;
  /** Records a part whose key was noted; a repeated number replaces it. Says whether the upload was there and open. */
  keepPart(uploadId: string, part: DirectPart): Promise<boolean>;
  /** In the order of their numbers. */
  listParts(uploadId: string): Promise<readonly DirectPart[]>;
  /** Says what a complete upload became, so that completing it again answers the same; bytes of its parts are queued for removal. Says whether it was open until then: of several at once, one is told so. */
  finishDirect(id: string, keptAs: string, at: number): Promise<boolean>;
  /** Forgets an upload; bytes of its parts are queued for removal, and its upload of the bucket for being dropped unless it became an asset. Says whether it was there. */
  removeDirect(id: string, at: number): Promise<boolean>;

  /** Queues the bytes of uploads and direct uploads that began or ended before these times and were never finished. */
  expireUploads(
    before: { readonly uploads: number; readonly direct: number },
    at: number,
    limit: number,
  ): Promise<number>;
  /** Uploads of the bucket that were forgotten before they became an asset, the oldest first; they are still to be dropped there. */
  listAborts(limit: number): Promise<readonly BucketUpload[]>;
  forgetAborts(keys: readonly string[]): Promise<void>;
}

export const uploadMethods: Methods<UploadStore> = {
  noteUpload: once,
  forgetUpload: once,
  insertDirect: once,
  findDirect: reads,
  keepPart: once,
  listParts: reads,
  finishDirect: once,
  removeDirect: once,
  expireUploads: once,
  listAborts: reads,
  forgetAborts: sets,
};
