import type { Touch } from '../model/authorship.js';
import type { ProviderKey } from '../model/provider-keys.js';
import { once, reads, sets, type Methods } from './methods.js';

export type ProviderKeyChange = Touch &
  Partial<
    Pick<
      ProviderKey,
      | 'name'
      | 'providerName'
      | 'sealedKey'
      | 'maskedKey'
      | 'sealedHeaders'
      | 'configuration'
      | 'baseUrl'
    >
  >;

/** Keys for providers of models. What is secret in them comes sealed. */
export interface ProviderKeyStore {
  /** Rejects with `conflict` when the workspace has one of that id, or of that provider and provider name. */
  insert(key: ProviderKey): Promise<void>;
  find(workspaceId: string, id: string): Promise<ProviderKey | undefined>;
  /** In the order of their ids. */
  list(workspaceId: string): Promise<readonly ProviderKey[]>;
  /** Only what is given changes. Rejects with `conflict` when the provider name is taken. Says whether it was there. */
  update(workspaceId: string, id: string, change: ProviderKeyChange): Promise<boolean>;
  /** Ids that are not there are skipped. */
  remove(workspaceId: string, ids: readonly string[]): Promise<void>;
}

export const providerKeyMethods: Methods<ProviderKeyStore> = {
  insert: once,
  find: reads,
  list: reads,
  update: sets,
  remove: sets,
};
