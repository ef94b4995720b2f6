// Files of traces and spans.
import { projectScope, projectTarget } from '../model/projects.js';
import { bytes, maybe, one, operations, raw } from './operation.js';
import { everywhere, paged, pageOf } from './private-wire.js';
import { integer, list, object, optional, shape, text, texts, word } from './schema.js';
import { targetOfBody } from './traced.js';

const entity = { entity_type: word('trace', 'span'), entity_id: text({ min: 1 }) } as const;
const fileName = text({ min: 1, max: 1000, pattern: String.raw`\S` });

const shown = shape('Attachment', 'A file of a trace or span, with a link to its bytes.', {
  link: text(),
  file_name: text(),
  file_size: integer(),
  mime_type: text(),
});

const root = '/v1/private/attachment';

export const attachmentOperations = operations({
  listAttachments: {
    method: 'GET',
    path: everywhere(`${root}/list`),
    access: { needs: 'read', about: one(projectScope, 'query.project_id') },
    summary: 'Files of a trace or span by page, with links that begin with the address in `path`',
    query: object({ ...paged, ...entity, project_id: text({ min: 1 }), path: text({ min: 1 }) }),
    replies: { 200: pageOf('AttachmentPage', shown) },
    fails: ['invalid', 'absent'],
  },
  startAttachment: {
    method: 'POST',
    path: everywhere(`${root}/upload-start`),
    access: { needs: 'write', about: targetOfBody },
    summary:
      'Where to send the bytes of a file to: in parts to the bucket where it lets clients do that, else to this server in one request',
    body: object({
      ...entity,
      file_name: fileName,
      num_of_file_parts: integer({ minimum: 1 }),
      mime_type: optional(text()),
      project_name: optional(text({ min: 1, pattern: String.raw`^\S(?:[\s\S]*\S)?$` })),
      project_id: optional(text()),
      path: text({ min: 1 }),
    }),
    replies: { 200: object({ upload_id: text(), pre_sign_urls: texts() }) },
    fails: ['invalid'],
  },
  completeAttachment: {
    method: 'POST',
    path: everywhere(`${root}/upload-complete`),
    access: { needs: 'write', about: targetOfBody },
    summary: 'Say that all parts were sent to the bucket, which makes them the file',
    body: object({
      ...entity,
      file_name: fileName,
      project_name: optional(text()),
      project_id: optional(text()),
      container_id: optional(text()),
      file_size: integer(),
      mime_type: optional(text()),
      upload_id: text({ min: 1 }),
      uploaded_file_parts: list(object({ e_tag: text(), part_number: integer() })),
    }),
    replies: { 204: null },
    fails: ['invalid'],
  },
  uploadAttachment: {
    method: 'PUT',
    path: everywhere(`${root}/upload`),
    access: {
      needs: 'write',
      about: maybe(projectTarget, 'query.project_id', 'header.comet-workspace/query.project_name'),
    },
    summary: 'Attach a file to a trace or span; one of its name is replaced',
    query: object({
      ...entity,
      file_name: fileName,
      project_name: optional(text({ pattern: String.raw`^(?:\S(?:[\s\S]*\S)?)?$` })),
      project_id: optional(text()),
      mime_type: optional(text()),
    }),
    body: raw(),
    replies: { 204: null },
    fails: ['invalid'],
  },
  downloadAttachment: {
    method: 'GET',
    path: everywhere(`${root}/download`),
    access: { needs: 'read', about: one(projectScope, 'query.container_id') },
    summary: 'The bytes of a file',
    query: object({
      ...entity,
      workspace_name: optional(text()),
      container_id: text({ min: 1 }),
      file_name: fileName,
      mime_type: text({ min: 1 }),
    }),
    replies: { 200: bytes() },
    fails: ['invalid', 'absent'],
  },
  deleteAttachments: {
    method: 'POST',
    path: everywhere(`${root}/delete`),
    access: {
      needs: 'write',
      about: maybe(
        projectTarget,
        'body.container_id',
        'body.project_id',
        'header.comet-workspace/body.project_name',
      ),
      unbounded: false,
    },
    audit: true,
    summary: 'Delete files of a trace or span; names that are not there are skipped',
    body: object({
      ...entity,
      file_name: optional(text()),
      file_names: optional(texts()),
      container_id: optional(text()),
      project_id: optional(text()),
      project_name: optional(text()),
    }),
    replies: { 204: null },
    fails: ['invalid', 'absent'],
  },
});
