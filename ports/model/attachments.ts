/** A file that somebody attached to a trace or a span; one of each name. */
export interface Attachment {
  readonly projectId: string;
  readonly entityKind: 'trace' | 'span';
  readonly entityId: string;
  readonly fileName: string;
  readonly mimeType: string;
  /** Bytes. */
  readonly fileSize: number;
  readonly blobKey: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly createdBy: string;
}
