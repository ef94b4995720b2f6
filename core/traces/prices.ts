// What tokens of models cost: a list that ships, and what an administrator adds to it. Pure.
import { Failure } from '#ports/failure';
import { parseJson } from '../json-text.js';

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  /** Of input that the provider had kept; as any input, if left out. */
  readonly cachedInput?: number;
}

export interface PriceList {
  /** Names the list, beside each cost that comes from it. */
  readonly version: string;
  /** US dollars; `undefined` where the list does not know the model, or nothing was counted. */
  costOf(
    provider: string | undefined,
    model: string,
    usage: Readonly<Record<string, number>>,
  ): number | undefined;
}

const shippedVersion = 'orrery-2026-11';
/** List prices as the providers publish them; the newest names of a family come first where one is the beginning of another. */
const shipped: Readonly<Record<string, ModelPrice>> = {
  'openai/gpt-5-nano': { input: 0.05, output: 0.4, cachedInput: 0.005 },
  'openai/gpt-5-mini': { input: 0.25, output: 2, cachedInput: 0.025 },
  'openai/gpt-5': { input: 1.25, output: 10, cachedInput: 0.125 },
  'openai/gpt-4.1-nano': { input: 0.1, output: 0.4, cachedInput: 0.025 },
  'openai/gpt-4.1-mini': { input: 0.4, output: 1.6, cachedInput: 0.1 },
  'openai/gpt-4.1': { input: 2, output: 8, cachedInput: 0.5 },
  'openai/gpt-4o-mini': { input: 0.15, output: 0.6, cachedInput: 0.075 },
  'openai/gpt-4o': { input: 2.5, output: 10, cachedInput: 1.25 },
  'openai/gpt-4-turbo': { input: 10, output: 30 },
  'openai/gpt-4': { input: 30, output: 60 },
  'openai/gpt-3.5-turbo': { input: 0.5, output: 1.5 },
  'openai/o1-mini': { input: 1.1, output: 4.4, cachedInput: 0.55 },
  'openai/o1': { input: 15, output: 60, cachedInput: 7.5 },
  'openai/o3-mini': { input: 1.1, output: 4.4, cachedInput: 0.55 },
  'openai/o3': { input: 2, output: 8, cachedInput: 0.5 },
  'openai/o4-mini': { input: 1.1, output: 4.4, cachedInput: 0.275 },
  'openai/text-embedding-3-small': { input: 0.02, output: 0 },
  'openai/text-embedding-3-large': { input: 0.13, output: 0 },
  'anthropic/claude-opus-4': { input: 15, output: 75, cachedInput: 1.5 },
  'anthropic/claude-sonnet-4': { input: 3, output: 15, cachedInput: 0.3 },
  'anthropic/claude-haiku-4': { input: 1, output: 5, cachedInput: 0.1 },
  'anthropic/claude-3-7-sonnet': { input: 3, output: 15, cachedInput: 0.3 },
  'anthropic/claude-3-5-sonnet': { input: 3, output: 15, cachedInput: 0.3 },
  'anthropic/claude-3-5-haiku': { input: 0.8, output: 4, cachedInput: 0.08 },
  'anthropic/claude-3-opus': { input: 15, output: 75, cachedInput: 1.5 },
  'anthropic/claude-3-sonnet': { input: 3, output: 15 },
  'anthropic/claude-3-haiku': { input: 0.25, output: 1.25, cachedInput: 0.03 },
  'google/gemini-2.5-pro': { input: 1.25, output: 10, cachedInput: 0.31 },
  'google/gemini-2.5-flash-lite': { input: 0.1, output: 0.4, cachedInput: 0.025 },
  'google/gemini-2.5-flash': { input: 0.3, output: 2.5, cachedInput: 0.075 },
  'google/gemini-2.0-flash': { input: 0.1, output: 0.4, cachedInput: 0.025 },
  'google/gemini-1.5-pro': { input: 1.25, output: 5 },
  'google/gemini-1.5-flash': { input: 0.075, output: 0.3 },
  'mistral/mistral-large': { input: 2, output: 6 },
  'mistral/mistral-small': { input: 0.1, output: 0.3 },
  'groq/llama-3.3-70b': { input: 0.59, output: 0.79 },
  'groq/llama-3.1-8b': { input: 0.05, output: 0.08 },
  'deepseek/deepseek-chat': { input: 0.27, output: 1.1, cachedInput: 0.07 },
  'deepseek/deepseek-reasoner': { input: 0.55, output: 2.19, cachedInput: 0.14 },
};

/** Names by which clients call a provider. */
const aliases: Readonly<Record<string, string>> = {
  google_vertexai: 'google',
  google_ai: 'google',
  gemini: 'google',
  vertex_ai: 'google',
  mistralai: 'mistral',
  azure: 'openai',
  bedrock: 'anthropic',
  anthropic_vertexai: 'anthropic',
};

const isPrice = (given: unknown): given is ModelPrice => {
  if (typeof given !== 'object' || given === null) return false;
  const { input, output, cachedInput } = given as Partial<Record<string, unknown>>; // any object can be read by name
  const isAmount = (amount: unknown) =>
    typeof amount === 'number' && Number.isFinite(amount) && amount >= 0;
  return (
    isAmount(input) && isAmount(output) && (cachedInput === undefined || isAmount(cachedInput))
  );
};

/** Prices from the text of a setting; `undefined` where it is no JSON object of them. */
const readPrices = (text: string): ReadonlyMap<string, ModelPrice> | undefined => {
  if (text.trim() === '') return new Map();
  const parsed = parseJson(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const entries = Object.entries(parsed);
  return entries.every((entry): entry is [string, ModelPrice] => isPrice(entry[1]))
    ? new Map(entries.map(([name, price]) => [name.toLowerCase(), price]))
    : undefined;
};

const firstOf = (usage: Readonly<Record<string, number>>, ...names: readonly string[]): number => {
  for (const name of names) if (Object.hasOwn(usage, name)) return usage[name] ?? 0;
  return 0;
};

/** What providers and conventions call input that was read from a cache; tokens of the prompt count it, too. */
const cachedNames = [
  'original_usage.prompt_tokens_details.cached_tokens',
  'original_usage.input_tokens_details.cached_tokens',
  'original_usage.cache_read_input_tokens',
  'original_usage.cacheReadInputTokens',
  'original_usage.cached_content_token_count',
  'cached_tokens',
  'cache_read_input_tokens',
  'cache_read.input_tokens',
  'details.cache_read_tokens',
  'prompt_details.cache_read',
] as const;

/** The price of a name, or of the longest listed name that it begins with: providers put dates behind the names of models. */
const findPrice = (
  prices: ReadonlyMap<string, ModelPrice>,
  provider: string | undefined,
  model: string,
): ModelPrice | undefined => {
  const known = provider === undefined ? undefined : (aliases[provider] ?? provider);
  let best: string | undefined;
  for (const name of prices.keys()) {
    const slash = name.indexOf('/');
    const [of, called] =
      slash === -1 ? [undefined, name] : [name.slice(0, slash), name.slice(slash + 1)];
    const fits =
      (known === undefined || of === undefined || of === known) && model.startsWith(called);
    if (fits && (best === undefined || called.length > best.length - (best.indexOf('/') + 1)))
      best = name;
  }
  return best === undefined ? undefined : prices.get(best);
};

/** Names of models that are remembered with their price: applications use few. */
const mostRemembered = 1000;

/** The list that ships, with an administrator's own prices before it. */
const priceList = (own: ReadonlyMap<string, ModelPrice>): PriceList => {
  const prices = new Map([...Object.entries(shipped), ...own]);
  const found = new Map<string, ModelPrice | undefined>();
  const priceOf = (provider: string | undefined, model: string): ModelPrice | undefined => {
    const key = `${provider ?? ''}\n${model}`;
    if (found.has(key)) return found.get(key);
    const price = findPrice(
      prices,
      provider?.toLowerCase(),
      model.toLowerCase().replace(/^.*\//, ''),
    );
    if (found.size >= mostRemembered) found.clear();
    if (key.length < 500) found.set(key, price);
    return price;
  };
  return {
    version: own.size === 0 ? shippedVersion : `${shippedVersion}+own`,
    costOf(provider, model, usage) {
      const price = priceOf(provider, model);
      if (price === undefined) return undefined;
      const input = firstOf(usage, 'prompt_tokens', 'original_usage.input_tokens', 'input_tokens');
      const output = firstOf(
        usage,
        'completion_tokens',
        'original_usage.output_tokens',
        'output_tokens',
      );
      const cached = Math.min(input, firstOf(usage, ...cachedNames));
      if (input === 0 && output === 0) return undefined;
      const dollars =
        (input - cached) * price.input +
        cached * (price.cachedInput ?? price.input) +
        output * price.output;
      return Math.round(dollars * 1e6) / 1e12;
    },
  };
};

/** Providers by the names that keys for them have. */
const keyNames: Readonly<Record<string, string>> = { google: 'gemini' };

/** Names of models by provider, each in order: those of the list that ships and an administrator's own that name a provider. */
export const pricedModels = (setting: string): Record<string, string[]> => {
  const found = new Map<string, string[]>();
  for (const name of [...Object.keys(shipped), ...(readPrices(setting)?.keys() ?? [])]) {
    const slash = name.indexOf('/');
    const [of, model] = [name.slice(0, Math.max(slash, 0)), name.slice(slash + 1)];
    if (of === '' || model === '') continue;
    const provider = keyNames[of] ?? of;
    const models = found.get(provider) ?? [];
    if (!models.includes(model)) models.push(model);
    found.set(provider, models);
  }
  return Object.fromEntries(
    [...found]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([of, all]) => [of, all.sort()]),
  );
};

/** The list in force, by what the setting says. Rejects with `invalid` for a text that is no list of prices. */
export const pricesFrom = (setting: string): PriceList => {
  const own = readPrices(setting);
  if (own === undefined)
    throw new Failure(
      'invalid',
      'ORRERY_MODEL_PRICES must be a JSON object of prices: {"provider/model": {"input": 1, "output": 2}}',
    );
  return priceList(own);
};
