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

export const revocations = ['ROTATED', 'REUSE', 'CLIENT_REQUEST', 'SIGN_OUT'] as const;
/** Why a token or a family ended: its successor was handed out, it was seen twice, the program gave it back, the user signed out everywhere or changed the password. */
export type Revocation = (typeof revocations)[number];

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
