import { area } from '#ports/api/area';
import { privateFamily } from '#ports/api/families/private';
import { defineKind } from '#ports/api/kind-definition';
import { providerKeyOperations } from '#ports/api/provider-keys';
import { Clock } from '#ports/clock';
import { Failure } from '#ports/failure';
import { Ids } from '#ports/ids';
import { providerKey, type ProviderKey } from '#ports/model/provider-keys';
import { Sealer } from '#ports/sealer';
import { storageOf } from '#ports/storage/storage';
import { PlaceFinder } from '#ports/storage/workspaces';
import { madeBy, showAuthorship, touchedBy } from '../private-wire/authorship.js';
import { given } from '../private-wire/given.js';
import { readId, readIds } from '../private-wire/ids.js';
import { showPage } from '../private-wire/pages.js';
import { recordRules } from '../private-wire/records.js';
import { sealedFor } from './offers.js';
import {
  checkAuthConfig,
  checkBaseUrl,
  checkEntries,
  checkHeaders,
  checkKept,
  distinguishingName,
  mask,
  maskKey,
} from './rules.js';

const mostKeys = 1000;

const providerKeyKind = defineKind(providerKey, {
  needs: { storage: storageOf('projects', 'providerKeys', 'workspaces'), places: PlaceFinder },
  rules: ({ storage: { stores }, places }) =>
    recordRules({ stores, places }, 'provider key', stores.providerKeys.find),
});

const show = (one: ProviderKey) => ({
  id: one.id,
  provider: one.provider,
  api_key: one.maskedKey,
  name: one.name,
  provider_name: one.providerName,
  headers:
    one.sealedHeaders &&
    Object.fromEntries(Object.keys(one.sealedHeaders).map((name) => [name, mask])),
  configuration: one.configuration && { ...one.configuration },
  base_url: one.baseUrl,
  read_only: false,
  ...showAuthorship(one),
});

type Entries = Readonly<Record<string, string>>;

/** A sealed value belongs to one key of one workspace: it opens nowhere else. */
const sealing = (sealer: Sealer, workspaceId: string, id: string) => {
  const seal = (text: string): string => sealer.seal(text, sealedFor({ workspaceId, id }));
  return {
    /** Nothing where the key that is sent is none, or the mask of the one that is kept. */
    key: (sent: string | undefined, kept?: string) =>
      sent === undefined || sent.trim() === '' || sent === kept
        ? {}
        : { sealedKey: seal(sent), maskedKey: maskKey(sent) },
    /** Rejects with `unprocessable` for a mask of a header that is not kept. */
    headers: (sent: Entries, kept: Entries = {}): Entries =>
      Object.fromEntries(
        Object.entries(sent).map(([name, value]) => {
          if (value !== mask) return [name, seal(value)];
          const before = Object.hasOwn(kept, name) ? kept[name] : undefined;
          if (before === undefined)
            throw new Failure('unprocessable', `header ${name} is masked, and none is stored`);
          return [name, before];
        }),
      ),
  };
};

const blankAsNone = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === '' ? undefined : text.trim();

export const providerKeysArea = area({
  name: 'provider-keys',
  summary: 'Keys with which a workspace calls providers of models.',
  family: privateFamily,
  table: providerKeyOperations,
  kinds: [providerKeyKind],
  needs: { storage: storageOf('providerKeys'), clock: Clock, ids: Ids, sealer: Sealer },
  handlers: ({ storage, clock, ids, sealer }) => {
    const { providerKeys } = storage.stores;
    return {
      async listProviderKeys({ workspace }) {
        const found = await providerKeys.list(workspace.id);
        const { page: _, ...shown } = showPage(
          { page: 1 },
          { total: found.length, content: found.map(show) },
        );
        return shown;
      },
      async createProviderKey({ body, workspace, caller }) {
        const baseUrl = blankAsNone(body.base_url);
        checkBaseUrl(baseUrl);
        checkHeaders(body.headers);
        checkAuthConfig(body.auth_config);
        checkEntries('configuration', body.configuration);
        if ((await providerKeys.list(workspace.id)).length >= mostKeys)
          throw new Failure('conflict', `a workspace has at most ${mostKeys} provider keys`);
        const id = body.id === undefined ? ids.next() : readId(body.id, 'provider key');
        const seals = sealing(sealer, workspace.id, id);
        await providerKeys.insert({
          workspaceId: workspace.id,
          id,
          provider: body.provider,
          providerName: distinguishingName(body.provider, body.provider_name),
          name: body.name,
          sealedKey: undefined,
          maskedKey: undefined,
          ...seals.key(body.api_key),
          sealedHeaders: body.headers && seals.headers(body.headers),
          configuration: body.configuration,
          baseUrl,
          ...madeBy(clock, caller),
        });
        return { body: undefined, madeAt: `/v1/private/llm-provider-key/${id}` };
      },
      showProviderKey: async (call) => show(call.providerKey),
      async updateProviderKey({ body, providerKey: before, caller }) {
        const { workspaceId, id } = before;
        const baseUrl = blankAsNone(body.base_url);
        checkBaseUrl(baseUrl);
        checkHeaders(body.headers);
        checkAuthConfig(body.auth_config);
        checkEntries('configuration', body.configuration);
        const seals = sealing(sealer, workspaceId, id);
        const key = seals.key(body.api_key, before.maskedKey);
        checkKept(before, {
          base_url: baseUrl,
          newKey: 'sealedKey' in key,
          headers: body.headers,
        });
        const change = {
          ...key,
          ...given({
            name: body.name,
            providerName: distinguishingName(before.provider, body.provider_name),
            sealedHeaders: body.headers && seals.headers(body.headers, before.sealedHeaders),
            configuration: body.configuration,
            baseUrl,
          }),
          ...touchedBy(clock, caller),
        };
        if (!(await providerKeys.update(workspaceId, id, change)))
          throw new Failure('absent', `provider key ${id} not found`);
        return undefined;
      },
      async deleteProviderKeys({ body, workspace }) {
        await providerKeys.remove(workspace.id, readIds(body.ids));
        return undefined;
      },
    };
  },
});
