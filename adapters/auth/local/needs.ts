import type { Auth } from '#ports/auth';
import type { Clock } from '#ports/clock';
import type { Ids } from '#ports/ids';
import type { Secrets } from '#ports/secrets';
import type { Storage } from '#ports/storage/storage';

export interface LocalAuthNeeds {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly secrets: Secrets;
  readonly nameMinLength: number;
  /** Rejects with `invalid` a password that is not acceptable for somebody of this name and e-mail. */
  readonly checkNewPassword: Auth['checkNewPassword'];
  /** Rejects with `invalid` a name that no workspace may have. */
  readonly checkWorkspaceName: (name: string) => void;
  /** How long a session lives without a use, and in all. */
  readonly sessionLife: { readonly idleMs: number; readonly mostMs: number };
  /** What follows a key's secret after a star, so that clients find the server by it; empty when smart keys are off. */
  readonly keySuffix: string;
  /** The user as whom everybody acts who shows no known credential, where authentication is off. */
  readonly everybodyIs?: string | undefined;
  /** Whether access tokens of programs are taken. */
  readonly takesTokens: boolean;
}
