import { v7 } from 'uuid';
import { thing, type AreaFixtures } from '#test/api/fixtures';
import { projects } from '#test/areas/workspaces/things';

const ownIds = 'is made by clients, and looked for in the project alone';
const path = 'aHR0cDovL2xvY2FsaG9zdC9hcGk=';

/** A file of a trace. */
const attachments = thing(async ({ url, owner, of }) => {
  const { projectId } = await of(projects);
  const entityId = v7();
  const query = new URLSearchParams({
    ...{ entity_type: 'trace', entity_id: entityId, file_name: 'a.txt', project_id: projectId },
  });
  const { status } = await fetch(`${url}/v1/private/attachment/upload?${query}`, {
    method: 'PUT',
    headers: { Authorization: owner.apiKey },
    body: 'text',
  });
  if (status !== 204) throw new Error(`a file was answered ${status}`);
  return { entityId };
});

export const fixtures: AreaFixtures = {
  areas: ['attachments'],
  things: [attachments],
  rows: {
    listAttachments: {
      with: () => ({ 'query.entity_id': v7(), 'query.path': path }),
      notOurs: { 'query.entity_id': ownIds },
    },
    startAttachment: {
      with: () => ({ 'body.entity_id': v7(), 'body.path': path }),
      notOurs: { 'body.entity_id': ownIds },
    },
    completeAttachment: {
      with: () => ({ 'body.entity_id': v7(), 'body.upload_id': 'BEMinIO' }),
      notOurs: {
        'body.entity_id': ownIds,
        'body.container_id': 'is not looked at',
        'body.upload_id': 'is looked for in the project and for the file alone',
      },
    },
    uploadAttachment: {
      with: () => ({ 'query.entity_id': v7(), 'query.file_name': 'a.txt' }),
      notOurs: { 'query.entity_id': ownIds },
    },
    downloadAttachment: {
      with: (world) => ({
        'query.entity_id': world.of(attachments).entityId,
        'query.file_name': 'a.txt',
        'query.mime_type': 'text/plain',
      }),
      notOurs: { 'query.entity_id': ownIds },
    },
    deleteAttachments: {
      with: () => ({ 'body.entity_id': v7(), 'body.file_name': 'a.txt' }),
      notOurs: { 'body.entity_id': ownIds },
    },
  },
};
