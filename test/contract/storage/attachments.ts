import { expect } from 'chai';
import type { Attachment } from '#ports/model/attachments';
import type { Storage } from '#ports/storage/storage';
import { addProject, freshId, start } from './builders.js';
import { aSpan, aTrace } from './traces.js';

export const anAttachment = (
  given: Partial<Attachment> & Pick<Attachment, 'projectId' | 'entityId'>,
): Attachment => ({
  entityKind: 'trace',
  fileName: 'a.png',
  mimeType: 'image/png',
  fileSize: 12,
  blobKey: `${given.projectId}/${freshId()}`,
  createdAt: start,
  createdBy: 'ann',
  ...given,
});

/** What every store of files of traces and spans keeps to. */
export const attachmentContract = (storage: () => Storage): void => {
  const attachments = () => storage().stores.attachments;
  const removals = () => storage().stores.blobRecords;
  /** Notes the bytes first, as whoever writes them does. */
  const put = async (attachment: Attachment): Promise<Attachment> => {
    await storage().stores.uploads.noteUpload(attachment.blobKey, attachment.createdAt);
    await attachments().put(attachment);
    return attachment;
  };
  const queued = async (...keys: readonly string[]): Promise<readonly boolean[]> => {
    const all = new Set(await removals().listRemovals(100_000));
    return keys.map((key) => all.has(key));
  };
  const all = { page: 1, size: 9 };

  it('keeps one file of a name, and queues the bytes of the one before it', async () => {
    const { id: projectId } = await addProject(storage());
    const about = { projectId, entityKind: 'trace', entityId: freshId() } as const;
    const first = await put(anAttachment(about));
    const second = await put(anAttachment({ ...about, fileName: 'ä \u{1f600}.txt', fileSize: 0 }));
    const again = await put(anAttachment({ ...about, fileSize: 5, mimeType: 'x/y' }));

    expect(await attachments().page(about, all)).to.deep.equal({
      ...{ page: 1, size: 9, total: 2, content: [again, second] },
    });
    expect(await attachments().find(about, 'a.png')).to.deep.equal(again);
    expect(await queued(first.blobKey, second.blobKey, again.blobKey)).to.deep.equal([
      true,
      false,
      false,
    ]);
    const keys = [second.blobKey, again.blobKey, 'none/none'];
    expect(await removals().listKnown(keys)).to.have.members([second.blobKey, again.blobKey]);
    await storage().stores.uploads.expireUploads({ uploads: start + 1, direct: 0 }, start, 9999);
    expect(await queued(again.blobKey)).to.deep.equal([false]);
    await attachments().put({ ...again, mimeType: 'z/z' });
    expect(await attachments().find(about, 'a.png')).to.deep.equal({ ...again, mimeType: 'z/z' });
    expect(await queued(again.blobKey)).to.deep.equal([false]);
  });

  it('finds files under what they are attached to alone, page by page', async () => {
    const { id: projectId } = await addProject(storage());
    const about = { projectId, entityKind: 'span', entityId: freshId() } as const;
    for (const fileName of ['c', 'a', 'b']) await put(anAttachment({ ...about, fileName }));
    const names = async (of: object, page = all) =>
      (await attachments().page({ ...about, ...of }, page)).content.map(({ fileName }) => fileName);

    expect(await names({})).to.deep.equal(['a', 'b', 'c']);
    expect(await names({}, { page: 2, size: 2 })).to.deep.equal(['c']);
    expect([
      await names({ entityKind: 'trace' }),
      await names({ entityId: freshId() }),
      await names({ projectId: freshId() }),
      await names({ projectId: '' }),
      await attachments().find({ ...about, entityKind: 'trace' }, 'a'),
      await attachments().find(about, 'A'),
    ]).to.deep.equal([[], [], [], [], undefined, undefined]);
  });

  it('removes files by their names, and with what they are attached to', async () => {
    const { id: projectId, workspaceId } = await addProject(storage());
    const { traces } = storage().stores;
    const trace = aTrace({ projectId });
    const span = aSpan({ projectId, traceId: trace.id });
    await traces.changeTraces(projectId, [trace.id], () => trace);
    await traces.changeSpans(projectId, [span.id], () => span);
    const about = { projectId, entityKind: 'trace', entityId: trace.id } as const;
    const ofSpan = { projectId, entityKind: 'span', entityId: span.id } as const;
    const [gone, kept] = [
      await put(anAttachment(about)),
      await put(anAttachment({ ...about, fileName: 'b' })),
    ];
    const inSpan = await put(anAttachment(ofSpan));
    await attachments().remove(about, ['a.png', 'none'], start);
    expect((await attachments().page(about, all)).content).to.deep.equal([kept]);
    expect(await queued(gone.blobKey, kept.blobKey)).to.deep.equal([true, false]);

    await traces.removeTraces(workspaceId, [trace.id]);
    expect((await attachments().page(about, all)).total).to.equal(0);
    expect((await attachments().page(ofSpan, all)).total).to.equal(0);
    expect(await queued(kept.blobKey, inSpan.blobKey)).to.deep.equal([true, true]);
  });
};
