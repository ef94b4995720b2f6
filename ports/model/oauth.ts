/** A program that registered itself to act for users; it holds no secret. */
export interface OAuthClient {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly logoUri: string | undefined;
  readonly clientUri: string | undefined;
  readonly softwareId: string | undefined;
  readonly softwareVersion: string | undefined;
  readonly createdAt: number;
  /** Set while it is switched off: none of its codes and tokens are known. */
  readonly disabledAt: number | undefined;
}

/** What a user allowed a program to do where; the code that tells of it is kept as a hash only. */
export interface OAuthCode {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly workspaceId: string;
  /** As it was called when the user chose it. */
  readonly workspaceName: string;
  /** base64url of SHA-256 of the verifier. */
  readonly challenge: string;
  /** The text that was presented, port included. */
  readonly redirectUri: string;
  readonly resource: string;
  readonly createdAt: number;
  readonly expiresAt: number;
}

export const revocations = ['ROTATED', 'REUSE', 'CLIENT_REQUEST', 'SIGN_OUT', 'ENDED'] as const;
/** Why a token or a family ended: its successor was handed out, it was seen twice, the program gave it back, the user signed out everywhere or changed the password, the user or an administrator ended the program's access. */
export type Revocation = (typeof revocations)[number];

/** What a program may do for a user in one workspace, of all consents to it that go on. */
export interface ProgramAccess {
  readonly client: Pick<OAuthClient, 'id' | 'name' | 'clientUri' | 'createdAt' | 'disabledAt'>;
  readonly workspaceId: string;
  readonly workspaceName: string;
  /** When the first of these consents was given. */
  readonly since: number;
  /** When the last pair of tokens was made. */
  readonly usedAt: number;
}

/** All tokens that go back to one consent. */
export interface OAuthFamily {
  readonly id: string;
  readonly clientId: string;
  readonly userId: string;
  readonly workspaceId: string;
  readonly resource: string;
  readonly createdAt: number;
  /** When the last pair was made. */
  readonly usedAt: number;
  /** Beyond this no refresh prolongs it. */
  readonly expiresAt: number;
  readonly revokedAt: number | undefined;
  readonly reason: Revocation | undefined;
}

export interface OAuthToken {
  readonly id: string;
  readonly familyId: string;
  readonly kind: 'access' | 'refresh';
  /** The refresh token that it was made from; `undefined` for the first pair. */
  readonly rotatedFrom: string | undefined;
  /** How many pairs were made from it. */
  readonly pairs: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly revokedAt: number | undefined;
  readonly reason: Revocation | undefined;
}
