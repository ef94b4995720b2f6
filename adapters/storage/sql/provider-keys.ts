import type { Provider, ProviderKey } from '#ports/model/provider-keys';
import type { ProviderKeyStore } from '#ports/storage/provider-keys';
import {
  authorshipColumns,
  authorshipRow,
  changedColumns,
  jsonIn,
  jsonText,
  textIn,
  toAuthorship,
  touchRow,
  type Row,
} from './authorship.js';
import { inTransaction, keyOf, refuseTaken, type Connection } from './connection.js';
import { isId } from './ids.js';

const columns = [
  'workspace_id',
  'id',
  'provider',
  'provider_name',
  'name',
  'sealed_key',
  'masked_key',
  'sealed_headers',
  'configuration',
  'base_url',
  ...authorshipColumns,
];

const toProviderKey = (row: Row): ProviderKey => ({
  workspaceId: String(row['workspace_id']),
  id: String(row['id']),
  provider: String(row['provider']) as Provider, // as it was written
  providerName: textIn(row, 'provider_name'),
  name: textIn(row, 'name'),
  sealedKey: textIn(row, 'sealed_key'),
  maskedKey: textIn(row, 'masked_key'),
  sealedHeaders: jsonIn(row, 'sealed_headers'),
  configuration: jsonIn(row, 'configuration'),
  baseUrl: textIn(row, 'base_url'),
  ...toAuthorship(row),
});

const taken = 'the workspace has a key for this provider';
/** More than a workspace may have. */
const mostListed = 2000;
const providerKeyOf = (provider: string, name: string | undefined): string =>
  keyOf(provider, name ?? '');

export const providerKeyStore = (connection: Connection): ProviderKeyStore => {
  const { db, dialect } = connection;
  return {
    insert: (key) =>
      refuseTaken(
        dialect,
        taken,
        db('provider_keys').insert({
          workspace_id: key.workspaceId,
          id: key.id,
          provider: key.provider,
          provider_name: key.providerName ?? null,
          provider_key: providerKeyOf(key.provider, key.providerName),
          name: key.name ?? null,
          sealed_key: key.sealedKey ?? null,
          masked_key: key.maskedKey ?? null,
          sealed_headers: jsonText(key.sealedHeaders),
          configuration: jsonText(key.configuration),
          base_url: key.baseUrl ?? null,
          ...authorshipRow(key),
        }),
      ),
    async find(workspaceId, id) {
      if (!isId(id)) return undefined;
      const row = (await db('provider_keys')
        .select(...columns)
        .where({ workspace_id: workspaceId, id })
        .first()) as Row | undefined; // the columns named
      return row === undefined ? undefined : toProviderKey(row);
    },
    async list(workspaceId) {
      const rows = (await db('provider_keys')
        .select(...columns)
        .where({ workspace_id: workspaceId })
        .orderBy('id')
        .limit(mostListed)) as readonly Row[]; // the columns named
      return rows.map(toProviderKey);
    },
    update: async (workspaceId, id, change) =>
      isId(id) &&
      inTransaction(connection, async ({ db: inside }) => {
        const one = { workspace_id: workspaceId, id };
        const row = (await inside('provider_keys').select('provider').where(one).first()) as
          Row | undefined; // the column named
        if (row === undefined) return false;
        const { providerName } = change;
        await refuseTaken(
          dialect,
          taken,
          inside('provider_keys')
            .where(one)
            .update({
              ...changedColumns(change, {
                name: 'name',
                providerName: 'provider_name',
                sealedKey: 'sealed_key',
                maskedKey: 'masked_key',
                sealedHeaders: 'sealed_headers',
                configuration: 'configuration',
                baseUrl: 'base_url',
              }),
              ...(providerName === undefined
                ? {}
                : { provider_key: providerKeyOf(String(row['provider']), providerName) }),
              ...touchRow(change),
            }),
        );
        return true;
      }),
    async remove(workspaceId, ids) {
      await db('provider_keys')
        .where({ workspace_id: workspaceId })
        .whereIn('id', ids.filter(isId))
        .delete();
    },
  };
};
