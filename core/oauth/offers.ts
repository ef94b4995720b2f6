import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { ShownProgram } from '#ports/pages';
import type { StorageOf } from '#ports/storage/storage';

export interface ProgramNeeds {
  readonly storage: StorageOf<'oauth'>;
  readonly auth: Auth;
  readonly clock: Clock;
}

/** Programs that act for a user; the one that was used last comes first. */
export const listPrograms = async (
  { storage, clock }: ProgramNeeds,
  userId: string,
): Promise<readonly ShownProgram[]> => {
  const accesses = await storage.stores.oauth.listPrograms(userId, clock.now());
  const clients = new Map(accesses.map(({ client }) => [client.id, client]));
  return [...clients.values()].map((client) => ({
    client,
    workspaces: accesses.filter((one) => one.client.id === client.id),
  }));
};

/** Ends all that a program may do for a user; answers how many consents that were. Rejects with `absent` when it may nothing. */
export const endProgram = async (
  { storage, auth, clock }: ProgramNeeds,
  userId: string,
  clientId: string,
): Promise<number> => {
  const ended = await storage.stores.oauth.revokeProgram(userId, clientId, 'ENDED', clock.now());
  if (ended === 0) throw new Failure('absent', `program ${clientId.slice(0, 80)} not found`);
  await auth.forget(userId);
  return ended;
};

/** Switches a program off for everybody. Rejects with `absent`. */
export const disableProgram = async (
  { storage, auth, clock }: ProgramNeeds,
  clientId: string,
): Promise<void> => {
  if (!(await storage.stores.oauth.disableClient(clientId, clock.now())))
    throw new Failure('absent', `program ${clientId.slice(0, 80)} not found`);
  await auth.forgetTokens();
};
