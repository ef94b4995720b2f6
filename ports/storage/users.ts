// People and programs that have an account.
import type { User, UserKind } from '../model/identity.js';
import { changesExperiments, once, reads, sets, type Methods } from './methods.js';

export interface UserStore {
  /** Rejects with `conflict` when the name or the e-mail is taken; names are told apart by case, e-mails are not. */
  insertUser(user: User): Promise<void>;
  findUser(
    by: { readonly name: string } | { readonly id: string } | { readonly email: string },
  ): Promise<User | undefined>;
  /** How many users there are; 0 means that nobody was ever set up. */
  countUsers(): Promise<number>;
  /** Changes what is given; answers whether the user exists. Rejects with `conflict` when the new name or e-mail is taken. */
  updateUser(
    userId: string,
    change: Partial<
      Pick<
        User,
        | 'name'
        | 'email'
        | 'emailProved'
        | 'admin'
        | 'viewOnly'
        | 'restricted'
        | 'suspendedAt'
        | 'defaultWorkspaceId'
        | 'kind'
      >
    >,
  ): Promise<boolean>;
  /** Takes an e-mail away from a user who has not proved it, so that its owner may have it; answers whether there was one. */
  releaseEmail(email: string): Promise<boolean>;
  /**
   * Holds a user until the end of the transaction: of several that do this, one goes on and the others wait, or begin again on a cluster. First in
   * its transaction, so that what is read after it is current. Answers whether the user exists.
   */
  lockUser(userId: string): Promise<boolean>;
  /** The same for the question of who administers the installation. */
  lockAdministrators(): Promise<void>;
  /** Users in the order of their names, from after a name on; `search` is a part of a name or e-mail, in any case. */
  pageUsers(page: {
    readonly search?: string;
    readonly kind?: UserKind;
    readonly after?: string;
    readonly limit: number;
  }): Promise<readonly User[]>;
  /** How many administrators of the installation are not suspended, at most 2 are counted. */
  countAdministrators(): Promise<number>;
  /** The first user that was ever made, by whom the installation is known. */
  firstUserId(): Promise<string | undefined>;
  setDefaultWorkspace(userId: string, workspaceId: string): Promise<boolean>;
}

export const userMethods: Methods<UserStore> = {
  insertUser: once,
  findUser: reads,
  countUsers: reads,
  updateUser: changesExperiments(sets),
  releaseEmail: once,
  lockUser: sets,
  lockAdministrators: sets,
  pageUsers: reads,
  countAdministrators: reads,
  firstUserId: reads,
  setDefaultWorkspace: sets,
};
