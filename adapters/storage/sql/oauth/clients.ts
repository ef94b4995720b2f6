// Programs that were registered, and how often somebody tried to.
import type { OAuthClient } from '#ports/model/oauth';
import type { OAuthStore } from '#ports/storage/oauth';
import { keyOf, orNothing, wholeOrNothing, type Connection } from '../connection.js';
import { uuid } from './ids.js';

interface ClientRow {
  readonly id: string;
  readonly name: string;
  readonly redirect_uris: string;
  readonly logo_uri: string | null;
  readonly client_uri: string | null;
  readonly software_id: string | null;
  readonly software_version: string | null;
  readonly created_at: unknown;
  readonly disabled_at: unknown;
}
const toClient = (row: ClientRow): OAuthClient => ({
  id: row.id,
  name: row.name,
  redirectUris: JSON.parse(row.redirect_uris) as string[],
  logoUri: orNothing(row.logo_uri),
  clientUri: orNothing(row.client_uri), // a list of texts is all that is ever written
  softwareId: orNothing(row.software_id),
  softwareVersion: orNothing(row.software_version),
  createdAt: Number(row.created_at),
  disabledAt: wholeOrNothing(row.disabled_at),
});

type Of = 'insertClient' | 'findClient' | 'disableClient' | 'addAttempt';

export const clientStore = ({ db, dialect }: Connection): Pick<OAuthStore, Of> => ({
  async insertClient(client) {
    await db('oauth_clients').insert({
      id: client.id,
      name: client.name,
      redirect_uris: JSON.stringify(client.redirectUris),
      logo_uri: client.logoUri ?? null,
      client_uri: client.clientUri ?? null,
      software_id: client.softwareId ?? null,
      software_version: client.softwareVersion ?? null,
      created_at: client.createdAt,
      disabled_at: client.disabledAt ?? null,
    });
  },
  async findClient(id) {
    const row = uuid.test(id)
      ? await db('oauth_clients')
          .where({ id })
          .whereNull('disabled_at')
          .first<ClientRow | undefined>(
            'id',
            'name',
            'redirect_uris',
            'logo_uri',
            'client_uri',
            'software_id',
            'software_version',
            'created_at',
            'disabled_at',
          )
      : undefined;
    return row === undefined ? undefined : toClient(row);
  },
  async disableClient(id, at) {
    return (
      uuid.test(id) && (await db('oauth_clients').where({ id }).update({ disabled_at: at })) > 0
    );
  },
  async addAttempt(key, until) {
    const name = keyOf(key);
    await db.raw(
      `insert into oauth_attempts (name, n, until) values (?, 1, ?) ${dialect.onConflict(['name'], [`n = ${dialect.stored('oauth_attempts', 'n')} + 1`])}`,
      [name, until],
    );
    const row = await db('oauth_attempts')
      .where({ name })
      .first<{ readonly n: unknown } | undefined>('n');
    return Number(row?.n ?? 1);
  },
});
