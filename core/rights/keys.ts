import type { Auth } from '#ports/auth';
import { Failure } from '#ports/failure';
import type { StoredKey } from '#ports/storage/identity';

/** Another key of the same name and scope, and then the end of this one: were the server to die between, both would work, never none. */
export const rotate = async (auth: Auth, { id, userId, name, scope, revokedAt }: StoredKey): Promise<{ readonly keyId: string; readonly apiKey: string }> => {
  if (revokedAt !== undefined) throw new Failure('conflict', 'the key was revoked');
  const made = await auth.issueKey(userId, { name, ...(scope === undefined ? {} : { scope }) });
  await auth.revokeKey(id);
  return made;
};
