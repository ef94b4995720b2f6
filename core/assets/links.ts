// Links that carry their own permission: to one asset's bytes, and for one part of an upload.
import type { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import type { Secrets } from '#ports/secrets';
import type { Stores } from '#ports/storage/storage';

export interface LinkNeeds {
  readonly assets: Stores['assets'];
  readonly clock: Clock;
  readonly secrets: Secrets;
}

/** What a request says of its link's permission. */
export interface Permission {
  readonly expires: number;
  readonly signature: string;
}

/** Signs and checks links. The secret is made on first use and shared by all processes over one database. */
export const createLinks = ({ assets, clock, secrets }: LinkNeeds) => {
  let kept: string | undefined;
  const secret = async (): Promise<string> => (kept ??= await assets.keepLinkSecret(secrets.code(64), clock.now()));
  return {
    /** Query words that permit what `said` names for so many seconds. */
    async permit(said: string, seconds: number): Promise<string> {
      const expires = clock.now() + seconds * 1000;
      return `expires=${expires}&signature=${secrets.sign(await secret(), `${said}:${expires}`)}`;
    },
    /** Lets a permission pass that was made here and has not run out; else rejects with `forbidden`. */
    async check(said: string, { expires, signature }: Permission): Promise<void> {
      const genuine = secrets.verify(await secret(), `${said}:${expires}`, signature);
      if (!genuine || expires < clock.now()) throw new Failure('forbidden', 'the link is not valid, or no longer');
    },
  };
};
export type Links = ReturnType<typeof createLinks>;
