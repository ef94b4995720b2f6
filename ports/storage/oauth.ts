import type { User } from '../model/identity.js';
import type {
  OAuthClient,
  OAuthCode,
  OAuthFamily,
  OAuthToken,
  ProgramAccess,
  Revocation,
} from '../model/oauth.js';
import type { Reach } from './members.js';
import { once, reads, type Methods } from './methods.js';

/** What an access token stands for. */
export interface AccessHolder extends Reach {
  readonly token: OAuthToken;
  readonly family: OAuthFamily;
  readonly workspaceName: string;
  readonly user: User;
}

export type NewToken = OAuthToken & { readonly hash: string };

/** Programs that act for users. Codes and tokens are known by the SHA-256 of their text, in hex; the text is never stored. */
export interface OAuthStore {
  insertClient(client: OAuthClient): Promise<void>;
  /** A client that is not switched off. */
  findClient(id: string): Promise<OAuthClient | undefined>;
  /** Switches a client off; answers whether it exists. */
  disableClient(id: string, at: number): Promise<boolean>;
  /** Counts one attempt more under a key and answers how many there were; they are forgotten some time after `until`. */
  addAttempt(key: string, until: number): Promise<number>;

  insertCode(code: OAuthCode & { readonly hash: string }): Promise<void>;
  /** A code, used or not, of a client that is not switched off. */
  findCode(hash: string): Promise<OAuthCode | undefined>;
  /** Marks a code as used, which succeeds once and before it expires; never inside a transaction, so that nothing takes it back. */
  takeCode(hash: string, now: number): Promise<boolean>;
  /** Forgets a code; answers whether it was there. Of two who forget one code, one is answered `true`. */
  removeCode(hash: string): Promise<boolean>;

  /**
   * Forgets a code and keeps the family and the tokens that were made of it, or, when the code was forgotten in between or its user is
   * suspended, nothing; which it was. In a transaction of its own. `codeHash` is the code by which the family is found when that code is seen again.
   */
  insertFamily(
    family: OAuthFamily & { readonly codeHash: string },
    tokens: readonly NewToken[],
  ): Promise<boolean>;
  insertTokens(tokens: readonly NewToken[]): Promise<void>;
  /** A token of either kind, ended or not, with whose it is. */
  findToken(
    hash: string,
  ): Promise<(OAuthToken & Pick<OAuthFamily, 'clientId' | 'userId'>) | undefined>;
  /** Who holds an access token that has not ended by then; `undefined` for a suspended user and a client that is switched off too. */
  findAccess(hash: string, now: number): Promise<AccessHolder | undefined>;
  /** A family, held until the end of the transaction so that nobody else changes it, and one of its tokens as it is by then. */
  lockFamily(
    tokenId: string,
  ): Promise<{ readonly family: OAuthFamily; readonly token: OAuthToken } | undefined>;
  /** Notes that a pair was made from a refresh token, which ends the first time. */
  rotate(token: Pick<OAuthToken, 'id' | 'familyId'>, at: number): Promise<void>;
  /** Ends one token; answers whether it had not ended before. */
  revokeToken(id: string, reason: Revocation, at: number): Promise<boolean>;
  /** Ends a family with all its tokens; gives it, or nothing when it had ended before. */
  revokeFamily(
    by: { readonly id: string } | { readonly codeHash: string },
    reason: Revocation,
    at: number,
  ): Promise<OAuthFamily | undefined>;
  /** Ends every family of a user; answers how many. */
  revokeOf(userId: string, reason: Revocation, at: number): Promise<number>;
  /** Programs that act for a user, each in each workspace: those with a token that has not ended by then, also of clients that are switched off; the one that was used last comes first. */
  listPrograms(userId: string, now: number): Promise<readonly ProgramAccess[]>;
  /** Forgets codes of a user for one client and ends all its families for that user; answers how many families. In a transaction of its own or the caller's. */
  revokeProgram(userId: string, clientId: string, reason: Revocation, at: number): Promise<number>;
  /** Removes at most `limit` clients that registered before `before`, have no code and no family that goes on by `now`, and were not used since; answers how many went. */
  removeUnusedClients(before: number, now: number, limit: number): Promise<number>;
  /** Removes at most `limit` each of codes, access tokens, attempts and families that are over; refresh tokens stay as long as their family may live, so that one seen twice is known. Answers how many went. */
  removeEnded(now: number, limit: number): Promise<number>;
}

export const oauthMethods: Methods<OAuthStore> = {
  insertClient: once,
  findClient: reads,
  disableClient: once,
  addAttempt: once,
  insertCode: once,
  findCode: reads,
  takeCode: once,
  removeCode: once,
  insertFamily: once,
  insertTokens: once,
  findToken: reads,
  findAccess: reads,
  lockFamily: once,
  rotate: once,
  revokeToken: once,
  revokeFamily: once,
  revokeOf: once,
  listPrograms: reads,
  revokeProgram: once,
  removeUnusedClients: once,
  removeEnded: once,
};
