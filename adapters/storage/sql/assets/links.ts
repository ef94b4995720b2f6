import type { LinkStore } from '#ports/storage/links';
import type { Connection } from '../connection.js';

/** The secret that links to files are signed with, one for all processes. */
export const linkStore = ({ db }: Connection): LinkStore => ({
  async keepLinkSecret(offered, at) {
    const kept = () =>
      db('link_secrets')
        .select('secret')
        .where({ name: 'links' })
        .first<{ readonly secret: string } | undefined>();
    const before = await kept();
    if (before !== undefined) return before.secret;
    await db('link_secrets')
      .insert({ name: 'links', secret: offered, created_at: at })
      .onConflict('name')
      .ignore();
    return (await kept())?.secret ?? offered;
  },
});
