// Which provider a model's name asks for, and with which of a workspace's keys. Pure.
import type { ChatWireName } from '#ports/chat-model';
import { Failure } from '#ports/failure';
import type { Provider, ProviderKey } from '#ports/model/provider-keys';

/** Where a provider is asked, unless the key says another address, and by which wire. */
interface Way {
  readonly wire: ChatWireName;
  /** `undefined` where every workspace has an address of its own. */
  readonly address?: string;
}
const ways: Readonly<Record<Provider, Way>> = {
  openai: { wire: 'openai', address: 'https://api.openai.com/v1' },
  anthropic: { wire: 'anthropic', address: 'https://api.anthropic.com/v1' },
  gemini: { wire: 'gemini', address: 'https://generativelanguage.googleapis.com/v1beta' },
  openrouter: { wire: 'openai', address: 'https://openrouter.ai/api/v1' },
  'vertex-ai': { wire: 'openai' },
  bedrock: { wire: 'openai' },
  ollama: { wire: 'openai' },
  'custom-llm': { wire: 'openai' },
};

/** A provider's own names begin so. */
const ownNames: readonly (readonly [Provider, RegExp])[] = [
  ['openai', /^(gpt-|chatgpt-|o\d|codex-|davinci-|babbage-|ft:)/],
  ['anthropic', /^claude-/],
  ['gemini', /^(gemini-|gemma-|learnlm-)/],
];

/** Words before a slash that name a provider. */
const prefixes: Readonly<Record<string, Provider>> = {
  openai: 'openai',
  anthropic: 'anthropic',
  gemini: 'gemini',
  google: 'gemini',
  openrouter: 'openrouter',
  'vertex-ai': 'vertex-ai',
  vertex_ai: 'vertex-ai',
  bedrock: 'bedrock',
  ollama: 'ollama',
  'custom-llm': 'custom-llm',
};

const unsupported = (model: string): Failure =>
  new Failure(
    'invalid',
    model === ''
      ? 'model is empty, which is not supported'
      : `model ${model.slice(0, 100)} is not supported`,
  );
const keyMissing = (provider: string, model: string): Failure =>
  new Failure(
    'invalid',
    `no key for provider ${provider} is stored, which model ${model.slice(0, 100)} needs`,
  );

/** A model as its provider knows it, and the key to ask with. */
export interface Chosen {
  readonly key: ProviderKey;
  readonly model: string;
  readonly wire: ChatWireName;
  readonly baseUrl: string;
}

const withoutSlash = (address: string): string => {
  let end = address.length;
  while (address[end - 1] === '/') end--;
  return address.slice(0, end);
};

/** An Ollama instance speaks as OpenAI does below `/v1`, which people leave out or not. */
const addressOf = ({ provider, baseUrl }: ProviderKey): string | undefined => {
  const address = baseUrl === undefined ? ways[provider].address : withoutSlash(baseUrl);
  if (provider !== 'ollama' || address === undefined) return address;
  return address.endsWith('/v1') ? address : `${address}/v1`;
};

const chosen = (key: ProviderKey, model: string): Chosen => {
  const baseUrl = addressOf(key);
  if (baseUrl === undefined)
    throw new Failure(
      'invalid',
      `the key for provider ${key.provider} has no base_url, which model ${model.slice(0, 100)} needs`,
    );
  if (model === '') throw unsupported('');
  return { key, model, wire: ways[key.provider].wire, baseUrl };
};

/** Among several keys of a provider the model's name begins with the name of one; a key without a name takes what is left. */
const amongKeys = (
  keys: readonly ProviderKey[],
  rest: string,
): { readonly key: ProviderKey; readonly model: string } | undefined => {
  const named = keys
    .filter(({ providerName: name }) => name !== undefined && rest.startsWith(`${name}/`))
    .sort((one, other) => (other.providerName?.length ?? 0) - (one.providerName?.length ?? 0))[0];
  if (named !== undefined)
    return { key: named, model: rest.slice((named.providerName?.length ?? 0) + 1) };
  const nameless = keys.find(({ providerName: name }) => name === undefined || name === '');
  return nameless === undefined ? undefined : { key: nameless, model: rest };
};

/** Providers to which a name may belong, with what they know the model by; the first for whom there is a key is asked. OpenRouter's names begin with a maker's. */
const candidatesOf = (name: string): readonly (readonly [Provider, string])[] => {
  const slash = name.indexOf('/');
  const provider = slash === -1 ? undefined : prefixes[name.slice(0, slash)];
  const rest = name.slice(slash + 1);
  if (slash === -1)
    return ownNames.filter(([, begins]) => begins.test(name)).map(([own]) => [own, name] as const);
  if (provider === undefined) return [['openrouter', name]];
  // OpenRouter has models of its own without a maker's name, such as `openrouter/auto`.
  if (provider === 'openrouter') return [[provider, rest.includes('/') ? rest : name]];
  const isMaker = provider === 'openai' || provider === 'anthropic' || provider === 'gemini';
  return [...(isMaker ? [['openrouter', name] as const] : []), [provider, rest]];
};

/** Rejects with `invalid` for a name that is no provider's, and where the workspace has no key for its provider. */
export const chooseModel = (
  name: string,
  keys: readonly ProviderKey[],
  isPriced: (model: string) => Provider | undefined,
): Chosen => {
  const known = candidatesOf(name);
  const priced = known.length === 0 ? isPriced(name) : undefined;
  const candidates = priced === undefined ? known : [[priced, name] as const];
  for (const [provider, rest] of candidates) {
    const found = amongKeys(
      keys.filter((one) => one.provider === provider),
      rest,
    );
    if (found !== undefined) return chosen(found.key, found.model);
  }
  const last = candidates.at(-1);
  if (name === '' || last === undefined) throw unsupported(name);
  throw keyMissing(last[0], name);
};
