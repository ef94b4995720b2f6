import type { Stores } from '#ports/storage/storage';

/** By what the installation is known: it is one organization, which began with its first user. */
export const organizationId = async ({ users }: Pick<Stores, 'users'>): Promise<string> =>
  (await users.firstUserId()) ?? '';
