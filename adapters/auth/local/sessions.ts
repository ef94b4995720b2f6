// Sessions of people who have proved who they are.
import type { Auth } from '#ports/auth';
import { beginnings } from '#ports/model/credentials';
import type { LocalAuthNeeds } from './needs.js';
import type { RecentCallers } from './recent-callers.js';

export const sessionsOf = (
  { storage, clock, ids, secrets, sessionLife }: LocalAuthNeeds,
  { forget }: RecentCallers,
): Pick<Auth, 'openSession' | 'endSession' | 'endSessions'> => ({
  async openSession(userId, { address, agent, way, external }) {
    const token = `${beginnings.session}${secrets.token()}`;
    const [id, now] = [ids.next(), clock.now()];
    const expiresAt = now + Math.min(sessionLife.idleMs, sessionLife.mostMs);
    await storage.stores.sessions.insert({
      id,
      hash: secrets.hash(token),
      userId,
      way,
      address,
      agent: agent.slice(0, 300),
      external,
      createdAt: now,
      lastUsedAt: now,
      expiresAt,
    });
    return { sessionId: id, token, expiresAt, endsAt: now + sessionLife.mostMs };
  },
  async endSession(sessionId) {
    forget((caller) => caller.keyId === sessionId);
    await storage.stores.sessions.remove(sessionId);
  },
  async endSessions(userId) {
    forget(
      (caller) => caller.userId === userId && (caller.via === 'session' || caller.via === 'token'),
    );
    // Who signs out everywhere fears that somebody else is in, and what was let in with a consent is in as well (RFC 9700, 4.14.2).
    await storage.stores.oauth.revokeOf(userId, 'SIGN_OUT', clock.now());
    return storage.stores.sessions.removeOf(userId);
  },
});
