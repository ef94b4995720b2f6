export interface Asset {
  readonly id: string;
  readonly experimentId: string;
  readonly workspaceId: string;
  readonly fileName: string;
  readonly type: string;
  readonly fileSize: number;
  readonly runContext: string | undefined;
  readonly step: number | undefined;
  readonly epoch: number | undefined;
  /** JSON text of an object, as sent. */
  readonly metadata: string | undefined;
  /** Where a remote asset is kept; absent for bytes that we keep. */
  readonly remoteLink: string | undefined;
  /** Key in the blob store; absent for remote assets. */
  readonly blobKey: string | undefined;
  readonly sha256: string | undefined;
  /** Name of the model that a `model-element` belongs to. */
  readonly groupingName: string | undefined;
  readonly artifactVersionId: string | undefined;
  readonly extension: string | undefined;
  readonly tags: readonly string[];
  readonly createdAt: number;
}
