import type { Attachment } from '../model/attachments.js';
import type { Page, PageRequest } from '../page.js';
import { once, reads, type Methods } from './methods.js';

/** What files are attached to. */
export type AttachedTo = Pick<Attachment, 'projectId' | 'entityKind' | 'entityId'>;

/** Files of traces and spans, which need not be there. */
export interface AttachmentStore {
  /** Stores one whose bytes were noted as an upload; one of its name is replaced, and its bytes are queued for removal unless they are the same. */
  put(attachment: Attachment): Promise<void>;
  /** In the order of their names. */
  page(about: AttachedTo, page: PageRequest): Promise<Page<Attachment>>;
  find(about: AttachedTo, fileName: string): Promise<Attachment | undefined>;
  /** Removes files by their names, whose bytes are queued for removal; those that are not there are skipped. */
  remove(about: AttachedTo, fileNames: readonly string[], at: number): Promise<void>;
}

export const attachmentMethods: Methods<AttachmentStore> = {
  put: once,
  page: reads,
  find: reads,
  remove: once,
};
