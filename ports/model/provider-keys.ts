import { kind } from '../api/kind.js';
import type { Authorship } from './authorship.js';

/** Providers of models for which a workspace may keep a key. */
export const providers = [
  'openai',
  'anthropic',
  'gemini',
  'openrouter',
  'vertex-ai',
  'bedrock',
  'ollama',
  'custom-llm',
] as const;
export type Provider = (typeof providers)[number];

/** How a workspace calls a provider of models. */
export interface ProviderKey extends Authorship {
  readonly workspaceId: string;
  readonly id: string;
  readonly provider: Provider;
  /** Tells keys of one provider apart where a workspace may have several. */
  readonly providerName: string | undefined;
  readonly name: string | undefined;
  /** The key, sealed; `undefined` where the provider needs none. */
  readonly sealedKey: string | undefined;
  /** What is shown in place of the key. */
  readonly maskedKey: string | undefined;
  /** Values by the names of headers, each sealed. */
  readonly sealedHeaders: Readonly<Record<string, string>> | undefined;
  readonly configuration: Readonly<Record<string, string>> | undefined;
  readonly baseUrl: string | undefined;
}
export const providerKey = kind<ProviderKey>()('providerKey');
