// What other areas do with the keys of a workspace: call a provider with one.
import type { ProviderKey } from '#ports/model/provider-keys';
import type { Sealer } from '#ports/sealer';

/** What a sealed value belongs to: it opens for this key of this workspace alone. */
export const sealedFor = ({ workspaceId, id }: Pick<ProviderKey, 'workspaceId' | 'id'>): string =>
  `provider key ${workspaceId} ${id}`;

export interface OpenedKey {
  readonly key: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** The secrets of a key, to be sent to its provider and nowhere else. Rejects with `unavailable` what was sealed under another key of the installation. */
export const openProviderKey = (sealer: Sealer, stored: ProviderKey): OpenedKey => {
  const about = sealedFor(stored);
  return {
    key: stored.sealedKey === undefined ? undefined : sealer.open(stored.sealedKey, about).trim(),
    headers: Object.fromEntries(
      Object.entries(stored.sealedHeaders ?? {}).map(([name, sealed]) => [
        name,
        sealer.open(sealed, about),
      ]),
    ),
  };
};
