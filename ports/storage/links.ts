import { sets, type Methods } from './methods.js';

/** What links that carry their own permission are signed with. */
export interface LinkStore {
  /** The secret by which links are signed: `offered` the first time, and ever after what was kept then. */
  keepLinkSecret(offered: string, at: number): Promise<string>;
}

export const linkMethods: Methods<LinkStore> = {
  keepLinkSecret: sets,
};
