import { area } from '#ports/api/area';
import { attachmentOperations } from '#ports/api/attachments';
import { privateFamily } from '#ports/api/families/private';
import { BlobStore } from '#ports/blob-store';
import { Clock } from '#ports/clock';
import { Failure, isFailure } from '#ports/failure';
import { Ids } from '#ports/ids';
import type { Attachment } from '#ports/model/attachments';
import { Settings } from '#ports/settings';
import type { AttachedTo } from '#ports/storage/attachments';
import { storageOf } from '#ports/storage/storage';
import { contentTypeOf, dropBytes, putNoted } from '../assets/offers.js';
import { assetSettings } from '../assets/settings.js';
import { readAnyId, requireSome } from '../private-wire/ids.js';
import { readPage, showPage } from '../private-wire/pages.js';
import { requireTarget } from '../private-wire/targets.js';
import { completeUpload, linkInBucket, startUpload } from './direct.js';
import { linkTo, readBase } from './links.js';

/** By this word, and no other, clients know that the bytes go to this server in one request. */
const throughServer = 'BEMinIO';
const usualSize = 100;

interface Entity {
  readonly entity_type: Attachment['entityKind'];
  readonly entity_id: string;
}

const aboutOf = (
  projectId: string,
  { entity_type: entityKind, entity_id: id }: Entity,
): AttachedTo => ({
  projectId,
  entityKind,
  entityId: readAnyId(id, 'entity_id'),
});

export const attachmentsArea = area({
  name: 'attachments',
  summary: 'Files of traces and spans.',
  family: privateFamily,
  table: attachmentOperations,
  needs: {
    storage: storageOf('attachments', 'projects', 'uploads', 'workspaces'),
    store: BlobStore,
    clock: Clock,
    ids: Ids,
    settings: Settings,
    assets: assetSettings.port,
  },
  handlers: ({ storage, store, clock, ids, settings: { baseUrl }, assets }) => {
    const { attachments, uploads } = storage.stores;
    const { blob } = store;
    const needs = { storage, store, clock, ids };
    /** Whether clients send bytes to the bucket themselves. */
    const isDirect = (): boolean =>
      assets.ALLOW_S3_DIRECT_DOWNLOAD && store.multipart !== undefined;
    const typeOf = (fileName: string, said: string | undefined): string =>
      said === undefined || said.trim() === ''
        ? contentTypeOf({ fileName, extension: undefined, type: '' })
        : said;

    return {
      async listAttachments({ query, projectScope: { workspace, project } }) {
        const base = readBase(query.path, baseUrl);
        const page = readPage(query, usualSize);
        const about = aboutOf(project?.id ?? '', query);
        const found = await attachments.page(about, page);
        const linkThroughServer = (one: Attachment): string =>
          linkTo(base, 'download', {
            workspace_name: workspace.name,
            container_id: one.projectId,
            file_name: one.fileName,
            mime_type: one.mimeType,
            entity_type: one.entityKind,
            entity_id: one.entityId,
          });
        const content = await Promise.all(
          found.content.map(async (one) => ({
            link:
              (isDirect() ? await linkInBucket(needs, one) : undefined) ?? linkThroughServer(one),
            file_name: one.fileName,
            file_size: one.fileSize,
            mime_type: one.mimeType,
          })),
        );
        return showPage(page, { total: found.total, content });
      },
      async startAttachment({ body, projectTarget, caller }) {
        const { entityKind, entityId } = aboutOf('', body);
        const base = readBase(body.path, baseUrl);
        const mimeType = typeOf(body.file_name, body.mime_type);
        if (isDirect()) {
          const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
          const coming = { entityKind, entityId, fileName: body.file_name, mimeType };
          const { id, links } = await startUpload(needs, project, coming, body.num_of_file_parts);
          return { upload_id: id, pre_sign_urls: [...links] };
        }
        const address = linkTo(base, 'upload', {
          file_name: body.file_name,
          mime_type: mimeType,
          entity_type: body.entity_type,
          entity_id: body.entity_id,
          ...(body.project_name === undefined ? {} : { project_name: body.project_name }),
        });
        return { upload_id: throughServer, pre_sign_urls: [address] };
      },
      async completeAttachment({ body, projectTarget, caller }) {
        // Those bytes came in one request, which was answered when they were kept.
        if (body.upload_id === throughServer) return undefined;
        const about = aboutOf(projectTarget.project?.id ?? '', body);
        await completeUpload(needs, {
          uploadId: body.upload_id,
          about: { ...about, fileName: body.file_name },
          fileSize: body.file_size,
          sent: body.uploaded_file_parts,
          createdBy: caller.userName,
        });
        return undefined;
      },
      async uploadAttachment({ query, body, projectTarget, caller, signal }) {
        const about = aboutOf('', query);
        const project = await requireTarget(storage, { clock, ids }, projectTarget, caller);
        const blobKey = `${project.workspaceId}/${ids.next()}`;
        const { size } = await putNoted({ uploads, blob, clock }, blobKey, body, signal);
        try {
          await attachments.put({
            ...about,
            projectId: project.id,
            fileName: query.file_name,
            mimeType: typeOf(query.file_name, query.mime_type),
            fileSize: size,
            blobKey,
            createdAt: clock.now(),
            createdBy: caller.userName,
          });
        } catch (thrown) {
          // On a fault of the database the row may be there: then the bytes stay, and the sweep knows whether they are needed.
          if (isFailure(thrown) && thrown.kind !== 'unavailable')
            await dropBytes({ uploads, blob }, blobKey);
          throw thrown;
        }
        return undefined;
      },
      async downloadAttachment({ query, projectScope: { project }, signal }) {
        const about = aboutOf(project?.id ?? '', query);
        const found = await attachments.find(about, query.file_name);
        if (found === undefined)
          throw new Failure('absent', `file ${query.file_name.slice(0, 100)} not found`);
        return {
          type: query.mime_type,
          size: found.fileSize,
          fileName: found.fileName,
          attached: true as const,
          open: async (range) =>
            (await blob.open(found.blobKey, range === undefined ? { signal } : { range, signal }))
              .stream,
        };
      },
      async deleteAttachments({ body, projectTarget: { project } }) {
        const names = [...(body.file_names ?? []), ...(body.file_name ? [body.file_name] : [])];
        requireSome('file_names', names);
        if (project !== undefined)
          await attachments.remove(aboutOf(project.id, body), names, clock.now());
        return undefined;
      },
    };
  },
});
