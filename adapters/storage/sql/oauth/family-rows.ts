import type { OAuthFamily, Revocation } from '#ports/model/oauth';
import { orNothing, wholeOrNothing } from '../connection.js';

export interface FamilyRow {
  readonly family_id: string;
  readonly family_client: string;
  readonly family_user: string;
  readonly family_workspace: string;
  readonly family_resource: string;
  readonly family_made: unknown;
  readonly family_used: unknown;
  readonly family_end: unknown;
  readonly family_revoked: unknown;
  readonly family_reason: Revocation | null;
}
export const familyColumns = {
  family_id: 'oauth_families.id',
  family_client: 'oauth_families.client_id',
  family_user: 'oauth_families.user_id',
  family_workspace: 'oauth_families.workspace_id',
  family_resource: 'oauth_families.resource',
  family_made: 'oauth_families.created_at',
  family_used: 'oauth_families.used_at',
  family_end: 'oauth_families.expires_at',
  family_revoked: 'oauth_families.revoked_at',
  family_reason: 'oauth_families.reason',
} as const;
export const toFamily = (row: FamilyRow): OAuthFamily => ({
  id: row.family_id,
  clientId: row.family_client,
  userId: row.family_user,
  workspaceId: row.family_workspace,
  resource: row.family_resource,
  createdAt: Number(row.family_made),
  usedAt: Number(row.family_used),
  expiresAt: Number(row.family_end),
  revokedAt: wholeOrNothing(row.family_revoked),
  reason: orNothing(row.family_reason),
});
