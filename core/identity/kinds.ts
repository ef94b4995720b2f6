import { defineKind } from '#ports/api/kind-definition';
import { Failure } from '#ports/failure';
import { account } from '#ports/model/identity';
import { invitation } from '#ports/model/tickets';
import { apiKey } from '#ports/storage/api-keys';
import { storageOf } from '#ports/storage/storage';
import { isUuid } from '../uuid.js';

export const accountKind = defineKind(account, {
  needs: { storage: storageOf('users') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.users.findUser({ name: text }),
    placeOf: () => 'installation',
    absent: (text) => new Failure('absent', `user ${text.slice(0, 100)} not found`),
  }),
});

export const apiKeyKind = defineKind(apiKey, {
  needs: { storage: storageOf('apiKeys') },
  rules: ({ storage: { stores } }) => ({
    find: async ({ text }) => (isUuid(text) ? stores.apiKeys.findKey(text) : undefined),
    placeOf: ({ userId }) => ({ userId }),
    absent: (text) => new Failure('absent', `key ${text.slice(0, 80)} not found`),
  }),
});

export const invitationKind = defineKind(invitation, {
  needs: { storage: storageOf('tickets') },
  rules: ({ storage: { stores } }) => ({
    find: ({ text }) => stores.tickets.findInvitation(text),
    placeOf: ({ workspaceId }) => ({ workspaceId }),
  }),
});
