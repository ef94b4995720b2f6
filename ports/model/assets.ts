import { kind } from '../api/kind.js';
import type { Attachment } from './attachments.js';

export interface Asset {
  /** As clients know it; unique within its experiment. */
  readonly id: string;
  /** Our own id: unique everywhere, ordered by time of storing, and the second half of the blob's key. */
  readonly rowId: string;
  readonly experimentId: string;
  readonly workspaceId: string;
  /** Any text but NUL, as sent; never a path to write to. */
  readonly fileName: string;
  readonly type: string;
  /** Bytes; 0 for remote assets. */
  readonly fileSize: number;
  readonly runContext: string | undefined;
  readonly step: number | undefined;
  readonly epoch: number | undefined;
  /** JSON text, as sent. */
  readonly metadata: string | undefined;
  /** Where a remote asset is kept; absent for bytes that we keep. */
  readonly remoteLink: string | undefined;
  /** Key in the blob store; absent for remote assets and for those that only hold parts. */
  readonly blobKey: string | undefined;
  readonly sha256: string | undefined;
  /** Name of the model that a `model-element` belongs to. */
  readonly groupingName: string | undefined;
  readonly artifactVersionId: string | undefined;
  readonly extension: string | undefined;
  readonly tags: readonly string[];
  /** Pixels, of images whose first bytes tell them. */
  readonly width: number | undefined;
  readonly height: number | undefined;
  /** Id of the asset in the same experiment that this one is a part of: items and the thumbnail of a 3D picture. */
  readonly partOf: string | undefined;
  readonly createdAt: number;
}
export const asset = kind<Asset>()('asset');

/** A file of an artifact version, as it is listed and packed: versions may hold many thousands. */
export type VersionFile = Pick<
  Asset,
  | 'id'
  | 'rowId'
  | 'fileName'
  | 'type'
  | 'fileSize'
  | 'metadata'
  | 'remoteLink'
  | 'blobKey'
  | 'createdAt'
>;

/** What is known of an asset before its bytes are there. */
export type AssetFacts = Omit<Asset, 'fileSize' | 'sha256' | 'blobKey' | 'width' | 'height'>;

/** An asset whose bytes the client sends in parts, to links that carry their own permission. */
export interface DirectUpload {
  readonly id: string;
  readonly experimentId: string;
  readonly facts: AssetFacts;
  /** Whether the id was the client's own choice. */
  readonly idGiven: boolean;
  readonly replacing: boolean;
  readonly parts: number;
  /** Where the parts go when they pass by this server. */
  readonly bucket: BucketUpload | undefined;
  readonly expiresAt: number;
  /** Id of the asset that it became, once it is complete; of a file of a trace or span the key of its bytes. */
  readonly keptAs: string | undefined;
  /** What the file is attached to in place of an experiment; its project stands in for that one. */
  readonly attachedTo?: Pick<Attachment, 'entityKind' | 'entityId' | 'mimeType'>;
}
export const upload = kind<DirectUpload>()('upload');

/** An upload of the bucket, and the key that it will appear under. */
export interface BucketUpload {
  readonly blobKey: string;
  /** The bucket's own id of it. */
  readonly upload: string;
}

/** A part that has arrived whole. */
export interface DirectPart {
  /** From 1. */
  readonly number: number;
  readonly size: number;
  /** SHA-256 of its bytes in hex. */
  readonly sha256: string;
  readonly blobKey: string;
}
