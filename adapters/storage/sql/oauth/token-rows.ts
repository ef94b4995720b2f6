import type { OAuthToken, Revocation } from '#ports/model/oauth';
import type { NewToken } from '#ports/storage/oauth';
import { orNothing, wholeOrNothing } from '../connection.js';

export interface TokenRow {
  readonly token_id: string;
  readonly token_family: string;
  readonly token_kind: 'access' | 'refresh';
  readonly rotated_from: string | null;
  readonly pairs: number;
  readonly token_made: unknown;
  readonly token_end: unknown;
  readonly token_revoked: unknown;
  readonly token_reason: Revocation | null;
}
export const tokenColumns = {
  token_id: 'oauth_tokens.id',
  token_family: 'oauth_tokens.family_id',
  token_kind: 'oauth_tokens.kind',
  rotated_from: 'oauth_tokens.rotated_from',
  pairs: 'oauth_tokens.pairs',
  token_made: 'oauth_tokens.created_at',
  token_end: 'oauth_tokens.expires_at',
  token_revoked: 'oauth_tokens.revoked_at',
  token_reason: 'oauth_tokens.reason',
} as const;
export const toToken = (row: TokenRow): OAuthToken => ({
  id: row.token_id,
  familyId: row.token_family,
  kind: row.token_kind,
  rotatedFrom: orNothing(row.rotated_from),
  pairs: Number(row.pairs),
  createdAt: Number(row.token_made),
  expiresAt: Number(row.token_end),
  revokedAt: wholeOrNothing(row.token_revoked),
  reason: orNothing(row.token_reason),
});

/** Places of so many values. */
export const marks = (count: number): string => Array<string>(count).fill('?').join(', ');
export const insertTokensSql = (count: number): string =>
  `insert into oauth_tokens (id, hash, family_id, kind, rotated_from, pairs, created_at, expires_at, revoked_at, reason) values ${Array<string>(
    count,
  )
    .fill(`(${marks(10)})`)
    .join(', ')}`;
export const tokenValues = (token: NewToken): readonly unknown[] => [
  token.id,
  token.hash,
  token.familyId,
  token.kind,
  token.rotatedFrom ?? null,
  token.pairs,
  token.createdAt,
  token.expiresAt,
  token.revokedAt ?? null,
  token.reason ?? null,
];
