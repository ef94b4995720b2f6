// Users, roles, API keys, passwords and sessions in the product's own storage.
import type { Auth } from '#ports/auth';
import { anybodyOf } from './anybody.js';
import { recallCaller } from './callers.js';
import { keysOf } from './keys.js';
import type { LocalAuthNeeds } from './needs.js';
import { passwordsOf } from './passwords.js';
import { recentCallers } from './recent-callers.js';
import { sessionsOf } from './sessions.js';
import { addUser, renameUser } from './users.js';

export const localAuth = (needs: LocalAuthNeeds): Auth => {
  const { storage, clock } = needs;
  const recent = recentCallers(needs);
  const everybody = anybodyOf(needs);
  const forget = async (userId: string): Promise<void> => {
    recent.forget((caller) => caller.userId === userId);
    everybody.forget();
  };
  return {
    ...keysOf(needs, recent),
    ...passwordsOf(needs, recent),
    ...sessionsOf(needs, recent),
    identify: recent.identify,
    anybody: everybody.anybody,
    recall: (caller) => recallCaller(storage, caller),
    addUser: (given) => addUser(needs, given),
    async rename(userId, name) {
      await renameUser(needs, userId, name);
      await forget(userId);
    },
    async setRole(workspaceId, userId, role, permissions = []) {
      const { members } = storage.stores;
      if (role === undefined) await members.removeRole(workspaceId, userId);
      else await members.setRole(workspaceId, userId, role, permissions);
      await forget(userId);
    },
    forget,
    async forgetTokens() {
      recent.forget((caller) => caller.via === 'token');
    },
    async endCredentials(userId) {
      await storage.stores.credentials.endCredentials(userId, clock.now());
      await forget(userId);
    },
  };
};
