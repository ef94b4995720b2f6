// Holds bytes against rows, both ways: what only one side has is told, and removed when asked to.
import type { BlobEntry } from '#ports/blob';
import type { BlobStore } from '#ports/blob-store';
import type { Clock } from '#ports/clock';
import { isFailure } from '#ports/failure';
import type { KeptBlob } from '#ports/storage/blob-records';
import type { Stores } from '#ports/storage/storage';
import type { Orphan } from '#ports/storage/workspaces';

export interface AuditNeeds {
  readonly stores: Pick<
    Stores,
    'artifacts' | 'assets' | 'blobRecords' | 'experiments' | 'projects' | 'registry' | 'workspaces'
  >;
  readonly store: BlobStore;
  readonly clock: Clock;
}

export interface Finding {
  /** One line for an administrator. */
  readonly what: string;
  readonly removed: boolean;
}

export interface AuditCounts {
  readonly blobs: number;
  readonly rows: number;
  readonly found: number;
  readonly removed: number;
}

const pageSize = 1000;
const asksAtOnce = 16;
/** What is younger may still become an asset. */
const dayMs = 24 * 60 * 60 * 1000;

/**
 * Walks blobs and rows, and hands in each finding as it comes: what belongs to a workspace, project or experiment that is gone; bytes that no row, upload or queue knows; assets and files of registered versions
 * whose bytes are missing or of another size; uploads of the bucket that began more than a day ago. With `fix`, bytes and assets without the other side and such uploads are
 * removed, and what belongs to nothing is deleted; bytes of another size and what a registered version lacks are only told. Not for use beside `orrery import`, whose bytes come before their rows. May run beside a serving server, and be repeated.
 */
export const auditBlobs = async (
  needs: AuditNeeds,
  fix: boolean,
  tell: (finding: Finding) => void,
): Promise<AuditCounts> => {
  let [found, removed] = [0, 0];
  const note = (finding: Finding): void => {
    found++;
    if (finding.removed) removed++;
    tell(finding);
  };
  await auditOrphans(needs, fix, note);
  const blobs = await auditBytes(needs, fix, note);
  const rows = await auditRows(needs, fix, note);
  await auditUploads(needs, fix, note);
  return { blobs, rows, found, removed };
};

type Note = (finding: Finding) => void;

/** Removes an orphan the way its kind is deleted, so that its rows and bytes go with it; says whether it was there. */
const removeOrphan = (
  { stores, clock }: AuditNeeds,
  { kind, id, ownerId }: Orphan,
): Promise<boolean> => {
  const now = clock.now();
  switch (kind) {
    case 'project':
      return stores.projects.markDeleted(id, now);
    case 'artifact':
      return stores.artifacts.markDeleted(id, now);
    case 'registered model':
      return stores.registry.markModelDeleted(id, now);
    case 'experiment':
      return stores.experiments.markDeleted(id, now);
    case 'asset':
      return stores.assets.remove(ownerId, id);
  }
};

const auditOrphans = async (needs: AuditNeeds, fix: boolean, note: Note): Promise<void> => {
  for (const orphan of await needs.stores.workspaces.listOrphans(pageSize))
    note({
      what: `${orphan.kind} ${orphan.id} belongs to ${orphan.ownerId}, which is gone`,
      removed: fix && (await removeOrphan(needs, orphan)),
    });
};

const auditBytes = async (
  { stores: { blobRecords }, store: { blob } }: AuditNeeds,
  fix: boolean,
  note: Note,
): Promise<number> => {
  let looked = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: { readonly entries: readonly BlobEntry[]; readonly next: string | undefined } =
      await blob.list({ prefix: '', after, limit: pageSize });
    const known = new Set(await blobRecords.listKnown(page.entries.map(({ key }) => key)));
    const lost = page.entries.filter(({ key }) => !known.has(key));
    if (fix) await blob.remove(lost.map(({ key }) => key));
    for (const { key, size } of lost)
      note({ what: `${size} bytes under ${key} that no asset has`, removed: fix });
    looked += page.entries.length;
    after = page.next;
  }
  return looked;
};

/** How many bytes lie under a key; `undefined` when there are none. */
const sizeOf = async (
  { store: { blob } }: AuditNeeds,
  key: string,
): Promise<number | undefined> => {
  try {
    return (await blob.stat(key)).size;
  } catch (thrown) {
    if (isFailure(thrown) && thrown.kind === 'absent') return undefined;
    throw thrown;
  }
};

const auditAsset = async (
  needs: AuditNeeds,
  { blobKey, experimentId, assetId, size }: KeptBlob,
  fix: boolean,
  note: Note,
): Promise<void> => {
  const there = await sizeOf(needs, blobKey);
  if (there === size) return;
  // It may have been deleted or replaced since it was listed.
  if ((await needs.stores.assets.find(experimentId, assetId))?.blobKey !== blobKey) return;
  const named = `asset ${assetId} of experiment ${experimentId}`;
  if (there !== undefined) {
    note({ what: `${named} has ${there} bytes under ${blobKey}, not ${size}`, removed: false });
    return;
  }
  note({
    what: `${named} has no bytes under ${blobKey}`,
    removed: fix && (await needs.stores.assets.remove(experimentId, assetId)),
  });
};

/** What a version of the registry says it has stays as it says: that bytes are missing is told, and the version kept. */
const auditRegistered = async (
  needs: AuditNeeds,
  { blobKey, assetId, size }: KeptBlob,
  note: Note,
): Promise<void> => {
  const there = await sizeOf(needs, blobKey);
  if (
    there === size ||
    (there === undefined && (await needs.stores.blobRecords.listKnown([blobKey])).length === 0)
  )
    return;
  note({
    what: `a registered version has ${there === undefined ? 'no' : there} bytes of its file ${assetId} under ${blobKey}, not ${size}`,
    removed: false,
  });
};

type Pages = (afterRow: string | undefined, limit: number) => Promise<readonly KeptBlob[]>;

const walk = async (pages: Pages, look: (row: KeptBlob) => Promise<void>): Promise<number> => {
  let looked = 0;
  for (let after: string | undefined; ;) {
    const page: readonly KeptBlob[] = await pages(after, pageSize);
    for (let at = 0; at < page.length; at += asksAtOnce)
      await Promise.all(page.slice(at, at + asksAtOnce).map(look));
    looked += page.length;
    if (page.length < pageSize) return looked;
    after = page.at(-1)?.rowId;
  }
};

const auditRows = async (needs: AuditNeeds, fix: boolean, note: Note): Promise<number> =>
  (await walk(
    (after, limit) => needs.stores.blobRecords.listKept(after, limit),
    (row) => auditAsset(needs, row, fix, note),
  )) +
  (await walk(
    (after, limit) => needs.stores.blobRecords.listRegistered(after, limit),
    (row) => auditRegistered(needs, row, note),
  ));

const auditUploads = async (
  { stores: { blobRecords }, store: { multipart }, clock }: AuditNeeds,
  fix: boolean,
  note: Note,
): Promise<void> => {
  if (multipart === undefined) return;
  for await (const { key, upload, startedAt } of multipart.listStarted()) {
    if (startedAt > clock.now() - dayMs || (await blobRecords.listKnown([key])).length > 0)
      continue;
    if (fix) await multipart.abort(key, upload);
    note({
      what: `an upload to ${key} that began ${new Date(startedAt).toISOString()} and was never finished`,
      removed: fix,
    });
  }
};
